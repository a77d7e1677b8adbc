// SPDX-License-Identifier: GPL-2.0
/*
 * I/O for scripts/drivers, with a content that depends on the place alone, so that any order of
 * writes leaves the same.
 *
 *	io fill DEVICE MB
 *	io read|write DEVICE MB BLOCK THREADS MS	prints MB/s and the p99 in us
 *	io nbd DEVICE MB CONNECTIONS			serves it until it is disconnected
 *	io nbd-end DEVICE
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <fcntl.h>
#include <linux/nbd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_OPS		1000000
#define FILL_BLOCK	1048576UL

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void content(char *buf, uint64_t place, size_t size)
{
	uint64_t *word = (uint64_t *)buf;
	size_t i;

	for (i = 0; i < size / 8; i++)
		word[i] = (place / 8 + i) * 0x9e3779b97f4a7c15ULL;
}

static char *buffer(size_t size)
{
	void *buf;

	if (posix_memalign(&buf, 4096, size))
		errx(1, "no memory");
	return buf;
}

static int open_device(const char *name)
{
	int fd = open(name, O_RDWR | O_DIRECT);

	if (fd < 0)
		err(1, "%s", name);
	return fd;
}

static void fill(const char *name, uint64_t size)
{
	char *buf = buffer(FILL_BLOCK);
	int fd = open_device(name);
	uint64_t place;

	for (place = 0; place < size; place += FILL_BLOCK) {
		content(buf, place, FILL_BLOCK);
		if (pwrite(fd, buf, FILL_BLOCK, place) != (ssize_t)FILL_BLOCK)
			err(1, "write to %s", name);
	}
	fsync(fd);
	close(fd);
}

struct load {
	const char *name;
	int write;
	uint64_t blocks, end;
	size_t block;
	unsigned int seed;
	uint32_t *us;
	size_t nr;
};

static void *run(void *arg)
{
	struct load *load = arg;
	int fd = open_device(load->name);
	char *buf = buffer(load->block), *want = buffer(load->block);
	uint64_t place, start;
	ssize_t done;

	while (load->nr < MAX_OPS && now() < load->end) {
		place = rand_r(&load->seed) % load->blocks * load->block;
		if (load->write)
			content(buf, place, load->block);
		start = now();
		done = load->write ? pwrite(fd, buf, load->block, place) :
				     pread(fd, buf, load->block, place);
		load->us[load->nr++] = (now() - start) / 1000;
		if (done != (ssize_t)load->block)
			err(1, "I/O of %s", load->name);
		if (!load->write) {
			content(want, place, load->block);
			if (memcmp(buf, want, load->block))
				errx(1, "%s: wrong content at %llu", load->name,
				     (unsigned long long)place);
		}
	}
	close(fd);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void measure(char **args, int write)
{
	int threads = atoi(args[3]), i;
	struct load *loads = calloc(threads, sizeof(*loads));
	pthread_t *ids = calloc(threads, sizeof(*ids));
	uint64_t start = now(), end = start + atoi(args[4]) * 1000000ULL;
	uint32_t *us = malloc(sizeof(*us) * MAX_OPS * threads);
	size_t nr = 0;
	double seconds;

	if (!loads || !ids || !us)
		errx(1, "no memory");
	for (i = 0; i < threads; i++) {
		loads[i] = (struct load){
			.name = args[0], .write = write, .end = end, .block = atoi(args[2]),
			.seed = i + 1, .us = malloc(sizeof(*us) * MAX_OPS),
		};
		loads[i].blocks = (strtoull(args[1], NULL, 10) << 20) / loads[i].block;
		if (!loads[i].us || pthread_create(&ids[i], NULL, run, &loads[i]))
			errx(1, "no thread");
	}
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	seconds = (now() - start) / 1e9;
	for (i = 0; i < threads; i++) {
		memcpy(us + nr, loads[i].us, loads[i].nr * sizeof(*us));
		nr += loads[i].nr;
	}
	if (!nr)
		errx(1, "no I/O was done");
	qsort(us, nr, sizeof(*us), compare);
	printf("%.2f %u\n", nr * loads[0].block / seconds / 1e6, us[nr - 1 - nr / 100]);
}

static int all(int fd, char *buf, size_t size, int out)
{
	ssize_t done;

	for (; size; size -= done, buf += done) {
		done = out ? write(fd, buf, size) : read(fd, buf, size);
		if (done <= 0)
			return 0;
	}
	return 1;
}

static void serve(int fd, char *disk, uint64_t size)
{
	struct nbd_request request;
	struct nbd_reply reply = { .magic = htobe32(NBD_REPLY_MAGIC) };
	uint64_t from;
	uint32_t len, type;

	while (all(fd, (char *)&request, sizeof(request), 0)) {
		type = be32toh(request.type) & 0xffff;
		from = be64toh(request.from);
		len = be32toh(request.len);
		if (type == NBD_CMD_DISC)
			break;
		memcpy(reply.handle, request.handle, sizeof(reply.handle));
		reply.error = from + len > size ? htobe32(5) : 0;
		if (type == NBD_CMD_WRITE && !all(fd, disk + from, len, 0))
			break;
		if (!all(fd, (char *)&reply, sizeof(reply), 1))
			break;
		if (type == NBD_CMD_READ && !all(fd, disk + from, len, 1))
			break;
	}
}

/* Both ends of a TCP connection. */
static void connection(int *ends)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, i;

	if (listener < 0 || bind(listener, (void *)&address, len) || listen(listener, 1) ||
	    getsockname(listener, (void *)&address, &len))
		err(1, "listen");
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(ends[0], (void *)&address, len))
		err(1, "connect");
	ends[1] = accept(listener, NULL, NULL);
	for (i = 0; i < 2; i++)
		setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	close(listener);
}

static void nbd(const char *name, uint64_t size, int connections)
{
	char *disk = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = open(name, O_RDWR), ends[2];

	if (fd < 0 || disk == MAP_FAILED)
		err(1, "%s", name);
	if (ioctl(fd, NBD_SET_BLKSIZE, 4096UL) || ioctl(fd, NBD_SET_SIZE_BLOCKS, size / 4096))
		err(1, "%s: size", name);
	while (connections--) {
		connection(ends);
		if (!fork()) {
			close(fd);
			close(ends[0]);
			serve(ends[1], disk, size);
			_exit(0);
		}
		close(ends[1]);
		if (ioctl(fd, NBD_SET_SOCK, ends[0]))
			err(1, "%s: socket", name);
	}
	/* a device with more than one connection wants to hear that others may join */
	ioctl(fd, NBD_SET_FLAGS, NBD_FLAG_HAS_FLAGS | NBD_FLAG_CAN_MULTI_CONN);
	ioctl(fd, NBD_DO_IT);
	ioctl(fd, NBD_CLEAR_SOCK);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "fill"))
		fill(argv[2], strtoull(argv[3], NULL, 10) << 20);
	else if (argc == 7 && (!strcmp(argv[1], "read") || !strcmp(argv[1], "write")))
		measure(argv + 2, argv[1][0] == 'w');
	else if (argc == 5 && !strcmp(argv[1], "nbd"))
		nbd(argv[2], strtoull(argv[3], NULL, 10) << 20, atoi(argv[4]));
	else if (argc != 3 || strcmp(argv[1], "nbd-end") ||
		 ioctl(open(argv[2], O_RDWR), NBD_DISCONNECT))
		errx(1, "see the head of io.c");
	return 0;
}
