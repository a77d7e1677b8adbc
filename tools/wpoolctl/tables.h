/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transport: the tables of /sys/kernel/debug/wpool, which in most cases only root may read. Columns
 * are found by their titles, because other versions may have other columns.
 *
 * For tests, WPOOLCTL_DEBUGFS and WPOOLCTL_PROC in the environment name other directories.
 */
#ifndef WPOOLCTL_TABLES_H
#define WPOOLCTL_TABLES_H

#include "errmsg.h"

struct table {
	char *text;
	char **cell;		/* row by row, the titles first */
	size_t rows;		/* not counting the titles */
	size_t columns;
};

/* Returns the contents of a file, which the caller frees; or NULL and a message. */
char *text_read(const char *name, struct errmsg *e);

/* Read a table. Returns 0, or -1 and a message. */
int table_read(const char *name, struct table *table, struct errmsg *e);
void table_exit(struct table *table);

/* A cell by row and title; "" if there is no such column. */
const char *table_cell(const struct table *table, size_t row, const char *title);

/* The number in a cell; @missing if there is none. */
__s64 table_number(const struct table *table, size_t row, const char *title, __s64 missing);

/* ---- workers ---- */

enum doing { DOING_IDLE, DOING_SEARCHING, DOING_RUNNING, DOING_WAITING, DOING_ASLEEP,
	     DOING_HOG, DOING_RESERVE, NR_DOINGS };

extern const char *const doing_names[NR_DOINGS];

struct worker {
	const char *pool;
	const char *func;	/* "-" without a task */
	enum doing doing;
	int pid;
	int last_cpu;
	__s64 since_ms;		/* time in this state; -1 if it is unknown */
};

struct workers {
	struct table table;
	struct worker *worker;
	size_t nr;
};

int workers_read(struct workers *workers, struct errmsg *e);
void workers_exit(struct workers *workers);

/* The kernel function in which a thread sleeps, in @buf; "" if it is unknown. */
const char *worker_wchan(const struct worker *worker, char *buf, size_t len);

/* "8.30s, asleep in tcp_recvmsg, pid 812, cpu 3" */
void worker_describe(const struct worker *worker, char *buf, size_t len);

/* Workers that are in a task of one function of one pool. */
struct func {
	const char *pool;
	const char *name;
	unsigned int nr[NR_DOINGS];
	unsigned int busy;
	/* the worker with the largest since_ms: of all, and in each state */
	const struct worker *oldest;
	const struct worker *oldest_of[NR_DOINGS];
};

struct funcs {
	struct func *func;
	size_t nr;
};

/* Count the workers of each function, most workers first. @funcs points into @workers. */
void funcs_count(struct funcs *funcs, const struct workers *workers, const char *pool);
void funcs_exit(struct funcs *funcs);

#endif /* WPOOLCTL_TABLES_H */
