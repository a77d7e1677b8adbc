// SPDX-License-Identifier: GPL-2.0
/* wpoolctl run: submit workloads to a pool and report what became of them. */
#include <stdio.h>
#include <unistd.h>

#include "jobs.h"
#include "run.h"

static int run_command(const struct command *cmd, int argc, char **argv)
{
	struct errmsg e;
	struct run run;
	int code;

	run_init(&run, cmd);
	run_parse_options(&run, argc, argv);
	for (; optind < argc; optind++)
		if (run_add_arg(&run, argv[optind], &e))
			cli_usage(cmd, "%s", e.text);
	code = run_complete(&run, &e);
	if (code < 0)
		cli_usage(cmd, "%s", e.text);
	if (code)
		cli_error(cmd, "%s", e.text);
	else
		code = run.jobs ? jobs_run(cmd, run.jobs, run.json) : run_load(&run);
	run_exit(&run);
	return code;
}

static void more_help(void)
{
	puts("\n"
"Workloads (times: ns, us, ms, s, m, h; sizes: bytes, K, M; numbers: k, M):\n"
"  noop                     nothing\n"
"  spin:TIME                use a CPU\n"
"  sleep:TIME               sleep on a high-resolution timer\n"
"  timer:TIME               wait for a timer before it starts, without a worker\n"
"  strand:TIME              use a CPU, one task after the other, in order\n"
"  poll:FD                  wait for the open file FD without a worker\n"
"  yield:N                  give the CPU away N times\n"
"  touch:SIZE               allocate memory and write to it\n"
"  hash:SIZE                hash so many bytes\n"
"  lock:TIME                hold a lock that all such tasks share\n"
"  tree:DEPTHxFANOUT[:TIME] fork-join tree, TIME of CPU per leaf\n"
"  loop:TIME                use a CPU, helped by others that have nothing to do\n"
"  fault                    oops (needs the module loaded with allow_fault=1)\n"
"TIME, N and SIZE, but of tree, may be drawn for each task: LOW-HIGH (even),\n"
"exp=MEAN, pareto=LOW (shape 1.5): --work sleep:exp=1ms, --work hash:4K-64K\n"
"\n"
"Exit: 0 all completed; 1 failed or out of time; 2 wrong use; 3 tasks failed, or\n"
"were cancelled, refused or not sent; 130 interrupted.");
}

const struct command cmd_run = {
	.name = "run",
	.args = "POOL|--jobs FILE [--work KIND[:ARG][@WEIGHT]]... [OPTION]...",
	.summary = "submit workloads to a pool and report what became of them",
	.help =
"Submits tasks to a pool, waits for them and reports: how many were accepted,\n"
"refused, completed, failed and cancelled, how long they waited and ran, and on\n"
"which CPUs. An interrupt (^C) cancels what is in flight and reports.\n"
"\n"
"  --work KIND[:ARG]  what a task does (noop); several take turns, by @WEIGHT\n"
"                     (1..1000): --work noop@9 --work sleep:1ms\n"
"  --tasks N          tasks in all (1000, or no limit with --duration)\n"
"  --duration TIME    submit for so long after ramp and warm-up (s, m, h, ms)\n"
"  --warmup TIME      run so long before the times are measured\n"
"  --rate N/s         tasks arrive at this rate, whatever the pool does;\n"
"                     latencies count from the arrival; 10k/s, 1.5M/s\n"
"  --arrivals KIND    at equal distances: fixed (so if left out), or poisson\n"
"  --ramp TIME        first the rate rises so long from 0 to that of --rate\n"
"  --seed N           of what is drawn: arrivals and amounts of work (1)\n"
"  --replay FILE      the tasks that 'wpoolctl trace record' has recorded: they\n"
"                     arrive as they did, and run as long; --tasks N: the first N\n"
"  --as KIND          spin: they use a CPU (so if left out); or sleep\n"
"  --batch N          tasks of one system call, 1..4096 (256)\n"
"  --submitters N     threads that submit, 1..256 (1), each with its own file\n"
"  --submit-cpus LIST they run on these CPUs, one each, in turn: 0-3,5\n"
"  --group N          each submitter has a group of its own, of N tasks at most,\n"
"                     so that it leaves room in the pool for others\n"
"  --on CPU           tasks are queued where the workers of this CPU look first;\n"
"                     others take them if those are busy or there is none\n"
"  --urgent           tasks start before those in the pool that are not urgent\n"
"  --nonblock         do not sleep on a full pool: what does not fit is refused\n"
"  --retry            try again what is refused, instead of dropping it\n"
"  --timeout TIME     then cancel what is not finished; exit 1\n"
"  --create[=A=V,...] make a temporary pool with these attributes (see 'wpoolctl\n"
"                     create --help') and destroy it afterwards; POOL may be left\n"
"                     out\n"
"  --interval TIME    a line of figures so often while it runs\n"
"  --progress WHEN    progress bar on stderr: auto (on a terminal), always, never\n"
"  --jobs FILE        several runs, each a section of a file, at the same time or\n"
"                     one after the other, see wpoolctl(8)\n"
"  --quiet            no report: errors and the exit code only\n"
"  --json             report as one object, with intervals and histograms",
	.more_help = more_help,
	.run = run_command,
};
