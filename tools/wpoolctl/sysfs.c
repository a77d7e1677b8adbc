// SPDX-License-Identifier: GPL-2.0
/* Reading /sys/class/wpool. */
#include "sysfs.h"

#include <fcntl.h>

#include "alloc.h"
#include "parse.h"

const struct figure_info figures[NR_FIGURES] = {
#define GAUGE		false
#define COUNTER		true
#define WPOOL_FIGURE(_name, _NAME, _where, ...)	\
	[FIGURE_##_NAME] = { #_name, __VA_ARGS__ },
#include "../../module/pool/figure_table.h"
};

const char *sysfs_dir(const char *variable, const char *preset)
{
	const char *dir = getenv(variable);

	return dir && *dir ? dir : preset;
}

static const char *class_dir(void)
{
	return sysfs_dir("WPOOLCTL_SYSFS", "/sys/class/wpool");
}

static int fail(struct errmsg *e, int err, const char *path)
{
	errmsg_set(e, "%s: %s", path, strerror(err));
	return -err;
}

static int is_pool(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_LNK);
}

static int is_attr(const struct dirent *entry)
{
	return entry->d_type == DT_REG && strcmp(entry->d_name, "histogram") &&
	       strcmp(entry->d_name, "uevent");
}

static int list_dir(const char *path, int (*is_wanted)(const struct dirent *),
		    struct sysfs_names *names, struct errmsg *e)
{
	int nr = scandir(path, &names->entry, is_wanted, alphasort);

	names->nr = nr;
	return nr < 0 ? fail(e, errno, path) : 0;
}

int sysfs_list_pools(struct sysfs_names *names, struct errmsg *e)
{
	int err = list_dir(class_dir(), is_pool, names, e);

	if (err == -ENOENT)	/* say so if the module is not loaded */
		sysfs_find_pool("", e);
	return err;
}

int sysfs_find_pool(const char *pool, struct errmsg *e)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", class_dir(), pool);
	if (!access(path, F_OK))
		return 0;
	if (errno != ENOENT)
		return fail(e, errno, path);
	if (access(class_dir(), F_OK))
		errmsg_set(e, "there is no %s; is the wpool module loaded?", class_dir());
	else
		errmsg_set(e, "there is no pool '%s'; see 'wpoolctl list'", pool);
	return -ENOENT;
}

int sysfs_list_attrs(const char *pool, struct sysfs_names *names, struct errmsg *e)
{
	char path[PATH_MAX];
	int err;

	err = sysfs_find_pool(pool, e);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/%s", class_dir(), pool);
	err = list_dir(path, is_attr, names, e);
	if (err == -ENOENT)	/* the pool was destroyed meanwhile */
		sysfs_find_pool(pool, e);
	return err;
}

void sysfs_names_exit(struct sysfs_names *names)
{
	while (names->nr)
		free(names->entry[--names->nr]);
	free(names->entry);
}

int sysfs_read_line(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, buf, len - 1);
	err = errno;
	close(fd);
	if (got < 0)
		return -err;
	buf[got] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int sysfs_read(const char *pool, const char *attr, char *buf, size_t len, struct errmsg *e)
{
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/%s/%s", class_dir(), pool, attr);
	err = sysfs_read_line(path, buf, len);
	/* the pool was destroyed, or the module has another version */
	if (err == -ENOENT)
		return sysfs_find_pool(pool, e) ?: fail(e, ENOENT, attr);
	return err ? fail(e, -err, path) : 0;
}

char *sysfs_read_all(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	ssize_t len;

	if (!file)
		return NULL;
	len = getdelim(&text, &room, '\0', file);
	if (len < 0 || ferror(file)) {
		free(text);
		text = ferror(file) ? NULL : alloc_copy("");
	}
	fclose(file);
	return text;
}

int sysfs_histograms(const char *pool, struct hists *hists, struct errmsg *e)
{
	char path[PATH_MAX], *text;
	int err;

	snprintf(path, sizeof(path), "%s/%s/histogram", class_dir(), pool);
	text = sysfs_read_all(path);
	if (!text)
		return errno == ENOENT ? -ENOENT : fail(e, errno, path);
	err = hists_parse(hists, text, e);
	free(text);
	return err;
}

static int read_figure(const char *pool, enum figure figure, __u64 *value, struct errmsg *e)
{
	char buf[32];
	int err = sysfs_read(pool, figures[figure].name, buf, sizeof(buf), e);

	if (err)
		return err;
	if (parse_u64(buf, 0, ~0ULL, value, e)) {
		errmsg_set(e, "%s/%s: %s", pool, figures[figure].name, e->text);
		return -EPROTO;
	}
	return 0;
}

/* If an older module has no such file, latency is off. */
static int read_latency(const char *pool, struct snapshot *shot, struct errmsg *e)
{
	char buf[8];
	int err = sysfs_read(pool, "latency", buf, sizeof(buf), e);

	shot->hists.nr_buckets = 0;
	shot->latency = !err && !strcmp(buf, "1");
	if (shot->latency)
		err = sysfs_histograms(pool, &shot->hists, e);
	return err == -ENOENT ? 0 : err;
}

bool pressure_parse(struct pressure *pressure, const char *line)
{
	return sscanf(line, "some avg10=%lf avg60=%lf avg300=%lf total=%llu", &pressure->percent[0],
		      &pressure->percent[1], &pressure->percent[2], &pressure->total_us) == 4;
}

static int read_pressure(const char *pool, struct pressure *pressure, struct errmsg *e)
{
	char line[SYSFS_VALUE_LEN];
	int err = sysfs_read(pool, "pressure", line, sizeof(line), e);

	*pressure = (struct pressure){ };
	if (err)
		return err == -ENOENT ? 0 : err;
	if (!pressure_parse(pressure, line)) {
		errmsg_set(e, "%s/pressure: not understood: '%.40s'", pool, line);
		return -EPROTO;
	}
	return 0;
}

/* Reads file after file while tasks start and finish, so the figures belong to different times. */
int sysfs_snapshot(const char *pool, struct snapshot *shot, struct errmsg *e)
{
	enum figure i;
	int err;

	shot->when_ns = now_ns();
	err = sysfs_read(pool, "state", shot->state, sizeof(shot->state), e) ?:
	      sysfs_read(pool, "owner", shot->owner, sizeof(shot->owner), e) ?:
	      sysfs_read(pool, "capacity", shot->capacity, sizeof(shot->capacity), e) ?:
	      sysfs_read(pool, "queue_depth", shot->queue_depth, sizeof(shot->queue_depth), e);
	for (i = 0; !err && i < NR_FIGURES; i++)
		err = read_figure(pool, i, &shot->value[i], e);
	return err ?: read_pressure(pool, &shot->pressure, e) ?: read_latency(pool, shot, e);
}

__u64 sysfs_max_workers(void)
{
	char path[PATH_MAX], buf[32];
	struct errmsg e;
	__u64 value;

	snprintf(path, sizeof(path), "%s/parameters/max_workers",
		 sysfs_dir("WPOOLCTL_MODULE", "/sys/module/wpool"));
	if (sysfs_read_line(path, buf, sizeof(buf)) || parse_u64(buf, 0, ~0ULL, &value, &e))
		return 0;
	return value;
}
