// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation in a call on /dev/wpool fails once.
 *
 * A sweep makes one call again and again. The first time the first allocation (or copy from or to
 * user space, or creation of a thread) in the call fails, the second time the second, and so on,
 * until nothing fails. In spite of the failure the call may succeed; if not, its errno must be
 * -ENOMEM or -EFAULT, and the same call must work now. There must be as many pools as before, and
 * no unfinished tasks.
 *
 * sweep_worker() makes allocations in a worker fail. fail_spawn.c tests the thread that makes
 * workers. Kernels without fault injection skip all tests.
 *
 * After the model of tools/testing/selftests/iommu/iommufd_fail_nth.c.
 */
#include "fail_nth.h"

FIXTURE(sweep) {
	int nth;		/* fail-nth of the swept thread */
	struct pool pool;	/* the pool that the call is made on */
	struct pool other;	/* the pool that the call makes */
	int fd;			/* a file that the call needs or makes */
	unsigned int nr_pools;
	unsigned int reached;	/* points of failure seen */
	unsigned int survived;	/* calls that succeeded although something failed */
};

FIXTURE_SETUP(sweep)
{
	if (!has_injection())
		SKIP(return, "no fault injection");
	ASSERT_EQ(0, inject_init());
	self->fd = -1;
	self->other.fd = -1;
	pool_name(self->other.name);
	ASSERT_EQ(0, pool_create(&self->pool,
				 ATTRS(.mask = WPOOL_DEV_EXPIRY_MS, .capacity = 2,
				       .queue_depth = 100)));
	self->nth = nth_open(getpid());
	ASSERT_LE(0, self->nth);
	self->nr_pools = pools_named("");
}

FIXTURE_TEARDOWN(sweep)
{
	pool_end(&self->pool);
}

/*
 * The call of a sweep; each function returns 0 or -errno. @call makes the call; after a success
 * @check checks the effect, and @undo reverts the call.
 */
struct step {
	int (*prepare)(struct _test_data_sweep *self);
	int (*call)(struct _test_data_sweep *self);
	int (*check)(struct _test_data_sweep *self);
	int (*undo)(struct _test_data_sweep *self);
	unsigned int least;		/* minimum of points of failure */
};

static bool step_once(struct __test_metadata *_metadata, struct _test_data_sweep *self,
		      const struct step *step, unsigned int nth)
{
	int err, came;

	if (step->prepare)
		ASSERT_EQ(0, step->prepare(self));
	ASSERT_EQ(0, nth_set(self->nth, nth));
	err = step->call(self);
	came = nth_end(self->nth);
	ASSERT_LE(0, came);
	if (came) {
		EXPECT_TRUE(!err || err == -ENOMEM || err == -EFAULT)
			TH_LOG("%u: %s", nth, strerrorname_np(-err));
	} else {
		ASSERT_EQ(0, err)
			TH_LOG("nothing failed, but %s", strerrorname_np(-err));
	}
	self->survived += came && !err;
	if (err) {
		/* a failed call has changed nothing, and the next call works */
		err = step->call(self);
		ASSERT_EQ(0, err)
			TH_LOG("%u: again: %s", nth, strerrorname_np(-err));
	}
	if (step->check) {
		EXPECT_EQ(0, step->check(self))
			TH_LOG("%u", nth);
	}
	if (step->undo)
		ASSERT_EQ(0, step->undo(self));
	EXPECT_EQ(self->nr_pools, pools_named(""))
		TH_LOG("%u: pools", nth);
	if (self->pool.fd >= 0) {
		EXPECT_TRUE(WAIT_FOR(is_quiet(self->pool.fd)))
			TH_LOG("%u: the pool is not quiet", nth);
	}
	return came;
}

static void sweep(struct __test_metadata *_metadata, struct _test_data_sweep *self,
		  const struct step *step)
{
	bool came = true;
	unsigned int nth;

	for (nth = 1; came; nth++) {
		ASSERT_GT(MAX_NTH, nth);
		came = step_once(_metadata, self, step, nth);
		self->reached += came;
		if (!_metadata->exit_code)
			continue;
		TH_LOG("stopped at %u", nth);
		return;
	}
	TH_LOG("%u points of failure, %u of them survived", self->reached, self->survived);
	EXPECT_LE(step->least, self->reached);
}

static int call_open(struct _test_data_sweep *self)
{
	self->fd = open(DEV, O_RDWR | O_CLOEXEC);
	return self->fd < 0 ? -errno : 0;
}

