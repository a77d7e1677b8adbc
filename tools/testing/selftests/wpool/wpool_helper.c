// SPDX-License-Identifier: GPL-2.0
/*
 * Commands for the shell tests. hold, sleepers and storm print "ready" once they have begun, and
 * stay until they are killed. The others exit.
 *
 *	hold [POOL]		keep a file open, attached to POOL
 *	sleepers POOL NR	submit NR sleeping tasks to POOL, which is made if needed
 *	storm POOL		submit tasks of many kinds without end
 *	leave PREFIX NR		make and use NR pools, leave them, and exit
 *	together NR		run NR sleeping tasks at the same time in a pool of NR;
 *				exit 4 if the machine is too slow
 *	turns NR TASKS		run TASKS tasks of 1 ms in each of NR pools, print the time
 *				until all are done, in ms
 *	destroy POOL		destroy POOL, print the errno, exit
 *	fault POOL		submit the workload that oopses, print the errno, exit
 *	pty KEYS COMMAND...	run COMMAND on a terminal of 80 columns, type KEYS when it
 *				is quiet for 500 ms, print its output; exit with its status
 */
/* must be the first include: it defines _GNU_SOURCE, for the names of errors */
#include "wpool_test.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>

static int end(const char *what, int err)
{
	printf("%s: %s\n", what, err ? strerrorname_np(-err) : "ok");
	return err ? 1 : 0;
}

static int stay(void)
{
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}

static int open_pool(const char *name, const struct wpool_dev_attrs *attrs)
{
	int fd = open(DEV, O_RDWR), err;

	if (fd < 0)
		return -errno;
	err = pool_create_fd(fd, name, attrs);
	if (err == -EEXIST)
		err = pool_attach_fd(fd, name);
	return err ?: fd;
}

static int hold(const char *pool)
{
	int fd = pool ? pool_attach(pool, 0) : open(DEV, O_RDWR);

	return fd < 0 ? end("open", fd) : stay();
}

static int sleepers(const char *pool, unsigned int nr)
{
	int fd = open_pool(pool, NULL), err;

	if (fd < 0)
		return end("open", fd);
	err = submit_many(fd, WPOOL_WORK_SLEEP, LONG, 0, nr);
	return err ? end("submit", err) : stay();
}

static int storm(const char *pool)
{
	static const struct wpool_dev_work works[] = {
		{ .kind = WPOOL_WORK_NOOP, .flags = WPOOL_WORK_SILENT },
		{ .kind = WPOOL_WORK_SPIN, .flags = WPOOL_WORK_SILENT, .arg = 200000 },
		{ .kind = WPOOL_WORK_SLEEP, .flags = WPOOL_WORK_SILENT, .arg = MSEC },
		{ .kind = WPOOL_WORK_YIELD, .flags = WPOOL_WORK_SILENT, .arg = 3 },
		{ .kind = WPOOL_WORK_HASH, .flags = WPOOL_WORK_SILENT, .arg = 10000 },
		{ .kind = WPOOL_WORK_LOCK, .flags = WPOOL_WORK_SILENT, .arg = 50000 },
		{ .kind = WPOOL_WORK_TREE, .flags = WPOOL_WORK_SILENT, .depth = 3, .fanout = 3 },
		{ .kind = WPOOL_WORK_SLEEP, .flags = WPOOL_WORK_SILENT, .arg = 20 * MSEC },
	};
	int fd = open_pool(pool, ATTRS(.capacity = 8, .queue_depth = 100)), err;
	bool said = false;

	if (fd < 0)
		return end("open", fd);
	for (;;) {
		err = submit_all(fd, works, ARRAY_SIZE(works));
		if (err)
			return end("submit", err);
		if (!said && pool_figure(fd, file_finished) > 100) {
			puts("ready");
			fflush(stdout);
			said = true;
		}
	}
}

static int leave(const char *prefix, unsigned int nr)
{
	char name[WPOOL_DEV_NAME_LEN];
	unsigned int i;
	int fd, err = 0;

	for (i = 0; i < nr && !err; i++) {
		snprintf(name, sizeof(name), "%s%u", prefix, i);
		fd = open_pool(name, NULL);
		if (fd < 0)
			return end("open", fd);
		/* pool 0 stays without workers, pool 1 is released */
		if (i)
			err = submit_many(fd, WPOOL_WORK_SLEEP, MSEC, 0, 10) ?: wait_tasks(fd, 0);
		if (i == 1)
			err = err ?: pool_release(fd, 0, 0);
		close(fd);
	}
	return end("leave", err);
}

