// SPDX-License-Identifier: GPL-2.0
/*
 * Filter programs as eBPF, which the kernel compiles to machine code.  A verified program needs no
 * further checks.  All of its loads are in the raw data, because the interpreter runs it for raw
 * data shorter than prog_min_size.
 */
#include <linux/cgroup-defs.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/filter.h>
#include <linux/kernfs.h>
#include <linux/limits.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <asm/byteorder.h>

#include "filter/filter.h"

static bool filter_jit = true;
module_param(filter_jit, bool, 0644);
MODULE_PARM_DESC(filter_jit, "Run filters as machine code where the kernel has a compiler (default: yes)");

/* Longer strings are compared by a function call. */
#define MAX_INLINE_STRING	32

/* Three registers that calls preserve, and one for values that need not be preserved. */
#define REG_RAW		BPF_REG_6
#define REG_RECORD	BPF_REG_7	/* struct ktrace_filter_record */
#define REG_TASK	BPF_REG_8	/* the current task */
#define REG_VALUE	BPF_REG_3

/*
 * A program that makes no calls gets the raw data and the task in these registers, and keeps them
 * there.
 */
#define REG_RAW_BARE	BPF_REG_1
#define REG_TASK_BARE	BPF_REG_2

/* The accumulator, in programs with calls (preserved) and without; and a register for a sign. */
#define REG_ACCUMULATOR		BPF_REG_9
#define REG_ACCUMULATOR_BARE	BPF_REG_4
#define REG_SIGN		BPF_REG_5

struct code {
	struct bpf_insn *insns;		/* NULL: instructions are only counted */
	u32 nr;
	/* The start of each instruction of the program, then of the two ends (accept, reject). */
	u32 start[KTRACE_FILTER_MAX_INSNS + 2];
};

/* A program under translation. */
struct job {
	const struct ktrace_filter *filter;
	struct code code;
	u32 min_size;
	u32 nr_registers;		/* registers of the filter, on the stack */
	bool calls;			/* the program calls functions */
	bool is_bare;			/* it calls none, so it need not preserve registers */
	bool takes_common;
};

static void emit(struct code *code, struct bpf_insn insn)
{
	if (code->insns)
		code->insns[code->nr] = insn;
	code->nr++;
}

static void emit_load_imm64(struct code *code, u8 reg, u64 value)
{
	struct bpf_insn pair[] = { BPF_LD_IMM64(reg, value) };

	emit(code, pair[0]);
	emit(code, pair[1]);
}

/* The index in code.start of the destination of a jump to @target. */
static u32 start_of(const struct job *job, u16 target)
{
	if (target < KTRACE_FILTER_REJECT)
		return target;
	return job->filter->nr_insns + (target == KTRACE_FILTER_REJECT);
}

/*
 * The distance of a jump to @target, counted from the instruction after the jump, which is
 * emitted next.
 */
static s16 distance(const struct job *job, u16 target)
{
	return job->code.start[start_of(job, target)] - job->code.nr - 1;
}

static void emit_jump(struct job *job, u16 target)
{
	emit(&job->code, BPF_JMP_A(distance(job, target)));
}

/* The jump with the inverse condition; 0 if there is none. */
static u8 inverse(u8 jump)
{
	switch (jump) {
	case BPF_JEQ:
		return BPF_JNE;
	case BPF_JNE:
		return BPF_JEQ;
	case BPF_JLT:
		return BPF_JGE;
	case BPF_JGT:
		return BPF_JLE;
	case BPF_JSLT:
		return BPF_JSGE;
	case BPF_JSGT:
		return BPF_JSLE;
	default:
		return 0;
	}
}

static bool is_imm(u64 value)
{
	return (s64)value == (s32)value;
}

/* Emits a jump to jt of the instruction at @index if the condition holds, otherwise to jf. */
static void emit_condition(struct job *job, struct bpf_insn branch, u32 index)
{
	const struct ktrace_filter_insn *insn = &job->filter->insns[index];
	u16 jt = insn->jt, jf = insn->jf;
	u8 jump = inverse(BPF_OP(branch.code));

	/* The code that follows needs no jump: the next instruction, or the end behind the last. */
	if (start_of(job, jt) == index + 1 && jump) {
		branch.code ^= BPF_OP(branch.code) ^ jump;
		swap(jt, jf);
	}
	branch.off = distance(job, jt);
	emit(&job->code, branch);
	if (start_of(job, jf) != index + 1)
		emit_jump(job, jf);
}

