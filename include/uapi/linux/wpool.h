/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The ABI of /dev/wpool: make pools, give them test workloads, read what happened.
 *
 * Every ioctl structure starts with its own size and grows only at its end. A newer program works
 * on an older kernel as long as all bytes that the older kernel does not know are zero.
 *
 * The errno values that every ioctl may give:
 *
 *  - ENOTTY: there is no ioctl of that number
 *  - EINVAL: size is smaller than the first version of the structure, or a value is wrong
 *  - ERANGE: a number is out of its range
 *  - E2BIG: bytes beyond what this kernel knows are not zero, or size is more than a page
 *  - EOPNOTSUPP: an unknown flag, or a reserved field that is not zero
 *  - EFAULT: a pointer does not point to memory
 *  - ENXIO: the file is not attached to a pool
 *  - ENOMEM: out of memory
 *
 * A signal interrupts every call that waits for tasks, records or room. The call returns what it
 * has done, or EINTR, or is restarted; RELEASE, and a call with a timeout, never are. A signal ends
 * a task that its submitter runs (WPOOL_DEV_POLICY_RUN) only if it is fatal; else the call returns
 * after that task.
 *
 * Closing the last descriptor of a file cancels its queued tasks and stops its running tasks. A
 * call in another thread keeps the file open until the call returns.
 *
 * All times are CLOCK_MONOTONIC nanoseconds, all durations are nanoseconds.
 */
#ifndef _UAPI_LINUX_WPOOL_H
#define _UAPI_LINUX_WPOOL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define WPOOL_IOC_TYPE		0xB9
#define WPOOL_DEV_NAME_LEN	32	/* size of a pool's name, including NUL */
#define WPOOL_DEV_UNLIMITED	0xffffffffU	/* no limit: capacity, queue_depth, free */
/* bucket i of a histogram: [2^i, 2^(i+1)) ns; the first begins at 0, and the last has no end */
#define WPOOL_DEV_HIST_BUCKETS	32

/* Limits on what a workload and a file may ask for. Beyond them: ERANGE. */
#define WPOOL_MAX_WORK_NS	60000000000ULL	/* arg of kinds that take a time: 60 s */
#define WPOOL_MAX_WORK_YIELDS	1000000ULL
#define WPOOL_MAX_WORK_BYTES	(64ULL << 20)	/* arg of touch and hash */
#define WPOOL_MAX_TREE_DEPTH	20U
#define WPOOL_MAX_TREE_FANOUT	16U
#define WPOOL_MAX_TREE_NODES	(1U << 20)	/* nodes of one tree, including the root */
#define WPOOL_MAX_BATCH		4096U		/* descriptors per submit */

/* Beyond these limits a submit gets ENOBUFS. */
#define WPOOL_MAX_INFLIGHT	(1U << 17)	/* per file: unfinished tasks + unread records */
#define WPOOL_MAX_POLLS		(1U << 12)	/* per file: unfinished tasks of the kind poll */
#define WPOOL_MAX_FILE_BYTES	(256ULL << 20)	/* per file: bytes of unfinished touches, hashes */

/* wpool_dev_attrs.policy */
#define WPOOL_DEV_POLICY_BLOCK	0
#define WPOOL_DEV_POLICY_FAIL	1
#define WPOOL_DEV_POLICY_RUN	2
#define WPOOL_DEV_POLICY_DROP_OLDEST	3

/* wpool_dev_attrs.order */
#define WPOOL_DEV_ORDER_LIFO	0
#define WPOOL_DEV_ORDER_FIFO	1

/* wpool_dev_attrs.sched: 0, or a priority of SCHED_FIFO; two priorities have a name */
#define WPOOL_DEV_SCHED_NORMAL		0
#define WPOOL_DEV_SCHED_FIFO_LOW	1
#define WPOOL_DEV_SCHED_FIFO		50

