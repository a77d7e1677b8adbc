// SPDX-License-Identifier: GPL-2.0
/*
 * Strict readers of numbers, durations, sizes and names. strtoull() accepts blanks and signs, so it
 * is called at digits only.
 */
#include "parse.h"

#include <ctype.h>
#include <linux/wpool.h>

struct unit {
	const char *name;
	__u64 factor;
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "K", 1024 },
	{ "M", 1024 * 1024 },
	{ }
};

/* Output uses the first four units only. */
static const struct unit time_units[] = {
	{ "ns", 1 },
	{ "us", NSEC_PER_USEC },
	{ "ms", NSEC_PER_MSEC },
	{ "s", NSEC_PER_SEC },
	{ "m", 60 * NSEC_PER_SEC },
	{ "h", 3600 * NSEC_PER_SEC },
	{ }
};

#define SECONDS		(&time_units[3])

static const struct unit count_units[] = {
	{ "", 1 },
	{ "k", 1000 },
	{ "K", 1000 },
	{ "M", 1000000 },
	{ "G", 1000000000 },
	{ }
};

/* Reads digits at *s into *out and moves *s behind them. False: no digits, or an overflow. */
static bool scan_digits(const char **s, __u64 *out)
{
	if (!isdigit((unsigned char)**s))
		return false;
	errno = 0;
	*out = strtoull(*s, (char **)s, 10);
	return !errno;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (; units->name; units++)
		if (!strcmp(units->name, name))
			return units;
	return NULL;
}

/* number[.digits]unit. The fraction must be a whole number of the smallest unit: not 0.0001us. */
static bool scan_scaled(const char *s, const struct unit *units,
			const struct unit *no_unit, __u64 *out)
{
	const char *fraction, *digit;
	const struct unit *unit;
	__u64 whole, rest = 0;

	if (!scan_digits(&s, &whole))
		return false;
	fraction = s;
	if (*s == '.') {
		fraction = ++s;
		s += strspn(s, "0123456789");
		if (s == fraction)
			return false;
	}
	unit = *s || !no_unit ? find_unit(units, s) : no_unit;
	if (!unit || __builtin_mul_overflow(whole, unit->factor, &whole))
		return false;
	/* the last digit first: if 0.25 of a unit is whole, so is 0.5 of it: 10 * 0.25 - 2 of it */
	for (digit = s; digit-- > fraction;) {
		rest += (*digit - '0') * unit->factor;
		if (rest % 10)
			return false;
		rest /= 10;
	}
	return !__builtin_add_overflow(whole, rest, out);
}

int parse_u64(const char *s, __u64 min, __u64 max, __u64 *out, struct errmsg *e)
{
	const char *end = s;
	__u64 n;

	if (!scan_digits(&end, &n) || *end || n < min || n > max)
		return errmsg_set(e, ERRMSG_Q " is not a whole number from %llu to %llu",
				  s, min, max);
	*out = n;
	return 0;
}

int parse_count(const char *s, __u64 min, __u64 max, __u64 *out, struct errmsg *e)
{
	__u64 n;

	if (!scan_scaled(s, count_units, NULL, &n) || n < min || n > max)
		return errmsg_set(e, ERRMSG_Q " is not a whole number from %llu to %llu%s",
				  s, min, max, max >= 1000 ? ", k, M and G are units" : "");
	*out = n;
	return 0;
}

int parse_s32(const char *s, __s32 min, __s32 max, __s32 *out, struct errmsg *e)
{
	const char *end = s + (*s == '-');
	__s64 value;
	__u64 n;

	if (scan_digits(&end, &n) && !*end && n <= 1ULL << 31) {
		value = *s == '-' ? -(__s64)n : (__s64)n;
		if (value >= min && value <= max) {
			*out = value;
			return 0;
		}
	}
	return errmsg_set(e, ERRMSG_Q " is not a whole number from %d to %d", s, min, max);
}

