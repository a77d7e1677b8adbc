// SPDX-License-Identifier: GPL-2.0
/* Reads tables of debugfs. */
#include "tables.h"

#include "alloc.h"
#include "parse.h"
#include "sysfs.h"

#define MAX_TABLE_COLUMNS	32

/* ---- the file ------------------------------------------------------------- */

/* Cut a line into words, in place; the last cell is the rest of the line. */
static size_t cut_line(char *line, char **cell, size_t max)
{
	size_t nr = 0;

	for (;;) {
		line += strspn(line, " \t");
		if (!*line)
			return nr;
		cell[nr++] = line;
		if (nr == max)
			return nr;
		line += strcspn(line, " \t");
		if (*line)
			*line++ = '\0';
	}
}

static void parse_table(struct table *table)
{
	char *line = table->text, *titles[MAX_TABLE_COLUMNS], *end, **row;
	size_t i;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (!table->columns) {
			table->columns = cut_line(line, titles, MAX_TABLE_COLUMNS);
			row = alloc_one_more(NULL, 0, sizeof(titles));
			table->cell = memcpy(row, titles, table->columns * sizeof(*row));
			continue;
		}
		table->rows++;
		table->cell = alloc_checked(reallocarray(table->cell, table->rows + 1,
							 table->columns * sizeof(*row)));
		row = table->cell + table->rows * table->columns;
		/* missing cells of a truncated line are empty */
		for (i = cut_line(line, row, table->columns); i < table->columns; i++)
			row[i] = end;
	}
}

char *text_read(const char *name, struct errmsg *e)
{
	char path[PATH_MAX], *text;

	snprintf(path, sizeof(path), "%s/%s",
		 sysfs_dir("WPOOLCTL_DEBUGFS", "/sys/kernel/debug/wpool"), name);
	text = sysfs_read_all(path);
	if (!text)
		errmsg_set(e, "%s: %s", path, strerror(errno));
	else
		make_printable(text, "\n\t");
	return text;
}

int table_read(const char *name, struct table *table, struct errmsg *e)
{
	*table = (struct table){ };
	table->text = text_read(name, e);
	if (!table->text)
		return -1;
	parse_table(table);
	return 0;
}

void table_exit(struct table *table)
{
	free(table->text);
	free(table->cell);
	*table = (struct table){ };
}

const char *table_cell(const struct table *table, size_t row, const char *title)
{
	size_t i;

	for (i = 0; i < table->columns; i++)
		if (!strcmp(table->cell[i], title))
			return table->cell[(row + 1) * table->columns + i];
	return "";
}

__s64 table_number(const struct table *table, size_t row, const char *title, __s64 missing)
{
	const char *text = table_cell(table, row, title);
	char *end;
	__s64 value = strtoll(text, &end, 10);

	return *text && !*end ? value : missing;
}

/* ---- workers -------------------------------------------------------------- */

const char *const doing_names[NR_DOINGS] = {
	[DOING_IDLE] = "idle",
	[DOING_SEARCHING] = "searching",
	[DOING_RUNNING] = "running",
	[DOING_WAITING] = "waiting",
	[DOING_ASLEEP] = "asleep",
	[DOING_HOG] = "hog",
	[DOING_RESERVE] = "reserve",
};

static enum doing parse_doing(const char *name)
{
	enum doing doing;

	for (doing = DOING_IDLE; doing < NR_DOINGS; doing++)
		if (!strcmp(doing_names[doing], name))
			return doing;
	/* an older module says "busy" only */
	return DOING_RUNNING;
}

int workers_read(struct workers *workers, struct errmsg *e)
{
	struct table *table = &workers->table;
	int err = table_read("workers", table, e);
	size_t i;

	workers->worker = NULL;
	workers->nr = 0;
	if (err)
		return err;
	workers->worker = alloc_zeroed(table->rows, sizeof(*workers->worker));
	for (i = 0; i < table->rows; i++)
		workers->worker[i] = (struct worker){
			.pool = table_cell(table, i, "pool"),
			.func = table_cell(table, i, "function"),
			.doing = parse_doing(table_cell(table, i, "state")),
			.pid = table_number(table, i, "pid", 0),
			.last_cpu = table_number(table, i, "last", -1),
			.since_ms = table_number(table, i, "since_ms", -1),
		};
	workers->nr = table->rows;
	return 0;
}

void workers_exit(struct workers *workers)
{
	free(workers->worker);
	table_exit(&workers->table);
	*workers = (struct workers){ };
}

const char *worker_wchan(const struct worker *worker, char *buf, size_t len)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/wchan", sysfs_dir("WPOOLCTL_PROC", "/proc"),
		 worker->pid);
	/* 0: the thread runs, or the reader has no permission */
	if (sysfs_read_line(path, buf, len) || !strcmp(buf, "0"))
		*buf = '\0';
	return buf;
}

void worker_describe(const struct worker *worker, char *buf, size_t len)
{
	const char *doing = worker->doing == DOING_WAITING ? "waiting for a CPU" :
			    worker->doing == DOING_HOG ? "running, a hog" :
			    doing_names[worker->doing];
	char since[32] = "", where[64] = "";

	if (worker->doing == DOING_ASLEEP)
		worker_wchan(worker, where, sizeof(where));
	if (worker->since_ms >= 0)
		format_short(worker->since_ms * NSEC_PER_MSEC, since, sizeof(since));
	/* the most important words come first: the end may be cut off */
	snprintf(buf, len, "%s%s%s%s%s, pid %d, cpu %d", since, *since ? ", " : "",
		 doing, *where ? " in " : "", where, worker->pid, worker->last_cpu);
}

/* ---- functions ------------------------------------------------------------ */

static struct func *find_func(struct funcs *funcs, const struct worker *worker)
{
	size_t i;

	for (i = 0; i < funcs->nr; i++)
		if (!strcmp(funcs->func[i].name, worker->func) &&
		    !strcmp(funcs->func[i].pool, worker->pool))
			return &funcs->func[i];
	funcs->func[funcs->nr] = (struct func){ .pool = worker->pool, .name = worker->func };
	return &funcs->func[funcs->nr++];
}

static int compare_funcs(const void *a, const void *b)
{
	const struct func *one = a, *other = b;

	if (one->busy != other->busy)
		return one->busy < other->busy ? 1 : -1;
	return strcmp(one->pool, other->pool) ?: strcmp(one->name, other->name);
}

static void keep_older(const struct worker **oldest, const struct worker *worker)
{
	if (!*oldest || worker->since_ms > (*oldest)->since_ms)
		*oldest = worker;
}

void funcs_count(struct funcs *funcs, const struct workers *workers, const char *pool)
{
	struct func *func;
	size_t i;

	funcs->nr = 0;
	funcs->func = alloc_zeroed(workers->nr, sizeof(*funcs->func));
	for (i = 0; i < workers->nr; i++) {
		const struct worker *worker = &workers->worker[i];

		if (worker->doing == DOING_IDLE || worker->doing == DOING_SEARCHING ||
		    worker->doing == DOING_RESERVE || (pool && strcmp(pool, worker->pool)))
			continue;
		func = find_func(funcs, worker);
		func->nr[worker->doing]++;
		func->busy++;
		keep_older(&func->oldest, worker);
		keep_older(&func->oldest_of[worker->doing], worker);
	}
	qsort(funcs->func, funcs->nr, sizeof(*funcs->func), compare_funcs);
}

void funcs_exit(struct funcs *funcs)
{
	free(funcs->func);
	*funcs = (struct funcs){ };
}
