// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU that counts what one operation costs: instructions, how many of these are
 * locked, and distinct cache lines of data.
 *
 * The benchmark module marks the beginning and the end of each operation, see ../module/mark.h.
 * Everything that the CPU executes between these marks counts, including the kernel and interrupts.
 * The result is the lower quartile of the many operations of a path, since interrupts only add. A
 * line is 64 bytes of virtual address, read or written at least once. The stack's lines count, too.
 *
 * If all CPUs repeat an operation, a turn is the code that a CPU executes from one TURN mark to the
 * next. A turn with a clock interrupt is not counted. A line moves when a CPU reads or writes it
 * for the first time since another CPU wrote it. The move crosses caches unless the CPU that wrote
 * the line, or a CPU that has read it since, has the same last-level cache.
 *
 * Until the guest sends "watch", the plugin counts only the locked instructions of all CPUs, with
 * code that costs little.
 *
 * Arguments: out=FILE gets a line of JSON for each report that the guest asks for. share=N says
 * that the first N CPUs share one last-level cache, the next N another one, and so on.
 *
 * All CPUs must share one thread: -accel tcg,thread=single.
 */
#include <assert.h>

#include "hear.h"
#include "x86.h"

#define MAX_CPUS	1024
#define MAX_SAMPLES	4096
#define NOWHERE		(-1)

static const char *const path_names[NR_BENCH_PATHS] = {
	[BENCH_KNOWN] = "known",
	[BENCH_SUBMIT] = "submit",
	[BENCH_BATCH] = "batch",
	[BENCH_RUN] = "run",
	[BENCH_SPAWN] = "spawn",
	[BENCH_WAIT] = "wait",
	[BENCH_SLEEP] = "sleep",
	[BENCH_HELP] = "help",
	[BENCH_CANCEL] = "cancel",
	[BENCH_REFUSE] = "refuse",
	[BENCH_BLOCK] = "block",
	[BENCH_SERVE] = "serve",
	[BENCH_PARK] = "park",
	[BENCH_WAKE] = "wake",
	[BENCH_START] = "start",
	[BENCH_LOOK] = "look",
};

/* ---- an operation ---- */

/* Each figure is counted twice: in total, and between inside_from and inside_to. */
enum figure { INSNS, LOCKED, READS, WRITES, LINES, WRITTEN, NR_FIGURES };

static const char *const figure_names[NR_FIGURES] = {
	[INSNS] = "instructions",
	[LOCKED] = "locked",
	[READS] = "reads",
	[WRITES] = "writes",
	[LINES] = "lines",
	[WRITTEN] = "lines_written",
};

struct operation {
	bool open;
	int cpu;		/* NOWHERE: the operation's thread does not run */
	bool was_away;
	uint32_t figures[2][NR_FIGURES];	/* in total, and inside */
	struct slot slots[NR_SLOTS];
	uint32_t generation;

	uint32_t samples[2][NR_FIGURES][MAX_SAMPLES];
	uint32_t nr_samples;
	uint32_t nr_lost;	/* dropped, or ended on another CPU */
	bool full;
};

static struct operation operations[NR_BENCH_PATHS];
/* Bit n: operation n runs on this CPU now. */
static uint32_t under_way[MAX_CPUS];

static_assert(NR_BENCH_PATHS <= 32, "a bit for each path");

static void leave_cpu(struct operation *op)
{
	if (op->cpu != NOWHERE)
		under_way[op->cpu] &= ~(1U << (op - operations));
	op->cpu = NOWHERE;
}

static void enter_cpu(struct operation *op, unsigned int cpu)
{
	op->cpu = cpu;
	under_way[cpu] |= 1U << (op - operations);
}

static void begin(struct operation *op, unsigned int cpu)
{
	leave_cpu(op);
	memset(op->figures, 0, sizeof(op->figures));
	op->generation++;
	op->was_away = false;
	op->open = true;
	enter_cpu(op, cpu);
}

static void drop(struct operation *op)
{
	op->nr_lost += op->open;
	op->open = false;
	leave_cpu(op);
}