/* wpool_dev_attrs.mask: which fields are valid */
#define WPOOL_DEV_CAPACITY	(1U << 0)
#define WPOOL_DEV_QUEUE_DEPTH	(1U << 1)
#define WPOOL_DEV_MAX_BLOCKING	(1U << 2)
#define WPOOL_DEV_POLICY	(1U << 3)
#define WPOOL_DEV_EXPIRY_MS	(1U << 4)
#define WPOOL_DEV_MIN_WORKERS	(1U << 5)
#define WPOOL_DEV_CONCURRENCY	(1U << 6)
#define WPOOL_DEV_SPIN_US	(1U << 7)
#define WPOOL_DEV_HOG_MS	(1U << 8)
#define WPOOL_DEV_HANDOFF	(1U << 9)
#define WPOOL_DEV_LATENCY	(1U << 10)
#define WPOOL_DEV_NICE		(1U << 11)
#define WPOOL_DEV_CPUMASK	(1U << 12)
#define WPOOL_DEV_ORDER		(1U << 13)	/* create only */
#define WPOOL_DEV_PREALLOC	(1U << 14)	/* create only */
#define WPOOL_DEV_FREEZABLE	(1U << 15)
#define WPOOL_DEV_MAX_WAIT_MS	(1U << 16)
#define WPOOL_DEV_RECLAIM	(1U << 17)
#define WPOOL_DEV_SCHED		(1U << 18)
#define WPOOL_DEV_CAPACITY_PER_CPU	(1U << 19)

/* All attributes. ORDER and PREALLOC cannot be tuned. */
#define WPOOL_DEV_ALL			((WPOOL_DEV_CAPACITY_PER_CPU << 1) - 1)

/*
 * Attributes of a pool. Defaults and ranges are those of the sysfs attributes of the same names.
 * EOPNOTSUPP: an unknown bit in @mask, or @reserved is not zero.
 */
struct wpool_dev_attrs {
	__u32 mask;		/* the valid fields, WPOOL_DEV_*; all in an answer */
	__u32 capacity;		/* maximum number of workers, or WPOOL_DEV_UNLIMITED */
	__u32 queue_depth;	/* accepted tasks beyond capacity, or WPOOL_DEV_UNLIMITED */
	__u32 max_blocking;	/* submitters that may sleep at the same time; 0 means no limit */
	__u32 policy;		/* WPOOL_DEV_POLICY_* */
	__u32 expiry_ms;	/* an idle worker expires after this time; 0 means never */
	__u32 min_workers;	/* workers that never expire */
	__u32 concurrency;	/* workers that run at the same time on one CPU */
	__u32 spin_us;		/* how long a worker searches for a task before it parks */
	__u32 hog_ms;		/* a task that runs longer without sleeping is a hog */
	/* 0 or 1: a worker that blocks, or runs a hog, hands over its run queue */
	__u32 handoff;
	__u32 latency;		/* 0 or 1: keep histograms of how long tasks wait and run */
	__u32 order;		/* WPOOL_DEV_ORDER_* */
	__u32 prealloc;		/* 0 or 1: create all workers with the pool */
	__s32 nice;		/* -20 to 19 */
	__u32 cpumask_bytes;	/* size of the array at @cpumask, a multiple of 8, 8 to 1024 */
	__u32 max_wait_ms;	/* a task that has waited for longer is not run; 0 means no limit */
	__u32 reserved;		/* 0 */
	/*
	 * user pointer to an array of __u64, in which bit n stands for CPU n. The pool's CPUs are
	 * those of the mask that are in the cpuset of the pool's cgroup, or, if none of these is
	 * online, all CPUs of the cpuset. EINVAL: the mask has a CPU that this machine cannot have.
	 */
	__aligned_u64 cpumask;
	__u32 freezable;	/* 0 or 1: start no task while the system is suspended */
	__u32 reclaim;		/* 0 or 1: run tasks also without memory for a new worker */
	__u32 sched;		/* 0, or a priority of SCHED_FIFO, 1 to 99; ERANGE for more */
	/*
	 * workers for each of the pool's CPUs that is online, see @cpumask; the capacity is their
	 * sum. 0: the capacity is @capacity. EINVAL: not 0, and @capacity is valid, too.
	 */
	__u32 capacity_per_cpu;
};

