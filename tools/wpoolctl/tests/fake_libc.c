// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces functions of the C library. With FAKE_BACK, access() finds each file, as if a directory
 * that scandir() has not found is there again. With FAKE_GONE, histograms are of pools that are
 * destroyed while they are read: ENODEV after the first piece.
 *
 * Only "trace record" calls mkdir() and rmdir(). mkdir() makes an instance of tracefs: a directory
 * of files. A thread writes events to the file trace_pipe faster than they are read, until
 * events/enable is 0. With FAKE_SIGNAL, mkdir() also sends SIGINT.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../base.h"

int access(const char *path, int mode)
{
	return getenv("FAKE_BACK") ? 0 : faccessat(AT_FDCWD, path, mode, 0);
}

static ssize_t read_piece(void *file, char *buf, size_t size)
{
	if (!ftell(file))
		return fread(buf, 1, size, file);
	errno = ENODEV;
	return -1;
}

static int close_piece(void *file)
{
	return fclose(file);
}

FILE *fopen(const char *path, const char *mode)
{
	static const cookie_io_functions_t pieces = { .read = read_piece, .close = close_piece };
	FILE *file = fopen64(path, mode);

	if (file && getenv("FAKE_GONE") && strstr(path, "/histogram"))
		file = fopencookie(file, "r", pieces);
	return file;
}

/* ---- an instance of tracefs ---- */

static const char *const dirs[] = { "", "events", "events/wpool" };
static const char *const files[] = {
	"buffer_size_kb", "trace_clock", "events/enable", "events/wpool/enable",
};

static const char *in(const char *dir, const char *name, char *path, size_t len)
{
	snprintf(path, len, "%s/%s", dir, name);
	return path;
}

static bool is_enabled(const char *dir)
{
	char path[256], byte = '1';
	int fd = open(in(dir, "events/enable", path, sizeof(path)), O_RDONLY | O_CLOEXEC);
	bool empty = read(fd, &byte, 1) != 1;

	close(fd);
	return empty || byte != '0';
}

static void *flood(void *dir)
{
	static char events[65536];
	char path[256];
	sigset_t gone;
	int fd;

	memset(events, '\n', sizeof(events));
	/* the reader may close the pipe first */
	sigemptyset(&gone);
	sigaddset(&gone, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &gone, NULL);
	fd = open(in(dir, "trace_pipe", path, sizeof(path)), O_WRONLY | O_CLOEXEC);
	fcntl(fd, F_SETPIPE_SZ, 1 << 20);
	while (is_enabled(dir) && write(fd, events, sizeof(events)) > 0)
		;
	close(fd);
	free(dir);
	return NULL;
}

int mkdir(const char *dir, mode_t mode)
{
	pthread_t writer;
	char path[256];
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(dirs) / sizeof(*dirs) && !err; i++)
		err = syscall(SYS_mkdirat, AT_FDCWD, in(dir, dirs[i], path, sizeof(path)), mode);
	for (i = 0; i < sizeof(files) / sizeof(*files) && !err; i++)
		err = mknod(in(dir, files[i], path, sizeof(path)), S_IFREG | 0600, 0);
	if (!err)
		err = mkfifo(in(dir, "trace_pipe", path, sizeof(path)), 0600);
	if (!err && !pthread_create(&writer, NULL, flood, strdup(dir)))
		pthread_detach(writer);
	if (getenv("FAKE_SIGNAL"))
		raise(SIGINT);
	return err;
}

int rmdir(const char *dir)
{
	char path[256];
	size_t i;

	unlink(in(dir, "trace_pipe", path, sizeof(path)));
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(in(dir, files[i], path, sizeof(path)));
	unlinkat(AT_FDCWD, in(dir, "events/wpool", path, sizeof(path)), AT_REMOVEDIR);
	unlinkat(AT_FDCWD, in(dir, "events", path, sizeof(path)), AT_REMOVEDIR);
	return unlinkat(AT_FDCWD, dir, AT_REMOVEDIR);
}
