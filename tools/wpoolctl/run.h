/* SPDX-License-Identifier: GPL-2.0 */
/* One run as its options describe it. */
#ifndef WPOOLCTL_RUN_H
#define WPOOLCTL_RUN_H

#include <stdbool.h>

#include "attrs.h"
#include "cli.h"
#include "load.h"

struct run {
	const struct command *cmd;
	struct load_config load;
	struct work works[WORK_MAX_KINDS];
	struct work_turns turns;
	enum progress_when progress;
	bool json;
	bool quiet;
	bool create;
	const char *jobs;	/* a file that describes other runs */
	const char *replay_file;
	unsigned int replay_as;	/* one of run_replay_words */
	bool has_replay_as;
	struct replay replay;
	__u64 given;		/* options, as cli_parse() says */
	struct attr_set attrs;
	char own_name[WPOOL_DEV_NAME_LEN];
	int destroy_err;	/* of the temporary pool */
};

void run_init(struct run *run, const struct command *cmd);
void run_exit(struct run *run);

extern const struct cli_option run_options[];

/* Options that advise has, too; its structure begins with a struct run. */
extern const char *const run_replay_words[];
int run_set_replay_as(const struct cli_option *option, void *to, const char *value,
		      struct errmsg *e);
int run_set_create(const struct cli_option *option, void *to, const char *value,
		   struct errmsg *e);

/*
 * An option as a key of a job file; without a value as NULL. Also "pool". 0, or -1 and a
 * message.
 */
int run_set(struct run *run, const char *key, const char *value, struct errmsg *e);

/* The name of a pool, or an attribute of the one to make. 0, or -1 and a message. */
int run_add_arg(struct run *run, const char *arg, struct errmsg *e);

/* After all options: what does not go together, and what is left out. 0, or -1 and a message. */
int run_complete(struct run *run, struct errmsg *e);

/* Runs it and prints its report. The exit code. */
int run_load(struct run *run);

/*
 * The same without a report. Returns CLI_OK if it ran, however it ended: run_verdict() then says
 * what went wrong, and has the exit code. The caller sets up @result->intervals.
 */
int run_perform(struct run *run, struct load_result *result);
int run_verdict(const struct run *run, const struct load_result *result);

#endif /* WPOOLCTL_RUN_H */
