// SPDX-License-Identifier: GPL-2.0
/* Files of procfs and the like; a way to forbid new threads: see knob.h. */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mount.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "knob.h"

#define THREADS_MAX	"sys/kernel/threads-max"

/* The value before the case; one case runs at a time. */
static char threads_max[16];

struct file *wpk_fs_open(const char *fs, const char *path, int flags)
{
	struct file_system_type *type = get_fs_type(fs);
	struct vfsmount *mnt;
	struct file *file;

	if (!type)
		return ERR_PTR(-ENODEV);
	mnt = kern_mount(type);
	if (IS_ERR(mnt))
		return ERR_CAST(mnt);
	file = file_open_root_mnt(mnt, path, flags, 0);
	/* the open file keeps the mount */
	kern_unmount(mnt);
	return file;
}

static int access_file(const char *fs, const char *path, const char *text, char *answer,
		       size_t size)
{
	struct file *file = wpk_fs_open(fs, path, text ? O_WRONLY : O_RDONLY);
	loff_t pos = 0;
	ssize_t ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	if (text)
		ret = kernel_write(file, text, strlen(text), &pos);
	else
		ret = kernel_read(file, answer, size, &pos);
	filp_close(file, NULL);
	return ret < 0 ? ret : 0;
}

int wpk_fs_write(const char *fs, const char *path, const char *text)
{
	return access_file(fs, path, text, NULL, 0);
}

int wpk_fs_read(const char *fs, const char *path, char *answer, size_t size)
{
	return access_file(fs, path, NULL, answer, size);
}

/* The smallest limit of threads that the kernel accepts. */
#define FEW_THREADS	20

/* Threads that never run, in case the machine has fewer threads than FEW_THREADS. */
static struct task_struct *fillers[FEW_THREADS];

static int never(void *unused)
{
	return 0;
}

static void end_fillers(int nr)
{
	while (nr--)
		kthread_stop(fillers[nr]);
}

static void restore_threads_max(void *unused)
{
	wpk_fs_write("proc", THREADS_MAX, threads_max);
	end_fillers(FEW_THREADS);
}

static void make_fillers(struct kunit *test)
{
	int i;

	for (i = 0; i < FEW_THREADS; i++) {
		fillers[i] = kthread_create(never, NULL, "wpk_filler/%d", i);
		if (IS_ERR(fillers[i])) {
			end_fillers(i);
			kunit_skip(test, "no thread more");
		}
	}
}

void wpk_no_threads(struct kunit *test)
{
	memset(threads_max, 0, sizeof(threads_max));
	if (wpk_fs_read("proc", THREADS_MAX, threads_max, sizeof(threads_max) - 1))
		kunit_skip(test, "no /proc/" THREADS_MAX);
	make_fillers(test);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, restore_threads_max, NULL), 0);
	KUNIT_ASSERT_EQ(test, wpk_fs_write("proc", THREADS_MAX, __stringify(FEW_THREADS) "\n"), 0);
}

void wpk_threads_again(struct kunit *test)
{
	kunit_release_action(test, restore_threads_max, NULL);
}
