// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces functions of the C library. With FAKE_BACK, access() finds each file, as if a directory
 * that scandir() has not found is there again. With FAKE_GONE, histograms are of pools that are
 * destroyed while they are read: ENODEV after the first piece.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