/*
 * WPOOL_IOC_CREATE: create a pool and attach to it. The pool lives until WPOOL_IOC_DESTROY or until
 * the module is unloaded. It appears in sysfs shortly before the call returns. In between, a
 * program that has attached another file to the pool may get EPERM or EBUSY when it tunes,
 * releases, reboots or destroys the pool.
 *
 * EEXIST: the name is taken. EISCONN: the file is already attached. EPERM: a negative nice, or
 * another sched than normal, without CAP_SYS_NICE; freezable, without CAP_BLOCK_SUSPEND; reclaim,
 * without CAP_SYS_RESOURCE. EDQUOT: the caller does not have CAP_SYS_RESOURCE, and the capacities
 * set without it, of all pools, would be more than the module parameter max_user_workers, or than
 * half of max_workers. In this sum a pool with capacity_per_cpu has its capacity for all possible
 * CPUs; if capacity_per_cpu is then set to 0, that counts until the next tune of the capacity,
 * capacity_per_cpu or min_workers. After a decrease of its capacity, a pool counts with its workers
 * if they are more. EAGAIN: threads-max or max_workers is reached. EINTR: the caller was killed.
 */
struct wpool_dev_create {
	__u32 size;			/* sizeof(struct wpool_dev_create) */
	__u32 flags;			/* 0 */
	__u8 name[WPOOL_DEV_NAME_LEN];	/* NUL-terminated; the kernel API says what is allowed */
	struct wpool_dev_attrs attrs;	/* attributes; those not in its mask get their default */
};

/*
 * WPOOL_IOC_ATTACH: attach the file to a pool. ENOENT: there is no such pool. EISCONN: the file is
 * already attached.
 */
struct wpool_dev_attach {
	__u32 size;			/* sizeof(struct wpool_dev_attach) */
	__u32 flags;			/* 0 */
	__u8 name[WPOOL_DEV_NAME_LEN];	/* name of the pool */
};

/*
 * WPOOL_IOC_TUNE: change attributes, all or nothing. Any pool may be tuned, including the default
 * pool and pools of modules. ESHUTDOWN: the pool was destroyed. EPERM: the pool was made by another
 * user, or is a module's or the default pool, and the caller does not have CAP_SYS_ADMIN; or as for
 * CREATE; or the call sets max_wait_ms or the policy drop_oldest for a pool of a module that does
 * not have it now. EDQUOT: as for CREATE, if the caller raises the capacity, whoever had set it
 * before. EAGAIN: there is no room for the workers that attribute reclaim needs. EINTR: the caller
 * was killed while a thread was made. Any error of the worker_start of the pool's module. Tasks
 * that others have submitted stay.
 */
struct wpool_dev_tune {
	__u32 size;			/* sizeof(struct wpool_dev_tune) */
	__u32 flags;			/* 0 */
	struct wpool_dev_attrs attrs;	/* EINVAL for those that are "create only" */
};

#define WPOOL_DEV_RELEASE_CANCEL	(1U << 0)	/* queued tasks end with ECANCELED */
#define WPOOL_DEV_RELEASE_WAIT		(1U << 1)	/* wait until the pool is empty */
#define WPOOL_DEV_RELEASE_OWN		(1U << 2)	/* timers, polls and own tasks continue */

