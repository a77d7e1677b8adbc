/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with sections: "[name]", followed by lines "key = value" or "key". A line that begins
 * with # or ; is a comment.
 */
#ifndef WPOOLCTL_INI_H
#define WPOOLCTL_INI_H

#include "errmsg.h"

/*
 * Called with @key NULL at the start of a section, and with each of its keys; @value is NULL if the
 * key has none. Returns 0, or -1 and a message if the line is wrong.
 */
typedef int (*ini_handler)(void *arg, unsigned int line, const char *section, const char *key,
			   const char *value, struct errmsg *e);

/* @e: a message that begins with "FILE:LINE: ", or with "FILE: " if the file cannot be read */
typedef void (*ini_complain)(void *arg, const struct errmsg *e);

/*
 * Calls @complain for each wrong line, and if the file cannot be read. If the line "[name]" is
 * wrong, the rest of the section is skipped. Returns 0, or -1 if it has called @complain.
 */
int ini_read(const char *name, ini_handler handler, ini_complain complain, void *arg);

/* The same for an open file. */
int ini_parse(FILE *file, const char *name, ini_handler handler, ini_complain complain, void *arg);

#endif /* WPOOLCTL_INI_H */
