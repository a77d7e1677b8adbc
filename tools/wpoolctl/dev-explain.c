// SPDX-License-Identifier: GPL-2.0
/* Messages for the errors of /dev/wpool. */
#include "dev.h"

int dev_open_pool(const char *pool, struct errmsg *e)
{
	int fd = dev_open(), err;

	if (fd < 0)
		return dev_explain(e, fd, pool);
	err = dev_attach(fd, pool);
	if (err) {
		close(fd);
		return dev_explain(e, err, pool);
	}
	return fd;
}

#define NO_DEVICE	"there is no " DEV_PATH "; is the wpool module loaded?"
#define TOO_MANY_FILES	"cannot open " DEV_PATH ": too many open files (ulimit -n)"
#define OLDER_MODULE	"the loaded wpool module does not know this; is it older?"

/* The argument of a message is the name of the pool. */
static const struct {
	int err;
	const char *message;
} messages[] = {
	{ EACCES, "cannot open " DEV_PATH ": permission denied; "
		  "root may, and the group wpool if there is one" },
	{ ENODEV, NO_DEVICE },
	{ ENXIO, NO_DEVICE },
	{ EMFILE, TOO_MANY_FILES },
	{ ENFILE, TOO_MANY_FILES },
	{ ENOTTY, OLDER_MODULE },
	{ E2BIG, OLDER_MODULE },
	{ EOPNOTSUPP, OLDER_MODULE },
	{ ENOENT, "there is no pool '%s'; see 'wpoolctl list'" },
	{ EEXIST, "there is a pool '%s' already" },
	{ ESHUTDOWN, "pool '%s' was released or destroyed" },
	{ ETIME, "pool '%s' is closed, but the time ran out before it was empty" },
	{ EDEADLK, "a task of pool '%s' itself must not do that" },
	{ ENOMEM, "out of memory" },
	{ EPERM, "pool '%s' is another user's or a module's, or this needs privileges (try sudo)" },
	{ EDQUOT, "no more workers without privileges: the module's max_user_workers" },
	{ EAGAIN, "no more workers: max_workers is reached, or the limit of threads" },
};

int dev_explain(struct errmsg *e, int err, const char *pool)
{
	int shown = err == -ENOENT && access(DEV_PATH, F_OK) ? -ENODEV : err;
	size_t i = 0;

	while (i < ARRAY_SIZE(messages) && messages[i].err != -shown)
		i++;
	if (i < ARRAY_SIZE(messages))
		errmsg_set(e, messages[i].message, pool);
	else if (err == -EBUSY)
		errmsg_set(e, "pool '%s' is %s own; nobody else may do that", pool,
			   strcmp(pool, "default") ? "a module's" : "the module's");
	else
		errmsg_set(e, "pool '%s': %s", pool, strerror(-err));
	return err;
}
