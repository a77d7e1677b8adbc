// SPDX-License-Identifier: GPL-2.0
/*
 * Job files: each section of a file, except [global], is a run, with the options of "wpoolctl run"
 * as keys. Jobs run at the same time, each in its own process. Jobs after a "stonewall" begin when
 * all jobs before it have ended.
 */
#include "run.h"

#include <signal.h>
#include <sys/wait.h>

#include "alloc.h"
#include "ini.h"
#include "out.h"

#define GLOBAL		"global"
#define STONEWALL	"stonewall"

struct job {
	char *name;
	struct command cmd;	/* the command "run", with the job's name in its name */
	char cmd_name[80];
	struct run run;
	unsigned int phase;
	pid_t pid;		/* 0 unless the job runs */
	FILE *report;
	int code;
};

struct jobs {
	const struct command *cmd;
	bool json;
	bool has_global;
	struct run global;	/* the settings of [global] */
	struct job **job;	/* pointers: a struct run must not move */
	unsigned int nr;
	unsigned int phase;	/* phase of the section being read */
	int sig;		/* the signal that ended the run, or 0 */
};

/* ---- reading the file ------------------------------------------------------------ */

static int begin_section(struct jobs *jobs, const char *name, struct errmsg *e)
{
	unsigned int i;
	struct job *job;

	if (!strcmp(name, GLOBAL)) {
		if (jobs->nr || jobs->has_global)
			return errmsg_set(e, "[global] is the first section, or left out");
		jobs->has_global = true;
		return 0;
	}
	for (i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->job[i]->name, name))
			return errmsg_set(e, "there is a section " ERRMSG_Q " already", name);
	job = alloc_zeroed(1, sizeof(*job));
	job->name = alloc_copy(name);
	snprintf(job->cmd_name, sizeof(job->cmd_name), "%s [%.60s]", jobs->cmd->name, name);
	job->cmd = *jobs->cmd;
	job->cmd.name = job->cmd_name;
	run_init(&job->run, &job->cmd);
	job->phase = jobs->phase;
	jobs->job = alloc_one_more(jobs->job, jobs->nr, sizeof(job));
	jobs->job[jobs->nr++] = job;
	return 0;
}

static int take(void *arg, unsigned int line __maybe_unused, const char *name, const char *key,
		const char *value, struct errmsg *e)
{
	struct jobs *jobs = arg;
	struct job *last = jobs->nr ? jobs->job[jobs->nr - 1] : NULL;

	if (!key)
		return begin_section(jobs, name, e);
	if (!strcmp(key, STONEWALL)) {
		if (!last || value)
			return errmsg_set(e, STONEWALL " has no value, and is for a job");
		if (jobs->nr > 1 && last->phase == jobs->phase)
			last->phase = ++jobs->phase;
		return 0;
	}
	return run_set(last ? &last->run : &jobs->global, key, value ? alloc_copy(value) : NULL, e);
}

/* Settings of [global] hold unless the job has set the same key. */
static int set_up_job(const struct jobs *jobs, struct job *job, struct errmsg *e)
{
	run_inherit(&job->run, &jobs->global);
	if (run_complete(&job->run, e))
		return errmsg_set(e, "[%.60s]: %s", job->name, e->text);
	job->run.json = jobs->json;
	job->run.progress = PROGRESS_NEVER;
	return 0;
}

static void complain(void *arg, const struct errmsg *e)
{
	const struct jobs *jobs = arg;

	cli_error(jobs->cmd, "%s", e->text);
}

/* Returns 0, or -1 after printing what is wrong. */
static int read_jobs(struct jobs *jobs, const char *path)
{
	int err = ini_read(path, take, complain, jobs);
	struct errmsg e;
	unsigned int i;

	if (!err && !jobs->nr) {
		cli_error(jobs->cmd, "%.100s: there is no job in it", path);
		err = -1;
	}
	for (i = 0; i < jobs->nr && !err; i++) {
		err = set_up_job(jobs, jobs->job[i], &e);
		if (err)
			cli_error(jobs->cmd, "%.100s: %s", path, e.text);
	}
	return err;
}

/* ---- running --------------------------------------------------------------------- */

