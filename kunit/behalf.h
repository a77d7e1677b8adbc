/* SPDX-License-Identifier: GPL-2.0 */
/* A client with its own memory and credentials. Each task of its group adds 1 in that memory. */
#ifndef WPOOL_KUNIT_BEHALF_H
#define WPOOL_KUNIT_BEHALF_H

#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>

#include "group.h"

/**
 * struct wpk_client - the thread of the case, with an mm that no other thread has
 * @mm: the mm
 * @count: a number in that mm
 * @cred: other credentials than those of the thread
 * @mm_count: references to the struct of @mm when the client was made
 * @usage: references to @cred when the client was made
 * @strangers: tasks that lacked the mm or the credentials, and abort functions that had one of them
 */
struct wpk_client {
	struct mm_struct *mm;
	u64 __user *count;
	struct cred *cred;
	int mm_count;
	long usage;
	atomic_t strangers;
};

static inline void wpk_client_put_cred(void *cred)
{
	put_cred(cred);
}

static inline struct wpk_client *wpk_client(struct kunit *test)
{
	struct wpk_client *client = wpk_alloc(test, sizeof(*client));
	unsigned long at = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					 MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at) || !at);
	client->count = (u64 __user *)at;
	client->mm = current->mm;
	client->mm_count = atomic_read(&client->mm->mm_count);
	client->cred = prepare_kernel_cred(&init_task);
	KUNIT_ASSERT_NOT_NULL(test, client->cred);
	client->usage = atomic_long_read(&client->cred->usage);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, wpk_client_put_cred, client->cred),
			0);
	return client;
}

/* Another mm. The caller puts it. */
static inline struct mm_struct *wpk_mm_of_init(struct kunit *test)
{
	struct pid *pid = find_get_pid(1);
	struct task_struct *init = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *mm;

	put_pid(pid);
	KUNIT_ASSERT_NOT_NULL(test, init);
	mm = get_task_mm(init);
	put_task_struct(init);
	KUNIT_ASSERT_NOT_NULL(test, mm);
	return mm;
}

static inline int wpk_client_act(struct wpk_client *client, struct wpool_group *group)
{
	const struct cred *old = override_creds(client->cred);
	int err = wpool_group_act_for_me(group, WPOOL_AS_MM | WPOOL_AS_CREDS);

	revert_creds(old);
	return err;
}

/* The body of a member, whose argument is the client: add 1 to @client->count. */
static inline void wpk_client_count(struct wpk_member *member)
{
	struct wpk_client *client = member->arg;
	u64 count;

	if (current->mm != client->mm || current_cred() != client->cred ||
	    get_user(count, client->count) || put_user(count + 1, client->count))
		atomic_inc(&client->strangers);
}

/* The abort function of a member, whose argument is the client: it must not act for the client. */
static inline void wpk_client_abort(struct wpool_group_task *task, int status)
{
	struct wpk_member *member = container_of(task, struct wpk_member, task);
	struct wpk_client *client = member->arg;

	if (current->mm == client->mm || current_cred() == client->cred)
		atomic_inc(&client->strangers);
	wpk_member_abort(task, status);
}

/* Let a group act for @client, and make members with that abort function. */
static inline struct wpk_member *wpk_client_members(struct kunit *test, struct wpk_client *client,
						    struct wpool_group *group,
						    struct wpk_gate *gate, int nr)
{
	struct wpk_member *members = wpk_members(test, group, gate, nr);
	int i;

	KUNIT_ASSERT_EQ(test, wpk_client_act(client, group), 0);
	for (i = 0; i < nr; i++) {
		wpool_group_task_init(&members[i].task, wpk_member_fn, wpk_client_abort);
		members[i].body = wpk_client_count;
		members[i].arg = client;
	}
	return members;
}

static inline u64 wpk_client_counted(struct kunit *test, struct wpk_client *client)
{
	u64 count = 0;

	KUNIT_EXPECT_EQ(test, get_user(count, client->count), 0);
	return count;
}

/* Expect references of @nr groups, none of tasks. Idle CPUs and workers may keep the mm, too. */
static inline void wpk_client_expect_refs(struct kunit *test, struct wpk_client *client, int nr)
{
	int most = client->mm_count + nr + num_online_cpus();

	KUNIT_EXPECT_EQ(test, atomic_read(&client->mm->mm_users), 1);
	KUNIT_EXPECT_LE(test, atomic_read(&client->mm->mm_count), most);
	KUNIT_EXPECT_GE(test, atomic_read(&client->mm->mm_count), nr + 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&client->cred->usage), client->usage + nr);
}

#endif /* WPOOL_KUNIT_BEHALF_H */
