// SPDX-License-Identifier: GPL-2.0
/* The only file that uses curses. */
#include "screen.h"

#include <signal.h>
#include <stdarg.h>

#include <curses.h>

#include "cli.h"
#include "out.h"

static struct screen *terminal; /* SCREEN, as curses calls it */
static int line, column;

static const short colours[] = {
	[SCREEN_PLAIN] = -1,
	[SCREEN_TITLE] = -1,
	[SCREEN_GOOD] = COLOR_GREEN,
	[SCREEN_WARN] = COLOR_YELLOW,
	[SCREEN_BAD] = COLOR_RED,
	[SCREEN_DIM] = -1,
};

/* Replaces the handler of curses, which would exit with 1. */
static void interrupted(int sig __maybe_unused)
{
	endwin();
	_exit(CLI_INTERRUPTED);
}

int screen_open(void)
{
	size_t i;

	signal(SIGINT, interrupted);
	signal(SIGTERM, interrupted);
	signal(SIGQUIT, interrupted);
	if (!cli_ignores_hangup())
		signal(SIGHUP, interrupted);
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return -1;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);
	if (has_colors() && *out_plain()) {
		start_color();
		use_default_colors();
		for (i = 0; i < ARRAY_SIZE(colours); i++)
			if (colours[i] >= 0)
				init_pair(i, colours[i], -1);
	}
	return 0;
}

void screen_close(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
}

bool screen_is_open(void)
{
	return terminal;
}

int screen_width(void)
{
	return terminal ? COLS : out_width();
}

int screen_height(void)
{
	return terminal ? LINES : INT_MAX;
}

void screen_begin(void)
{
	line = 0;
	column = 0;
	if (terminal)
		erase();
}

static attr_t attributes(enum screen_style style)
{
	attr_t attr = 0;

	if (style == SCREEN_TITLE)
		attr |= A_REVERSE;
	if (style == SCREEN_DIM)
		attr |= A_DIM;
	if (style == SCREEN_BAD)
		attr |= A_BOLD;
	if (has_colors() && colours[style] >= 0)
		attr |= COLOR_PAIR(style);
	return attr;
}

void screen_put(enum screen_style style, const char *fmt, ...)
{
	int room = terminal ? COLS - column : INT_MAX, len;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	len = strlen(text);
	if (len > room)
		len = room > 0 ? room : 0;
	if (!terminal) {
		printf("%.*s", len, text);
	} else if (line < LINES) {
		attrset(attributes(style));
		mvaddnstr(line, column, text, len);
		attrset(A_NORMAL);
	}
	column += len;
}

void screen_end_line(void)
{
	if (!terminal)
		putchar('\n');
	line++;
	column = 0;
}

int screen_line(void)
{
	return line;
}

void screen_last_line(void)
{
	if (terminal)
		line = LINES - 1;
	column = 0;
}

void screen_finish(void)
{
	if (terminal)
		refresh();
}

int screen_key(int timeout_ms)
{
	static const struct {
		int code;
		enum screen_key key;
	} keys[] = {
		{ ERR, SCREEN_KEY_NONE }, { KEY_RESIZE, SCREEN_KEY_SIZE },
		{ KEY_UP, SCREEN_KEY_UP }, { KEY_DOWN, SCREEN_KEY_DOWN },
		{ KEY_PPAGE, SCREEN_KEY_PAGE_UP }, { KEY_NPAGE, SCREEN_KEY_PAGE_DOWN },
		{ KEY_LEFT, SCREEN_KEY_LEFT }, { KEY_RIGHT, SCREEN_KEY_RIGHT },
		{ KEY_BACKSPACE, SCREEN_KEY_ERASE }, { 127, SCREEN_KEY_ERASE },
		{ '\b', SCREEN_KEY_ERASE }, { KEY_ENTER, SCREEN_KEY_RETURN },
		{ '\r', SCREEN_KEY_RETURN }, { '\n', SCREEN_KEY_RETURN },
	};
	size_t i;
	int code;

	timeout(timeout_ms);
	code = getch();
	/* the terminal is gone, and SIGHUP ignored: getch() would not wait any more */
	if (code == ERR && !isatty(STDIN_FILENO))
		interrupted(SIGHUP);
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	return code;
}
