// SPDX-License-Identifier: GPL-2.0
/* The effects of instructions on memory and registers, by their text. */
#include "symbol/code/memory_operand.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "tap.h"

struct operand_case {
	const char *text;
	const char *want;
};

static const char *const effects[] = {
	[OPERAND_UNKNOWN] = "unknown", [OPERAND_WRITES] = "writes", [OPERAND_CALLS] = "calls",
	[OPERAND_MOVES] = "moves", [OPERAND_LOADS] = "loads", [OPERAND_ADDRESSES] = "addresses",
	[OPERAND_THREAD] = "thread",
};

/* "8(5,1,4) loads 0": the accessed memory, the effect, and the written registers. */
static void describe(uint16_t machine, const char *text, struct strbuf *out)
{
	const struct instruction instruction = {
		.address = 0x1234, .size = 4, .text = (char *)text,
		.refers = strstr(text, "(%rip)"), .target = 0x5678,
	};
	struct operands o;

	strbuf_reset(out);
	if (!operands_read(machine, &instruction, &o)) {
		strbuf_addstr(out, "unknown machine");
		return;
	}
	if (o.accesses || o.effect == OPERAND_ADDRESSES)
		strbuf_addf(out, "%s%s%" PRId64 "(%d,%d,%u) ", o.accesses ? "" : "&",
			    o.memory.segment ? "segment:" : "", o.memory.displacement,
			    o.memory.base, o.memory.index, o.memory.scale);
	strbuf_addstr(out, effects[o.effect]);
	for (size_t i = 0; i < OPERAND_WRITTEN; i++)
		if (o.written[i] != OPERAND_NONE)
			strbuf_addf(out, " %d", o.written[i]);
	if (o.effect == OPERAND_MOVES)
		strbuf_addf(out, " from %d", o.source);
	strbuf_addf(out, "%s%s%s", o.stack ? ", stack" : "", o.ends ? ", ends" : "",
		    o.wanders ? ", wanders" : "");
}

static const struct operand_case x86[] = {
	{ "mov    0x8(%rdi),%rax", "8(5,-1,0) loads 0" },
	{ "movq   -8(%rdi), %rax", "-8(5,-1,0) loads 0" },
	{ "mov    (%rdi,%rcx,8),%r12", "0(5,2,8) loads 12" },
	{ "mov    0x10(%rdi,%r9,1),%eax", "16(5,9,1) writes 0" },
	{ "mov    0x4040(,%rax,4),%ecx", "16448(-1,0,4) writes 2" },
	{ "mov    %rdi,%rbx", "moves 3 from 5" },
	{ "mov    %edi,%ebx", "writes 3" },
	{ "mov    %rax,0x18(%rsp)", "24(7,-1,0) writes" },
	{ "mov    0x1fe3(%rip),%rax        # 403000 <totals>", "22136(-1,-1,0) loads 0" },
	{ "lea    0x1fc4(%rip),%rdi", "&22136(-1,-1,0) addresses 5" },
	{ "lea    0x10(%rdi),%rsi", "&16(5,-1,0) addresses 4" },
	{ "add    $0x10,%rdi", "&16(5,-1,0) addresses 5" },
	{ "add    %rax,%rdi", "writes 5" },
	{ "add    0x8(%rdi),%rax", "8(5,-1,0) writes 0" },
	{ "lock addl $1,8(%rdi)", "8(5,-1,0) writes" },
	{ "cmp    %rax,0x8(%rdi)", "8(5,-1,0) writes" },
	{ "bt     %rax,0x8(%rdi)", "8(5,-1,0) writes" },
	{ "bts    %rax,0x8(%rdi)", "8(5,-1,0) unknown" },
	{ "cmpxchg %rcx,(%rdi)", "0(5,-1,0) unknown" },
	{ "mov    %fs:0x28,%rax", "segment:40(-1,-1,0) loads 0" },
	{ "mov    %fs:0x0,%rax", "segment:0(-1,-1,0) thread 0" },
	{ "mov    %gs:0x0,%rax", "segment:0(-1,-1,0) loads 0" },
	{ "mov    $0xffffffffffffffc8,%rax", "&-56(-1,-1,0) addresses 0" },
	{ "mov    $0x10,%eax", "writes 0" },
	{ "movabs 0x1122334455667788,%rax", "1234605616436508552(-1,-1,0) loads 0" },
	{ "rep stos %rax,%es:(%rdi)", "0(5,-1,0) unknown" },
	{ "nopw   0x0(%rax,%rax,1)", "writes" },
	{ "movsd  0x8(%rdi),%xmm0", "8(5,-1,0) writes" },
	{ "push   %rbp", "writes, stack" },
	{ "pop    %rbp", "writes 6, stack" },
	{ "popcnt %rax,%rbx", "writes 3" },
	{ "div    %rcx", "unknown" },
	{ "call   *0x10(%rax)", "16(0,-1,0) calls, stack" },
	{ "jmp    *%rax", "writes, ends, wanders" },
	{ "ret", "unknown, stack, ends" },
	{ "mov    0x8(%r08),%rax", "writes 0" },
	{ "mov    0x8(%rdi", "writes" },
	{ "(bad)", "unknown" },
	{ "", "unknown" },
};

