// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs and debugfs: store all kinds of text, and read files.
 *
 * The fuzzer searches all output for kernel addresses, and for numbers that only an underflow
 * explains. A process without privileges reads, too; it must not be able to open the device.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY			65534
#define MAX_ATTRS		128

static char attrs[MAX_ATTRS][64];
static unsigned int nr_attrs;
static const char *writable[MAX_ATTRS];
static unsigned int nr_writable;

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

static void reader(void)
{
	static struct fuzzer self;
	uint64_t began, end;
	unsigned int nr;
	int fd;

	self.nr = 1000;
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		complain(&self, "cannot become nobody");
	/* set this after the change of the user, which resets it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->over) {
		self.call++;
		began = now_ns();
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

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

void texts_init(void)
{
	unsigned int i;
	DIR *dir = opendir(CLASS "/default");
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir)) && nr_attrs < MAX_ATTRS)
		if (entry->d_type == DT_REG)
			snprintf(attrs[nr_attrs++], sizeof(attrs[0]), "%.60s", entry->d_name);
	/* store the attributes in the same order in every run */
	qsort(attrs, nr_attrs, sizeof(attrs[0]), by_name);
	for (i = 0; i < nr_attrs; i++)
		if (!fstatat(dirfd(dir), attrs[i], &st, 0) && st.st_mode & 0200)
			writable[nr_writable++] = attrs[i];
	if (dir)
		closedir(dir);
}

static const char *const words[] = {
	"", "\n", " ", "max", "max\n", "MAX", "maximum", "-1", "-0", "+1", "0", "00", "1", "1\n",
	"1\n\n", "1 ", " 1", "0x10", "1e3", "1.5", "2147483647", "2147483648", "-2147483648",
	"4294967295", "4294967296", "18446744073709551615", "18446744073709551616",
	"99999999999999999999999999999999", "block", "fail", "run", "drop_oldest",
	"block\n", "blockx", "y", "n",
	"on", "off", "yes", "no", "nonsense", "0-1", "0,1", "0-", "-", ",", "0-0:1/2", "all",
	"0-1000000", "1-0", "4294967295-", "0-7:2/0", "N", "\xff\xfe", "%s%n", "../..", "lifo",
	"add", "19", "20", "-20", "-21", "1048576", "1048577", "86400000", "86400001",
};

static size_t gen_text(struct fuzzer *f, char *text, size_t max)
{
	const char *word = words[below(&f->rng, ARRAY_SIZE(words))];
	size_t len;

	switch (below(&f->rng, 10)) {
	case 0:
		len = below(&f->rng, max);
		memset(text, "0 1,x\n-"[below(&f->rng, 7)], len);
		return len;
	case 1:
		len = below(&f->rng, 64);
		memset(text, 0, len);
		memcpy(text + len / 2, word, strlen(word) < len / 2 ? strlen(word) : len / 2);
		return len;
	case 2:
		for (len = 0; len < 1 + below(&f->rng, 40); len++)
			text[len] = rnd(&f->rng);
		return len;
	case 3 ... 6:
		return snprintf(text, max, "%u", below(&f->rng, 64));
	default:
		return snprintf(text, max, "%s", word);
	}
}

void fuzz_sysfs_store(struct fuzzer *f)
{
	static const int allowed[] = {
		0, EINVAL, ERANGE, ENOENT, EACCES, ENODEV, EIO, ESHUTDOWN, ENOMEM, EINTR,
	};
	uint8_t name[WPOOL_DEV_NAME_LEN];
	char text[3 * PAGE], path[256];
	const char *attr = one_in(&f->rng, 10) ? attrs[below(&f->rng, nr_attrs)] :
						 writable[below(&f->rng, nr_writable)];
	ssize_t done;
	size_t len, i;
	bool runs;
	int fd, err = 0;

	if (!gen_name(f, name, &runs))
		return;
	snprintf(path, sizeof(path), CLASS "/%.32s/%s", name, attr);
	len = gen_text(f, text, sizeof(text));
	call_begins(f, "store");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		done = write(fd, text, len);
		if (done < 0)
			err = errno;
		else if ((size_t)done != len && (len < PAGE || done < PAGE))
			complain(f, "%s: %zd of %zu bytes stored", attr, done, len);
		close(fd);
	} else {
		err = errno;
	}
	call_ends(f, OP_STORE);
	count(OP_STORE, err);
	for (i = 0; i < ARRAY_SIZE(allowed); i++)
		if (err == allowed[i])
			return;
	/* only its module may give the default pool a max_wait_ms, or policy "drop_oldest" */
	if (err == EPERM && (!strcmp(attr, "max_wait_ms") || !strcmp(attr, "policy")))
		return;
	/* max_workers may leave no room for workers in reserve */
	if (err == EAGAIN && (!strcmp(attr, "reclaim") || !strcmp(attr, "min_workers")))
		return;
	complain(f, "store to %s: %s", attr, strerrorname_np(err));
}

/* Reads files as root, which may read debugfs, too. */
void fuzz_text_read(struct fuzzer *f)
{
	static const char *const tables[] = {
		"cpus", "workers", "costs", "timers", "dump",
	};
	uint8_t name[WPOOL_DEV_NAME_LEN];
	char path[256];
	bool runs;

	if (!gen_name(f, name, &runs))
		return;
	if (one_in(&f->rng, 2))
		snprintf(path, sizeof(path), CLASS "/%.32s/%s", name,
			 attrs[below(&f->rng, nr_attrs)]);
	else
		snprintf(path, sizeof(path), "/sys/kernel/debug/wpool/%s",
			 tables[below(&f->rng, ARRAY_SIZE(tables))]);
	call_begins(f, "text");
	read_text(f, path);
	call_ends(f, OP_TEXT);
	count(OP_TEXT, 0);
}