static int call_close(struct _test_data_sweep *self)
{
	int fd = self->fd;

	self->fd = -1;
	return close(fd) ? -errno : 0;
}

/* Opens a file with tasks in all states: done, running, queued. */
static int prepare_busy_file(struct _test_data_sweep *self)
{
	int err, fd = pool_attach(self->pool.name, 0);

	if (fd < 0)
		return fd;
	err = submit_many(fd, WPOOL_WORK_NOOP, 0, 1, 3) ?: wait_tasks(fd, 0) ?:
	      submit_many(fd, WPOOL_WORK_SLEEP, LONG, 10, 10);
	self->fd = fd;
	return err;
}

static int check_closed(struct _test_data_sweep *self)
{
	return WAIT_FOR(is_quiet(self->pool.fd)) ? 0 : -EBUSY;
}

TEST_F(sweep, open_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.call = call_open, .undo = call_close, .least = 3,
	});
}

TEST_F(sweep, close_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_busy_file, .call = call_close, .check = check_closed,
	});
}

static int create_with(struct _test_data_sweep *self, const struct wpool_dev_attrs *attrs)
{
	return pool_create_fd(self->other.fd, self->other.name, attrs);
}

static int prepare_file(struct _test_data_sweep *self)
{
	self->other.fd = open(DEV, O_RDWR | O_CLOEXEC);
	return self->other.fd < 0 ? -errno : 0;
}

static int call_create(struct _test_data_sweep *self)
{
	return create_with(self, NULL);
}

/* Allocates what any create allocates, and also the rescuer and the workers. */
static int call_create_prealloc(struct _test_data_sweep *self)
{
	__u64 cpus[2] = { 1, 0 };

	return create_with(self,
			   ATTRS(.capacity = 2, .prealloc = 1, .reclaim = 1,
				 .cpumask = (uintptr_t)cpus, .cpumask_bytes = sizeof(cpus)));
}

static int works(struct _test_data_sweep *self)
{
	return run_one(self->other.fd);
}

static int check_prealloc(struct _test_data_sweep *self)
{
	int err = works(self);

	return err ?: pool_figure(self->other.fd, workers) == 2 ? 0 : -EPROTO;
}

static int destroy_other(struct _test_data_sweep *self)
{
	int err = pool_destroy(self->other.fd);

	close(self->other.fd);
	return err;
}

TEST_F(sweep, create_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_file, .call = call_create_prealloc, .check = check_prealloc,
		.undo = destroy_other, .least = 43,
	});
}

static int call_attach(struct _test_data_sweep *self)
{
	return pool_attach_fd(self->other.fd, self->pool.name);
}

static int close_other(struct _test_data_sweep *self)
{
	return close(self->other.fd) ? -errno : 0;
}

TEST_F(sweep, attach_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_file, .call = call_attach, .check = works,
		.undo = close_other, .least = 1,
	});
}

static int prepare_used_pool(struct _test_data_sweep *self)
{
	return prepare_file(self) ?: call_create(self) ?: works(self);
}

/* The sweep repeats a destroy that failed. */
static int call_destroy(struct _test_data_sweep *self)
{
	return pool_destroy(self->other.fd);
}

TEST_F(sweep, destroy_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_used_pool, .call = call_destroy, .undo = close_other,
		.least = 1,
	});
}

static int call_tune(struct _test_data_sweep *self)
{
	__u64 cpus[2] = { 1, 0 };

	return pool_tune(self->pool.fd,
			 ATTRS(.mask = WPOOL_DEV_MIN_WORKERS, .capacity = 3, .queue_depth = 50,
			       .nice = 3, .cpumask = (uintptr_t)cpus,
			       .cpumask_bytes = sizeof(cpus)));
}

static int check_tune(struct _test_data_sweep *self)
{
	struct wpool_dev_info info;
	int err = pool_info(self->pool.fd, &info);

	return err ?: info.attrs.capacity == 3 && info.attrs.queue_depth == 50 &&
		      info.attrs.nice == 3 ? 0 : -EPROTO;
}

static int undo_tune(struct _test_data_sweep *self)
{
	return pool_tune(self->pool.fd,
			 ATTRS(.mask = WPOOL_DEV_NICE, .capacity = 2, .queue_depth = 100));
}

TEST_F(sweep, tune_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = undo_tune, .call = call_tune, .check = check_tune, .least = 3,
	});
}

static int call_tune_sysfs(struct _test_data_sweep *self)
{
	return attr_write(self->pool.name, "cpumask", "0") ?:
	       attr_write(self->pool.name, "queue_depth", "7");
}