static const struct operand_case arm64[] = {
	{ "ldr    x1, [x0, #0x8]", "8(0,-1,0) loads 1" },
	{ "ldr\tx1, [x0, #8]", "8(0,-1,0) loads 1" },
	{ "ldur   x1, [x0, #-8]", "-8(0,-1,0) loads 1" },
	{ "ldr    w1, [x0]", "0(0,-1,0) writes 1" },
	{ "ldrsw  x2, [x1, #0x14]", "20(1,-1,0) writes 2" },
	{ "ldr    x0, [x0, x1, lsl #3]", "0(0,1,8) loads 0" },
	{ "ldrb   w0, [x0, w1, sxtw]", "0(0,1,1) writes 0" },
	{ "ldr    x1, [x0], #8", "0(0,-1,0) writes 1 0" },
	{ "ldr    x1, [x0, #8]!", "8(0,-1,0) writes 1 0" },
	{ "ldp    x29, x30, [sp], #0x10", "0(31,-1,0) writes 29 30 31" },
	{ "stp    x29, x30, [sp, #-0x10]!", "-16(31,-1,0) writes 31" },
	{ "str    xzr, [x3, #0xfe8]", "4072(3,-1,0) writes" },
	{ "ldaddal x9, x10, [x10]", "0(10,-1,0) unknown" },
	{ "mov    x1, x0", "moves 1 from 0" },
	{ "mov    w1, w0", "writes 1" },
	{ "mov    x0, #0x0 // =0", "writes 0" },
	{ "add    x0, x1, #0x18", "&24(1,-1,0) addresses 0" },
	{ "add    x0, x1, #0x2, lsl #12", "&8192(1,-1,0) addresses 0" },
	{ "add    x0, x1, x2", "writes 0" },
	{ "adrp   x3, 31 // 0x41f000", "&4321280(-1,-1,0) addresses 3" },
	{ "adrp   x3, 0x41f000", "&4321280(-1,-1,0) addresses 3" },
	{ "adrp   x3, 31", "writes 3" },
	{ "bl     0x400144", "calls" },
	{ "cbz    x0, 0x40017c", "writes" },
	{ "br     x1", "writes, ends, wanders" },
	{ "ret", "writes, ends" },
	{ "prfm   pldl1keep, [x0, #8]", "8(0,-1,0) writes" },
	{ "ldr    x1, [x31]", "unknown" },
	{ "ldr    x1, [", "unknown" },
};

static void test_cases(uint16_t machine, const struct operand_case *cases, size_t nr)
{
	_cleanup_(strbuf) struct strbuf got = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		describe(machine, cases[i].text, &got);
		is_str(strbuf_str(&got), cases[i].want, named("'%s'", cases[i].text));
	}
}

/* Any text is read without harm, at the end of the memory that it has. */
static void test_mutations(void)
{
	static const char letters[] = "%$*#([])],!:-x0189rsdifbw \tlea";
	_cleanup_(strbuf) struct strbuf got = STRBUF_INIT;
	size_t effects_seen = 0;

	srandom(1);
	for (int i = 0; i < 100000; i++) {
		const struct operand_case *from = i & 1 ? &x86[random() % ARRAY_SIZE(x86)] :
							  &arm64[random() % ARRAY_SIZE(arm64)];
		_cleanup_free_ char *text = strndup(from->text, random() % 40);

		for (int k = random() % 4; k > 0 && *text; k--)
			text[(size_t)random() % strlen(text)] =
				letters[(size_t)random() % (sizeof(letters) - 1)];
		describe(i & 1 ? EM_X86_64 : EM_AARCH64, text, &got);
		effects_seen += strncmp(strbuf_str(&got), "unknown", 7) != 0;
	}
	ok(effects_seen > 10000, "changed texts are read without harm, %zu of them as instructions",
	   effects_seen);
}

int main(void)
{
	_cleanup_(strbuf) struct strbuf got = STRBUF_INIT;

	about("x86-64");
	test_cases(EM_X86_64, x86, ARRAY_SIZE(x86));
	about("arm64");
	test_cases(EM_AARCH64, arm64, ARRAY_SIZE(arm64));
	about_nothing();
	describe(EM_RISCV, "ld a0, 8(a1)", &got);
	is_str(strbuf_str(&got), "unknown machine", "instructions of other machines are not known");
	ok(operands_is_saved(EM_X86_64, 3) && !operands_is_saved(EM_X86_64, 5),
	   "functions of x86-64 leave rbx as it was, but not rdi");
	ok(operands_is_saved(EM_AARCH64, 19) && !operands_is_saved(EM_AARCH64, 0),
	   "functions of arm64 leave x19 as it was, but not x0");
	test_mutations();
	return tap_done();
}
