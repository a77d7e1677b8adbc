// SPDX-License-Identifier: GPL-2.0
/* Watches: wake-ups of files and wait queues that fire events, see struct wpool_watch. */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "event.h"

/*
 * A file, whose poll returns @ready.
 * @nr_heads: the number of wait queues that a poll uses
 * @wakes: the events of a wake-up that the poll itself makes; 0: none
 */
struct fake {
	struct wait_queue_head heads[2];
	unsigned int nr_heads;
	__poll_t ready;
	__poll_t wakes;
};

static __poll_t fake_poll(struct file *file, poll_table *table)
{
	struct fake *fake = file->private_data;
	unsigned int i;

	for (i = 0; i < fake->nr_heads; i++)
		poll_wait(file, &fake->heads[i], table);
	if (fake->wakes)
		wake_up_poll(&fake->heads[0], fake->wakes);
	return fake->ready;
}

static const struct file_operations fake_fops = {
	.owner = THIS_MODULE,
	.poll = fake_poll,
};

static const struct file_operations no_poll_fops = {
	.owner = THIS_MODULE,
};

static void close_file(void *file)
{
	fput(file);
	/* a kernel thread leaves the last fput to a work item */
	flush_delayed_fput();
}

static struct file *fake_file(struct kunit *test, struct fake **fake,
			      const struct file_operations *fops)
{
	struct file *file;
	unsigned int i;

	*fake = wpk_alloc(test, sizeof(**fake));
	(*fake)->nr_heads = 1;
	for (i = 0; i < ARRAY_SIZE((*fake)->heads); i++)
		init_waitqueue_head(&(*fake)->heads[i]);
	file = anon_inode_getfile("[wpool_kunit]", fops, *fake, O_RDONLY);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_file, file), 0);
	return file;
}

/* End the watch with the case, before the file and the event, which must be made first. */
static void end_watch(void *watch)
{
	wpool_watch_end(watch);
}

static struct wpool_watch *new_watch(struct kunit *test)
{
	struct wpool_watch *watch = wpk_alloc(test, sizeof(*watch));

	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, end_watch, watch), 0);
	return watch;
}

/* Expect that the event ran @runs times, and has not been fired since. */
static void expect_runs(struct kunit *test, struct wpk_ev *ev, int runs)
{
	WPK_EVENTUALLY(test, atomic_read(&ev->returns) == runs);
	KUNIT_EXPECT_EQ(test, wpool_event_cancel_sync(wpk_event(ev)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&ev->runs), runs);
}

static void wpool_watch_file_that_is_ready_fires_at_once(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 2, 0), NULL, 1);
	struct fake *fake;
	struct file *file = fake_file(test, &fake, &fake_fops);
	struct wpool_watch *watch = new_watch(test);

	fake->ready = EPOLLOUT;
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	expect_runs(test, ev, 0);
	KUNIT_EXPECT_FALSE(test, wpool_watch_ready(watch));
	wpool_watch_end(watch);
	fake->ready |= EPOLLIN;
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	expect_runs(test, ev, 1);
	KUNIT_EXPECT_TRUE(test, wpool_watch_ready(watch) == EPOLLIN);
}

static void wpool_watch_file_fires_for_what_it_waits_for(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 2, 0), NULL, 1);
	struct fake *fake;
	struct file *file = fake_file(test, &fake, &fake_fops);
	struct wpool_watch *watch = new_watch(test);

	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	wake_up_poll(&fake->heads[0], EPOLLOUT);
	expect_runs(test, ev, 0);
	wake_up_poll(&fake->heads[0], EPOLLOUT | EPOLLIN);
	expect_runs(test, ev, 1);
	/* a wake-up without a key may be for any event */
	wake_up(&fake->heads[0]);
	expect_runs(test, ev, 2);
	wake_up_poll(&fake->heads[0], EPOLLHUP);
	expect_runs(test, ev, 3);
	wake_up_poll(&fake->heads[0], EPOLLERR);
	expect_runs(test, ev, 4);
}

/* A wake-up while the watch begins must count, since no other one would follow. */
static void wpool_watch_file_a_wake_up_while_it_begins_counts(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 2, 0), NULL, 1);
	struct fake *fake;
	struct file *file = fake_file(test, &fake, &fake_fops);
	struct wpool_watch *watch = new_watch(test);

	fake->wakes = EPOLLOUT;
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	expect_runs(test, ev, 0);
	wpool_watch_end(watch);
	fake->wakes = EPOLLIN;
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	expect_runs(test, ev, 1);
}

static void wpool_watch_file_that_cannot_be_watched_is_refused(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 2, 0), NULL, 1);
	struct fake *fake;
	struct file *mute = fake_file(test, &fake, &no_poll_fops);
	struct file *file = fake_file(test, &fake, &fake_fops);
	struct wpool_watch *watch = new_watch(test);
	unsigned int i;

	fake->ready = EPOLLIN;
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), mute, EPOLLIN), -EPERM);
	for (i = 0; i <= 2; i += 2) {
		fake->nr_heads = i;
		KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN),
				-EOPNOTSUPP);
	}
	KUNIT_EXPECT_FALSE(test, wq_has_sleeper(&fake->heads[0]));
	KUNIT_EXPECT_EQ(test, file_count(file), 1);
	KUNIT_EXPECT_EQ(test, file_count(mute), 1);
	expect_runs(test, ev, 0);
	/* a file at its end need not have a wait queue */
	fake->nr_heads = 0;
	fake->ready = EPOLLHUP;
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	expect_runs(test, ev, 1);
	wpool_watch_end(watch);
	fake->ready = EPOLLIN;
	fake->nr_heads = 1;
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), -EBUSY);
	KUNIT_EXPECT_EQ(test, file_count(file), 2);
	expect_runs(test, ev, 2);
	wpool_watch_end(watch);
	KUNIT_EXPECT_EQ(test, file_count(file), 1);
}

