// SPDX-License-Identifier: GPL-2.0
/*
 * A process reads sysfs and debugfs while others make calls, and searches all output for kernel
 * addresses, and for numbers that only an underflow explains. It reads as root and without
 * privileges; without, it must not be able to open the device. Torture writes to sysfs.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOBODY			65534

/*
 * x86-64: the direct map, vmalloc, struct pages, text and modules. arm64: the kernel's
 * half with 52 bits. -errno and other small negative numbers are above all of these.
 */
static bool is_address(uint64_t value)
{
#ifdef __aarch64__
	/* a value above the range is two 32-bit numbers, the upper one UINT32_MAX */
	return value >= 0xfff0000000000000 && value < 0xffffffff00000000;
#else
	return (value >= 0xffff888000000000 && value < 0xffffc88000000000) ||
	       (value >= 0xffffc90000000000 && value < 0xffffeb0000000000) ||
	       (value >= 0xffffffff80000000 && value < 0xffffffffff000000);
#endif
}

void scan_binary(struct fuzzer *f, const char *what, const void *data, size_t bytes)
{
	uint64_t value;
	size_t at;

	/* read aligned places only: halves of two numbers might look like an address */
	for (at = 0; at + sizeof(value) <= bytes; at += sizeof(value)) {
		memcpy(&value, (const uint8_t *)data + at, sizeof(value));
		if (is_address(value))
			complain(f, "%s: an address, %#llx, at %zu", what,
				 (unsigned long long)value, at);
	}
}

static bool is_digit(char c, int base)
{
	return (c >= '0' && c <= '9') ||
	       (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

static void scan_text(struct fuzzer *f, const char *what, const char *text)
{
	const char *at = text;
	uint64_t value;
	size_t len;

	while (*at) {
		for (len = 0; is_digit(at[len], 16); len++)
			;
		if (len == 16) {
			value = strtoull(at, NULL, 16);
			if (is_address(value))
				complain(f, "%s: an address: %.80s", what, at);
		}
		for (len = 0; is_digit(at[len], 10); len++)
			;
		if (len >= 19 && strtoull(at, NULL, 10) >> 47)
			complain(f, "%s: not a number that can be: %.40s", what, at);
		while (is_digit(*at, 16))
			at++;
		if (*at)
			at++;
	}
}

/* Returns false if the file cannot be opened. */
static bool read_text(struct fuzzer *f, const char *path)
{
	char buf[16384];
	size_t all = 0;
	ssize_t bytes;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	while (all < sizeof(buf) - 1) {
		bytes = read(fd, buf + all, sizeof(buf) - 1 - all);
		if (bytes <= 0)
			break;
		all += bytes;
	}
	close(fd);
	buf[all] = 0;
	scan_text(f, path, buf);
	atomic_fetch_add(&shared->nr_texts, 1);
	return true;
}

/* Reads all files below a directory. Returns how many could be opened. */
static unsigned int read_tree(struct fuzzer *f, const char *top, int depth)
{
	DIR *dir = depth ? opendir(top) : NULL;
	struct dirent *entry;
	unsigned int nr = 0;
	char path[512];

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "subsystem"))
			continue;
		snprintf(path, sizeof(path), "%s/%.200s", top, entry->d_name);
		/* follow links, too: a class has links to its devices */
		if (entry->d_type == DT_REG)
			nr += read_text(f, path);
		else
			nr += read_tree(f, path, depth - 1);
	}
	closedir(dir);
	return nr;
}

static void become(struct fuzzer *f, uid_t uid)
{
	if (seteuid(uid))
		complain(f, "seteuid(%u): %s", uid, strerrorname_np(errno));
	/* a change of the user resets this */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void reader(void)
{
	static struct fuzzer self;
	uint64_t began, end;
	unsigned int nr;
	int fd;

	self.nr = 1000;
	if (setgroups(0, NULL) || setgid(NOBODY))
		complain(&self, "cannot leave the groups");
	while (!shared->over) {
		self.call++;
		began = now_ns();
		become(&self, 0);
		read_tree(&self, "/sys/kernel/debug/wpool", 3);
		become(&self, NOBODY);
		fd = open(DEV, self.call % 2 ? O_RDWR : O_RDONLY);
		if (fd >= 0 || errno != EACCES)
			complain(&self, "nobody's open: %s",
				 fd >= 0 ? "success" : strerrorname_np(errno));
		if (fd >= 0)
			close(fd);
		nr = read_tree(&self, CLASS, 4);
		if (!nr)
			complain(&self, "nothing can be read in " CLASS);
		nr += read_tree(&self, "/sys/module/wpool", 3);
		nr += read_tree(&self, "/sys/kernel/debug/wpool", 3);
		nr += read_tree(&self, "/sys/kernel/tracing/events/wpool", 3);
		nr += read_text(&self, "/proc/modules");
		atomic_fetch_add(&shared->nr_unprivileged, nr);
		/* reading gets at most a fifth of one CPU */
		end = now_ns() + 4 * (now_ns() - began);
		while (now_ns() < end && !shared->over)
			usleep(100000);
	}
}

pid_t reader_start(void)
{
	pid_t pid = fork();

	if (!pid) {
		reader();
		_exit(0);
	}
	return pid;
}
