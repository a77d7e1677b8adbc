// SPDX-License-Identifier: GPL-2.0
/* Files of the kernel's own file systems, see knob.h. */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/string.h>

#include "knob.h"

#define THREADS_MAX	"sys/kernel/threads-max"

/* What it was before the case; one case runs at a time. */
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
	/* the file keeps what it needs of it */
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

static void restore_threads_max(void *unused)
{
	wpk_fs_write("proc", THREADS_MAX, threads_max);
}

void wpk_no_threads(struct kunit *test)
{
	memset(threads_max, 0, sizeof(threads_max));
	if (wpk_fs_read("proc", THREADS_MAX, threads_max, sizeof(threads_max) - 1))
		kunit_skip(test, "no /proc/" THREADS_MAX);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, restore_threads_max, NULL), 0);
	KUNIT_ASSERT_EQ(test, wpk_fs_write("proc", THREADS_MAX, "20\n"), 0);
}

void wpk_threads_again(struct kunit *test)
{
	kunit_release_action(test, restore_threads_max, NULL);
}