/*
 * Compares @reg with @value by a jump instruction of @class (BPF_JMP, or BPF_JMP32 for the
 * lower half only).
 */
static void emit_branch(struct job *job, u8 class, u8 jump, u8 reg, u64 value, u32 index)
{
	struct bpf_insn branch = BPF_RAW_INSN(class | jump | BPF_K, reg, 0, 0, value);

	if (!is_imm(value)) {
		emit_load_imm64(&job->code, REG_VALUE, value);
		branch = BPF_RAW_INSN(class | jump | BPF_X, reg, REG_VALUE, 0, 0);
	}
	emit_condition(job, branch, index);
}

static u8 load_size(u32 width)
{
	switch (width) {
	case 1:
		return BPF_B;
	case 2:
		return BPF_H;
	case 4:
		return BPF_W;
	default:
		return BPF_DW;
	}
}

static void emit_load(struct job *job, u8 to, u32 offset, u32 width)
{
	emit(&job->code, BPF_LDX_MEM(load_size(width), to,
				     job->is_bare ? REG_RAW_BARE : REG_RAW, offset));
	job->min_size = max(job->min_size, offset + width);
	job->takes_common |= offset < sizeof(struct trace_entry);
}

static void emit_task_load(struct job *job, u8 to, u32 offset, u32 width)
{
	emit(&job->code, BPF_LDX_MEM(load_size(width), to,
				     job->is_bare ? REG_TASK_BARE : REG_TASK, offset));
}

/* Follows the pointer in a register. */
static void emit_follow(struct job *job, u8 reg, u32 offset, u32 width)
{
	emit(&job->code, BPF_LDX_MEM(load_size(width), reg, reg, offset));
}

/* The offset of a member in the task; a load cannot reach further than S16_MAX. */
#define TASK(member)	offsetof(struct task_struct, member)

/*
 * Loads a common field that is a number, like the functions in common_fields.c.  Returns false for
 * a field that is left to these functions.
 */
static bool emit_field_load(struct job *job, u8 to, u32 field)
{
	if (TASK(pid) > S16_MAX || TASK(tgid) > S16_MAX || TASK(cred) > S16_MAX)
		return false;
	switch (field) {
	case KTRACE_FIELD_TGID:
		emit_task_load(job, to, TASK(tgid), sizeof_field(struct task_struct, tgid));
		return true;
	case KTRACE_FIELD_TID:
		emit_task_load(job, to, TASK(pid), sizeof_field(struct task_struct, pid));
		return true;
	case KTRACE_FIELD_UID:
		emit_task_load(job, to, TASK(cred), sizeof(void *));
		emit_follow(job, to, offsetof(struct cred, uid), sizeof_field(struct cred, uid));
		return true;
#if defined(CONFIG_SMP) && defined(CONFIG_THREAD_INFO_IN_TASK)
	case KTRACE_FIELD_CPU:
		/* A running task stores the number of its CPU. */
		emit_task_load(job, to, TASK(thread_info.cpu),
			       sizeof_field(struct thread_info, cpu));
		return true;
#endif
#ifdef CONFIG_CGROUPS
	case KTRACE_FIELD_CGROUP:
		if (TASK(cgroups) > S16_MAX)
			return false;
		emit_task_load(job, to, TASK(cgroups), sizeof(void *));
		emit_follow(job, to, offsetof(struct css_set, dfl_cgrp), sizeof(void *));
		emit_follow(job, to, offsetof(struct cgroup, kn), sizeof(void *));
		emit_follow(job, to, offsetof(struct kernfs_node, id), sizeof(u64));
		return true;
#endif
	default:
		return false;
	}
}

static void emit_sign(struct job *job, u8 reg, u32 width)
{
	emit(&job->code, BPF_ALU64_IMM(BPF_LSH, reg, 64 - 8 * width));
	emit(&job->code, BPF_ALU64_IMM(BPF_ARSH, reg, 64 - 8 * width));
}

