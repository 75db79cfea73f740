// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "symbol/disassembler.h"

#include <ctype.h>
#include <inttypes.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "symbol/elf/elf_file.h"

#define TEXT_MAX	512

struct llvm_machine {
	uint16_t machine;
	bool is_64;
	const char *triple;
	const char *features;
	size_t unit;		/* bytes to skip where no instruction is found */
};

static const struct llvm_machine llvm_machines[] = {
	{ EM_X86_64, true, "x86_64-unknown-linux-gnu", "", 1 },
	{ EM_386, false, "i386-unknown-linux-gnu", "", 1 },
	/* Without features, instructions that were added after the first version are unknown. */
	{ EM_AARCH64, true, "aarch64-unknown-linux-gnu",
	  "+v8.7a,+lse,+pauth,+mte,+sve2,+crypto,+sha3,+sm4,+fullfp16,+bf16,+i8mm,+rand,+ssbs,+sb",
	  4 },
};

static const struct llvm_machine *find_machine(const struct code *code)
{
	for (size_t i = 0; i < sizeof(llvm_machines) / sizeof(*llvm_machines); i++)
		if (llvm_machines[i].machine == code->machine &&
		    llvm_machines[i].is_64 == code->is_64)
			return &llvm_machines[i];
	return NULL;
}

/* The results of LLVM's queries while it prints an instruction. */
struct asked {
	bool branches;
	uint64_t target;
};

/*
 * LLVM queries the name of an address, which reveals branch targets.  It also queries the addresses
 * of data, but gets some of them wrong.
 */
static const char *note_address(void *data, uint64_t value, uint64_t *type, uint64_t address,
				const char **ret_name)
{
	struct asked *asked = data;

	if (*type == LLVMDisassembler_ReferenceType_In_Branch) {
		asked->branches = true;
		asked->target = value;
	}
	*type = LLVMDisassembler_ReferenceType_InOut_None;
	*ret_name = NULL;
	return NULL;
}

/*
 * Convert LLVM's output, "\tmovq\t8(%rdi), %rcx", to objdump's form: "movq   8(%rdi),%rcx".
 * @spaced: keep blanks behind commas, as objdump does for arm64.
 */
static void lay_out(struct strbuf *out, const char *text, bool spaced)
{
	size_t begin;

	strbuf_reset(out);
	while (isspace((unsigned char)*text))
		text++;
	begin = out->len;
	while (*text && !isspace((unsigned char)*text))
		strbuf_addch(out, *text++);
	while (isspace((unsigned char)*text))
		text++;
	if (!*text)
		return;
	strbuf_addch(out, ' ');
	strbuf_pad(out, begin + 7, ' ');
	for (; *text; text++) {
		if (*text == ' ' && text[-1] == ',' && !spaced)
			continue;
		strbuf_addch(out, *text == '\t' ? ' ' : *text);
	}
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

static void add_unknown(struct strbuf *out, const struct code *code, size_t at, size_t size)
{
	uint32_t word;

	strbuf_reset(out);
	if (size < sizeof(word)) {
		strbuf_addstr(out, "(bad)");
		return;
	}
	memcpy(&word, code->bytes + at, sizeof(word));
	strbuf_addf(out, ".inst  0x%08" PRIx32, word);
}

/* Whether LLVM has printed a prefix as an instruction of its own. */
static bool is_prefix(const char *text)
{
	static const char *const words[] = {
		"lock", "rep", "repe", "repz", "repne", "repnz", "data16", "data32", "addr32",
		"notrack", "xacquire", "xrelease", "rex64", "bnd", "cs", "ds", "es", "fs", "gs", "ss",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], text))
			return true;
	return false;
}

/* Put the prefix before the instruction that follows it.  false: out of memory. */
static bool join_prefix(struct disassembly *ret, size_t size, const char *text)
{
	struct instruction *last = &ret->items[ret->nr - 1];
	_cleanup_(strbuf) struct strbuf joined = STRBUF_INIT;

	strbuf_addf(&joined, "%s %s", last->text, text);
	if (joined.failed)
		return false;
	free(last->text);
	last->text = take_ptr(joined.data);
	last->size += size;
	return true;
}

/* Find the data that an instruction addresses relative to its end: "0x8(%rip)", "[rip + 0x8]". */
static void find_relative(struct instruction *i)
{
	const char *att = strstr(i->text, "(%rip)"), *intel = strstr(i->text, "[rip ");
	const char *number = att;
	char *end;

	if (intel) {
		number = intel + 5 + (intel[5] ? 2 : 0);
		i->target = strtoull(number, &end, 16);
		i->target = intel[5] == '-' ? -i->target : i->target;
	} else if (att) {
		while (number > i->text && strchr("0123456789abcdefx-", number[-1]))
			number--;
		i->target = strtoll(number, &end, 16);
	} else {
		return;
	}
	i->refers = end != number;
	i->target += i->address + i->size;
}

static struct error *take_apart(LLVMDisasmContextRef context, const struct llvm_machine *machine,
				const struct code *code, struct asked *asked,
				struct disassembly *ret)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	bool prefix = false, joins;
	char printed[TEXT_MAX];

	for (size_t at = 0; at < code->size; ) {
		struct instruction *last;
		size_t size;

		asked->branches = false;
		size = LLVMDisasmInstruction(context, code->bytes + at, code->size - at,
					     code->address + at, printed, sizeof(printed));
		if (size) {
			lay_out(&text, printed, machine->unit > 1);
		} else {
			size = machine->unit < code->size - at ? machine->unit : code->size - at;
			add_unknown(&text, code, at, size);
		}
		joins = ret->nr && prefix;
		if (text.failed || !(joins ? join_prefix(ret, size, strbuf_str(&text)) :
				     disassembly_add(ret, code->address + at, size,
						     strbuf_str(&text))))
			return &error_no_memory;
		prefix = is_prefix(strbuf_str(&text));
		last = &ret->items[ret->nr - 1];
		last->branches = asked->branches;
		last->target = asked->target;
		if (machine->unit == 1 && !last->branches)
			find_relative(last);
		at += size;
	}
	return NULL;
}

struct error *llvm_disassemble(const struct code *code,
			       const struct disassembly_options *options,
			       struct disassembly *ret)
{
	_cleanup_(disassembly) struct disassembly found = { .by = "LLVM" };
	const struct llvm_machine *machine = find_machine(code);
	LLVMDisasmContextRef context = NULL;
	struct asked asked = { .target = 0 };
	struct error *err;

	if (machine) {
		LLVMInitializeAllTargetInfos();
		LLVMInitializeAllTargetMCs();
		LLVMInitializeAllDisassemblers();
		context = LLVMCreateDisasmCPUFeatures(machine->triple, "", machine->features, &asked,
						      0, NULL, note_address);
	}
	if (!context)
		return error_new(ENOENT, "The LLVM library that ktrace uses does not know the machine "
				 "of %s", code->path);
	/* The other syntax has its own printer, which must be chosen first. */
	if (options->style && !strcmp(options->style, "intel"))
		LLVMSetDisasmOptions(context, LLVMDisassembler_Option_AsmPrinterVariant);
	LLVMSetDisasmOptions(context, LLVMDisassembler_Option_PrintImmHex);
	err = take_apart(context, machine, code, &asked, &found);
	LLVMDisasmDispose(context);
	if (err)
		return err;
	*ret = found;
	found = (struct disassembly){ .nr = 0 };
	return NULL;
}