static void end(struct operation *op, unsigned int cpu)
{
	int part, i;

	if (!op->open)
		return;
	if (op->cpu != (int)cpu || op->nr_samples == MAX_SAMPLES) {
		drop(op);
		return;
	}
	for (part = 0; part < 2; part++)
		for (i = 0; i < NR_FIGURES; i++)
			op->samples[part][i][op->nr_samples] = op->figures[part][i];
	op->nr_samples++;
	op->open = false;
	leave_cpu(op);
}

static void touch(struct operation *op, uint64_t line, bool write, bool inside)
{
	bool is_new;
	struct slot *slot = slot_of(op->slots, op->generation, line, &is_new);

	if (!slot) {
		op->full = true;
		return;
	}
	op->figures[0][LINES] += is_new;
	if (inside && !slot->inside) {
		slot->inside = true;
		op->figures[1][LINES]++;
	}
	if (write && !slot->written) {
		slot->written = true;
		op->figures[0][WRITTEN]++;
	}
	if (write && inside && !slot->written_inside) {
		slot->written_inside = true;
		op->figures[1][WRITTEN]++;
	}
}

/* ---- turns ---- */

/* 2^20, as in written_of() */
#define NR_WRITTEN	1048576
/* written.holders has a bit for each CPU. */
#define MAX_TURN_CPUS	64

enum turn_figure { TURN_INSNS, TURN_LOCKED, MOVED, CROSSED, NR_TURN_FIGURES };

static const char *const turn_names[NR_TURN_FIGURES] = {
	[TURN_INSNS] = "instructions",
	[TURN_LOCKED] = "locked",
	[MOVED] = "moved",
	[CROSSED] = "crossed",
};

struct turn {
	bool open, ticked;
	uint32_t figures[NR_TURN_FIGURES];
};

/* @holders: the CPU that wrote the line last, and the CPUs that have read the line since */
struct written {
	uint64_t line, holders;
};

static struct turn *turns;
static struct written *written;
static int nr_cpus;
/* How many CPUs share a last-level cache. */
static unsigned int cache_cpus = MAX_TURN_CPUS;
static bool in_turns, turns_full;
static uint32_t nr_turns, nr_ticked;
static uint64_t turn_sums[NR_TURN_FIGURES];

static void turns_end(void)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		turns[cpu].open = false;
	in_turns = false;
}

static void turns_begin(void)
{
	turns_end();
	memset(written, 0, NR_WRITTEN * sizeof(*written));
	memset(turn_sums, 0, sizeof(turn_sums));
	nr_turns = 0;
	nr_ticked = 0;
	turns_full = false;
}

static void turn_end(struct turn *turn)
{
	int i;

	if (turn->ticked) {
		nr_ticked++;
		return;
	}
	nr_turns++;
	for (i = 0; i < NR_TURN_FIGURES; i++)
		turn_sums[i] += turn->figures[i];
}

static void turn_begin(unsigned int cpu)
{
	struct turn *turn = &turns[cpu];

	if (turn->open)
		turn_end(turn);
	*turn = (struct turn){ .open = true };
	in_turns = true;
}

/* Returns NULL if there is no room, or if this is a read of a line that no CPU has written. */
static struct written *written_of(uint64_t line, bool write)
{
	uint32_t at = place_of(line, 20), tries;
	struct written *one;

	for (tries = 0; tries < 1024; tries++, at = (at + 1) % NR_WRITTEN) {
		one = &written[at];
		if (one->line == line)
			return one;
		if (!one->line && !write)
			return NULL;
		if (!one->line) {
			one->line = line;
			return one;
		}
	}
	turns_full = true;
	return NULL;
}

static void turn_touch(unsigned int cpu, uint64_t line, bool write)
{
	uint64_t own = 1ULL << cpu, same_cache;
	struct written *one = written_of(line, write);
	uint32_t *figures = turns[cpu].figures;

	if (!one)
		return;
	if (one->holders && !(one->holders & own)) {
		same_cache = ((2ULL << (cache_cpus - 1)) - 1) << cpu / cache_cpus * cache_cpus;
		figures[MOVED]++;
		figures[CROSSED] += !(one->holders & same_cache);
	}
	one->holders = write ? own : one->holders | own;
}

