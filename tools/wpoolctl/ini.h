/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with sections: "[name]", followed by lines "key = value" or "key". A line that begins
 * with # or ; is a comment.
 */
#ifndef WPOOLCTL_INI_H
#define WPOOLCTL_INI_H

#include <stdio.h>

#include "errmsg.h"

/*
 * Called once for each section, with @key NULL, and for each line in it; @value is NULL if there is
 * none. Returns 0 to continue, or -1 and a message.
 */
typedef int (*ini_handler)(void *arg, unsigned int line, const char *section, const char *key,
			   const char *value, struct errmsg *e);

/* A message that begins with the name of the file and the line. */
typedef void (*ini_complain)(void *arg, const struct errmsg *e);

/*
 * Calls @complain for each wrong line, but skips a section whose head is wrong. Returns 0, or -1 if
 * any line is wrong.
 */
int ini_read(FILE *file, const char *name, ini_handler handler, ini_complain complain, void *arg);

#endif /* WPOOLCTL_INI_H */
