/* SPDX-License-Identifier: GPL-2.0 */
/* A run and its options. */
#ifndef WPOOLCTL_RUN_H
#define WPOOLCTL_RUN_H

#include "attrs.h"
#include "cli.h"
#include "load.h"

struct run {
	const struct command *cmd;
	struct load_config load;
	bool json;
	bool quiet;
	const char *replay_file;
	int replay_as;		/* index of run_replay_words; -1: not given */
	struct replay replay;
	bool create;
	struct attr_set attrs;
	char own_name[WPOOL_DEV_NAME_LEN];
	int destroy_err;	/* from destroying the temporary pool */
};

void run_init(struct run *run, const struct command *cmd);

extern const struct cli_option run_options[];

/* --as and --create. advise has them, too: its structure begins with a struct run. */
extern const char *const run_replay_words[];
int run_set_create(const struct cli_option *option, void *to, const char *value, struct errmsg *e);

/* Take an argument: a pool's name, or one of its attributes. Returns 0, or -1 and a message. */
int run_add_arg(struct run *run, const char *arg, struct errmsg *e);

/*
 * Check that the options go together, set defaults, and read the recording. Returns 0, -1 and a
 * message, or CLI_FAILED and a message if the recording cannot be used.
 */
int run_complete(struct run *run, struct errmsg *e);

/* Run and print the report. Returns the exit code. */
int run_load(struct run *run);

/*
 * Run without a report. Returns CLI_OK if the run began, however it ended; then run_verdict()
 * prints errors of the run and returns the exit code. The caller sets up @result->intervals.
 */
int run_perform(struct run *run, struct load_result *result);
int run_verdict(const struct run *run, const struct load_result *result);

#endif /* WPOOLCTL_RUN_H */