/* ---- counting the guest's instructions ---- */

/* The guest has sent "watch": count operations. */
static bool watching;

struct insn {
	bool locked;
	bool inside;
};

/* Locked instructions of all CPUs, always counted. */
static uint64_t all_locked, from_locked, between_locked;

/* Instructions in [inside_from, inside_to) are counted separately, too. */
static uint64_t inside_from, inside_to;

static void on_insn(unsigned int cpu, void *data)
{
	const struct insn *insn = data;
	struct operation *op;
	uint32_t rest;
	int part;

	for (rest = under_way[cpu]; rest; rest &= rest - 1) {
		op = &operations[__builtin_ctz(rest)];
		for (part = 0; part <= insn->inside; part++) {
			op->figures[part][INSNS]++;
			op->figures[part][LOCKED] += insn->locked;
		}
	}
	if (in_turns && turns[cpu].open) {
		turns[cpu].figures[TURN_INSNS]++;
		turns[cpu].figures[TURN_LOCKED] += insn->locked;
	}
}

/* Is this memory of a device? Each CPU may have its own device at the address, such as its APIC. */
static bool is_device(qemu_plugin_meminfo_t info, uint64_t address)
{
	const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, address);

	return where && qemu_plugin_hwaddr_is_io(where);
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address,
		      void *data)
{
	uint64_t last = last_line(info, address), line;
	bool write = qemu_plugin_mem_is_store(info);
	const struct insn *insn = data;
	struct operation *op;
	uint32_t rest;
	int part;

	for (rest = under_way[cpu]; rest; rest &= rest - 1) {
		op = &operations[__builtin_ctz(rest)];
		for (part = 0; part <= insn->inside; part++)
			op->figures[part][write ? WRITES : READS]++;
		for (line = address >> LINE_SHIFT; line <= last; line++)
			touch(op, line, write, insn->inside);
	}
	if (!in_turns || !turns[cpu].open || (write && is_device(info, address)))
		return;
	for (line = address >> LINE_SHIFT; line <= last; line++)
		turn_touch(cpu, line, write);
}

/* ---- reports ---- */

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Reports the minimum, the lower quartile, the median and the maximum. */
static void report_figures(struct operation *op, int part)
{
	uint32_t n = op->nr_samples, *samples;
	const char *comma = "";
	int i;

	fputc('{', out);
	for (i = 0; i < NR_FIGURES; i++) {
		samples = op->samples[part][i];
		qsort(samples, n, sizeof(*samples), compare);
		fprintf(out, "%s\"%s\":[%u,%u,%u,%u]", comma, figure_names[i], samples[0],
			samples[n / 4], samples[n / 2], samples[n - 1]);
		comma = ",";
	}
	fputc('}', out);
}

static void report_operation(struct operation *op)
{
	fprintf(out, "{\"samples\":%u,\"lost\":%u,\"all\":", op->nr_samples, op->nr_lost);
	report_figures(op, 0);
	fputs(",\"inside\":", out);
	report_figures(op, 1);
	fputc('}', out);
}

static void report(const char *what)
{
	struct operation *op;
	const char *comma = "";
	int i;

	fprintf(out, "{\"asked\":\"%s\",\"locked\":%llu,", what,
		(unsigned long long)between_locked);
	if (turns_full) {
		fprintf(stderr, "counts: turns: too many lines\n");
	} else if (nr_turns) {
		fprintf(out, "\"turns\":{\"nr\":%u,\"ticked\":%u", nr_turns, nr_ticked);
		for (i = 0; i < NR_TURN_FIGURES; i++)
			fprintf(out, ",\"%s\":%llu", turn_names[i],
				(unsigned long long)turn_sums[i]);
		fputs("},", out);
	}
	nr_turns = 0;
	fputs("\"paths\":{", out);
	for (i = 0; i < NR_BENCH_PATHS; i++) {
		op = &operations[i];
		drop(op);
		if (op->full)
			fprintf(stderr, "counts: %s: too many lines\n", path_names[i]);
		if (op->nr_samples && !op->full) {
			fprintf(out, "%s\"%s\":", comma, path_names[i]);
			report_operation(op);
			comma = ",";
		}
		op->nr_samples = 0;
		op->nr_lost = 0;
		op->full = false;
	}
	fputs("}}\n", out);
	fflush(out);
	between_locked = 0;
}