static int check_sysfs(struct _test_data_sweep *self)
{
	return attr_number(self->pool.name, "queue_depth") == 7 ? 0 : -EPROTO;
}

TEST_F(sweep, tune_in_sysfs_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = undo_tune, .call = call_tune_sysfs, .check = check_sysfs, .least = 3,
	});
}

static int call_release(struct _test_data_sweep *self)
{
	return pool_release(self->pool.fd, WPOOL_DEV_RELEASE_WAIT | WPOOL_DEV_RELEASE_CANCEL, 0);
}

static int check_release(struct _test_data_sweep *self)
{
	return submit(self->pool.fd, WPOOL_WORK_NOOP, 0, 1) == -ESHUTDOWN ? 0 : -EPROTO;
}

static int call_reboot(struct _test_data_sweep *self)
{
	return pool_reboot(self->pool.fd);
}

static int check_reboot(struct _test_data_sweep *self)
{
	return run_one(self->pool.fd);
}

TEST_F(sweep, release_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = check_reboot, .call = call_release, .check = check_release,
		.undo = call_reboot, .least = 1,
	});
}

TEST_F(sweep, reboot_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = call_release, .call = call_reboot, .check = check_reboot, .least = 1,
	});
}

static int prepare_prealloc(struct _test_data_sweep *self)
{
	int err = prepare_file(self) ?: call_create_prealloc(self);

	return err ?: pool_release(self->other.fd, WPOOL_DEV_RELEASE_WAIT, 0);
}

static int call_reboot_other(struct _test_data_sweep *self)
{
	return pool_reboot(self->other.fd);
}

/* The reboot makes all workers; or it makes none, and the pool stays closed. */
TEST_F(sweep, reboot_prealloc)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_prealloc, .call = call_reboot_other, .check = check_prealloc,
		.undo = destroy_other, .least = 6,
	});
}

static int call_stats(struct _test_data_sweep *self)
{
	struct wpool_dev_stats stats;

	return pool_stats(self->pool.fd, &stats);
}

TEST_F(sweep, stats_survive_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.call = call_stats, .least = 1,
	});
}

static int call_info(struct _test_data_sweep *self)
{
	struct wpool_dev_info info = { .size = sizeof(info) };
	__u64 cpus[16];

	info.attrs.cpumask = (uintptr_t)cpus;
	info.attrs.cpumask_bytes = sizeof(cpus);
	return ioctl(self->pool.fd, WPOOL_IOC_INFO, &info) ? -errno : 0;
}

TEST_F(sweep, info_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.call = call_info, .least = 4,
	});
}

/* Submit tasks of eight kinds, and enough of them for several slabs. */
static int call_submit(struct _test_data_sweep *self)
{
	struct wpool_dev_work works[80] = {};
	__u32 accepted, i;
	int err;

	for (i = 0; i < ARRAY_SIZE(works); i++) {
		works[i].kind = i % WPOOL_WORK_FAULT;
		works[i].arg = works[i].kind == WPOOL_WORK_YIELD ? 2 : 1000;
		works[i].cookie = i;
		works[i].depth = 1;
		works[i].fanout = 2;
	}
	err = submit_flags(self->fd, works, ARRAY_SIZE(works), 0, &accepted);
	/* after a failure in the middle a prefix is accepted: submit the rest */
	return err ?: submit_all(self->fd, works + accepted, ARRAY_SIZE(works) - accepted);
}

static int prepare_attached(struct _test_data_sweep *self)
{
	self->fd = pool_attach(self->pool.name, 0);
	return self->fd < 0 ? self->fd : 0;
}

static int check_submit(struct _test_data_sweep *self)
{
	struct wpool_dev_record records[80];
	int nr = wait_tasks(self->fd, 0) ?: read_records(self->fd, records, 80);

	return nr == 80 && all_ran_once(records, 80) && !pool_figure(self->fd, file_unread) ?
	       0 : nr < 0 ? nr : -EPROTO;
}

TEST_F(sweep, submit_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_attached, .call = call_submit, .check = check_submit,
		.undo = call_close, .least = 4,
	});
}

static int call_wait(struct _test_data_sweep *self)
{
	return wait_tasks(self->fd, WAIT_NS);
}

static int prepare_done(struct _test_data_sweep *self)
{
	return prepare_attached(self) ?: submit_many(self->fd, WPOOL_WORK_NOOP, 0, 0, 20);
}

TEST_F(sweep, wait_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_done, .call = call_wait, .undo = call_close, .least = 1,
	});
}

