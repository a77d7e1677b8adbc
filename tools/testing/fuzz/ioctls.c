// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of the ioctls. It makes a valid structure, often puts one mistake into it, and knows
 * the allowed results.
 *
 * For each call it checks: the errno is in the ABI; a mistake gives its errno, and only a call
 * without a mistake returns 0; the kernel writes the answer to its place and nowhere else; the
 * answer contains no kernel address.
 */
#include "fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

union cmd {
	struct {
		uint32_t size;
		uint32_t flags;
	};
	struct wpool_dev_create create;
	struct wpool_dev_attach attach;
	struct wpool_dev_tune tune;
	struct wpool_dev_release release;
	struct wpool_dev_simple simple;
	struct wpool_dev_submit submit;
	struct wpool_dev_wait wait;
	struct wpool_dev_cancel cancel;
	struct wpool_dev_stats stats;
	struct wpool_dev_info info;
	struct wpool_dev_group group;
	struct wpool_dev_cgroup cgroup;
	uint8_t bytes[RW_BYTES];
};

/* What is known about a call before it is made. */
struct guess {
	/* the errno that the call must return if no earlier error is found; 0, -1: unknown */
	int must;
	int may;	/* an errno that the contents of the structure may cause, or 0 */
	struct wpool_dev_work *works;	/* the descriptors of a submit */
	uint32_t nr;
	bool runs;	/* create, attach: the pool has policy "run" */
	bool itself;	/* the array of descriptors is the structure itself */
};

struct grammar {
	uint32_t size;	/* size of its structure; there is only one version */
	bool answers;	/* the structure is copied back */
	int errnos[8];	/* errnos of this ioctl, besides those of all ioctls */
	/* makes a structure, most often a valid one; NULL: a size and flags of 0 */
	void (*generate)(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess);
};

const char *const ioctl_names[NR_IOCTLS] = {
	"create", "attach", "tune", "release", "reboot", "destroy", "submit", "wait",
	"cancel", "stats", "info", "group", "cgroup",
};

/* Structures whose heads change while the kernel reads them. */
static uint32_t scribbled[2][64];
static bool has_32bit;

static void gen_create(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	bool good = gen_name(f, cmd->create.name, &guess->runs);

	guess->must = -gen_attrs(f, &cmd->create.attrs, true, guess->runs);
	if (!good && !guess->must)
		guess->must = EINVAL;
	else if (!good)
		guess->must = 0;
}

static void gen_attach(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	gen_name(f, cmd->attach.name, &guess->runs);
}

static void gen_tune(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	guess->must = -gen_attrs(f, &cmd->tune.attrs, false, false);
	if (!guess->must && one_in(&f->rng, 40)) {
		cmd->tune.attrs.mask |= WPOOL_DEV_PREALLOC;
		guess->must = EINVAL;
	}
	/* max_workers may leave no room for workers in reserve */
	if (cmd->tune.attrs.mask & (WPOOL_DEV_RECLAIM | WPOOL_DEV_MIN_WORKERS))
		guess->may = EAGAIN;
}

static uint64_t gen_timeout(struct fuzzer *f)
{
	switch (below(&f->rng, 12)) {
	case 0:
		return 0;
	case 1:
		return -1ULL - below(&f->rng, 100);
	case 2:
		return 0x7fffffffffffffff + below(&f->rng, 3);
	default:
		return 1 + below(&f->rng, 500000);
	}
}

static void gen_release(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	cmd->release.flags = below(&f->rng, 8);
	if (cmd->release.flags > WPOOL_DEV_RELEASE_OWN)
		guess->must = EINVAL;
	cmd->release.timeout_ns = gen_timeout(f);
}

static uint32_t gen_batch(struct fuzzer *f)
{
	uint32_t how = below(&f->rng, 200);

	if (how < 100)
		return 1;
	if (how < 160)
		return 1 + below(&f->rng, 8);
	if (how < 198)
		return 1 + below(&f->rng, 64);
	return one_in(&f->rng, 10) ? WPOOL_MAX_BATCH : 1 + below(&f->rng, 512);
}

