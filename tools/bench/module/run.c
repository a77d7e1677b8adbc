// SPDX-License-Identifier: GPL-2.0
/* See run.h. */
#include "run.h"

#include <linux/bug.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

static void put(struct bench_run *run, const char *key, const char *value,
		const char *quote)
{
	run->len += scnprintf(run->json + run->len, BENCH_JSON_LEN - run->len,
			      "%s\"%s\":%s%s%s", run->len > 1 ? "," : "", key,
			      quote, value, quote);
}

static bool is_number(const char *text)
{
	if (!*text || (text[0] == '0' && text[1]))
		return false;
	for (; *text; text++)
		if (!isdigit(*text))
			return false;
	return true;
}

/* Is the text valid in a JSON string without escapes? */
static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (!isalnum(*text) && !strchr(" =_-.,+/", *text))
			return false;
	return true;
}

int bench_run_parse(struct bench_run *run, const char *line)
{
	char *rest = run->line, *word, *value;
	int i;

	memset(run, 0, sizeof(*run));
	if (strscpy(run->line, line, sizeof(run->line)) < 0)
		return -E2BIG;
	strim(run->line);
	if (!is_plain(run->line))
		return -EINVAL;
	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		if (run->nr_words == ARRAY_SIZE(run->words))
			return -E2BIG;
		run->words[run->nr_words++] = word;
	}
	if (!run->nr_words)
		return -EINVAL;
	run->json = kmalloc(BENCH_JSON_LEN, GFP_KERNEL);
	if (!run->json)
		return -ENOMEM;
	run->json[run->len++] = '{';
	put(run, "case", run->words[0], "\"");
	for (i = 1; i < run->nr_words; i++) {
		char key[32];

		value = strchr(run->words[i], '=');
		if (!value || value - run->words[i] >= sizeof(key))
			return -EINVAL;
		strscpy(key, run->words[i], value - run->words[i] + 1);
		put(run, key, value + 1, is_number(value + 1) ? "" : "\"");
	}
	return 0;
}

void bench_run_end(struct bench_run *run)
{
	run->len += scnprintf(run->json + run->len, BENCH_JSON_LEN - run->len, "}\n");
}

const char *bench_text(const struct bench_run *run, const char *key,
		       const char *def)
{
	size_t len = strlen(key);
	int i;

	for (i = 1; i < run->nr_words; i++)
		if (!strncmp(run->words[i], key, len) && run->words[i][len] == '=')
			return run->words[i] + len + 1;
	return def;
}

bool bench_is(const struct bench_run *run, const char *key, const char *value)
{
	return !strcmp(bench_text(run, key, ""), value);
}

u64 bench_num(const struct bench_run *run, const char *key, u64 def)
{
	const char *text = bench_text(run, key, NULL);
	u64 value;

	return text && !kstrtou64(text, 10, &value) ? value : def;
}

void bench_put(struct bench_run *run, const char *key, u64 value)
{
	char text[24];

	scnprintf(text, sizeof(text), "%llu", value);
	put(run, key, text, "");
}

void *bench_run_zalloc(struct bench_run *run, u64 nr, size_t size)
{
	void *memory = NULL;

	if (!WARN_ON_ONCE(run->nr_memory == ARRAY_SIZE(run->memory)))
		memory = kvcalloc(nr, size, GFP_KERNEL);
	if (memory)
		run->memory[run->nr_memory++] = memory;
	else
		run->no_memory = true;
	return memory;
}

u32 *bench_run_series(struct bench_run *run, const char *name, u64 nr)
{
	u32 *values = bench_run_zalloc(run, nr, sizeof(*values));

	if (!WARN_ON_ONCE(run->nr_series == ARRAY_SIZE(run->series)))
		run->series[run->nr_series++] = (struct bench_series){ name, values };
	return values;
}

void bench_run_free(struct bench_run *run)
{
	while (run->nr_memory)
		kvfree(run->memory[--run->nr_memory]);
}