/*
 * WPOOL_IOC_RELEASE: close the pool. Afterwards submits get ESHUTDOWN. OWN closes the pool to all
 * submits except its own: WPOOL_WORK_TIMER and WPOOL_WORK_POLL that were submitted before are
 * accepted when they fall due, and so are the children of WPOOL_WORK_TREE. After OWN, a REBOOT
 * opens the pool at once. OWN with another flag is EINVAL. In a closed pool, CANCEL still cancels
 * queued tasks, and OWN does nothing. EBUSY: the pool belongs to a module, or is the default pool.
 * EPERM: the pool was made by another user, and the caller does not have CAP_SYS_ADMIN. ETIME:
 * timed out; the pool is closed all the same. The wait also ends if the pool is rebooted.
 */
struct wpool_dev_release {
	__u32 size;			/* sizeof(struct wpool_dev_release) */
	__u32 flags;			/* WPOOL_DEV_RELEASE_* */
	__aligned_u64 timeout_ns;	/* of WAIT, exact to two ticks; 0 waits forever */
};

/*
 * WPOOL_IOC_REBOOT, WPOOL_IOC_DESTROY. Both wait until the tasks that the pool has accepted are
 * finished. After DESTROY the pool's name is free, and every attached file gets ESHUTDOWN. DESTROY
 * of a destroyed pool returns 0; a DESTROY that is interrupted leaves the pool closed. EBUSY: the
 * pool belongs to a module, or is the default pool. EPERM: as for RELEASE. ESHUTDOWN (reboot): the
 * pool was destroyed. EAGAIN (reboot): there is no room for the workers that attribute prealloc or
 * reclaim needs, and the pool is closed again.
 */
struct wpool_dev_simple {
	__u32 size;	/* sizeof(struct wpool_dev_simple) */
	__u32 flags;	/* 0 */
};

/* wpool_dev_work.kind */
#define WPOOL_WORK_NOOP		0	/* nothing */
#define WPOOL_WORK_SPIN		1	/* arg: ns of CPU */
#define WPOOL_WORK_SLEEP	2	/* arg: ns asleep on a high-resolution timer, at least */
#define WPOOL_WORK_YIELD	3	/* arg: number of times to yield the CPU */
#define WPOOL_WORK_TOUCH	4	/* arg: bytes of memory to allocate and write */
#define WPOOL_WORK_HASH		5	/* arg: bytes to hash */
#define WPOOL_WORK_LOCK		6	/* arg: ns of CPU under a lock that all such tasks share */
#define WPOOL_WORK_TREE		7	/* fork-join tree: depth, fanout; arg: ns of CPU per leaf */
#define WPOOL_WORK_FAULT	8	/* oops; EPERM: allow_fault=0, no privilege, policy run */
#define WPOOL_WORK_TIMER	9	/* arg: ns that the task waits, without a worker */
#define WPOOL_WORK_STRAND	10	/* arg: ns of CPU; strand tasks of one file run in order */
#define WPOOL_WORK_POLL		11	/* arg: file descriptor to wait on, without a worker */
#define WPOOL_WORK_LOOP		12	/* arg: ns of CPU, shared by all CPUs that take part */
#define WPOOL_WORK_COUNT	13	/* arg: address of a __u64, to which the task adds 1 */

#define WPOOL_WORK_SILENT	(1U << 0)	/* no completion record, histograms only */
#define WPOOL_WORK_URGENT	(1U << 1)	/* starts before tasks that are not urgent */