static void gen_submit(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	struct wpool_dev_submit *submit = &cmd->submit;
	uint32_t bytes, i, nr = file->runs ? 1 + below(&f->rng, 16) : gen_batch(f);
	bool spoil = one_in(&f->rng, 16);
	uint8_t *at;

	bytes = nr * sizeof(struct wpool_dev_work);
	at = f->arena.array + (ARRAY_BYTES - bytes);
	guess->must = -gen_works(f, file, (void *)at, nr, spoil ? (int)below(&f->rng, nr) : -1);
	guess->works = (void *)at;
	guess->nr = nr;
	submit->flags = one_in(&f->rng, 2) ? WPOOL_DEV_SUBMIT_NONBLOCK : 0;
	submit->works = (uintptr_t)at;
	submit->nr = nr;
	submit->work_size = sizeof(struct wpool_dev_work);
	submit->accepted = rnd(&f->rng);
	if (spoil)
		return;

	switch (below(&f->rng, 60)) {
	case 0:
		submit->nr = one_in(&f->rng, 2) ? 0 : WPOOL_MAX_BATCH + 1 + (rnd(&f->rng) >> 34);
		guess->must = ERANGE;
		break;
	case 1:
		submit->work_size = below(&f->rng, sizeof(struct wpool_dev_work));
		guess->must = EINVAL;
		break;
	case 2:
		submit->work_size = PAGE + 1 + (rnd(&f->rng) >> 34);
		guess->must = E2BIG;
		break;
	case 3:
		/* a CPU without the flag ON */
		submit->cpu = 1 + (rnd(&f->rng) >> 34);
		guess->must = EOPNOTSUPP;
		break;
	case 4:
		submit->works = arena_bad_pointer(f);
		guess->must = EFAULT;
		break;
	case 5:
		/* move the array, so that its last bytes lie behind the mapped memory */
		submit->works += 1 + below(&f->rng, sizeof(struct wpool_dev_work) - 1);
		guess->must = EFAULT;
		break;
	case 6:
	case 7:
		/* descriptors as from a newer program */
		at = f->arena.array;
		submit->work_size += 8 * (1 + below(&f->rng, 3));
		guess->nr = nr < 64 ? nr : 64;
		submit->nr = guess->nr;
		for (i = 0; i < guess->nr; i++)
			memmove(at + i * submit->work_size, &guess->works[i],
				sizeof(struct wpool_dev_work));
		for (i = 0; i < guess->nr; i++)
			memset(at + i * submit->work_size + sizeof(struct wpool_dev_work), 0,
			       submit->work_size - sizeof(struct wpool_dev_work));
		submit->works = (uintptr_t)at;
		if (one_in(&f->rng, 2)) {
			at[guess->nr * submit->work_size - 1] = 1;
			guess->must = E2BIG;
		}
		break;
	case 8:
		/* the structure itself is the array: the kernel takes its size for a kind */
		guess->itself = true;
		guess->must = nr == 1 ? EINVAL : -1;
		break;
	case 9:
		/* a CPU that no kernel is built for */
		submit->flags |= WPOOL_DEV_SUBMIT_ON;
		submit->cpu = 8192 + (rnd(&f->rng) >> 34);
		guess->must = EINVAL;
		break;
	case 10 ... 19:
		/* the CPU may be offline or missing, and some kinds of tasks cannot have one */
		submit->flags |= WPOOL_DEV_SUBMIT_ON;
		submit->cpu = below(&f->rng, 4);
		break;
	default:
		break;
	}
}

static void gen_wait(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	cmd->wait.timeout_ns = gen_timeout(f);
}

static void gen_cancel(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	cmd->cancel.flags = one_in(&f->rng, 3) ? WPOOL_DEV_CANCEL_ALL : 0;
	cmd->cancel.cookie = f->recent[below(&f->rng, ARRAY_SIZE(f->recent))];
	if (one_in(&f->rng, 16))
		cmd->cancel.cookie = rnd(&f->rng) >> 2;
	cmd->cancel.cancelled = rnd(&f->rng);
	cmd->cancel.stopped = rnd(&f->rng);
}

static void gen_stats(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	memset(cmd->bytes + 8, rnd(&f->rng) | 0x80, sizeof(struct wpool_dev_stats) - 8);
}