static void wpool_watch_file_two_watches_fire_one_event(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 2, 0), NULL, 1);
	struct fake *fakes[2];
	struct file *file;
	int i;

	for (i = 0; i < 2; i++) {
		file = fake_file(test, &fakes[i], &fake_fops);
		KUNIT_ASSERT_EQ(test, wpool_watch_file(new_watch(test), wpk_event(ev), file,
						       EPOLLIN), 0);
	}
	for (i = 0; i < 2; i++) {
		wake_up_poll(&fakes[i]->heads[0], EPOLLIN);
		expect_runs(test, ev, i + 1);
	}
}

/*
 * If the wait queue of a file goes away (POLLFREE), the watch leaves it and fires its event, also
 * while the watch begins.
 */
static void wpool_watch_file_whose_queue_goes_ends_the_watch(struct kunit *test)
{
	struct wpk_ev *ev = wpk_evs(test, wpk_pool(test, 2, 0), NULL, 1);
	struct fake *fake;
	struct file *file = fake_file(test, &fake, &fake_fops);
	struct wpool_watch *watch = new_watch(test);

	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	wake_up_poll(&fake->heads[0], EPOLLHUP | POLLFREE);
	KUNIT_EXPECT_FALSE(test, wq_has_sleeper(&fake->heads[0]));
	expect_runs(test, ev, 1);
	/* the watch keeps the file until its end */
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), -EBUSY);
	KUNIT_EXPECT_EQ(test, file_count(file), 2);
	wpool_watch_end(watch);
	KUNIT_EXPECT_EQ(test, file_count(file), 1);

	fake->wakes = EPOLLHUP | POLLFREE;
	KUNIT_EXPECT_EQ(test, wpool_watch_file(watch, wpk_event(ev), file, EPOLLIN), 0);
	KUNIT_EXPECT_FALSE(test, wq_has_sleeper(&fake->heads[0]));
	expect_runs(test, ev, 2);
}

/* ---- watches that end in the function ---------------------------------------- */

struct once {
	struct wpool_event event;
	struct wpool_watch watch;
	atomic_t *gone;
};

static void once_fn(struct wpool_event *event)
{
	struct once *once = container_of(event, struct once, event);
	atomic_t *gone = once->gone;

	wpool_watch_end(&once->watch);
	wpool_event_finish(event);
	memset(once, 0x5a, sizeof(*once));
	kfree(once);
	atomic_inc(gone);
}

static void once_abort(struct wpool_event *event, int status)
{
	once_fn(event);
}

static int keep_waking(struct wpk_thread *thread)
{
	struct fake *fake = thread->arg;

	while (!wpk_stopped(thread->test))
		wake_up_poll(&fake->heads[0], EPOLLIN);
	return 0;
}

/*
 * An event's function may end its watch and free it, although wake-ups come all the time, while the
 * watch begins and while it ends.
 */
static void wpool_watch_end_in_the_function_that_frees_the_watch(struct kunit *test)
{
	struct wpool *pool = wpk_pool(test, 2, 4);
	atomic_t *gone = wpk_alloc(test, sizeof(*gone));
	struct fake *fake;
	struct file *file = fake_file(test, &fake, &fake_fops);
	struct once *once;
	unsigned int i;
	struct wpk_thread *thread = wpk_thread(test, keep_waking, pool, NULL, fake);

	for (i = 0; i < WPK_LIFETIME_ROUNDS; i++) {
		once = kzalloc(sizeof(*once), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, once);
		once->gone = gone;
		wpool_event_init(&once->event, pool, once_fn, once_abort);
		KUNIT_ASSERT_EQ(test, wpool_watch_file(&once->watch, &once->event, file, EPOLLIN),
				0);
		cond_resched();
	}
	WPK_ASSERT_EVENTUALLY(test, atomic_read(gone) == WPK_LIFETIME_ROUNDS);
	wpk_stop(test);
	KUNIT_EXPECT_EQ(test, wpk_join(test, thread), 0);
	KUNIT_EXPECT_FALSE(test, wq_has_sleeper(&fake->heads[0]));
	KUNIT_EXPECT_EQ(test, file_count(file), 1);
	KUNIT_EXPECT_EQ(test, wpool_flush(pool), 0);
}

WPK_SUITE(watch,
	  KUNIT_CASE(wpool_watch_file_that_is_ready_fires_at_once),
	  KUNIT_CASE(wpool_watch_file_fires_for_what_it_waits_for),
	  KUNIT_CASE(wpool_watch_file_a_wake_up_while_it_begins_counts),
	  KUNIT_CASE(wpool_watch_file_that_cannot_be_watched_is_refused),
	  KUNIT_CASE(wpool_watch_file_two_watches_fire_one_event),
	  KUNIT_CASE(wpool_watch_file_whose_queue_goes_ends_the_watch),
	  KUNIT_CASE_SLOW(wpool_watch_end_in_the_function_that_frees_the_watch));