/*
 * The descriptor of one task. Only trees use @depth and @fanout. A tree's nodes are tasks of the
 * same pool, each submitted by its parent; the parent itself runs nodes that the pool refuses. A
 * submitter that runs the tree under policy "run" runs all nodes. A RELEASE with CANCEL ends the
 * tree with -ECANCELED when the leaves that run have ended. There is one record, for the root, when
 * all nodes have ended.
 *
 * The worker of a loop and idle workers of other CPUs run the loop together, and so faster, if the
 * pool has room for the tasks of these workers. A submitter that runs a loop under policy "run"
 * runs it alone.
 *
 * A timer is always accepted by an open pool, and takes no room in it while it waits. If the pool
 * is closed when the time has come, the timer's record has the status -ESHUTDOWN.
 *
 * A poll is like a timer, but waits until the file, an eventfd for example, can be read from, or is
 * at its end; it reads nothing. If the file is not ready within WPOOL_MAX_WORK_NS, the record has
 * the status -ETIME. A submit checks the files one after the other and stops at the first bad one,
 * so the tasks before that one are accepted. EBADF: no such file. EPERM: the file cannot be polled.
 * ELOOP: the file is /dev/wpool. ENOBUFS: the submitting file, or all files opened without
 * CAP_SYS_RESOURCE together, have WPOOL_MAX_POLLS already. The record has the status -EOPNOTSUPP if
 * the file does not wake its pollers through one wait queue. A worker polls the file: a signalfd,
 * which shows the signals of the thread that polls, never gets ready.
 *
 * A count writes to the memory of a process: the one that gave the file its group with
 * WPOOL_DEV_GROUP_MM, or the submitter, if policy "run" lets the submitter run the task. If there
 * is no such process, or no memory at the address, the count's record has the status -EFAULT. If
 * counts of one address run at the same time, additions may be lost.
 *
 * If a program answers a poll of the file (FUSE, or an epoll file that watches one), or provides
 * the memory (userfaultfd, FUSE), the worker waits for that program, possibly until the program
 * ends. So for poll and count the caller must have made the pool, or have CAP_SYS_ADMIN; otherwise
 * EPERM.
 *
 * The tasks of the kind strand that are submitted through one file run one after the other, in the
 * order of their submits. An open pool always accepts such tasks, and only the first of them takes
 * room in it.
 *
 * An urgent task starts before tasks of the pool that are not urgent. Of a tree only the root is
 * urgent. A timer or a poll is urgent when its wait has ended. A task of a strand does not overtake
 * the tasks before it in the strand.
 */
struct wpool_dev_work {
	__u32 kind;		/* WPOOL_WORK_NOOP and so on; EINVAL for any other value */
	__u32 flags;		/* WPOOL_WORK_SILENT, WPOOL_WORK_URGENT */
	__aligned_u64 arg;	/* see the kinds; ignored by noop and fault */
	__aligned_u64 cookie;	/* returned in the record */
	__u32 depth;		/* tree: levels below the root, 0 to WPOOL_MAX_TREE_DEPTH */
	__u32 fanout;		/* tree: children of each node, 1 to WPOOL_MAX_TREE_FANOUT */
};

#define WPOOL_DEV_SUBMIT_NONBLOCK	(1U << 0)	/* never sleep if the pool is full */
#define WPOOL_DEV_SUBMIT_ON		(1U << 1)	/* the tasks prefer a CPU */

/*
 * WPOOL_IOC_SUBMIT: hand over tasks. With ON each task is queued where the workers of @cpu look
 * first. That is a preference: if none of these workers comes soon, or there is none, another CPU's
 * worker runs the task. An urgent task has no CPU. EINVAL: this machine cannot have @cpu; or a task
 * is a timer, poll or strand; or the file has a group. ENODEV: @cpu is offline. EOPNOTSUPP: @cpu is
 * not zero without ON.
 *
 * Every descriptor is checked before the first one is submitted. Returns 0 if at least one was
 * accepted; the caller continues from @accepted. Otherwise the errno is
 *
 * * EAGAIN - the pool is full
 * * ENOBUFS - the file is at a limit, such as WPOOL_MAX_INFLIGHT: read records first (a cancelled
 *   task may count until its turn in the pool comes). Or all files opened without CAP_SYS_RESOURCE
 *   together use a quarter of the machine's memory for tasks, unread records, and running or
 *   waiting touches and hashes, or have 65,536 timers and polls, or WPOOL_MAX_POLLS polls
 * * EPERM - without CAP_SYS_ADMIN: the pool is a module's or the default pool; or the pool is
 *   another user's, and a task is a poll or a count, or the pool has a negative nice, another sched
 *   than normal, or freezable
 * * ESHUTDOWN, EINTR; ERANGE also for @nr
 */