static void gen_info(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	struct wpool_dev_attrs *attrs = &cmd->info.attrs;

	memset(cmd->bytes + 8, rnd(&f->rng) & 0x7f, sizeof(struct wpool_dev_info) - 8);
	attrs->cpumask = 0;
	attrs->cpumask_bytes = 0;
	if (one_in(&f->rng, 2))
		return;
	attrs->cpumask_bytes = 8 * (1 + below(&f->rng, 128));
	attrs->cpumask = (uintptr_t)f->arena.array + ARRAY_BYTES - attrs->cpumask_bytes;
	switch (below(&f->rng, 12)) {
	case 0:
		attrs->cpumask = arena_bad_pointer(f);
		guess->must = EFAULT;
		break;
	case 1:
		attrs->cpumask += 1 + below(&f->rng, 7);
		guess->must = EFAULT;
		break;
	case 2:
		attrs->cpumask_bytes = rnd(&f->rng) | 4;
		guess->must = EINVAL;
		break;
	case 3:
		attrs->cpumask_bytes = 0;
		guess->must = EINVAL;
		break;
	default:
		break;
	}
}

static void gen_group(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	cmd->group.max_outstanding = one_in(&f->rng, 4) ? rnd(&f->rng) : below(&f->rng, 9);
	if (one_in(&f->rng, 16)) {
		cmd->group.reserved = 1 + below(&f->rng, 1000);
		guess->must = EOPNOTSUPP;
	} else if (!cmd->group.max_outstanding) {
		guess->must = ERANGE;
	} else if (one_in(&f->rng, 2)) {
		/* the kernel may lack memory cgroups, or those of the block layer: EOPNOTSUPP */
		cmd->group.flags = below(&f->rng, 2 * WPOOL_DEV_GROUP_BLKCG);
	}
}

/* No file of the fuzzer is a cgroup. */
static void gen_cgroup(struct fuzzer *f, struct file *file, union cmd *cmd, struct guess *guess)
{
	cmd->cgroup.fd = (int)below(&f->rng, 64) - 1;
	if (one_in(&f->rng, 16)) {
		cmd->cgroup.reserved = 1 + below(&f->rng, 1000);
		guess->must = EOPNOTSUPP;
	}
}

static const struct grammar grammars[NR_IOCTLS] = {
	{ sizeof(struct wpool_dev_create), false,
	  { EEXIST, EISCONN, ERANGE, EAGAIN, EINTR }, gen_create },
	{ sizeof(struct wpool_dev_attach), false, { ENOENT, EISCONN, EINTR }, gen_attach },
	{ sizeof(struct wpool_dev_tune), false, { ERANGE, ESHUTDOWN, EPERM }, gen_tune },
	{ sizeof(struct wpool_dev_release), false, { EBUSY, ETIME, EINTR }, gen_release },
	{ sizeof(struct wpool_dev_simple), false, { EBUSY, ESHUTDOWN, EINTR, EAGAIN }, NULL },
	{ sizeof(struct wpool_dev_simple), false, { EBUSY, EINTR }, NULL },
	{ sizeof(struct wpool_dev_submit), false,
	  { ERANGE, EAGAIN, ESHUTDOWN, ENOBUFS, EINTR, ECANCELED, ENODEV }, gen_submit },
	{ sizeof(struct wpool_dev_wait), false, { ETIME, EINTR }, gen_wait },
	{ sizeof(struct wpool_dev_cancel), true, { ENOENT, EINTR }, gen_cancel },
	{ sizeof(struct wpool_dev_stats), true, { 0 }, gen_stats },
	{ sizeof(struct wpool_dev_info), true, { 0 }, gen_info },
	{ sizeof(struct wpool_dev_group), false, { ERANGE, EISCONN, EINTR }, gen_group },
	{ sizeof(struct wpool_dev_cgroup), false, { EBADF, EPERM, EINTR }, gen_cgroup },
};

enum { NR_CREATE, NR_ATTACH, NR_SUBMIT = 6, NR_CANCEL = 8, NR_STATS, NR_INFO, NR_GROUP };

/* Makes the ioctl as a 32-bit program does. */
static int ioctl_32bit(int fd, uint32_t cmd, uint32_t arg)
{
#ifdef __x86_64__
	long ret;

	asm volatile("int $0x80" : "=a"(ret)
		     : "a"(54L), "b"((long)fd), "c"((long)cmd), "d"((long)arg)
		     : "memory", "cc", "r8", "r9", "r10", "r11");
	if ((int)ret >= 0)
		return ret;
	errno = -(int)ret;
	return -1;
#else
	return ioctl(fd, cmd, (unsigned long)arg);
#endif
}

void ioctls_init(void)
{
#ifdef __x86_64__
	pid_t pid = fork();
	int status;

	if (!pid) {
		/* getpid() of 32 bits; a kernel without 32-bit calls sends a signal */
		long ret = 20;

		asm volatile("int $0x80" : "+a"(ret) : : "memory", "r8", "r9", "r10", "r11");
		_exit(ret != getpid());
	}
	has_32bit = waitpid(pid, &status, 0) == pid && !status;
#endif
}

