// SPDX-License-Identifier: GPL-2.0
/*
 * Calls on an open /dev/wpool other than its ioctls: read, poll, and calls that the device leaves
 * to the kernel, which refuses most of them.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#define RECORD		sizeof(struct wpool_dev_record)
#define CANARY		0x5a

void fuzz_read(struct fuzzer *f, struct file *file)
{
	uint8_t *end = f->arena.array + ARRAY_BYTES;
	size_t size = RECORD * (1 + below(&f->rng, 64));
	int may = 0, must = 0, err;
	uint8_t *at = end - size;
	struct iovec parts[2];
	bool split = false;
	ssize_t bytes;
	size_t i;

	switch (below(&f->rng, 24)) {
	case 0:
		size = below(&f->rng, RECORD);
		at = end - size;
		must = EINVAL;
		break;
	case 1:
		size += 1 + below(&f->rng, RECORD - 1);
		at = end - size;
		break;
	case 2:
		/* more than the buffer holds: the kernel must not lose records that do not fit */
		size = 0x7fffffff;
		may = EFAULT;
		break;
	case 3:
		at = end - below(&f->rng, RECORD);
		may = EFAULT;
		break;
	case 4:
		at = (uint8_t *)(uintptr_t)arena_bad_pointer(f);
		may = EFAULT;
		break;
	case 5:
		at = f->arena.ro;
		may = EFAULT;
		break;
	case 6:
		split = size >= 2 * RECORD;
		break;
	default:
		break;
	}
	memset(end - PAGE, CANARY, PAGE);

	call_begins(f, "read");
	if (split) {
		parts[0] = (struct iovec){ at, size / 2 / RECORD * RECORD };
		parts[1] = (struct iovec){ at + parts[0].iov_len, size - parts[0].iov_len };
		bytes = readv(file->fd, parts, 2);
	} else {
		bytes = read(file->fd, at, size);
	}
	err = bytes < 0 ? errno : 0;
	call_ends(f, OP_READ);
	count(OP_READ, err);
	if (file->gone && bytes <= 0)
		return;

	/* a write-only file, or @gone. Read @gone last: another thread may set it now */
	if (err == EBADF && ((fcntl(file->fd, F_GETFL) & O_ACCMODE) == O_WRONLY || file->gone))
		return;
	if (must ? err != must : err && err != EAGAIN && err != EINTR && err != may)
		complain(f, "read: %s", err ? strerrorname_np(err) : "success");
	if (bytes > (ssize_t)size)
		complain(f, "read(%zu) returned %zd", size, bytes);
	else if (bytes > 0)
		records_check(f, file, at, bytes);
	if (may || split || bytes < 0 || at + size != end)
		return;
	for (i = bytes; i < size; i++)
		if (at + i >= end - PAGE && at[i] != CANARY) {
			complain(f, "read() wrote beyond the %zd bytes it returned", bytes);
			break;
		}
}

void fuzz_poll(struct fuzzer *f, struct file *file)
{
	struct pollfd pfd = { .fd = file->fd, .events = rnd(&f->rng) };
	struct epoll_event event = { .events = rnd(&f->rng) & ~EPOLLEXCLUSIVE };
	int timeout = one_in(&f->rng, 8) ? -1 : (int)below(&f->rng, 2);
	int nr, epoll;

	call_begins(f, "poll");
	if (one_in(&f->rng, 4)) {
		epoll = epoll_create1(EPOLL_CLOEXEC);
		nr = epoll_ctl(epoll, EPOLL_CTL_ADD, file->fd, &event) ? 0 :
		     epoll_wait(epoll, &event, 1, timeout);
		close(epoll);
		pfd.revents = nr > 0 ? event.events : 0;
	} else {
		nr = poll(&pfd, 1, timeout);
	}
	call_ends(f, OP_POLL);
	count(OP_POLL, nr < 0 ? errno : 0);
	if (nr < 0 && errno != EINTR)
		complain(f, "poll: %s", strerrorname_np(errno));
	if (nr > 0 && !file->gone && pfd.revents & ~(POLLIN | POLLRDNORM))
		complain(f, "poll: %#x", pfd.revents);
}

/* Makes a call that the device leaves to the kernel. *must: its errno; 0: success; -1: unknown. */
static long call_unknown(struct fuzzer *f, int fd, uint32_t which, int *must)
{
	struct iovec part = { f->arena.rw, 40 };
	struct flock lock = { .l_type = F_RDLCK };
	void *at;

	switch (which) {
	case 0:
		*must = EINVAL;
		return write(fd, f->arena.rw, below(&f->rng, RW_BYTES));
	case 1:
		*must = EINVAL;
		return writev(fd, &part, 1);
	case 2:
		*must = ESPIPE;
		return lseek(fd, rnd(&f->rng), below(&f->rng, 3));
	case 3:
		*must = ESPIPE;
		return pread(fd, f->arena.rw, 40, rnd(&f->rng) >> 1);
	case 4:
		*must = ESPIPE;
		return pwrite(fd, f->arena.rw, 40, rnd(&f->rng) >> 1);
	case 5:
		*must = ENODEV;
		at = mmap(NULL, (1 + below(&f->rng, 4)) * PAGE, PROT_READ | PROT_WRITE,
			  one_in(&f->rng, 2) ? MAP_SHARED : MAP_PRIVATE, fd,
			  (off_t)below(&f->rng, 100) * PAGE);
		if (at != MAP_FAILED)
			munmap(at, PAGE);
		return at == MAP_FAILED ? -1 : 0;
	case 6:
		*must = EINVAL;
		return ftruncate(fd, rnd(&f->rng) >> 1);
	case 7:
		*must = EINVAL;
		return fsync(fd);
	case 8:
		*must = ENODEV;
		return fallocate(fd, 0, 0, 1 + below(&f->rng, 100));
	case 9:
		*must = -1;
		return sendfile(fd, fd, NULL, 1 + below(&f->rng, 1000));
	case 10:
		*must = 0;
		return fcntl(fd, F_SETLK, &lock);
	case 11:
		*must = -1;
		return ioctl(fd, FIOASYNC, &(int){ 1 });
	default:
		*must = 0;
		return ioctl(fd, FIONBIO, &(int){ below(&f->rng, 2) });
	}
}

void fuzz_vfs(struct fuzzer *f, struct file *file)
{
	uint32_t which = below(&f->rng, 14);
	int must, err;

	call_begins(f, "vfs");
	err = call_unknown(f, file->fd, which, &must) < 0 ? errno : 0;
	call_ends(f, OP_VFS);
	count(OP_VFS, err);
	/* the file is closed, or was opened with a mode that does not allow this call */
	if (file->gone || err == EBADF || err == EACCES)
		return;
	if (must >= 0 && err != must)
		complain(f, "call %u: %s, should be %s", which,
			 err ? strerrorname_np(err) : "success",
			 must ? strerrorname_np(must) : "success");
}
