// SPDX-License-Identifier: GPL-2.0
/*
 * The order of tasks: under any load, few tasks overtake a task A. A task overtakes A if it is
 * submitted later than A and starts before A.
 *
 * Of two tasks of one submitter, the one with the higher cookie is the later one. By the time of
 * the next higher submit_ns of A's submitter, A had surely been accepted: a task that another
 * submitter submits from then on counts as later.
 */
#include "wpool_test.h"

#define NR_TRIES	3
#define MAX_SUBMITTERS	4
#define SLACK		16	/* allowed overtakes in addition to one for each worker */

struct submitter {
	pthread_t thread;
	int fd;
	unsigned int nr;
	__u32 kind;
	__u64 arg;
	int err;
	struct wpool_dev_record *records;	/* indexed by cookie */
};

/* Submits all tasks in one call: each task is accepted when there is room. */
static void *submit_records(void *data)
{
	struct submitter *s = data;

	s->err = submit_many(s->fd, s->kind, s->arg, 0, s->nr);
	return NULL;
}

static int by_cookie(const void *a, const void *b)
{
	const struct wpool_dev_record *x = a, *y = b;

	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

/* Returns the next higher submit_ns of the submitter: by then the i-th task was accepted. */
static __u64 accepted_ns(const struct submitter *s, unsigned int i)
{
	__u64 ns = s->records[i].submit_ns;

	while (i < s->nr && s->records[i].submit_ns == ns)
		i++;
	return i < s->nr ? s->records[i].submit_ns : UINT64_MAX;
}

/* How many tasks of @other overtook the i-th task of @s? */
static unsigned int overtakes(const struct submitter *s, unsigned int i,
			      const struct submitter *other)
{
	__u64 since = s == other ? 0 : accepted_ns(s, i);
	unsigned int k = s == other ? i + 1 : 0, nr = 0;

	for (; k < other->nr; k++)
		nr += other->records[k].start_ns < s->records[i].start_ns &&
		      other->records[k].submit_ns >= since;
	return nr;
}

static unsigned int most_overtakes(const struct submitter *submitters, unsigned int nr)
{
	unsigned int i, k, task, sum, most = 0;

	for (i = 0; i < nr; i++) {
		for (task = 0; task < submitters[i].nr; task++) {
			for (k = 0, sum = 0; k < nr; k++)
				sum += overtakes(&submitters[i], task, &submitters[k]);
			most = sum > most ? sum : most;
		}
	}
	return most;
}

FIXTURE(order)
{
	struct pool pool;
	struct submitter submitters[MAX_SUBMITTERS];
};

FIXTURE_VARIANT(order)
{
	__u32 capacity;
	__u32 kind;
	__u64 arg;
	unsigned int nr;		/* tasks of each submitter */
	unsigned int submitters;
};

/* The load of scripts/demo. */
FIXTURE_VARIANT_ADD(order, eight_sleep_20ms) {
	.capacity = 8, .kind = WPOOL_WORK_SLEEP, .arg = 20 * MSEC, .nr = 400, .submitters = 1,
};

FIXTURE_VARIANT_ADD(order, eight_sleep_10ms_four_submitters) {
	.capacity = 8, .kind = WPOOL_WORK_SLEEP, .arg = 10 * MSEC, .nr = 100, .submitters = 4,
};

FIXTURE_VARIANT_ADD(order, one_sleeps_5ms) {
	.capacity = 1, .kind = WPOOL_WORK_SLEEP, .arg = 5 * MSEC, .nr = 150, .submitters = 1,
};

FIXTURE_VARIANT_ADD(order, eight_compute_2ms) {
	.capacity = 8, .kind = WPOOL_WORK_SPIN, .arg = 2 * MSEC, .nr = 100, .submitters = 4,
};

FIXTURE_SETUP(order)
{
	unsigned int i;

	memset(self, 0, sizeof(*self));
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.capacity = variant->capacity, .queue_depth = 64)));
	for (i = 0; i < variant->submitters; i++) {
		struct submitter *s = &self->submitters[i];

		s->nr = variant->nr;
		s->kind = variant->kind;
		s->arg = variant->arg;
		s->records = calloc(s->nr, sizeof(*s->records));
		ASSERT_NE(NULL, s->records);
	}
}

FIXTURE_TEARDOWN(order)
{
	unsigned int i;

	pool_end(&self->pool);
	for (i = 0; i < variant->submitters; i++)
		free(self->submitters[i].records);
}

static int run(const struct pool *pool, struct submitter *submitters, unsigned int nr)
{
	unsigned int i;
	int err = 0, got;

	for (i = 0; i < nr; i++) {
		submitters[i].err = 0;
		submitters[i].fd = pool_attach(pool->name, 0);
		if (submitters[i].fd < 0)
			return submitters[i].fd;
	}
	for (i = 0; i < nr; i++)
		if (pthread_create(&submitters[i].thread, NULL, submit_records, &submitters[i]))
			return -EAGAIN;
	for (i = 0; i < nr; i++) {
		struct submitter *s = &submitters[i];

		pthread_join(s->thread, NULL);
		got = s->err ?: read_records(s->fd, s->records, s->nr);
		if (got != (int)s->nr)
			err = got < 0 ? got : -ETIMEDOUT;
		qsort(s->records, s->nr, sizeof(*s->records), by_cookie);
		close(s->fd);
	}
	return err;
}

/*
 * A worker may take a task and lose its CPU before it records start_ns. So a load that fails is run
 * again.
 */
TEST_F(order, few_overtake_a_task)
{
	unsigned int bound = variant->capacity + SLACK, most = 0;
	int try;

	for (try = 0; try < NR_TRIES; try++) {
		ASSERT_EQ(0, run(&self->pool, self->submitters, variant->submitters));
		most = most_overtakes(self->submitters, variant->submitters);
		TH_LOG("overtaken by %u at most", most);
		if (most <= bound)
			break;
	}
	EXPECT_LE(most, bound);
}

TEST_HARNESS_MAIN