static int call(struct fuzzer *f, struct file *file, unsigned int nr, void *at, bool as_32bit)
{
	unsigned long cmd = _IO(WPOOL_IOC_TYPE, nr);
	int err;

	call_begins(f, ioctl_names[nr]);
	err = (as_32bit ? ioctl_32bit(file->fd, cmd, (uintptr_t)at) :
			  ioctl(file->fd, cmd, at)) ? errno : 0;
	call_ends(f, nr);
	count(nr, err);
	return err;
}

static bool is_allowed(const struct grammar *grammar, int err)
{
	static const int everybody[] = {
		0, EINVAL, E2BIG, EOPNOTSUPP, EFAULT, ENXIO, ENOMEM,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(everybody); i++)
		if (err == everybody[i])
			return true;
	for (i = 0; i < ARRAY_SIZE(grammar->errnos); i++)
		if (err == grammar->errnos[i])
			return true;
	return false;
}

/* Is @err one that the kernel may return before it finds the mistake? */
static bool is_earlier(unsigned int nr, int err, bool attached)
{
	if (err == ENOMEM)
		return true;
	if (nr == NR_CREATE || nr == NR_ATTACH)
		return err == EISCONN || err == EINTR;
	return err == ENXIO && !attached;
}

static void check_stats(struct fuzzer *f, const struct wpool_dev_stats *stats)
{
	if (stats->workers != stats->idle + stats->searching + stats->busy)
		complain(f, "workers %u = %u idle + %u searching + %u busy?", stats->workers,
			 stats->idle, stats->searching, stats->busy);
	if (stats->submitted != stats->completed + stats->failed + stats->cancelled +
				stats->overdue + stats->outstanding ||
	    (__s64)stats->outstanding < 0 || (__s64)stats->completed < 0)
		complain(f, "submitted %llu = %llu + %llu failed + %llu cancelled + %llu left?",
			 stats->submitted, stats->completed, stats->failed, stats->cancelled,
			 stats->outstanding);
	if (stats->blocked > stats->busy || stats->file_finished > stats->file_submitted ||
	    stats->reserved || stats->failed || stats->faults)
		complain(f, "blocked %u busy %u, file %llu of %llu, reserved %u, failed %llu %llu",
			 stats->blocked, stats->busy, stats->file_finished,
			 stats->file_submitted, stats->reserved, stats->failed, stats->faults);
	if (stats->state > WPOOL_DEV_CLOSING || !stats->name[0] ||
	    !memchr(stats->name, 0, sizeof(stats->name)))
		complain(f, "state %u, name %.32s", stats->state, stats->name);
}

static void check_answer(struct fuzzer *f, unsigned int nr, const union cmd *asked,
			 const union cmd *answer, uint32_t size)
{
	if (answer->size != asked->size || answer->flags != asked->flags)
		complain(f, "%s: size or flags changed", ioctl_names[nr]);
	scan_binary(f, ioctl_names[nr], answer, size);
	if (nr == NR_STATS)
		check_stats(f, &answer->stats);
	if (nr == NR_CANCEL && !(asked->flags & WPOOL_DEV_CANCEL_ALL) &&
	    !answer->cancel.cancelled && !answer->cancel.stopped)
		complain(f, "cancel found a task and did nothing to it");
	if (nr == NR_INFO && (answer->info.attrs.mask != WPOOL_DEV_ALL ||
			      answer->info.attrs.reserved))
		complain(f, "info: mask %#x, reserved %u", answer->info.attrs.mask,
			 answer->info.attrs.reserved);
}

/* Record which descriptors were accepted as tasks. */
static void settle_submit(struct fuzzer *f, struct file *file, const struct guess *guess,
			  int err, uint32_t accepted)
{
	uint32_t i;

	if (err)
		accepted = 0;
	if (accepted > guess->nr) {
		complain(f, "%u of %u accepted", accepted, guess->nr);
		accepted = guess->nr;
	}
	if (!err && !accepted)
		complain(f, "a submit was a success, but nothing was accepted");
	for (i = 0; i < guess->nr; i++) {
		struct wpool_dev_work work;

		memcpy(&work, &guess->works[i], sizeof(work));
		if (i < accepted)
			cookie_accepted(file, work.cookie);
		else
			cookie_refused(f, work.cookie);
	}
}

