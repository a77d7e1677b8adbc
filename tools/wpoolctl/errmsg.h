/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One line that says what was wrong and what is allowed. Parsers write the message, commands print
 * it. So a test can call a parser directly.
 */
#ifndef WPOOLCTL_ERRMSG_H
#define WPOOLCTL_ERRMSG_H

#include "base.h"

#define ERRMSG_LEN	640

/* The part of the input that a message repeats. */
#define ERRMSG_Q	"'%.60s'"

struct errmsg {
	char text[ERRMSG_LEN];
};

/*
 * Sets the text; the old text may be a part of it. Returns -1, so that a parser can write "return
 * errmsg_set(...)".
 */
__printf(2, 3)
int errmsg_set(struct errmsg *e, const char *fmt, ...);

/* Adds @between, if needed, and a word; cuts @list to @len. */
__printf(4, 5)
void errmsg_join(char *list, size_t len, const char *between, const char *fmt, ...);

/* Replaces control characters that are not in @keep, and invalid UTF-8, by a '?' for each byte. */
void make_printable(char *s, const char *keep);

#endif /* WPOOLCTL_ERRMSG_H */