static noreturn void be_job(struct job *job)
{
	dup2(fileno(job->report), STDOUT_FILENO);
	_exit(cli_end(run_load(&job->run)));
}

static void start_job(struct job *job)
{
	job->code = CLI_FAILED;
	job->report = tmpfile();
	fflush(stdout);
	job->pid = job->report ? fork() : -1;
	if (!job->pid)
		be_job(job);
	if (job->pid < 0) {
		cli_error(&job->cmd, "cannot start: %m");
		job->pid = 0;
	}
}

static bool reap(struct jobs *jobs)
{
	unsigned int i;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (i = 0; i < jobs->nr; i++)
			if (jobs->job[i]->pid == pid) {
				jobs->job[i]->pid = 0;
				if (WIFEXITED(status))
					jobs->job[i]->code = WEXITSTATUS(status);
				else
					cli_error(&jobs->job[i]->cmd, "no report: %s",
						  strsignal(WTERMSIG(status)));
			}
	return pid == 0 || errno == EINTR;
}

/* Passes on signals that end a run, but not those of a terminal, which the jobs get, too. */
static void run_phase(struct jobs *jobs, unsigned int phase, const sigset_t *signals)
{
	siginfo_t info;
	unsigned int i;
	int sig;

	for (i = 0; i < jobs->nr; i++)
		if (jobs->job[i]->phase == phase)
			start_job(jobs->job[i]);
	while (reap(jobs)) {
		sig = sigwaitinfo(signals, &info);
		if (sig <= 0 || sig == SIGCHLD)
			continue;
		for (i = 0; i < jobs->nr; i++)
			if (jobs->job[i]->pid && info.si_code != SI_KERNEL)
				kill(jobs->job[i]->pid, sig);
		jobs->sig = sig;
	}
}

/* ---- reporting --------------------------------------------------------------------- */

static void print_text(const struct job *job)
{
	char buf[4096];
	size_t nr;

	printf("%s[%s]%s\n", out_style(OUT_BOLD), job->name, out_plain());
	if (job->report)
		rewind(job->report);
	while (job->report && (nr = fread(buf, 1, sizeof(buf), job->report)))
		fwrite(buf, 1, nr, stdout);
	putchar('\n');
}

static struct json_object *json_job(const struct job *job)
{
	struct json_object *object = json_new();

	json_put(object, "job", job->name);
	json_put(object, "phase", job->phase);
	json_put(object, "exit", job->code);
	if (job->report)
		rewind(job->report);
	json_put(object, "report", job->report ? json_object_from_fd(fileno(job->report)) : NULL);
	return object;
}

/* The worst exit code of all jobs: interrupted, then failed, then tasks that did not complete. */
static int worst(const struct jobs *jobs)
{
	static const int order[] = { CLI_INTERRUPTED, CLI_FAILED, CLI_TASKS };
	unsigned int i, n;

	if (jobs->sig)
		return CLI_INTERRUPTED;
	for (n = 0; n < ARRAY_SIZE(order); n++)
		for (i = 0; i < jobs->nr; i++)
			if (jobs->job[i]->code == order[n])
				return order[n];
	return CLI_OK;
}

static void report(const struct jobs *jobs)
{
	struct json_object *array = jobs->json ? json_new_array() : NULL;
	unsigned int i;

	for (i = 0; i < jobs->nr; i++) {
		/* the job did not begin, because an earlier phase was interrupted */
		if (!jobs->job[i]->report && !jobs->job[i]->code)
			continue;
		if (jobs->json)
			json_append(array, json_job(jobs->job[i]));
		else
			print_text(jobs->job[i]);
	}
	if (jobs->json)
		json_print(array);
}

int jobs_run(const struct command *cmd, const char *path, bool json)
{
	struct jobs jobs = { .cmd = cmd, .json = json };
	unsigned int phase;
	sigset_t signals;

	run_init(&jobs.global, cmd);
	if (read_jobs(&jobs, path))
		return CLI_FAILED;
	/* if SIGCHLD is ignored, a job ends without a signal and without an exit code */
	signal(SIGCHLD, SIG_DFL);
	signals = load_hold_signals();
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	for (phase = 0; phase <= jobs.phase && !jobs.sig; phase++)
		run_phase(&jobs, phase, &signals);
	report(&jobs);
	return worst(&jobs);
}