/* @attached: the file was attached before the call */
static void check(struct fuzzer *f, struct file *file, unsigned int nr, int err, int must,
		  int may, bool attached)
{
	const struct grammar *grammar = &grammars[nr];

	/* a thread may have closed the file, which allows any error */
	if (file->gone)
		return;
	if (!is_allowed(grammar, err) && err != may)
		complain(f, "%s: unexpected %s", ioctl_names[nr], strerrorname_np(err));
	if (must > 0 && err != must && !is_earlier(nr, err, attached))
		complain(f, "%s: %s, should be %s", ioctl_names[nr],
			 err ? strerrorname_np(err) : "success", strerrorname_np(must));
	if (err == ENXIO && attached)
		complain(f, "%s: ENXIO, but the file is attached", ioctl_names[nr]);
	if (err == EISCONN && nr != NR_GROUP && file->tries < 2 && !file->child)
		complain(f, "%s: EISCONN, but nobody attached the file", ioctl_names[nr]);
}

/* Make at most one mistake in the head or the address of the structure. Returns the address. */
static uint8_t *spoil(struct fuzzer *f, const struct grammar *grammar, union cmd *cmd, int *must)
{
	struct rng *rng = &f->rng;
	uint8_t *at;

	cmd->size = grammar->size;
	switch (below(rng, 25)) {
	case 0:
		cmd->size = below(rng, grammar->size);
		*must = EINVAL;
		break;
	case 1:
		cmd->size = PAGE + 1 + (rnd(rng) >> 34);
		*must = E2BIG;
		at = arena_place(f, grammar->size);
		memcpy(at, cmd, grammar->size);
		return at;
	case 2 ... 4:
		/* a structure as from a newer program */
		cmd->size = grammar->size + 1 + below(rng, PAGE - grammar->size);
		if (one_in(rng, 2)) {
			cmd->bytes[grammar->size + below(rng, cmd->size - grammar->size)] = 0x80;
			*must = E2BIG;
		}
		break;
	case 5:
		cmd->flags |= 1U << (4 + below(rng, 28));
		*must = EOPNOTSUPP;
		break;
	case 6:
		*must = EFAULT;
		return (uint8_t *)(uintptr_t)arena_bad_pointer(f);
	case 7:
		/* the size is readable, the end of the structure is not */
		*must = EFAULT;
		arena_place(f, grammar->size);
		at = f->arena.rw + RW_BYTES - 4 - below(rng, grammar->size - 4);
		memcpy(at, cmd, f->arena.rw + RW_BYTES - at);
		return at;
	case 8:
		if (*must > 0 || grammar->answers)
			*must = -1;
		return arena_place_ro(f, cmd, grammar->size);
	default:
		break;
	}
	at = arena_place(f, cmd->size < 8 ? 8 : cmd->size);
	memcpy(at, cmd, cmd->size < 8 ? 8 : cmd->size);
	return at;
}

static bool is_in_rw(struct fuzzer *f, const uint8_t *at)
{
	return at >= f->arena.rw && at < f->arena.rw + RW_BYTES;
}

void fuzz_ioctl(struct fuzzer *f, struct file *file, unsigned int nr)
{
	const struct grammar *grammar = &grammars[nr];
	uint32_t accepted, answered = 0, old_accepted;
	bool attached = file->attached;
	uint8_t snapshot[RW_BYTES];
	struct guess guess = {};
	const uint8_t *written;
	union cmd cmd = {};
	uint8_t *at;
	bool whole;
	int err;

	if (grammar->generate)
		grammar->generate(f, file, &cmd, &guess);
	at = spoil(f, grammar, &cmd, &guess.must);
	whole = is_in_rw(f, at) && at + grammar->size <= f->arena.rw + RW_BYTES;
	old_accepted = 0;
	if (nr == NR_SUBMIT && whole) {
		memcpy(&old_accepted, at + offsetof(struct wpool_dev_submit, accepted), 4);
		if (guess.itself)
			memcpy(at + offsetof(struct wpool_dev_submit, works),
			       &(uint64_t){ (uintptr_t)at }, 8);
	}
	arena_snapshot(f, snapshot);

	if (nr == NR_CREATE || nr == NR_ATTACH) {
		/* set this before another thread can submit through the file */
		if (guess.runs)
			atomic_store(&file->runs, true);
		atomic_fetch_add(&file->tries, 1);
	}
	err = call(f, file, nr, at, has_32bit && one_in(&f->rng, 8) && (uintptr_t)at < UINT32_MAX);
	if (!err && (nr == NR_CREATE || nr == NR_ATTACH))
		atomic_store(&file->attached, true);
	check(f, file, nr, err, guess.must, guess.may, attached);

	written = at;
	if (nr == NR_SUBMIT) {
		accepted = old_accepted;
		if (whole) {
			written = at + offsetof(struct wpool_dev_submit, accepted);
			answered = sizeof(accepted);
			memcpy(&accepted, written, answered);
		}
		if (err && accepted && accepted != old_accepted)
			complain(f, "submit: %s, but %u accepted", strerrorname_np(err), accepted);
		settle_submit(f, file, &guess, err, accepted);
	} else if (grammar->answers && !err) {
		union cmd answer;

		answered = grammar->size;
		memcpy(&answer, at, answered);
		check_answer(f, nr, &cmd, &answer, answered);
	}
	if (!arena_unchanged(f, snapshot, written, is_in_rw(f, at) ? answered : 0))
		complain(f, "%s wrote outside of its structure", ioctl_names[nr]);
}