struct wpool_dev_submit {
	__u32 size;		/* sizeof(struct wpool_dev_submit) */
	__u32 flags;		/* WPOOL_DEV_SUBMIT_*; O_NONBLOCK of the file implies NONBLOCK */
	__aligned_u64 works;	/* user pointer to an array of struct wpool_dev_work */
	__u32 nr;		/* length of the array, 1 to WPOOL_MAX_BATCH */
	__u32 work_size;	/* sizeof(struct wpool_dev_work); grows like a structure's size */
	/*
	 * out, also if the call fails, except with E2BIG, EFAULT, ENXIO, and EINVAL for @size or
	 * EOPNOTSUPP for @flags: number of tasks accepted, a prefix of the array
	 */
	__u32 accepted;
	__u32 cpu;		/* with ON, a CPU that is online; else 0 */
};

/*
 * What read() returns, whole records only. Records come in the order in which tasks finished. A
 * task that is cancelled before it starts has its record at once.
 *
 * read() sleeps until there is a record (O_NONBLOCK: EAGAIN); it returns 0 if there is none and no
 * task of this file is unfinished. EINVAL: the buffer is smaller than a record. poll() reports
 * EPOLLIN if read() would not sleep.
 */
struct wpool_dev_record {
	__aligned_u64 cookie;		/* cookie of the descriptor */
	/*
	 * 0; -ECANCELED; -EIO: the worker died; -ETIME: the task waited for longer than
	 * max_wait_ms; or an error of its kind: -ENOMEM (touch), -ESHUTDOWN (timer, poll), -ETIME
	 * and -EOPNOTSUPP (poll), -EFAULT (count); or an error of the file's group, see struct
	 * wpool_dev_group: -ESRCH, -EPERM
	 */
	__s32 status;
	__u32 cpu;			/* where the task finished; (__u32)-1 if it never ran */
	/* when the task was handed over, before any wait for room in the pool */
	__aligned_u64 submit_ns;
	__aligned_u64 start_ns;		/* when the task started, 0 if it never did */
	__aligned_u64 end_ns;		/* when the task finished */
};

/*
 * WPOOL_IOC_WAIT: wait until all tasks of this file have finished. Tasks that another thread is
 * submitting count, too. The pool's own figures may count the tasks as outstanding for a moment
 * longer. ETIME: timed out.
 */
struct wpool_dev_wait {
	__u32 size;			/* sizeof(struct wpool_dev_wait) */
	__u32 flags;			/* 0 */
	__aligned_u64 timeout_ns;	/* longest wait; 0 waits forever */
};

#define WPOOL_DEV_CANCEL_ALL	(1U << 0)	/* all tasks of this file */

/*
 * WPOOL_IOC_CANCEL: cancel tasks of this file. ENOENT: there is no unfinished task with that
 * cookie.
 */
struct wpool_dev_cancel {
	__u32 size;		/* sizeof(struct wpool_dev_cancel) */
	__u32 flags;		/* WPOOL_DEV_CANCEL_* */
	__aligned_u64 cookie;	/* cancel the tasks with this cookie, unless ALL is set */
	__u32 cancelled;	/* out: tasks that were still queued and will not run */
	/*
	 * out: running tasks that were told to stop. Each ends within a few ms, with the status
	 * -ECANCELED unless it was already complete. Tasks that a submit in another thread is
	 * handing over count here: if they are accepted, they end as soon as they start.
	 */
	__u32 stopped;
};

