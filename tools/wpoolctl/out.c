// SPDX-License-Identifier: GPL-2.0
/* Colour and JSON. */
#include "out.h"

#include <sys/ioctl.h>

#include "alloc.h"
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
		[OUT_PLAIN] = "",
		[OUT_BOLD] = "\033[1m",
		[OUT_GOOD] = "\033[32m",
		[OUT_WARN] = "\033[33m",
		[OUT_BAD] = "\033[31m",
		[OUT_DIM] = "\033[2m",
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
	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

struct json_object *json_new(void)
{
	return alloc_checked(json_object_new_object());
}

struct json_object *json_new_array(void)
{
	return alloc_checked(json_object_new_array());
}

void json_put_object(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

void json_put_u64(struct json_object *to, const char *key, __u64 value)
{
	json_put_object(to, key, alloc_checked(json_object_new_uint64(value)));
}

void json_put_nonzero(struct json_object *to, const char *key, __u64 value)
{
	json_put_object(to, key, value ? alloc_checked(json_object_new_uint64(value)) : NULL);
}

void json_put_double(struct json_object *to, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", value);
	json_put_object(to, key, alloc_checked(json_object_new_double_s(value, text)));
}

void json_put_string(struct json_object *to, const char *key, const char *value)
{
	json_put_object(to, key, alloc_checked(json_object_new_string(value)));
}

void json_put_bool(struct json_object *to, const char *key, bool value)
{
	json_put_object(to, key, alloc_checked(json_object_new_boolean(value)));
}

void json_put_pressure(struct json_object *to, const char *key, const struct pressure *pressure)
{
	static const char *const names[NR_PRESSURES] = { "avg10", "avg60", "avg300" };
	struct json_object *json = json_new();
	size_t i;

	for (i = 0; i < NR_PRESSURES; i++)
		json_put(json, names[i], pressure->percent[i]);
	json_put(json, "total_us", pressure->total_us);
	json_put(to, key, json);
}

void json_put_file(struct json_object *to, const char *file, const char *sysfs_value)
{
	struct pressure pressure;
	struct errmsg e;
	__u64 number;
	__s32 nice;

	if (!strcmp(file, "owner") && !strcmp(sysfs_value, "-"))
		json_put_object(to, file, NULL);
	else if (!strcmp(file, "pressure") && pressure_parse(&pressure, sysfs_value))
		json_put_pressure(to, file, &pressure);
	/* always strings: a list of one CPU, or the name of a module, may look like a number */
	else if (!strcmp(file, "cpumask") || !strcmp(file, "owner"))
		json_put(to, file, sysfs_value);
	else if (!parse_u64(sysfs_value, 0, ~0ULL, &number, &e))
		json_put(to, file, number);
	else if (!parse_s32(sysfs_value, -0x7fffffff, 0x7fffffff, &nice, &e))
		json_put_object(to, file, alloc_checked(json_object_new_int(nice)));
	else
		json_put(to, file, sysfs_value);
}

void json_append(struct json_object *array, struct json_object *value)
{
	json_object_array_add(array, value);
}

void json_append_string(struct json_object *array, const char *value)
{
	json_append(array, alloc_checked(json_object_new_string(value)));
}

static void print(struct json_object *object, int flags)
{
	puts(json_object_to_json_string_ext(object, flags | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void json_print(struct json_object *object)
{
	print(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
}

void json_print_line(struct json_object *object)
{
	print(object, JSON_C_TO_STRING_PLAIN);
}