/* The instruction of a comparison. */
static u8 jump_of(u8 op, bool is_signed)
{
	switch (op) {
	case KTRACE_FILTER_EQ:
	case KTRACE_FILTER_ACC_EQ:
		return BPF_JEQ;
	case KTRACE_FILTER_LT:
	case KTRACE_FILTER_ACC_LT:
		return is_signed ? BPF_JSLT : BPF_JLT;
	case KTRACE_FILTER_GT:
	case KTRACE_FILTER_ACC_GT:
		return is_signed ? BPF_JSGT : BPF_JGT;
	default:
		return BPF_JSET;
	}
}

/* Returns false if the program has to call a function. */
static bool emit_number(struct job *job, u32 index)
{
	const struct ktrace_filter_insn *insn = &job->filter->insns[index];
	bool is_signed = insn->flags & KTRACE_FILTER_SIGNED;
	u8 class = BPF_JMP;

	if (insn->src == KTRACE_FILTER_SRC_RECORD)
		emit_load(job, BPF_REG_0, insn->offset, insn->width);
	else if (!emit_field_load(job, BPF_REG_0, insn->offset))
		return false;
	/* With signs extended, the upper halves need not be compared: the lower ones decide. */
	if (is_signed && insn->width == 4 && is_imm(insn->value))
		class = BPF_JMP32;
	else if (is_signed && insn->width < 8)
		emit_sign(job, BPF_REG_0, insn->width);
	emit_branch(job, class, jump_of(insn->op, is_signed), BPF_REG_0, insn->value, index);
	return true;
}

static u64 load_number(const char *bytes, u32 width)
{
	u64 value = 0;

	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		memcpy((char *)&value + sizeof(value) - width, bytes, width);
	else
		memcpy(&value, bytes, width);
	return value;
}

/* Does the pattern consist of characters that stand for themselves, up to a last '*'? */
static bool is_beginning(const char *pattern, u32 len)
{
	u32 i;

	for (i = 0; i + 1 < len; i++)
		if (strchr("*?[\\", pattern[i]))
			return false;
	return len > 1 && pattern[len - 1] == '*';
}

/*
 * Compares the operand with the bytes of the pattern and, if the array is longer, with the NUL
 * behind them.  Of patterns with a '*', only prefixes are compared here.
 */
static bool emit_equal(struct job *job, u32 index)
{
	const struct ktrace_filter_insn *insn = &job->filter->insns[index];
	const char *pattern = job->filter->pool + (insn->value >> 32);
	bool begins = insn->op == KTRACE_FILTER_GLOB;
	u32 len = insn->value, size, at = 0, width;
	char bytes[MAX_INLINE_STRING + 1] = {};
	u64 value;

	if (begins && !is_beginning(pattern, len))
		return false;
	len -= begins;
	if (len > MAX_INLINE_STRING || len > insn->width || memchr(pattern, '\0', len) ||
	    TASK(comm) + sizeof_field(struct task_struct, comm) > S16_MAX)
		return false;
	memcpy(bytes, pattern, len);
	size = len + (!begins && len < insn->width);

	while (at < size) {
		width = rounddown_pow_of_two(min(size - at, 8U));
		value = load_number(bytes + at, width);
		if (insn->src == KTRACE_FILTER_SRC_RECORD)
			emit_load(job, BPF_REG_0, insn->offset + at, width);
		else
			emit_task_load(job, BPF_REG_0, TASK(comm) + at, width);
		at += width;
		if (at == size) {
			emit_branch(job, BPF_JMP, BPF_JEQ, BPF_REG_0, value, index);
		} else if (is_imm(value)) {
			emit(&job->code, BPF_JMP_IMM(BPF_JNE, BPF_REG_0, value,
						     distance(job, insn->jf)));
		} else {
			emit_load_imm64(&job->code, REG_VALUE, value);
			emit(&job->code, BPF_JMP_REG(BPF_JNE, BPF_REG_0, REG_VALUE,
						     distance(job, insn->jf)));
		}
	}
	return true;
}

static notrace u64 call_holds(u64 filter, u64 insn, u64 rec, u64 unused, u64 unused2)
{
	return ktrace_filter_holds((const void *)(uintptr_t)filter,
				   (const void *)(uintptr_t)insn,
				   (const void *)(uintptr_t)rec);
}