/* What the tasks take over from the process that calls WPOOL_IOC_GROUP. */
#define WPOOL_DEV_GROUP_MM	(1U << 0)	/* memory of the caller's process */
#define WPOOL_DEV_GROUP_CREDS	(1U << 1)	/* the caller's credentials */
#define WPOOL_DEV_GROUP_MEMCG	(1U << 2)	/* the caller's memory cgroup */
#define WPOOL_DEV_GROUP_BLKCG	(1U << 3)	/* the caller's cgroup of the block layer */

/*
 * WPOOL_IOC_GROUP: give the file a group of its own. Applies to tasks that are submitted
 * afterwards, except timers, polls and strands. If the group is full, a submit sleeps, or gets
 * EAGAIN with NONBLOCK. A submit that sleeps while all tasks are cancelled gets ECANCELED if none
 * of its tasks was accepted. A task that is cancelled before it starts keeps its place until its
 * turn in the pool comes, although its record is there at once. EISCONN: the file has a group
 * already. EOPNOTSUPP: also MEMCG or BLKCG, if the kernel has no such cgroups.
 *
 * With flags, the tasks run on behalf of the caller, whoever submits them. With MM, a task gets a
 * record with -ESRCH if the caller's process has ended, or executed another program, before the
 * task starts (without memory cgroups, unless another task of the group still runs with that
 * memory); and with -EPERM if, under policy "run", the task would run in another process. With
 * BLKCG it gets -EPERM if, under that policy, it would run in another cgroup of the block layer.
 */
struct wpool_dev_group {
	__u32 size;		/* sizeof(struct wpool_dev_group) */
	__u32 flags;		/* WPOOL_DEV_GROUP_* */
	__u32 max_outstanding;	/* most tasks of the file in the pool at the same time, 1 or more */
	__u32 reserved;		/* 0 */
};

/*
 * WPOOL_IOC_CGROUP: put the workers of the pool into a cgroup. As a write of the directory's path
 * to the pool's sysfs file "cgroup", but everybody who may tune the pool may do this. The caller
 * must be allowed to move itself to the cgroup @fd; if not, this call fails with the errno of that
 * move: EACCES, EROFS, ENOENT (removed, or not in the caller's cgroup namespace), EBUSY,
 * EOPNOTSUPP. EBADF: no such file. ENOTDIR: @fd is a file of a cgroup. EINVAL: @fd is no cgroup of
 * version 2. EAGAIN: no thread can be made that enters the cgroup. EINTR: the caller was killed.
 * EPERM, ESHUTDOWN: as for TUNE. In hierarchies of version 1 the workers join the cgroups of the
 * caller. If @fd is the root cgroup, the workers return to it.
 */
struct wpool_dev_cgroup {
	__u32 size;	/* sizeof(struct wpool_dev_cgroup) */
	__u32 flags;	/* 0 */
	__s32 fd;	/* a directory of cgroup version 2; may be opened with O_PATH */
	__u32 reserved;	/* 0 */
};

/* wpool_dev_stats.state */
#define WPOOL_DEV_OPEN		0
#define WPOOL_DEV_CLOSED	1
#define WPOOL_DEV_DESTROYED	2
#define WPOOL_DEV_CLOSING	3	/* after WPOOL_DEV_RELEASE_OWN */

/*
 * WPOOL_IOC_STATS: figures of the pool, and those of the file: file_*, and the histograms. All
 * fields after @flags are output.
 */
