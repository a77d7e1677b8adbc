/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A screen of text. On a terminal, curses redraws the text and reads keys. Otherwise the text is
 * printed as lines on standard output.
 */
#ifndef WPOOLCTL_SCREEN_H
#define WPOOLCTL_SCREEN_H

#include "base.h"

enum screen_style {
	SCREEN_PLAIN,
	SCREEN_TITLE,
	SCREEN_GOOD,
	SCREEN_WARN,
	SCREEN_BAD,
	SCREEN_DIM,
};

enum screen_key {
	SCREEN_KEY_NONE = -1,		/* no key before the timeout */
	SCREEN_KEY_SIZE = -2,		/* the terminal has another size */
	SCREEN_KEY_UP = 0x1000,
	SCREEN_KEY_DOWN,
	SCREEN_KEY_PAGE_UP,
	SCREEN_KEY_PAGE_DOWN,
	SCREEN_KEY_LEFT,
	SCREEN_KEY_RIGHT,
	SCREEN_KEY_ERASE,
	SCREEN_KEY_RETURN,
};

/* Returns 0, or -1 if curses does not know the terminal. */
int screen_open(void);
void screen_close(void);
bool screen_is_open(void);

int screen_width(void);
int screen_height(void);	/* a large number unless it is a terminal */

void screen_begin(void);
__printf(2, 3)
void screen_put(enum screen_style style, const char *fmt, ...);
void screen_end_line(void);
int screen_line(void);		/* the number of the current line, from 0 */
void screen_last_line(void);
void screen_finish(void);

/* Waits for a key. Returns a character or one of enum screen_key. */
int screen_key(int timeout_ms);

#endif /* WPOOLCTL_SCREEN_H */