static void emit_call(struct job *job, u32 index)
{
	emit_load_imm64(&job->code, BPF_REG_1, (uintptr_t)job->filter);
	emit_load_imm64(&job->code, BPF_REG_2, (uintptr_t)&job->filter->insns[index]);
	emit(&job->code, BPF_MOV64_REG(BPF_REG_3, REG_RECORD));
	emit(&job->code, BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0,
				      (u64)call_holds - (u64)__bpf_call_base));
	emit_branch(job, BPF_JMP, BPF_JNE, BPF_REG_0, 0, index);
	job->calls = true;
}

static notrace u64 call_number(u64 insn, u64 rec, u64 unused, u64 unused2, u64 unused3)
{
	return ktrace_filter_number((const void *)(uintptr_t)insn, (const void *)(uintptr_t)rec);
}

/* Are the functions near enough for the offset in a call instruction? */
static bool is_callable(void)
{
	return is_imm((u64)call_holds - (u64)__bpf_call_base) &&
	       is_imm((u64)call_number - (u64)__bpf_call_base);
}

static u8 accumulator_of(const struct job *job)
{
	return job->is_bare ? REG_ACCUMULATOR_BARE : REG_ACCUMULATOR;
}

static s16 stack_of(u32 number)
{
	return -(s16)sizeof(u64) * (s16)(number + 1);
}

/* Loads the operand, extended to 64 bits, into @to. */
static void emit_operand(struct job *job, u8 to, u32 index)
{
	const struct ktrace_filter_insn *insn = &job->filter->insns[index];

	switch (insn->src) {
	case KTRACE_FILTER_SRC_REGISTER:
		emit(&job->code, BPF_LDX_MEM(BPF_DW, to, BPF_REG_FP, stack_of(insn->offset)));
		return;
	case KTRACE_FILTER_SRC_VALUE:
		if (is_imm(insn->value))
			emit(&job->code, BPF_MOV64_IMM(to, insn->value));
		else
			emit_load_imm64(&job->code, to, insn->value);
		return;
	case KTRACE_FILTER_SRC_RECORD:
		emit_load(job, to, insn->offset, insn->width);
		break;
	case KTRACE_FILTER_SRC_FIELD:
		if (emit_field_load(job, to, insn->offset))
			break;
		fallthrough;
	default:
		emit_load_imm64(&job->code, BPF_REG_1, (uintptr_t)insn);
		emit(&job->code, BPF_MOV64_REG(BPF_REG_2, REG_RECORD));
		emit(&job->code, BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0,
					      (u64)call_number - (u64)__bpf_call_base));
		job->calls = true;
		/* The function has extended it. */
		if (to != BPF_REG_0)
			emit(&job->code, BPF_MOV64_REG(to, BPF_REG_0));
		return;
	}
	if (insn->flags & KTRACE_FILTER_SIGNED && insn->width < 8)
		emit_sign(job, to, insn->width);
}

/* Negates a register if it is negative. */
static void emit_magnitude(struct job *job, u8 reg)
{
	emit(&job->code, BPF_JMP_IMM(BPF_JSGE, reg, 0, 1));
	emit(&job->code, BPF_ALU64_IMM(BPF_NEG, reg, 0));
}

/* Divides the accumulator by R0.  Some kernels and machines have no signed divisions. */
static void emit_division(struct job *job, const struct ktrace_filter_insn *insn)
{
	bool is_signed = insn->flags & KTRACE_FILTER_SIGNED_OP;
	u8 op = insn->op == KTRACE_FILTER_DIV ? BPF_DIV : BPF_MOD;
	u8 accumulator = accumulator_of(job);

	emit(&job->code, BPF_JMP_IMM(BPF_JEQ, BPF_REG_0, 0, distance(job, insn->jf)));
	if (is_signed) {
		emit(&job->code, BPF_MOV64_REG(REG_SIGN, accumulator));
		if (op == BPF_DIV)
			emit(&job->code, BPF_ALU64_REG(BPF_XOR, REG_SIGN, BPF_REG_0));
		emit_magnitude(job, accumulator);
		emit_magnitude(job, BPF_REG_0);
	}
	emit(&job->code, BPF_ALU64_REG(op, accumulator, BPF_REG_0));
	if (is_signed) {
		emit(&job->code, BPF_JMP_IMM(BPF_JSGE, REG_SIGN, 0, 1));
		emit(&job->code, BPF_ALU64_IMM(BPF_NEG, accumulator, 0));
	}
}

