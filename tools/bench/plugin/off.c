// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU that counts what a CPU executes with interrupts off, if code of wpool is a part
 * of it: instructions, and distinct cache lines of data.
 *
 * A section begins behind the instruction that disables interrupts, and ends with the one that
 * enables them. This API of QEMU does not show the flag, so the plugin follows the instructions:
 *
 *	cli, sti	disable, enable
 *	clac, cld	the begin of each entry of the interrupt table: interrupts are off. In a
 *			section this is an exception: a nested entry
 *	iret		ends the innermost nested entry, or the section
 *	sysret		enables
 *	pushf, popf	popf gives back what the last pushf of this CPU saw: the few popf of
 *			the kernel have their pushf just before
 *
 * If wpool began the section, all of it counts. It began the section if it executed cli, or called
 * a function whose first instructions have it, as that of a spin lock. Of other sections, those of
 * interrupts and of the scheduler, what is before the first and behind the last instruction of
 * wpool does not count.
 *
 * A block of instructions counts when it begins, except what is behind the end of a section. A line
 * is as in counts.c.
 *
 * The guest sends "own RANGE...": the addresses of wpool's code, each FROM-TO in hexadecimal. The
 * first one makes the plugin begin to count, which makes the emulator slow. At "report WHAT", the
 * file out=FILE gets a line of JSON with the longest section by the address of its first
 * instruction of wpool. All CPUs must share one thread: -accel tcg,thread=single.
 */
#include "hear.h"

#define MAX_CPUS	64
#define MAX_OWN		4
#define NR_LONGEST	4096	/* for the first instructions: 2^12 */
/* A function that wpool calls has executed no more instructions than this up to its cli. */
#define MAX_PROLOGUE	16

struct counts {
	uint32_t insns, lines;
};

struct cpu {
	bool off, pushed_off, by_own;
	uint32_t nested, generation;
	uint64_t total, last_own;	/* instructions ever; the same when wpool's code last ran */
	uint64_t first;			/* the first instruction of wpool in the section, or 0 */
	/* until now, before the first instruction of wpool, and up to its last one */
	struct counts now, before, until;
	struct slot slots[NR_SLOTS];
};

static struct cpu *cpus;
static struct longest { uint64_t first; struct counts ours, whole; } longest[NR_LONGEST];
static struct { uint64_t from, to; } own[MAX_OWN];
static uint32_t nr_own;

/* In units of 0.5 ns, as in off.py: 2,000 instructions take 1 us, a line 0.1 us. */
static uint64_t cost(struct counts counts)
{
	return counts.insns + 200ULL * counts.lines;
}

static bool is_own(uint64_t address)
{
	uint32_t i;

	for (i = 0; i < nr_own; i++)
		if (address >= own[i].from && address < own[i].to)
			return true;
	return false;
}

/* ---- a section ---- */

/* @insns: the instructions behind, in a block that has been counted */
static void begin(struct cpu *cpu, bool by_own, uint32_t insns)
{
	cpu->off = true;
	cpu->by_own = by_own;
	cpu->nested = 0;
	cpu->generation++;
	cpu->first = 0;
	cpu->now = (struct counts){ .insns = insns };
}

static void keep(uint64_t first, struct counts ours, struct counts whole)
{
	uint32_t at = place_of(first, 12), tries;
	struct longest *one;

	for (tries = 0; tries < NR_LONGEST; tries++) {
		one = &longest[(at + tries) % NR_LONGEST];
		if (one->first && one->first != first)
			continue;
		if (cost(ours) > cost(one->ours))
			*one = (struct longest){ first, ours, whole };
		return;
	}
	die("too many sections");
}

/* The code of wpool runs, up to here. */
static void go_on(struct cpu *cpu)
{
	if (cpu->first && cpu->last_own == cpu->total)
		cpu->until = cpu->now;
}

static void end(struct cpu *cpu, uint32_t behind)
{
	struct counts ours;

	if (!cpu->off)
		return;
	cpu->off = false;
	cpu->now.insns -= behind;
	go_on(cpu);
	ours = cpu->now;
	if (!cpu->by_own) {
		ours.insns = cpu->until.insns - cpu->before.insns;
		ours.lines = cpu->until.lines - cpu->before.lines;
	}
	if (cpu->first)
		keep(cpu->first, ours, cpu->now);
}

static void touch(struct cpu *cpu, uint64_t line)
{
	bool is_new;

	if (slot_of(cpu->slots, cpu->generation, line, &is_new)) {
		cpu->now.lines += is_new;
		return;
	}
	/* wpool has not run in it: drop the section. Which one it is has not been found out. */
	if (cpu->first)
		die("too many lines");
	cpu->off = false;
}

/* ---- what CPUs execute ---- */

static void on_access(unsigned int index, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	uint64_t last = last_line(info, address), line;
	struct cpu *cpu = &cpus[index];

	(void)data;
	if (!cpu->off)
		return;
	for (line = address >> LINE_SHIFT; line <= last; line++)
		touch(cpu, line);
	go_on(cpu);
}