static int call_read(struct _test_data_sweep *self)
{
	struct wpool_dev_record records[20];
	ssize_t bytes = read(self->fd, records, sizeof(records));

	if (bytes < 0)
		return -errno;
	/* the read may have been short: no record is lost */
	return read_records(self->fd, records, 20 - bytes / sizeof(*records)) ==
	       (int)(20 - bytes / sizeof(*records)) ? 0 : -EPROTO;
}

static int prepare_records(struct _test_data_sweep *self)
{
	return prepare_done(self) ?: wait_tasks(self->fd, 0);
}

TEST_F(sweep, read_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_records, .call = call_read, .undo = call_close, .least = 2,
	});
}

/* If the call fails after cancelling tasks, the tasks stay cancelled. */
static int call_cancel(struct _test_data_sweep *self)
{
	return cancel_all(self->fd);
}

TEST_F(sweep, cancel_survives_each_failed_allocation)
{
	sweep(_metadata, self, &(struct step){
		.prepare = prepare_busy_file, .call = call_cancel, .check = call_wait,
		.undo = call_close, .least = 1,
	});
}

struct worker_step {
	struct wpool_dev_work work;
	int status;			/* the task's status after a failure; 0 is allowed, too */
	unsigned int least;
};

/* Let each allocation that a worker makes fail once. The worker is never replaced. */
static void sweep_worker(struct __test_metadata *_metadata, struct _test_data_sweep *self,
			 const struct worker_step *step)
{
	struct wpool_dev_record record;
	unsigned int nth, failed = 0;
	bool came = true;
	char name[64];
	pid_t pid = -1;
	int fd;

	ASSERT_EQ(0, prepare_file(self));
	ASSERT_EQ(0, create_with(self, ATTRS(.capacity = 1, .prealloc = 1)));
	/* the kernel keeps only this part of a thread's name */
	snprintf(name, sizeof(name), "wp/%.12s", self->other.name);
	ASSERT_EQ(1, threads_named(name, &pid, 1));
	fd = nth_open(pid);
	ASSERT_LE(0, fd);

	for (nth = 1; came; nth++) {
		ASSERT_GT(MAX_NTH, nth);
		ASSERT_EQ(0, nth_set(fd, nth));
		ASSERT_EQ(0, submit_flags(self->other.fd, &step->work, 1, 0, NULL));
		ASSERT_EQ(1, read_records(self->other.fd, &record, 1));
		came = nth_end(fd) == 1;
		EXPECT_TRUE(!record.status || (came && record.status == step->status))
			TH_LOG("%u: %d", nth, record.status);
		failed += record.status != 0;
		self->reached += came;
		ASSERT_EQ(0, works(self));
		ASSERT_EQ(1, read_records(self->other.fd, &record, 1));
	}
	TH_LOG("%u points of failure, %u ended the task with %s", self->reached, failed,
	       step->status ? strerrorname_np(-step->status) : "success");
	EXPECT_LE(step->least, self->reached);
	EXPECT_EQ(step->status != 0, failed != 0);
	close(fd);
	ASSERT_EQ(0, destroy_other(self));
	EXPECT_EQ(self->nr_pools, pools_named(""));
}

TEST_F(sweep, a_worker_survives_each_failed_allocation)
{
	sweep_worker(_metadata, self, &(struct worker_step){
		.work = { .kind = WPOOL_WORK_TOUCH, .arg = 5 * 4096 }, .status = -ENOMEM,
		.least = 5,
	});
}

/* If a node gets no memory for its children, the node does their work. */
TEST_F(sweep, worker_tree)
{
	sweep_worker(_metadata, self, &(struct worker_step){
		.work = { .kind = WPOOL_WORK_TREE, .arg = 100, .depth = 2, .fanout = 3 },
		.least = 4,
	});
}

/* Tests of a fixture run in the order of the fixtures, tests without one before them. */
FIXTURE(afterwards) { };
FIXTURE_SETUP(afterwards) { }
FIXTURE_TEARDOWN(afterwards) { }

/* kmemleak, which finds leaks, still works after all these failures. */
TEST_F(afterwards, kmemleak_is_alive)
{
	if (!has_injection())
		SKIP(return, "no fault injection");
	if (access(DEBUGFS "/kmemleak", F_OK))
		SKIP(return, "no kmemleak");
	/* EINVAL: no such object. kmemleak returns EPERM if it has switched itself off */
	EXPECT_EQ(-EINVAL, put(DEBUGFS "/kmemleak", "dump=0x1"));
}

TEST_HARNESS_MAIN
