// SPDX-License-Identifier: GPL-2.0
/* Error messages of parsers. A message has no control characters of ASCII. */
#include "errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void make_printable(char *s, const char *keep)
{
	for (; *s; s++)
		if (((unsigned char)*s < ' ' || *s == 0x7f) && !strchr(keep, *s))
			*s = '?';
}

int errmsg_set(struct errmsg *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	make_printable(e->text, "");
	return -1;
}

void errmsg_join(char *list, size_t len, const char *between, const char *fmt, ...)
{
	size_t at = strlen(list);
	va_list ap;

	snprintf(list + at, len - at, "%s", at ? between : "");
	at = strlen(list);
	va_start(ap, fmt);
	vsnprintf(list + at, len - at, fmt, ap);
	va_end(ap);
}

int errmsg_in(struct errmsg *e, const char *fmt, ...)
{
	struct errmsg inner = *e;
	char what[120];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return errmsg_set(e, "%s: %s", what, inner.text);
}