static int together(unsigned int nr)
{
	__u64 began = now_ns(), all, busy;
	struct pool pool;
	int err, reached;

	err = pool_create(&pool, ATTRS(.capacity = nr, .policy = WPOOL_DEV_POLICY_FAIL));
	if (err)
		return end("create", err);
	err = submit_many(pool.fd, WPOOL_WORK_SLEEP, WPOOL_MAX_WORK_NS, 0, nr);
	if (err)
		return end("submit", err);
	reached = all_busy(pool.fd, nr, &busy);
	all = now_ns();
	err = cancel_all(pool.fd) ?: wait_tasks(pool.fd, 2 * WAIT_NS) ?: pool_destroy(pool.fd);
	printf("%llu of %u at the same time after %llu ms, gone after %llu ms\n",
	       (unsigned long long)busy, nr, (unsigned long long)((all - began) / MSEC),
	       (unsigned long long)((now_ns() - all) / MSEC));
	if (!err && reached == -ETIME)
		return KSFT_SKIP;
	return end("together", err ?: reached);
}

static int destroy(const char *pool)
{
	int fd = pool_attach(pool, 0);

	return fd < 0 ? end("attach", fd) : end("destroy", pool_destroy(fd));
}

static int fault(const char *pool)
{
	int fd = pool_attach(pool, 0);

	return fd < 0 ? end("attach", fd) : end("fault", submit(fd, WPOOL_WORK_FAULT, 0, 1));
}

static int turns(unsigned int nr, unsigned int tasks)
{
	struct pool *pools = calloc(nr, sizeof(*pools));
	unsigned int i;
	int err = 0;
	__u64 began;

	if (!pools)
		return end("calloc", -ENOMEM);
	for (i = 0; i < nr && !err; i++)
		err = pool_create(&pools[i], ATTRS(.capacity = tasks));
	began = now_ns();
	for (i = 0; i < nr && !err; i++)
		err = submit_many(pools[i].fd, WPOOL_WORK_SPIN, MSEC, 0, tasks);
	for (i = 0; i < nr && !err; i++)
		err = wait_tasks(pools[i].fd, 200 * SEC);
	if (err)
		return end("turns", err);
	printf("%llu\n", (unsigned long long)((now_ns() - began) / MSEC));
	for (i = 0; i < nr; i++)
		pool_end(&pools[i]);
	return 0;
}

/* Types @keys again and again: the program loses keys while it takes over the terminal. */
static int pty(const char *keys, char **command)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct pollfd terminal = { .events = POLLIN };
	char drawn[4096];
	ssize_t len;
	int status;
	pid_t pid;

	pid = forkpty(&terminal.fd, NULL, NULL, &size);
	if (pid < 0)
		return end("forkpty", -errno);
	if (!pid) {
		setenv("TERM", "linux", 1);
		execvp(command[0], command);
		_exit(127);
	}
	for (;;) {
		if (!poll(&terminal, 1, 500)) {
			if (write(terminal.fd, keys, strlen(keys)) < 0)
				break;
			continue;
		}
		len = read(terminal.fd, drawn, sizeof(drawn));
		if (len <= 0)
			break;
		fwrite(drawn, 1, len, stdout);
	}
	if (waitpid(pid, &status, 0) != pid)
		return end("waitpid", -errno);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	const char *cmd = argc > 1 ? argv[1] : "";
	const char *name = argc > 2 ? argv[2] : NULL;
	unsigned int nr = argc > 3 ? atoi(argv[3]) : 0;

	if (!strcmp(cmd, "hold"))
		return hold(name);
	if (!strcmp(cmd, "sleepers") && nr)
		return sleepers(name, nr);
	if (!strcmp(cmd, "storm") && name)
		return storm(name);
	if (!strcmp(cmd, "leave") && nr)
		return leave(name, nr);
	if (!strcmp(cmd, "together") && name)
		return together(atoi(name));
	if (!strcmp(cmd, "turns") && nr)
		return turns(atoi(name), nr);
	if (!strcmp(cmd, "destroy") && name)
		return destroy(name);
	if (!strcmp(cmd, "fault") && name)
		return fault(name);
	if (!strcmp(cmd, "pty") && argc > 3)
		return pty(name, argv + 3);
	fprintf(stderr, "wpool_helper: unknown command '%s'\n", cmd);
	return 2;
}
