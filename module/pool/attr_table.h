/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attributes of a pool, for the module and for wpoolctl. Define WPOOL_ATTR() before you include
 * this file. The file calls it for each attribute that is a single value, with:
 *
 *   - its name: that of the sysfs file, of the argument of wpoolctl, and of the field in struct
 *     wpool_attrs, struct wpool_dev_attrs and struct wpool
 *   - TUNE, or CREATE if it is fixed when the pool is created
 *   - the end of the name of its bit, after WPOOL_TUNE_, WPOOL_CREATE_ and WPOOL_DEV_
 *   - its type: NUMBER; LIMIT, a number or "max"; INT, which may be negative; BOOL; WORD;
 *     CLASS, a real-time priority or 0, written as a word or as "fifo:" and the priority
 *   - its minimum, maximum and default; for a WORD these are indices into its words
 *   - its words
 *   - the group in which 'wpoolctl show' lists it: LIMITS, WORKERS or SCHEDULING
 *   - its unit and its description
 *
 * cpumask is a set: WPOOL_ATTR_CPUS(), if defined, is called for cpumask. 'make check' in
 * tools/wpoolctl compares the documents with this table.
 *
 * sysfs and wpoolctl accept the same spellings: WPOOL_BOOL_WORDS for a BOOL, and
 * WPOOL_NO_LIMIT_WORDS for a LIMIT without a limit.
 */
#ifndef WPOOL_BOOL_WORDS
/* words for no and for yes, in turn */
#define WPOOL_BOOL_WORDS	"0", "1", "n", "y", "N", "Y", "no", "yes", "off", "on"
/* sysfs shows the first of these */
#define WPOOL_NO_LIMIT_WORDS	"max", "unlimited"
#endif

#ifndef WPOOL_ATTR_CPUS
#define WPOOL_ATTR_CPUS(...)
#endif
#define WORDS(...)	{ __VA_ARGS__ }

WPOOL_ATTR(capacity, TUNE, CAPACITY, LIMIT, 1, WPOOL_MAX_CAPACITY, 256, WORDS(),
	   LIMITS, "workers", "workers, so tasks that run at once, at most")
WPOOL_ATTR(capacity_per_cpu, TUNE, CAPACITY_PER_CPU, NUMBER, 0, WPOOL_MAX_CAPACITY, 0, WORDS(),
	   LIMITS, "workers per CPU", "capacity is this for each CPU; 0 is off")
WPOOL_ATTR(queue_depth, TUNE, QUEUE_DEPTH, LIMIT, 0, WPOOL_MAX_QUEUE_DEPTH, 0, WORDS(),
	   LIMITS, "tasks", "accepted tasks beyond capacity")
WPOOL_ATTR(policy, TUNE, POLICY, WORD, 0, 3, 0, WORDS("block", "fail", "run", "drop_oldest"),
	   LIMITS, "", "what happens when the pool is full")
WPOOL_ATTR(max_blocking, TUNE, MAX_BLOCKING, NUMBER, 0, WPOOL_MAX_BLOCKING, 0, WORDS(),
	   LIMITS, "submitters", "submitters that may sleep; 0 is no limit")
WPOOL_ATTR(expiry_ms, TUNE, EXPIRY_MS, NUMBER, 0, WPOOL_MAX_EXPIRY_MS, 1000, WORDS(),
	   WORKERS, "milliseconds", "life of an idle worker in ms; 0 is forever")
WPOOL_ATTR(min_workers, TUNE, MIN_WORKERS, NUMBER, 0, WPOOL_MAX_CAPACITY, 1, WORDS(),
	   WORKERS, "workers", "workers that never expire, up to capacity")
WPOOL_ATTR(concurrency, TUNE, CONCURRENCY, NUMBER, 1, WPOOL_MAX_CONCURRENCY, 1, WORDS(),
	   SCHEDULING, "workers per CPU", "workers that run at once on a CPU")
WPOOL_ATTR(spin_us, TUNE, SPIN_US, NUMBER, 0, WPOOL_MAX_SPIN_US, 20, WORDS(),
	   SCHEDULING, "microseconds", "time for which an idle worker looks for work")
WPOOL_ATTR(hog_ms, TUNE, HOG_MS, NUMBER, 1, WPOOL_MAX_HOG_MS, 10, WORDS(),
	   SCHEDULING, "milliseconds", "a task that runs longer without sleep is a hog")
WPOOL_ATTR(handoff, TUNE, HANDOFF, BOOL, 0, 1, 1, WORDS(),
	   SCHEDULING, "", "blocked workers and hogs pass on their queues")
WPOOL_ATTR(latency, TUNE, LATENCY, BOOL, 0, 1, 0, WORDS(),
	   SCHEDULING, "", "keep histograms of how long tasks wait and run")
WPOOL_ATTR(nice, TUNE, NICE, INT, -20, 19, 0, WORDS(),
	   WORKERS, "", "nice value of the workers")
WPOOL_ATTR(sched, TUNE, SCHED, CLASS, 0, WPOOL_MAX_PRIORITY, 0, WORDS("normal", "fifo_low", "fifo"),
	   WORKERS, "", "scheduling class of the workers")
WPOOL_ATTR(freezable, TUNE, FREEZABLE, BOOL, 0, 1, 0, WORDS(),
	   SCHEDULING, "", "start no task while the system is suspended")
WPOOL_ATTR(max_wait_ms, TUNE, MAX_WAIT_MS, NUMBER, 0, WPOOL_MAX_WAIT_MS, 0, WORDS(),
	   LIMITS, "milliseconds", "longest wait of a task that runs; 0 is no limit")
WPOOL_ATTR(reclaim, TUNE, RECLAIM, BOOL, 0, 1, 0, WORDS(),
	   WORKERS, "", "run tasks while no worker can be created")
WPOOL_ATTR_CPUS(cpumask, CPUMASK, "CPUs that workers may run on")
WPOOL_ATTR(order, CREATE, ORDER, WORD, 0, 1, 0, WORDS("lifo", "fifo"),
	   WORKERS, "", "which idle worker is reused first")
WPOOL_ATTR(prealloc, CREATE, PREALLOC, BOOL, 0, 1, 0, WORDS(),
	   WORKERS, "", "make all workers at creation; none expires")

#undef WORDS
#undef WPOOL_ATTR_CPUS
#undef WPOOL_ATTR
