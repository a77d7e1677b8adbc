// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_parsers.c without libFuzzer: it runs each file of the corpus, and simple mutations, which
 * are the same in every run. It searches for no new inputs, but shows in a second that the parsers
 * pass the fuzzer's checks, and that the fuzzer's sources compile.
 *
 *	replay_parsers NUMBER FILE|DIRECTORY...
 *
 * NUMBER is the number of mutations. A failed run prints the input in printf's format at the end.
 */
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <linux/wpool.h>

#include "../../wpoolctl/base.h"
#include "../../wpoolctl/random.h"

#define MAX_BYTES	512
#define MAX_SEEDS	1024

struct input {
	size_t len;
	uint8_t bytes[MAX_BYTES];
};

/* Numbers near limits, and words that parsers may know. */
struct words {
	char text[512][32];
	size_t nr;
};

static struct input seeds[MAX_SEEDS];
static size_t nr_seeds;
static struct input current;
static struct words numbers, words;
static struct random dice;

int FUZZ_ONE(const uint8_t *data, size_t size);

static void print_current(void)
{
	size_t i;

	fprintf(stderr, "input: '");
	for (i = 0; i < current.len; i++)
		if (current.bytes[i] > ' ' && current.bytes[i] < 0x7f &&
		    !strchr("\\%'", current.bytes[i]))
			fputc(current.bytes[i], stderr);
		else
			fprintf(stderr, "\\%03o", current.bytes[i]);
	fprintf(stderr, "'\n");
}

static void on_abort(int nr)
{
	(void)nr;
	print_current();
}

/* A function of the sanitizers, if the compiler has them. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void run(const struct input *input)
{
	uint8_t *copy = malloc(input->len ?: 1);

	if (!copy) {
		perror("replay_parsers");
		exit(2);
	}
	current = *input;
	/* exactly the input's size, so that AddressSanitizer notices a read beyond it */
	memcpy(copy, input->bytes, input->len);
	FUZZ_ONE(copy, input->len);
	free(copy);
}