/* Shifts the accumulator by the value, or by R0.  Machines would use only its lower six bits. */
static void emit_shift(struct job *job, const struct ktrace_filter_insn *insn)
{
	bool is_signed = insn->flags & KTRACE_FILTER_SIGNED_OP;
	u8 op = insn->op == KTRACE_FILTER_SHL ? BPF_LSH : is_signed ? BPF_ARSH : BPF_RSH;
	u8 accumulator = accumulator_of(job);
	struct bpf_insn all = is_signed ? BPF_ALU64_IMM(BPF_ARSH, accumulator, 63) :
					  BPF_MOV64_IMM(accumulator, 0);

	if (insn->src == KTRACE_FILTER_SRC_VALUE) {
		emit(&job->code, insn->value < 64 ? BPF_ALU64_IMM(op, accumulator, insn->value) :
						    all);
		return;
	}
	emit(&job->code, BPF_JMP_IMM(BPF_JLT, BPF_REG_0, 64, 2));
	emit(&job->code, all);
	emit(&job->code, BPF_JMP_A(1));
	emit(&job->code, BPF_ALU64_REG(op, accumulator, BPF_REG_0));
}

static u8 alu_of(u8 op)
{
	switch (op) {
	case KTRACE_FILTER_ADD:
		return BPF_ADD;
	case KTRACE_FILTER_SUB:
		return BPF_SUB;
	case KTRACE_FILTER_MUL:
		return BPF_MUL;
	case KTRACE_FILTER_AND:
		return BPF_AND;
	case KTRACE_FILTER_OR:
		return BPF_OR;
	default:
		return BPF_XOR;
	}
}

/* Combines the accumulator with the value, if it fits into an instruction, or with R0. */
static void emit_alu(struct job *job, const struct ktrace_filter_insn *insn, bool by_value)
{
	u8 accumulator = accumulator_of(job);

	if (by_value)
		emit(&job->code, BPF_ALU64_IMM(alu_of(insn->op), accumulator, insn->value));
	else
		emit(&job->code, BPF_ALU64_REG(alu_of(insn->op), accumulator, BPF_REG_0));
}

/* Emits an instruction from KTRACE_FILTER_LOAD on. */
static void emit_arithmetic(struct job *job, u32 index)
{
	const struct ktrace_filter_insn *insn = &job->filter->insns[index];
	u8 accumulator = accumulator_of(job), jump;
	bool is_division = insn->op == KTRACE_FILTER_DIV || insn->op == KTRACE_FILTER_MOD;
	bool is_shift = insn->op == KTRACE_FILTER_SHL || insn->op == KTRACE_FILTER_SHR;
	bool by_value = insn->src == KTRACE_FILTER_SRC_VALUE && !is_division &&
			(is_shift || is_imm(insn->value));

	if (insn->op == KTRACE_FILTER_STORE) {
		emit(&job->code, BPF_STX_MEM(BPF_DW, BPF_REG_FP, accumulator,
					     stack_of(insn->offset)));
		job->nr_registers = max(job->nr_registers, insn->offset + 1);
	} else if (insn->op == KTRACE_FILTER_LOAD) {
		emit_operand(job, accumulator, index);
	} else if (!by_value) {
		emit_operand(job, BPF_REG_0, index);
	}

	if (insn->op >= KTRACE_FILTER_ACC_EQ) {
		jump = jump_of(insn->op, insn->flags & KTRACE_FILTER_SIGNED_OP);
		if (by_value)
			emit_branch(job, BPF_JMP, jump, accumulator, insn->value, index);
		else
			emit_condition(job, BPF_JMP_REG(jump, accumulator, BPF_REG_0, 0), index);
		return;
	}
	if (is_division)
		emit_division(job, insn);
	else if (is_shift)
		emit_shift(job, insn);
	else if (insn->op > KTRACE_FILTER_STORE)
		emit_alu(job, insn, by_value);
	if (start_of(job, insn->jt) != index + 1)
		emit_jump(job, insn->jt);
}