static int parse_time(const char *s, const struct unit *no_unit, __u64 min_ns, __u64 max_ns,
		      __u64 *ns, struct errmsg *e)
{
	__u64 n;

	if (!scan_scaled(s, time_units, no_unit, &n))
		return errmsg_set(e, ERRMSG_Q
				  " is not a duration: a number and ns, us, ms, s, m or h", s);
	if (n < min_ns || n > max_ns)
		return errmsg_set(e, ERRMSG_Q " is not a duration from %s to %s", s,
				  DURATION(min_ns), DURATION(max_ns));
	*ns = n;
	return 0;
}

int parse_duration(const char *s, __u64 min_ns, __u64 max_ns, __u64 *ns, struct errmsg *e)
{
	return parse_time(s, NULL, min_ns, max_ns, ns, e);
}

int parse_seconds(const char *s, __u64 min_ns, __u64 max_ns, __u64 *ns, struct errmsg *e)
{
	return parse_time(s, SECONDS, min_ns, max_ns, ns, e);
}

int parse_size(const char *s, __u64 min, __u64 max, __u64 *bytes, struct errmsg *e)
{
	__u64 n;

	if (!scan_scaled(s, size_units, NULL, &n))
		return errmsg_set(e, ERRMSG_Q " is not a size: bytes, or a number and K or M", s);
	if (n < min || n > max)
		return errmsg_set(e, ERRMSG_Q " is not a size from %llu to %llu bytes",
				  s, min, max);
	*bytes = n;
	return 0;
}

int parse_rate(const char *s, __u64 min, __u64 max, __u64 *per_s, struct errmsg *e)
{
	size_t len = strcspn(s, "/");
	char number[32];
	__u64 n;

	snprintf(number, sizeof(number), "%.*s", (int)len, s);
	if (len >= sizeof(number) || (s[len] && strcmp(s + len, "/s")) ||
	    !scan_scaled(number, count_units, NULL, &n) || n < min || n > max)
		return errmsg_set(e, ERRMSG_Q " is not a rate from %llu/s to %llu/s", s, min, max);
	*per_s = n;
	return 0;
}

int parse_word(const char *s, const char *const *words, __u32 *index, struct errmsg *e)
{
	char known[128] = "";
	__u32 i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(words[i], s)) {
			*index = i;
			return 0;
		}
		errmsg_join(known, sizeof(known), ", ", "%s", words[i]);
	}
	return errmsg_set(e, ERRMSG_Q " is not one of %s", s, known);
}

int parse_pool_name(const char *s, struct errmsg *e)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
	size_t len = strlen(s);

	if (!len || len >= WPOOL_DEV_NAME_LEN || s[0] == '.' || strspn(s, allowed) != len)
		return errmsg_set(e, ERRMSG_Q " is no name of a pool: 1 to %d of %s, no dot first",
				  s, WPOOL_DEV_NAME_LEN - 1, "A-Z a-z 0-9 _ . -");
	return 0;
}

const char *format_duration(__u64 ns, char *buf, size_t len)
{
	const struct unit *unit = time_units;
	__u64 whole, rest, denominator;
	int digits;

	while (unit < SECONDS && ns >= unit[1].factor)
		unit++;
	whole = ns / unit->factor;
	rest = ns % unit->factor;
	if (!rest) {
		snprintf(buf, len, "%llu%s", whole, unit->name);
		return buf;
	}
	digits = whole < 10 ? 3 : whole < 100 ? 2 : 1;
	denominator = digits == 3 ? 1000 : digits == 2 ? 100 : 10;
	/* cut, not rounded: 999.96us must not become 1000.0us */
	snprintf(buf, len, "%llu.%0*llu%s", whole, digits,
		 rest * denominator / unit->factor, unit->name);
	return buf;
}

const char *format_short(__u64 ns, char *buf, size_t len)
{
	const struct unit *unit = time_units;
	double value;
	int digits;

	/* if a time rounds to 1000 of a unit, write 1.00 of the next one */
	while (unit < SECONDS && ns >= unit[1].factor - unit->factor / 2)
		unit++;
	value = (double)ns / unit->factor;
	digits = unit == time_units || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	snprintf(buf, len, "%.*f%s", digits, value, unit->name);
	return buf;
}