/* A block of @nr instructions, or the instruction @op, with @nr ones behind it in its block. */
struct code {
	uint64_t address;
	uint32_t nr;
	uint8_t op;	/* the last byte of the instruction */
};

static void enter_own(struct cpu *cpu, uint64_t address)
{
	if (cpu->off && !cpu->first) {
		cpu->first = address;
		cpu->before = cpu->now;
	}
}

static void on_block(unsigned int index, void *data)
{
	const struct code *block = data;
	struct cpu *cpu = &cpus[index];

	if (is_own(block->address)) {
		enter_own(cpu, block->address);
		cpu->last_own = cpu->total + block->nr;
	}
	cpu->total += block->nr;
	cpu->now.insns += block->nr;
	go_on(cpu);
}

static void on_flag(unsigned int index, void *data)
{
	const struct code *insn = data;
	struct cpu *cpu = &cpus[index];

	switch (insn->op) {
	case 0xfa:	/* cli */
		if (cpu->off)
			break;
		begin(cpu, cpu->total - insn->nr <= cpu->last_own + MAX_PROLOGUE, insn->nr);
		if (is_own(insn->address))
			enter_own(cpu, insn->address);
		break;
	case 0xfc:	/* cld, behind clac */
		if (cpu->off)
			cpu->nested++;
		else
			begin(cpu, false, insn->nr);
		break;
	case 0xcf:	/* iret */
		if (cpu->off && cpu->nested)
			cpu->nested--;
		else
			end(cpu, insn->nr);
		break;
	case 0x9c:	/* pushf */
		cpu->pushed_off = cpu->off;
		break;
	case 0x9d:	/* popf */
		if (!cpu->pushed_off)
			end(cpu, insn->nr);
		break;
	case 0xfb:	/* sti */
	case 0x07:	/* sysret */
		end(cpu, insn->nr);
		break;
	}
}

static void on_mark(unsigned int index, void *data)
{
	(void)index;
	hear_mark((uintptr_t)data);
}

/* ---- translation ---- */

static bool is(const char *bytes, const uint8_t *code, size_t size)
{
	return size == strlen(bytes) && !memcmp(bytes, code, size);
}

static bool may_change_flag(const uint8_t *code, size_t size, bool behind_clac)
{
	return is("\xfa", code, size) || is("\xfb", code, size) || is("\x9c", code, size) ||
	       is("\x9d", code, size) || is("\x48\xcf", code, size) ||
	       is("\x48\x0f\x07", code, size) || (behind_clac && is("\xfc", code, size));
}

/* Never freed: the plugin does not learn when QEMU drops the translation. */
static struct code *code_at(uint64_t address, uint32_t nr, uint8_t op)
{
	struct code *code = room_for(1, sizeof(*code));

	*code = (struct code){ address, nr, op };
	return code;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i, size;
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	/* the kernel has the upper half of the addresses */
	bool counts = nr_own && address >> 63, clac = false;
	const uint8_t *code;
	uint32_t mark;

	(void)id;
	if (counts)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
						     code_at(address, n, 0));
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		code = qemu_plugin_insn_data(insn);
		size = qemu_plugin_insn_size(insn);
		address = qemu_plugin_insn_vaddr(insn);
		mark = mark_of(code, size);
		if (mark)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)mark);
		if (!counts)
			continue;
		if (may_change_flag(code, size, clac))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_flag,
							       QEMU_PLUGIN_CB_NO_REGS,
							       code_at(address, n - i - 1,
								       code[size - 1]));
		clac = is("\x0f\x01\xca", code, size);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* ---- what the guest says ---- */

static void report(const char *what)
{
	const char *comma = "";
	struct longest *one;

	fprintf(out, "{\"asked\":\"%s\",\"sections\":[", what);
	for (one = longest; one < longest + NR_LONGEST; one++) {
		if (!one->first)
			continue;
		fprintf(out, "%s{\"at\":\"%llx\",\"ours\":[%u,%u],\"whole\":[%u,%u]}", comma,
			(unsigned long long)one->first, one->ours.insns, one->ours.lines,
			one->whole.insns, one->whole.lines);
		comma = ",";
	}
	fputs("]}\n", out);
	fflush(out);
	memset(longest, 0, sizeof(longest));
}

static void obey(char *text)
{
	if (!strncmp(text, "report ", 7))
		report(text + 7);
	if (strncmp(text, "own ", 4))
		return;
	if (!nr_own)
		qemu_plugin_reset(plugin_id, start_anew);
	for (nr_own = 0, text += 3; nr_own < MAX_OWN && *text == ' '; nr_own++) {
		own[nr_own].from = strtoull(text, &text, 16);
		own[nr_own].to = strtoull(text + 1, &text, 16);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	cpus = room_for(start(id, info, MAX_CPUS, argc == 1 ? argv[0] : NULL), sizeof(*cpus));
	return 0;
}
