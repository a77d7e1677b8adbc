// SPDX-License-Identifier: GPL-2.0
/*
 * I/O for scripts/drivers. The content of a block depends only on its place and a number, SALT, so
 * the order of writes does not matter.
 *
 *	io fill DEVICE MB BLOCK CLIENTS SALT		writes each block once
 *	io read|write DEVICE MB BLOCK CLIENTS SALT MS	prints MB/s and the p99 in us
 *	io file FILE MB SALT				writes a file that can be compressed
 *	io files DIRECTORY MB BLOCK CLIENTS 0 MS	client N reads file N, of SALT N, from the
 *							device, once or more; prints as above
 *	io nbd DEVICE MB CONNECTIONS			serves a device until it is disconnected
 *	io nbd-end DEVICE				disconnects the device
 *	io stream-serve MB				serves any number of streams
 *	io stream ADDRESS MB to|from|both NR		NR streams at once; prints MB/s and
 *							a checksum
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nbd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_OPS		1000000
#define PORT		7000
#define CHUNK		65536UL

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void content(char *buf, uint64_t place, size_t size, uint64_t salt)
{
	uint64_t *word = (uint64_t *)buf;
	size_t i;

	for (i = 0; i < size / 8; i++)
		word[i] = (place / 8 + i + (salt << 40)) * 0x9e3779b97f4a7c15ULL;
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

static void *shared(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		errx(1, "no memory");
	return mem;
}

/*
 * Calls @function with each of the @nr elements of @array, each in a process of its own: user-mode
 * Linux runs one thread of a process at a time.
 */
static void at_once(void (*function)(void *), void *array, size_t size, int nr)
{
	int i, status, failed = 0;

	for (i = 0; i < nr; i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			function((char *)array + i * size);
			_exit(0);
		}
	}
	for (i = 0; i < nr; i++)
		failed |= wait(&status) < 0 || status;
	if (failed)
		exit(1);
}

struct load {
	const char *name;
	int write;
	uint64_t blocks, salt, end;
	size_t block;
	unsigned int seed, clients;
	uint64_t *ns;
	size_t nr;
};

static void fill(void *arg)
{
	struct load *load = arg;
	int fd = open_device(load->name);
	char *buf = buffer(load->block);
	uint64_t nr;

	for (nr = load->seed - 1; nr < load->blocks; nr += load->clients) {
		content(buf, nr * load->block, load->block, load->salt);
		if (pwrite(fd, buf, load->block, nr * load->block) != (ssize_t)load->block)
			err(1, "write to %s", load->name);
	}
	fsync(fd);
	close(fd);
}

static void run(void *arg)
{
	struct load *load = arg;
	int fd = open_device(load->name);
	char *buf = buffer(load->block), *want = buffer(load->block);
	uint64_t place, start;
	ssize_t done;

	while (load->nr < MAX_OPS && now() < load->end) {
		place = rand_r(&load->seed) % load->blocks * load->block;
		if (load->write)
			content(buf, place, load->block, load->salt);
		start = now();
		done = load->write ? pwrite(fd, buf, load->block, place) :
				     pread(fd, buf, load->block, place);
		load->ns[load->nr++] = now() - start;
		if (done != (ssize_t)load->block)
			err(1, "I/O of %s", load->name);
		if (!load->write) {
			content(want, place, load->block, load->salt);
			if (memcmp(buf, want, load->block))
				errx(1, "%s: wrong content at %llu", load->name,
				     (unsigned long long)place);
		}
	}
	close(fd);
}

/* As content(), but each word is repeated eight times. */
static void plain_content(char *buf, uint64_t place, size_t size, uint64_t salt)
{
	uint64_t *word = (uint64_t *)buf;
	size_t i;

	for (i = 0; i < size / 8; i++)
		word[i] = ((place / 8 + i) / 8 + (salt << 40)) * 0x9e3779b97f4a7c15ULL;
}

static void write_file(const char *name, uint64_t size, uint64_t salt)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	char *buf = buffer(CHUNK);
	uint64_t place;

	if (fd < 0)
		err(1, "%s", name);
	for (place = 0; place < size; place += CHUNK) {
		plain_content(buf, place, CHUNK, salt);
		if (write(fd, buf, CHUNK) != (ssize_t)CHUNK)
			err(1, "write to %s", name);
	}
	close(fd);
}