static bool is_inline_operand(const struct ktrace_filter_insn *insn)
{
	return insn->src == KTRACE_FILTER_SRC_RECORD || insn->src == KTRACE_FILTER_SRC_FIELD;
}

static void translate(struct job *job)
{
	const struct ktrace_filter_insn *insn;
	struct code *code = &job->code;
	u32 i;

	code->nr = 0;
	if (!job->is_bare) {
		emit(code, BPF_MOV64_REG(REG_RECORD, BPF_REG_1));
		emit(code, BPF_LDX_MEM(BPF_DW, REG_RAW, BPF_REG_1,
				       offsetof(struct ktrace_filter_record, raw)));
		emit(code, BPF_MOV64_REG(REG_TASK, BPF_REG_2));
	}
	for (i = 0; i < job->filter->nr_insns; i++) {
		insn = &job->filter->insns[i];
		code->start[i] = code->nr;
		if (insn->op >= KTRACE_FILTER_LOAD)
			emit_arithmetic(job, i);
		else if (!is_inline_operand(insn) ||
			 !(insn->op < KTRACE_FILTER_STREQ ? emit_number(job, i) :
							    emit_equal(job, i)))
			emit_call(job, i);
	}
	code->start[i] = code->nr;
	emit(code, BPF_MOV64_IMM(BPF_REG_0, 1));
	emit(code, BPF_EXIT_INSN());
	code->start[i + 1] = code->nr;
	emit(code, BPF_MOV64_IMM(BPF_REG_0, 0));
	emit(code, BPF_EXIT_INSN());
}

static struct bpf_prog *compile(struct job *job)
{
	struct bpf_prog *prog;
	int err = 0;

	/*
	 * The first pass finds out whether the program makes calls.  The second one finds the start
	 * of each instruction; the distances of jumps do not change the lengths of instructions.
	 */
	translate(job);
	job->is_bare = !job->calls;
	translate(job);
	if (job->code.nr > S16_MAX)
		return NULL;
	prog = bpf_prog_alloc(bpf_prog_size(job->code.nr), __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!prog)
		return NULL;
	prog->len = job->code.nr;
	prog->type = BPF_PROG_TYPE_SOCKET_FILTER;
	prog->aux->stack_depth = sizeof(u64) * job->nr_registers;
	job->code.insns = prog->insnsi;
	translate(job);

	prog = bpf_prog_select_runtime(prog, &err);
	/* The kernel's interpreter would be slower than ours. */
	if (err || !prog->jited) {
		bpf_prog_free(prog);
		return NULL;
	}
	return prog;
}

void ktrace_filter_jit_compile(struct ktrace_filter *filter)
{
	struct job *job;

	/* These are also read if the program is left to the interpreter. */
	filter->prog = NULL;
	filter->prog_min_size = 0;
	filter->prog_is_bare = false;
	filter->prog_takes_common = false;
	if (!READ_ONCE(filter_jit) || !is_callable() ||
	    !IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS))
		return;
	/* Without memory for this, the program is left to the interpreter, too. */
	job = kzalloc(sizeof(*job), GFP_KERNEL | __GFP_NOWARN);
	if (!job)
		return;
	job->filter = filter;
	filter->prog = compile(job);
	filter->prog_min_size = job->min_size;
	filter->prog_is_bare = job->is_bare;
	filter->prog_takes_common = job->takes_common;
	kfree(job);
}

void ktrace_filter_jit_free(struct ktrace_filter *filter)
{
	if (filter->prog)
		bpf_prog_free(filter->prog);
}

bool ktrace_filter_jit_works(void)
{
	static const struct ktrace_filter_insn accept = {
		.op = KTRACE_FILTER_EQ, .src = KTRACE_FILTER_SRC_RECORD, .width = 1,
		.jt = KTRACE_FILTER_ACCEPT, .jf = KTRACE_FILTER_ACCEPT,
	};
	struct ktrace_filter *filter;
	bool works;

	filter = kmalloc(struct_size(filter, insns, 1), GFP_KERNEL);
	if (!filter)
		return false;
	filter->nr_insns = 1;
	filter->insns[0] = accept;
	ktrace_filter_jit_compile(filter);
	works = filter->prog;
	ktrace_filter_jit_free(filter);
	kfree(filter);
	return works;
}
