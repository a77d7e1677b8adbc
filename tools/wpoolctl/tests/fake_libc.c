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

static int shell(const char *format, const char *dir)
{
	char command[512];

	snprintf(command, sizeof(command), format, dir);
	return system(command) ? -1 : 0;
}

static bool is_enabled(const char *dir)
{
	char path[256], byte = '1';
	bool empty;
	int fd;

	snprintf(path, sizeof(path), "%s/events/enable", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	empty = read(fd, &byte, 1) != 1;
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
	snprintf(path, sizeof(path), "%s/trace_pipe", (char *)dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	fcntl(fd, F_SETPIPE_SZ, 1 << 20);
	while (is_enabled(dir) && write(fd, events, sizeof(events)) > 0)
		;
	close(fd);
	free(dir);
	return NULL;
}

int mkdir(const char *dir, mode_t mode __maybe_unused)
{
	int err = shell("install -d '%1$s/events/wpool' && mkfifo '%1$s/trace_pipe'", dir) ?:
		  shell("touch '%1$s/buffer_size_kb' '%1$s/trace_clock'", dir) ?:
		  shell("touch '%1$s/events/enable' '%1$s/events/wpool/enable'", dir);
	pthread_t writer;

	if (!err && !pthread_create(&writer, NULL, flood, strdup(dir)))
		pthread_detach(writer);
	if (getenv("FAKE_SIGNAL"))
		raise(SIGINT);
	return err;
}

int rmdir(const char *dir)
{
	return shell("rm -r '%s'", dir);
}