static void read_file(void *arg)
{
	struct load *load = arg;
	char *buf = buffer(load->block), *want = buffer(load->block), name[64];
	uint64_t nr = 0, start;
	ssize_t done;
	int fd;

	snprintf(name, sizeof(name), "%s/%u", load->name, load->seed);
	fd = open(name, O_RDONLY);
	if (fd < 0)
		err(1, "%s", name);
	do {
		if (!nr)
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		start = now();
		done = pread(fd, buf, load->block, nr * load->block);
		load->ns[load->nr++] = now() - start;
		if (done != (ssize_t)load->block)
			err(1, "read of %s", name);
		plain_content(want, nr * load->block, load->block, load->seed);
		if (memcmp(buf, want, load->block))
			errx(1, "%s: wrong content at %llu", name,
			     (unsigned long long)(nr * load->block));
		nr = (nr + 1) % load->blocks;
	} while (nr || (load->nr + load->blocks < MAX_OPS && now() < load->end));
	close(fd);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static struct load *run_loads(char **args, void (*function)(void *), int write, uint64_t end)
{
	int clients = atoi(args[3]), i;
	struct load *loads = shared(clients * sizeof(*loads));

	for (i = 0; i < clients; i++) {
		loads[i] = (struct load){
			.name = args[0], .write = write, .block = atoi(args[2]), .seed = i + 1,
			.clients = clients, .salt = atoi(args[4]), .end = end,
			.ns = end ? shared(MAX_OPS * sizeof(*loads->ns)) : NULL,
		};
		loads[i].blocks = (strtoull(args[1], NULL, 10) << 20) / loads[i].block;
	}
	at_once(function, loads, sizeof(*loads), clients);
	return loads;
}

static void measure(char **args, void (*function)(void *), int write)
{
	int clients = atoi(args[3]), i;
	uint64_t start = now();
	struct load *loads = run_loads(args, function, write, start + atoi(args[5]) * 1000000ULL);
	double seconds = (now() - start) / 1e9;
	uint64_t *ns;
	size_t nr = 0;

	for (i = 0; i < clients; i++)
		nr += loads[i].nr;
	if (!nr)
		errx(1, "no I/O was done");
	ns = malloc(nr * sizeof(*ns));
	if (!ns)
		errx(1, "no memory");
	for (i = 0, nr = 0; i < clients; nr += loads[i++].nr)
		memcpy(ns + nr, loads[i].ns, loads[i].nr * sizeof(*ns));
	qsort(ns, nr, sizeof(*ns), compare);
	printf("%.2f %.1f\n", nr * loads[0].block / seconds / 1e6, ns[nr - 1 - nr / 100] / 1e3);
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

/* Makes a TCP connection and returns both ends. */
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
	char *disk = shared(size);
	int fd = open(name, O_RDWR), ends[2];

	if (fd < 0)
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
	/* the driver accepts several connections only with this flag */
	ioctl(fd, NBD_SET_FLAGS, NBD_FLAG_HAS_FLAGS | NBD_FLAG_CAN_MULTI_CONN);
	ioctl(fd, NBD_DO_IT);
	ioctl(fd, NBD_CLEAR_SOCK);
}

static uint64_t checksum(uint64_t sum, const char *buf, size_t size)
{
	const uint64_t *word = (const uint64_t *)buf;
	size_t i;

	for (i = 0; i < size / 8; i++) {
		sum = (sum ^ word[i]) * 0x100000001b3ULL;
		sum ^= sum >> 29;
	}
	return sum;
}

/* One end of a stream, with checksums of the data sent and received. */
struct stream {
	int fd;
	char ways;
	uint64_t size, salt, sent, received;
};

static void *send_all(void *arg)
{
	struct stream *stream = arg;
	char *buf = buffer(CHUNK);
	uint64_t place;

	for (place = 0; place < stream->size; place += CHUNK) {
		content(buf, place, CHUNK, stream->salt);
		if (!all(stream->fd, buf, CHUNK, 1))
			err(1, "send");
		stream->sent = checksum(stream->sent, buf, CHUNK);
	}
	free(buf);
	return NULL;
}

static void *receive_all(void *arg)
{
	struct stream *stream = arg;
	char *buf = buffer(CHUNK);
	uint64_t place;

	for (place = 0; place < stream->size; place += CHUNK) {
		if (!all(stream->fd, buf, CHUNK, 0))
			err(1, "receive");
		stream->received = checksum(stream->received, buf, CHUNK);
	}
	free(buf);
	return NULL;
}

static void transfer(struct stream *stream, int send, int receive)
{
	pthread_t ids[2];

	if ((send && pthread_create(&ids[0], NULL, send_all, stream)) ||
	    (receive && pthread_create(&ids[1], NULL, receive_all, stream)))
		errx(1, "no thread");
	if (send)
		pthread_join(ids[0], NULL);
	if (receive)
		pthread_join(ids[1], NULL);
}

/* Serves streams. The first byte of a stream says which ends send; the checksums come last. */
static void stream_serve(uint64_t size)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	struct stream stream = { .size = size };
	char ways;

	signal(SIGCHLD, SIG_IGN);
	if (listener < 0 || bind(listener, (void *)&address, sizeof(address)) ||
	    listen(listener, 8))
		err(1, "listen");
	for (;;) {
		stream.fd = accept(listener, NULL, NULL);
		if (!fork()) {
			if (!all(stream.fd, &ways, 1, 0))
				err(1, "receive");
			transfer(&stream, ways & 2, ways & 1);
			all(stream.fd, (char *)&stream.sent, 8, 1);
			all(stream.fd, (char *)&stream.received, 8, 1);
			_exit(0);
		}
		close(stream.fd);
	}
}

