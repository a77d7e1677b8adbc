// SPDX-License-Identifier: GPL-2.0
/* Colour and JSON. */
#include "out.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "parse.h"
#include "sysfs.h"

static bool use_colour(void)
{
	static int answer = -1;
	const char *no_colour = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (answer < 0)
		answer = isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
			 !(term && !strcmp(term, "dumb"));
	return answer;
}

const char *out_style(enum out_style style)
{
	static const char *const sequences[] = {
		[OUT_BOLD] = "\033[1m",
		[OUT_GOOD] = "\033[32m",
		[OUT_WARN] = "\033[33m",
		[OUT_BAD] = "\033[31m",
	};

	return use_colour() ? sequences[style] : "";
}

const char *out_plain(void)
{
	return use_colour() ? "\033[0m" : "";
}

enum out_style out_state_style(const char *state)
{
	return !strcmp(state, "open") ? OUT_GOOD : OUT_WARN;
}

int out_width(void)
{
	const char *env = getenv("COLUMNS");
	struct winsize size;
	struct errmsg e;
	__u64 width;

	if (env && !parse_u64(env, 1, 10000, &width, &e))
		return width;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}

void out_sentence(const char *text)
{
	size_t width = isatty(STDOUT_FILENO) ? (size_t)out_width() : SIZE_MAX;
	const char *end;

	while (strlen(text) > width) {
		for (end = text + width; end > text && *end != ' '; end--)
			;
		if (end == text)
			break;
		printf("%.*s\n", (int)(end - text), text);
		text = end + 1;
	}
	puts(text);
}

static void *must(void *memory)
{
	if (!memory) {
		cli_error(NULL, "out of memory");
		exit(CLI_FAILED);
	}
	return memory;
}

struct json_object *out_json_new(void)
{
	return must(json_object_new_object());
}

struct json_object *out_json_new_array(void)
{
	return must(json_object_new_array());
}

void out_json_add(struct json_object *to, const char *key,
		  struct json_object *value)
{
	json_object_object_add(to, key, value);
}

void out_json_add_u64(struct json_object *to, const char *key, __u64 value)
{
	out_json_add(to, key, must(json_object_new_uint64(value)));
}

void out_json_add_double(struct json_object *to, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", value);
	out_json_add(to, key, must(json_object_new_double_s(value, text)));
}

void out_json_add_string(struct json_object *to, const char *key,
			 const char *value)
{
	out_json_add(to, key, must(json_object_new_string(value)));
}

struct json_object *out_json_string(const char *value)
{
	return must(json_object_new_string(value));
}

void out_json_add_bool(struct json_object *to, const char *key, bool value)
{
	out_json_add(to, key, must(json_object_new_boolean(value)));
}

void out_json_add_null(struct json_object *to, const char *key)
{
	out_json_add(to, key, NULL);
}

void out_json_add_value(struct json_object *to, const char *key,
			const char *sysfs_value)
{
	struct errmsg e;
	__u64 number;
	__s32 nice;

	/* one CPU is a list, too: the type must not depend on how many */
	if (!strcmp(key, "cpumask"))
		out_json_add_string(to, key, sysfs_value);
	else if (!parse_u64(sysfs_value, 0, ~0ULL, &number, &e))
		out_json_add_u64(to, key, number);
	else if (!parse_s32(sysfs_value, -0x7fffffff, 0x7fffffff, &nice, &e))
		out_json_add(to, key, must(json_object_new_int(nice)));
	else
		out_json_add_string(to, key, sysfs_value);
}

void out_json_add_pressure(struct json_object *to, const char *key,
			   const struct pressure *pressure)
{
	static const char *const names[NR_PRESSURES] = { "avg10", "avg60", "avg300" };
	struct json_object *json = out_json_new();
	size_t i;

	for (i = 0; i < NR_PRESSURES; i++)
		out_json_add_double(json, names[i], pressure->percent[i]);
	out_json_add_u64(json, "total_us", pressure->total_us);
	out_json_add(to, key, json);
}

void out_json_add_file(struct json_object *to, const char *file, const char *sysfs_value)
{
	struct pressure pressure;

	if (!strcmp(file, "owner") && !strcmp(sysfs_value, "-"))
		out_json_add_null(to, file);
	else if (!strcmp(file, "pressure") && pressure_parse(&pressure, sysfs_value))
		out_json_add_pressure(to, file, &pressure);
	else
		out_json_add_value(to, file, sysfs_value);
}

void out_json_append(struct json_object *array, struct json_object *value)
{
	json_object_array_add(array, value);
}

static void print_json(struct json_object *object, int flags)
{
	puts(json_object_to_json_string_ext(object, flags |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void out_json_print(struct json_object *object)
{
	print_json(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
}

void out_json_print_line(struct json_object *object)
{
	print_json(object, JSON_C_TO_STRING_PLAIN);
}