/* ---- translation ---- */

static void obey(char *text)
{
	char *rest = strchr(text, ' ');

	if (rest)
		*rest++ = '\0';
	if (!strcmp(text, "report")) {
		report(rest ? rest : "");
	} else if (!strcmp(text, "watch") && rest) {
		/*
		 * Reset only once: if an instruction ends in an exception, QEMU 7.2 may
		 * use its callbacks after a reset has freed them.
		 */
		if (watching)
			return;
		watching = true;
		inside_from = strtoull(rest, &rest, 16);
		inside_to = strtoull(rest, &rest, 16);
		qemu_plugin_reset(plugin_id, start_anew);
	} else {
		fprintf(stderr, "counts: the guest said '%s'\n", text);
	}
}

static void on_mark(unsigned int cpu, void *data)
{
	uint32_t disp = (uintptr_t)data, id = disp & 0xff;
	struct operation *op = &operations[id];

	switch (mark_op(disp)) {
	case BENCH_MARK_BEGIN:
		begin(op, cpu);
		break;
	case BENCH_MARK_END:
		end(op, cpu);
		break;
	case BENCH_MARK_END_AWAY:
		if (op->was_away)
			end(op, cpu);
		else
			drop(op);
		break;
	case BENCH_MARK_DROP:
		drop(op);
		break;
	case BENCH_MARK_OUT:
		if (op->cpu == (int)cpu) {
			op->was_away = true;
			leave_cpu(op);
		}
		break;
	case BENCH_MARK_IN:
		if (op->open && op->cpu == NOWHERE)
			enter_cpu(op, cpu);
		break;
	case BENCH_MARK_FROM:
		from_locked = all_locked;
		turns_begin();
		break;
	case BENCH_MARK_TO:
		between_locked = all_locked - from_locked;
		turns_end();
		break;
	case BENCH_MARK_TURN:
		if (watching && nr_cpus <= MAX_TURN_CPUS)
			turn_begin(cpu);
		break;
	case BENCH_MARK_TICK:
		turns[cpu].ticked = true;
		break;
	case BENCH_MARK_ZERO:
	case BENCH_MARK_ONE:
		hear_mark(disp);
		break;
	}
}

static struct insn *insn_of(struct qemu_plugin_insn *insn, bool locked)
{
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	struct insn *own = room_for(1, sizeof(*own));

	own->locked = locked;
	own->inside = address >= inside_from && address < inside_to;
	return own;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i, size;
	struct qemu_plugin_insn *insn;
	const uint8_t *code;
	struct insn *own;
	uint32_t mark;
	bool locked;

	(void)id;
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		code = qemu_plugin_insn_data(insn);
		size = qemu_plugin_insn_size(insn);
		mark = mark_of(code, size);
		if (mark) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)mark);
			continue;
		}
		locked = x86_is_locked(code, size);
		if (locked)
			qemu_plugin_register_vcpu_insn_exec_inline(insn,
								   QEMU_PLUGIN_INLINE_ADD_U64,
								   &all_locked, 1);
		if (!watching)
			continue;
		/* never freed: the plugin does not learn when QEMU drops the translation */
		own = insn_of(insn, locked);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn, QEMU_PLUGIN_CB_NO_REGS, own);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, own);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	int i;

	nr_cpus = start(id, info, MAX_CPUS, argc ? argv[0] : NULL);
	if (argc > 1 && !strncmp(argv[1], "share=", 6))
		cache_cpus = strtoul(argv[1] + 6, NULL, 10);
	if (!cache_cpus || cache_cpus > MAX_TURN_CPUS)
		die("share=N is 1 to 64");
	turns = room_for(nr_cpus, sizeof(*turns));
	written = room_for(NR_WRITTEN, sizeof(*written));
	for (i = 0; i < NR_BENCH_PATHS; i++)
		operations[i].cpu = NOWHERE;
	return 0;
}