/* The other end may not listen yet: tries again until it does. */
static int stream_connect(const char *to)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, to, &address.sin_addr);
	while (connect(fd, (void *)&address, sizeof(address))) {
		close(fd);
		usleep(20000);
		fd = socket(AF_INET, SOCK_STREAM, 0);
	}
	return fd;
}

static void stream_one(void *arg)
{
	struct stream *stream = arg;
	uint64_t sent, received;

	if (!all(stream->fd, &stream->ways, 1, 1))
		err(1, "send");
	transfer(stream, stream->ways & 1, stream->ways & 2);
	if (!all(stream->fd, (char *)&sent, 8, 0) || !all(stream->fd, (char *)&received, 8, 0))
		err(1, "receive");
	if (sent != stream->received || received != stream->sent)
		errx(1, "what was received is not what was sent");
}

static void stream_run(const char *to, uint64_t size, const char *name, int nr)
{
	char ways = !strcmp(name, "to") ? 1 : !strcmp(name, "from") ? 2 : 3;
	struct stream *streams = shared(nr * sizeof(*streams));
	uint64_t start, sum = 0;
	double seconds;
	int i;

	for (i = 0; i < nr; i++)
		streams[i] = (struct stream){
			.fd = stream_connect(to), .size = size, .salt = 1, .ways = ways,
		};
	start = now();
	at_once(stream_one, streams, sizeof(*streams), nr);
	seconds = (now() - start) / 1e9;
	for (i = 0; i < nr; i++)
		sum += streams[i].sent ^ streams[i].received << 1;
	printf("%.2f %016llx\n", (ways == 3 ? 2 : 1) * nr * size / seconds / 1e6,
	       (unsigned long long)sum);
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "fill"))
		run_loads(argv + 2, fill, 1, 0);
	else if (argc == 8 && (!strcmp(argv[1], "read") || !strcmp(argv[1], "write")))
		measure(argv + 2, run, argv[1][0] == 'w');
	else if (argc == 5 && !strcmp(argv[1], "file"))
		write_file(argv[2], strtoull(argv[3], NULL, 10) << 20, atoi(argv[4]));
	else if (argc == 8 && !strcmp(argv[1], "files"))
		measure(argv + 2, read_file, 0);
	else if (argc == 5 && !strcmp(argv[1], "nbd"))
		nbd(argv[2], strtoull(argv[3], NULL, 10) << 20, atoi(argv[4]));
	else if (argc == 3 && !strcmp(argv[1], "stream-serve"))
		stream_serve(strtoull(argv[2], NULL, 10) << 20);
	else if (argc == 6 && !strcmp(argv[1], "stream"))
		stream_run(argv[2], strtoull(argv[3], NULL, 10) << 20, argv[4], atoi(argv[5]));
	else if (argc != 3 || strcmp(argv[1], "nbd-end") ||
		 ioctl(open(argv[2], O_RDWR), NBD_DISCONNECT))
		errx(1, "see the head of io.c");
	return 0;
}