struct wpool_dev_stats {
	__u32 size;			/* sizeof(struct wpool_dev_stats) */
	__u32 flags;			/* 0 */
	__u8 name[WPOOL_DEV_NAME_LEN];	/* name of the pool */
	__u32 state;			/* WPOOL_DEV_OPEN and so on */
	__u32 workers;			/* live workers; = idle + searching + busy */
	__u32 idle;			/* parked workers */
	__u32 searching;		/* workers that are awake and hold no task */
	__u32 busy;			/* workers inside a task, asleep or not */
	__u32 blocked;			/* workers asleep inside a task; part of busy */
	__u32 waiting;			/* submitters, fired events, strands that wait for room */
	__u32 queued;			/* accepted tasks that have not started */
	/* tasks that an open pool would accept now, or WPOOL_DEV_UNLIMITED */
	__u32 free;
	__u32 reserved;			/* 0 */
	/* unfinished; a cancelled task may count until its turn in the pool comes */
	__aligned_u64 outstanding;
	/* accepted; = completed + failed + cancelled + overdue + outstanding */
	__aligned_u64 submitted;
	__aligned_u64 completed;	/* tasks whose function returned */
	__aligned_u64 failed;		/* tasks whose worker died in them */
	__aligned_u64 cancelled;	/* tasks that were cancelled before they ran */
	__aligned_u64 refused;		/* submits that got EAGAIN or EDEADLK in a full pool */
	__aligned_u64 stolen;		/* tasks that moved to another CPU by stealing */
	__aligned_u64 handoffs;		/* run queues handed over because a worker blocked */
	__aligned_u64 hogs;		/* tasks found to have run for hog_ms without sleeping */
	__aligned_u64 spawned;		/* workers created */
	__aligned_u64 expired;		/* workers that left because they were idle */
	__aligned_u64 faults;		/* workers that died in a task */
	__aligned_u64 file_submitted;	/* accepted tasks of this file */
	__aligned_u64 file_finished;	/* finished tasks of this file */
	__aligned_u64 file_unread;	/* records that wait to be read */
	__aligned_u64 queue_ns[WPOOL_DEV_HIST_BUCKETS];	/* histogram: submit to start */
	__aligned_u64 run_ns[WPOOL_DEV_HIST_BUCKETS];	/* histogram: start to end */
	__aligned_u64 overdue;		/* not run: had waited for longer than max_wait_ms */
	/* tasks of groups that returned an error; part of completed, unless the submitter ran it */
	__aligned_u64 errors;
};

/* WPOOL_IOC_INFO: attributes of the attached pool */
struct wpool_dev_info {
	__u32 size;			/* sizeof(struct wpool_dev_info) */
	__u32 flags;			/* 0 */
	__u8 name[WPOOL_DEV_NAME_LEN];	/* out: name of the pool */
	/*
	 * out, except cpumask and cpumask_bytes, which are in: both may be 0 to leave the mask out;
	 * EINVAL if the mask does not fit. Other values are ignored on the way in.
	 */
	struct wpool_dev_attrs attrs;
};

#define WPOOL_IOC_CREATE	_IO(WPOOL_IOC_TYPE, 0x00)
#define WPOOL_IOC_ATTACH	_IO(WPOOL_IOC_TYPE, 0x01)
#define WPOOL_IOC_TUNE		_IO(WPOOL_IOC_TYPE, 0x02)
#define WPOOL_IOC_RELEASE	_IO(WPOOL_IOC_TYPE, 0x03)
#define WPOOL_IOC_REBOOT	_IO(WPOOL_IOC_TYPE, 0x04)
#define WPOOL_IOC_DESTROY	_IO(WPOOL_IOC_TYPE, 0x05)
#define WPOOL_IOC_SUBMIT	_IO(WPOOL_IOC_TYPE, 0x06)
#define WPOOL_IOC_WAIT		_IO(WPOOL_IOC_TYPE, 0x07)
#define WPOOL_IOC_CANCEL	_IO(WPOOL_IOC_TYPE, 0x08)
#define WPOOL_IOC_STATS		_IO(WPOOL_IOC_TYPE, 0x09)
#define WPOOL_IOC_INFO		_IO(WPOOL_IOC_TYPE, 0x0a)
#define WPOOL_IOC_GROUP		_IO(WPOOL_IOC_TYPE, 0x0b)
#define WPOOL_IOC_CGROUP	_IO(WPOOL_IOC_TYPE, 0x0c)

#endif /* _UAPI_LINUX_WPOOL_H */
