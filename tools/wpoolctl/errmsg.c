// SPDX-License-Identifier: GPL-2.0
/* Error messages of parsers. A message has no control characters. */
#include "errmsg.h"

#include <stdarg.h>

/* The length of the UTF-8 character at @s; 0 if it is invalid or a control character. */
static size_t printable_len(const unsigned char *s)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
		     s[0] < 0xf5 ? 4 : 0, i;
	unsigned int code;

	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* two bytes tell controls, longer forms than needed, surrogates, codes above U+10FFFF */
	code = len == 1 ? s[0] : s[0] << 8 | s[1];
	if (code < ' ' || code == 0x7f || (code >= 0xc280 && code < 0xc2a0) ||
	    (code >= 0xe080 && code < 0xe0a0) || (code >= 0xeda0 && code < 0xee80) ||
	    (code >= 0xf080 && code < 0xf090) || code >= 0xf490)
		return 0;
	return len;
}

void make_printable(char *s, const char *keep)
{
	size_t len;

	for (; *s; s += len ?: 1) {
		len = printable_len((const unsigned char *)s);
		if (!len && !strchr(keep, *s))
			*s = '?';
	}
}

int errmsg_set(struct errmsg *e, const char *fmt, ...)
{
	struct errmsg set;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(set.text, sizeof(set.text), fmt, ap);
	va_end(ap);
	make_printable(set.text, "");
	*e = set;
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
