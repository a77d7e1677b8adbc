/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A screen of text. On a terminal, curses redraws the text and reads keys. Otherwise the text is
 * printed as lines on standard output, in the style of out_style().
 */
#ifndef WPOOLCTL_SCREEN_H
#define WPOOLCTL_SCREEN_H

#include "out.h"

/* Returns 0, or -1 if curses does not know the terminal. */
int screen_open(void);
void screen_close(void);
bool screen_is_open(void);

int screen_width(void);
int screen_height(void);	/* a large number unless it is a terminal */

void screen_begin(void);
__printf(2, 3)
void screen_put(enum out_style style, const char *fmt, ...);
void screen_end_line(void);
int screen_line(void);		/* the number of the current line, from 0 */
/* only while the screen is open */
void screen_last_line(void);
void screen_finish(void);

/* Waits for a key. Returns a character, a key of curses, or ERR after the timeout. */
int screen_key(int timeout_ms);

#endif /* WPOOLCTL_SCREEN_H */
