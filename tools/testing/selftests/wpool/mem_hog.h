/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that use up all memory, until the kernel kills them. */
#ifndef MEM_HOG_H
#define MEM_HOG_H

/* must be the first include: it defines _GNU_SOURCE */
#include "wpool_test.h"

#include <sys/sysinfo.h>

#define MAX_MB		300
#define MB		(1024UL * 1024)
#define PAGE		4096

static inline bool is_small(void)
{
	struct sysinfo info;

	return !sysinfo(&info) && info.totalram * info.mem_unit <= MAX_MB * MB;
}

/* Take memory, and keep it. */
static inline void take_memory(size_t bytes)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	for (i = 0; at != MAP_FAILED && i < bytes; i += PAGE)
		at[i] = 1;
}

/* Start another program for each killed one; @hog never returns. Returns how many were killed. */
static inline int replace_hogs(pid_t *hogs, int nr_hogs, void (*hog)(const char *pool),
			       const char *pool)
{
	int i, nr = 0;

	for (i = 0; i < nr_hogs; i++) {
		if (hogs[i] > 0 && waitpid(hogs[i], NULL, WNOHANG) != hogs[i])
			continue;
		nr += hogs[i] > 0;
		hogs[i] = fork();
		if (hogs[i])
			continue;
		/* the kernel kills this program before all others */
		file_write("/proc/self/oom_score_adj", "1000", 4);
		hog(pool);
	}
	return nr;
}

static inline void end_hogs(pid_t *hogs, int nr_hogs)
{
	int i;

	for (i = 0; i < nr_hogs; i++) {
		if (hogs[i] <= 0)
			continue;
		kill(hogs[i], SIGKILL);
		waitpid(hogs[i], NULL, 0);
	}
}

#endif /* MEM_HOG_H */