static void read_seed(const char *path)
{
	FILE *file = fopen(path, "r");
	struct input *seed = &seeds[nr_seeds];

	if (!file || nr_seeds == MAX_SEEDS) {
		fprintf(stderr, "replay_parsers: cannot read %s\n", path);
		exit(2);
	}
	seed->len = fread(seed->bytes, 1, sizeof(seed->bytes), file);
	fclose(file);
	nr_seeds++;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Reads seeds in the order of their names, because the mutations depend on the order. */
static void read_seeds(const char *path)
{
	struct dirent **entries;
	char file[PATH_MAX];
	struct stat st;
	int nr, i;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		read_seed(path);
		return;
	}
	nr = scandir(path, &entries, is_visible, alphasort);
	for (i = 0; i < nr; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		read_seed(file);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

static void add_word(struct words *to, const char *word)
{
	if (word && to->nr < ARRAY_SIZE(to->text))
		snprintf(to->text[to->nr++], sizeof(to->text[0]), "%s", word);
}

static void add_words(const char *const *from, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		add_word(&words, from[i]);
}

/* Adds a limit, and the numbers on both sides of it. */
static void add_limit(__u64 limit, bool is_signed)
{
	char text[32];
	int step;

	for (step = -1; step <= 1; step++) {
		snprintf(text, sizeof(text), is_signed ? "%lld" : "%llu", limit + step);
		add_word(&numbers, text);
	}
}

static const struct {
	const char *name;
	int min;
	int max;
	const char *words[5];
} attrs[] = {
#define WPOOL_ATTR(_name, _use, _NAME, _type, _min, _max, _preset, _words, ...)	\
	{ #_name "=", _min, _max, _words },
#define WPOOL_ATTR_CPUS(_name, ...)	{ #_name "=" },
#include "../../../module/pool/attr_table.h"
};

static void init_words(void)
{
	static const char *const common[] = {
		WPOOL_BOOL_WORDS, WPOOL_NO_LIMIT_WORDS,
		"-", "+", "=", ",", ":", "@", "x", ".", "/s", "0x", " ", "\n", "[", "]", "#", ";",
		"ns", "us", "ms", "s", "m", "h", "k", "K", "M", "G", "exp=", "pareto=", "fifo:",
		"\t", "\033", "\177", "\303\244", "%s", "000000000000000000000000000000",
	};
	static const __u64 limits[] = {
		1, 20, 31, 64, 1000, 4096, 8191, INT_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX,
		WPOOL_MAX_WORK_NS, WPOOL_MAX_WORK_NS / 1000000000, WPOOL_MAX_WORK_YIELDS,
		WPOOL_MAX_WORK_BYTES, WPOOL_MAX_WORK_BYTES >> 20, WPOOL_MAX_TREE_DEPTH,
		WPOOL_MAX_TREE_FANOUT,
	};
	size_t i;

	add_words(common, ARRAY_SIZE(common));
	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		add_word(&words, attrs[i].name);
		add_words(attrs[i].words, ARRAY_SIZE(attrs[i].words));
		add_limit(attrs[i].min, true);
		add_limit(attrs[i].max, true);
	}
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		add_limit(limits[i], false);
	add_word(&numbers, "18446744073709551616");
	add_word(&numbers, "9999999999999999999999999999999");
}

static size_t below(size_t n)
{
	return random_u64(&dice) % n;
}

/* Puts @len bytes of @from in place of @nr bytes at @at; cuts an input that gets too long. */
static void replace(struct input *input, size_t at, size_t nr, const void *from, size_t len)
{
	struct input old = *input;
	size_t rest = old.len - at - nr;

	if (len > MAX_BYTES - at)
		len = MAX_BYTES - at;
	memcpy(input->bytes + at, from, len);
	if (rest > MAX_BYTES - at - len)
		rest = MAX_BYTES - at - len;
	memcpy(input->bytes + at + len, old.bytes + at + nr, rest);
	input->len = at + len + rest;
}

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static void change_number(struct input *input, size_t at)
{
	const char *number = numbers.text[below(numbers.nr)];
	size_t end;

	while (at < input->len && !is_digit(input->bytes[at]))
		at++;
	while (at > 1 && at < input->len && is_digit(input->bytes[at - 1]))
		at--;
	for (end = at; end < input->len && is_digit(input->bytes[end]); end++)
		;
	replace(input, at, end - at, number, strlen(number));
}

/* Mutates the input, but not the first byte, which chooses the parser. */
static void mutate(struct input *input)
{
	const struct input *other = &seeds[below(nr_seeds)];
	size_t at = 1 + below(input->len), left = input->len - at, from;
	uint8_t byte = random_u64(&dice);
	const char *word;

	switch (below(8)) {
	case 0:
		replace(input, at, left ? 1 : 0, &byte, 1);
		break;
	case 1:
		replace(input, at, below(left + 1), "", 0);
		break;
	case 2:
	case 3:
		word = words.text[below(words.nr)];
		replace(input, at, 0, word, strlen(word));
		break;
	case 4:
		word = words.text[below(words.nr)];
		replace(input, at, below(left + 1), word, strlen(word));
		break;
	case 5:
	case 6:
		change_number(input, at);
		break;
	default:
		if (!other->len)
			break;
		from = 1 + below(other->len);
		replace(input, at, below(left + 1), other->bytes + from, other->len - from);
	}
}

int main(int argc, char **argv)
{
	size_t nr_mutations, i, steps;
	struct input input;

	if (argc < 3) {
		fprintf(stderr, "usage: replay_parsers NUMBER FILE|DIRECTORY...\n");
		return 2;
	}
	signal(SIGABRT, on_abort);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(print_current);
	nr_mutations = strtoul(argv[1], NULL, 10);
	for (i = 2; i < (size_t)argc; i++)
		read_seeds(argv[i]);
	for (i = 0; i < nr_seeds; i++)
		run(&seeds[i]);

	init_words();
	random_init(&dice, 1, 0);
	for (i = 0; i < nr_mutations && nr_seeds; i++) {
		input = seeds[i % nr_seeds];
		for (steps = 1 + below(3); steps && input.len; steps--)
			mutate(&input);
		run(&input);
	}
	printf("%zu seeds, %zu mutations\n", nr_seeds, nr_mutations);
	return nr_seeds ? 0 : 2;
}
