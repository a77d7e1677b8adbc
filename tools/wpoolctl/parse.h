/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strict parsers of user input: no trailing garbage, no sign where none makes sense, no overflow,
 * no silent clamping. Each returns 0, or -1 and a message that names the allowed values. On -1 the
 * result is unchanged.
 */
#ifndef WPOOLCTL_PARSE_H
#define WPOOLCTL_PARSE_H

#include "clock.h"
#include "errmsg.h"

/* A whole decimal number of [min, max]. */
int parse_u64(const char *s, __u64 min, __u64 max, __u64 *out, struct errmsg *e);
int parse_s32(const char *s, __s32 min, __s32 max, __s32 *out, struct errmsg *e);

/* As parse_u64(), and also "10k", "1.5M" and "1G" with units of 1000. */
int parse_count(const char *s, __u64 min, __u64 max, __u64 *out, struct errmsg *e);

/* Number and unit, "1.5ms"; units ns, us, ms, s, m, h. */
int parse_duration(const char *s, __u64 min_ns, __u64 max_ns, __u64 *ns, struct errmsg *e);

/* As parse_duration(), but a number without a unit is in seconds. */
int parse_seconds(const char *s, __u64 min_ns, __u64 max_ns, __u64 *ns, struct errmsg *e);

/* Bytes, or a number with K (1024) or M (1024 * 1024). */
int parse_size(const char *s, __u64 min, __u64 max, __u64 *bytes, struct errmsg *e);

/* "N" or "N/s", with units as for a count. */
int parse_rate(const char *s, __u64 min, __u64 max, __u64 *per_s, struct errmsg *e);

/* The index of @s in @words, which end with NULL. */
int parse_word(const char *s, const char *const *words, __u32 *index, struct errmsg *e);

/* What the kernel accepts as the name of a pool. */
int parse_pool_name(const char *s, struct errmsg *e);

/* "1.500ms": four digits, for people. */
const char *format_duration(__u64 ns, char *buf, size_t len);

/* "1.50ms": three digits, for an estimate. At most six characters below 1000 s. */
const char *format_short(__u64 ns, char *buf, size_t len);

/* DURATION() and SHORT_TIME() are such texts. They live until the end of the statement. */
struct time_text {
	char s[32];
};

static inline struct time_text
time_text_of(const char *(*format)(__u64 ns, char *buf, size_t len), __u64 ns)
{
	struct time_text text;

	format(ns, text.s, sizeof(text.s));
	return text;
}

#define DURATION(_ns)	(time_text_of(format_duration, _ns).s)
#define SHORT_TIME(_ns)	(time_text_of(format_short, _ns).s)

#endif /* WPOOLCTL_PARSE_H */
