/* SPDX-License-Identifier: GPL-2.0 */
/* Output: colour if a person reads it, JSON if a program does. */
#ifndef WPOOLCTL_OUT_H
#define WPOOLCTL_OUT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

#include <json-c/json.h>

struct pressure;

enum out_style {
	OUT_BOLD,
	OUT_GOOD,
	OUT_WARN,
	OUT_BAD,
};

/* The escape sequence on a terminal, "" elsewhere or if NO_COLOR is set. */
const char *out_style(enum out_style style);
const char *out_plain(void);

/* How wide lines may be: COLUMNS if that is set, else the terminal's width, else 80. */
int out_width(void);

/* Print a line, which on a terminal is cut between words where it is full. */
void out_sentence(const char *text);

/* How a pool's state is shown. */
enum out_style out_state_style(const char *state);

/*
 * JSON values are those of sysfs: what is a whole number there is a number,
 * everything else ("max", "block", "0-1") is a string. Without memory the
 * process ends.
 */
struct json_object *out_json_new(void);
struct json_object *out_json_new_array(void);
void out_json_add(struct json_object *to, const char *key,
		  struct json_object *value);
void out_json_add_u64(struct json_object *to, const char *key, __u64 value);
void out_json_add_double(struct json_object *to, const char *key, double value);
void out_json_add_string(struct json_object *to, const char *key,
			 const char *value);
void out_json_add_bool(struct json_object *to, const char *key, bool value);
void out_json_add_null(struct json_object *to, const char *key);
void out_json_add_value(struct json_object *to, const char *key,
			const char *sysfs_value);
/* The same, but an owner "-" is null, and the pressure an object. */
void out_json_add_file(struct json_object *to, const char *file, const char *sysfs_value);
void out_json_add_pressure(struct json_object *to, const char *key,
			   const struct pressure *pressure);
struct json_object *out_json_string(const char *value);
void out_json_append(struct json_object *array, struct json_object *value);

/* Print and free: indented, or on one line. */
void out_json_print(struct json_object *object);
void out_json_print_line(struct json_object *object);

#endif /* WPOOLCTL_OUT_H */
