/* SPDX-License-Identifier: GPL-2.0 */
/* Output: colour if a person reads it, JSON if a program does. */
#ifndef WPOOLCTL_OUT_H
#define WPOOLCTL_OUT_H

#include <json-c/json.h>

#include "base.h"

struct pressure;

enum out_style {
	OUT_PLAIN,
	OUT_BOLD,		/* a title */
	OUT_GOOD,
	OUT_WARN,
	OUT_BAD,
	OUT_DIM,
};

/* The escape sequence on a terminal, "" elsewhere or if NO_COLOR is set. */
const char *out_style(enum out_style style);
const char *out_plain(void);

/* How wide lines may be: COLUMNS if that is 1 to 10000, else the terminal's width, else 80. */
int out_width(void);

/* The style in which to print a pool's state. */
enum out_style out_state_style(const char *state);

/*
 * JSON values come from sysfs: most whole numbers are numbers, other values ("max", "block") are
 * strings, see json_put_file(). If an allocation fails, the process exits.
 */
struct json_object *json_new(void);
struct json_object *json_new_array(void);

/* Put a number, a bool, a text or another object under a key. */
#define json_put(_to, _key, _value) _Generic((_value),		\
	bool : json_put_bool,					\
	double : json_put_double,				\
	char * : json_put_string,				\
	const char * : json_put_string,				\
	struct json_object * : json_put_object,			\
	default : json_put_u64)(_to, _key, _value)

void json_put_bool(struct json_object *to, const char *key, bool value);
void json_put_double(struct json_object *to, const char *key, double value);
void json_put_string(struct json_object *to, const char *key, const char *value);
/* Put an object under a key; NULL becomes null. */
void json_put_object(struct json_object *to, const char *key, struct json_object *value);
void json_put_u64(struct json_object *to, const char *key, __u64 value);
/* Put a number under a key; 0 becomes null. */
void json_put_nonzero(struct json_object *to, const char *key, __u64 value);

/* Put the value of a file of sysfs. The owner "-" becomes null, the pressure an object. */
void json_put_file(struct json_object *to, const char *file, const char *sysfs_value);
void json_put_pressure(struct json_object *to, const char *key, const struct pressure *pressure);

void json_append(struct json_object *array, struct json_object *value);
void json_append_string(struct json_object *array, const char *value);

/* Print and free: indented, or on one line. */
void json_print(struct json_object *object);
void json_print_line(struct json_object *object);

#endif /* WPOOLCTL_OUT_H */
