// SPDX-License-Identifier: GPL-2.0
/* Messages for the errors of /dev/wpool. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/* Explains errors that mean the same for each call: no access to the device, or an older module. */
static const char *explain_device(int err)
{
	switch (err) {
	case -EACCES:
		return "cannot open " DEV_PATH ": permission denied; "
		       "root may, and the group wpool if there is one";
	case -ENODEV:
	case -ENXIO:
		return "there is no " DEV_PATH "; is the wpool module loaded?";
	case -EMFILE:
	case -ENFILE:
		return "cannot open " DEV_PATH ": too many open files (ulimit -n)";
	case -ENOTTY:
	case -E2BIG:
	case -EOPNOTSUPP:
		return "the loaded wpool module does not know this; is it older?";
	}
	return NULL;
}

int dev_explain(struct errmsg *e, int err, const char *pool)
{
	const char *text = explain_device(err);

	if (text) {
		errmsg_set(e, "%s", text);
		return err;
	}
	switch (err) {
	case -ENOENT:
		if (access(DEV_PATH, F_OK))
			errmsg_set(e, "%s", explain_device(-ENODEV));
		else
			errmsg_set(e, "there is no pool '%s'; see 'wpoolctl list'",
				   pool);
		break;
	case -EEXIST:
		errmsg_set(e, "there is a pool '%s' already", pool);
		break;
	case -EBUSY:
		errmsg_set(e, "pool '%s' is %s; nobody else may do that", pool,
			   strcmp(pool, "default") ? "a module's own" :
			   "the module's own");
		break;
	case -ESHUTDOWN:
		errmsg_set(e, "pool '%s' was released or destroyed", pool);
		break;
	case -ETIME:
		errmsg_set(e, "pool '%s' is closed, but the time ran out before it was empty",
			   pool);
		break;
	case -EDEADLK:
		errmsg_set(e, "a task of pool '%s' itself must not do that", pool);
		break;
	case -ENOMEM:
		errmsg_set(e, "out of memory");
		break;
	case -EPERM:
		errmsg_set(e, "pool '%s' is another user's, or this needs privileges (try sudo)",
			   pool);
		break;
	case -EDQUOT:
		errmsg_set(e, "no more workers without privileges: the module's max_user_workers");
		break;
	case -EAGAIN:
		errmsg_set(e, "no more workers: max_workers is reached, or the limit of threads");
		break;
	default:
		errmsg_set(e, "pool '%s': %s", pool, strerror(-err));
	}
	return err;
}
