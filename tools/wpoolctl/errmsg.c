// SPDX-License-Identifier: GPL-2.0
/* Error messages of parsers. A message has no control characters. */
#include "errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void make_printable(char *s, const char *keep)
{
	unsigned char c, before = 0;

	/* U+0080 to U+009F begin with 0xc2 in UTF-8; alone they are controls of Latin-1 */
	for (; *s; before = c, s++) {
		c = *s;
		if (c >= 0x80 && c < 0xa0 ? before < 0x80 || before == 0xc2 :
		    (c < ' ' || c == 0x7f) && !strchr(keep, c))
			*s = '?';
	}
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