void fuzz_ioctl_number(struct fuzzer *f, struct file *file)
{
	uint32_t nr = rnd(&f->rng);
	int err;

	if (!one_in(&f->rng, 8))
		nr = _IOC(below(&f->rng, 4), WPOOL_IOC_TYPE, below(&f->rng, 256),
			  one_in(&f->rng, 2) ? 0 : below(&f->rng, 1 << 13));
	/* skip our ioctls, and those that the kernel handles for every file */
	if ((nr >= _IO(WPOOL_IOC_TYPE, 0) && nr < _IO(WPOOL_IOC_TYPE, NR_IOCTLS)) ||
	    _IOC_TYPE(nr) == 'T' || _IOC_TYPE(nr) == 'X' || _IOC_TYPE(nr) == 'f' ||
	    _IOC_TYPE(nr) == 0 || _IOC_TYPE(nr) == 0x15 || _IOC_TYPE(nr) == 0x94)
		return;
	call_begins(f, "ioctl");
	err = ioctl(file->fd, nr, f->arena.rw) ? errno : 0;
	call_ends(f, OP_NUMBER);
	count(OP_NUMBER, err);
	if (err != ENOTTY)
		complain(f, "ioctl %#x: %s", nr, strerrorname_np(err));
}

/*
 * Threads share two structures, and each writes its own sizes and flags into them. All descriptors
 * are zero: a noop with the cookie 0, which any task may have.
 */
void fuzz_ioctl_scribbled(struct fuzzer *f, struct file *file)
{
	static const unsigned int nrs[] = { NR_SUBMIT, NR_CANCEL, NR_INFO, 7 };
	static const uint8_t zeros[4 * PAGE];
	unsigned int nr = nrs[below(&f->rng, ARRAY_SIZE(nrs))];
	uint32_t *shared_cmd = scribbled[nr == NR_SUBMIT];
	struct wpool_dev_submit submit = {
		.size = rnd(&f->rng) % 80,
		.flags = WPOOL_DEV_SUBMIT_NONBLOCK << below(&f->rng, 3),
		.works = (uintptr_t)zeros,
		.nr = 1 + below(&f->rng, 20),
		.work_size = 40 + 8 * below(&f->rng, 4),
	};
	uint32_t words[sizeof(submit) / 4];
	uint32_t i;
	int err;

	if (file->runs)
		return;
	memcpy(words, &submit, sizeof(submit));
	if (nr == NR_SUBMIT) {
		for (i = 0; i < offsetof(struct wpool_dev_submit, accepted) / 4; i++)
			__atomic_store_n(&shared_cmd[i], words[i], __ATOMIC_RELAXED);
		/* no thread knows how many tasks were accepted, so do not count records */
		atomic_store(&file->child, true);
	} else {
		/* these words are a time-out of some ns, a cookie, or an empty cpumask */
		__atomic_store_n(&shared_cmd[0], below(&f->rng, 200), __ATOMIC_RELAXED);
		__atomic_store_n(&shared_cmd[1], below(&f->rng, 3), __ATOMIC_RELAXED);
		__atomic_store_n(&shared_cmd[2], 1, __ATOMIC_RELAXED);
	}
	err = call(f, file, nr, shared_cmd, false);
	count(OP_SCRIBBLED, err);
	check(f, file, nr, err, 0, 0, false);
}
