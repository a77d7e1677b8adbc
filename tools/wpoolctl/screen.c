// SPDX-License-Identifier: GPL-2.0
/* The only file that calls curses; cmd-top.c has its keys, too. */
#include "screen.h"

#include <signal.h>
#include <stdarg.h>

#include <curses.h>

#include "cli.h"

static struct screen *terminal; /* SCREEN, as curses calls it */
static int line, column;

static const short colours[] = {
	[OUT_PLAIN] = -1,
	[OUT_BOLD] = -1,
	[OUT_GOOD] = COLOR_GREEN,
	[OUT_WARN] = COLOR_YELLOW,
	[OUT_BAD] = COLOR_RED,
	[OUT_DIM] = -1,
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
	endwin();
	delscreen(terminal);
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

static attr_t attributes(enum out_style style)
{
	attr_t attr = 0;

	if (style == OUT_BOLD)
		attr |= A_REVERSE;
	if (style == OUT_DIM)
		attr |= A_DIM;
	if (style == OUT_BAD)
		attr |= A_BOLD;
	if (has_colors() && colours[style] >= 0)
		attr |= COLOR_PAIR(style);
	return attr;
}

void screen_put(enum out_style style, const char *fmt, ...)
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
		printf("%s%.*s%s", out_style(style), len, text, style ? out_plain() : "");
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
	line = LINES - 1;
	column = 0;
}

void screen_finish(void)
{
	refresh();
}

int screen_key(int timeout_ms)
{
	int key;

	timeout(timeout_ms);
	key = getch();
	/* the terminal is gone, and SIGHUP ignored: getch() would not wait any more */
	if (key == ERR && !isatty(STDIN_FILENO))
		interrupted(SIGHUP);
	return key;
}
