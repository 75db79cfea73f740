// SPDX-License-Identifier: GPL-2.0
#include "symbol/code/memory_operand.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define WORDS_MAX	5
#define ARM64_SP	31

/* A part of the text, without blanks at its ends. */
struct part {
	const char *text;
	size_t len;
};

/* The mnemonic, without prefixes, and the operands. */
struct parts {
	struct part name;
	struct part items[WORDS_MAX];
	size_t nr;
};

static struct part text_part(const char *begin, const char *end)
{
	while (begin < end && isspace((unsigned char)*begin))
		begin++;
	while (begin < end && isspace((unsigned char)end[-1]))
		end--;
	return (struct part){ begin, end - begin };
}

static bool part_is(struct part part, const char *word)
{
	return strlen(word) == part.len && !memcmp(part.text, word, part.len);
}

static bool part_starts(struct part part, const char *word)
{
	return part.len >= strlen(word) && !memcmp(part.text, word, strlen(word));
}

static bool part_is_one(struct part part, const char *const *words)
{
	while (*words && !part_is(part, *words))
		words++;
	return *words;
}

static bool part_starts_one(struct part part, const char *const *words)
{
	while (*words && !part_starts(part, *words))
		words++;
	return *words;
}

static struct part next_word(const char **text)
{
	const char *begin;

	while (isspace((unsigned char)**text))
		(*text)++;
	begin = *text;
	while (**text && !isspace((unsigned char)**text))
		(*text)++;
	return (struct part){ begin, *text - begin };
}

/* Split at the commas that are not in brackets; a remark at the end is dropped. */
static void split(const char *text, struct parts *ret)
{
	static const char *const prefixes[] = {
		"lock", "rep", "repe", "repz", "repne", "repnz", "data16", "data32", "addr32",
		"notrack", "xacquire", "xrelease", "rex64", "bnd", "cs", "ds", "es", "ss", NULL,
	};
	const char *begin;
	int depth = 0;

	*ret = (struct parts){ .nr = 0 };
	do {
		ret->name = next_word(&text);
	} while (part_is_one(ret->name, prefixes));
	begin = text;
	for (;; text++) {
		bool ends = !*text || (text[0] == '/' && text[1] == '/') ||
			    (text[0] == '#' && text[1] == ' ');

		if (ends || (*text == ',' && !depth)) {
			struct part part = text_part(begin, text);

			if (part.len && ret->nr < WORDS_MAX)
				ret->items[ret->nr++] = part;
			begin = text + 1;
		}
		if (ends)
			return;
		depth += *text == '(' || *text == '[' || *text == '{';
		depth -= *text == ')' || *text == ']' || *text == '}';
	}
}

/* Parse an integer, "-0x8" or "#16"; false: it is none. */
static bool part_number(struct part part, int64_t *ret)
{
	char text[32], *end;
	bool minus;

	if (part.len && *part.text == '#')
		part = (struct part){ part.text + 1, part.len - 1 };
	if (!part.len || part.len >= sizeof(text))
		return false;
	memcpy(text, part.text, part.len);
	text[part.len] = '\0';
	minus = *text == '-';
	if (!isdigit((unsigned char)text[minus]))
		return false;
	*ret = strtoull(text + minus, &end, 0);
	if (minus)
		*ret = -(uint64_t)*ret;
	return !*end;
}

static void write_register(struct operands *o, int reg)
{
	for (size_t i = 0; i < OPERAND_WRITTEN; i++) {
		if (o->written[i] != OPERAND_NONE)
			continue;
		o->written[i] = reg;
		return;
	}
	o->effect = OPERAND_UNKNOWN;
}

/* Find a general register, and whether the name means the whole register. */
static int x86_register(struct part part, bool *ret_whole)
{
	static const char *const names[][5] = {
		{ "rax", "eax", "ax", "al", "ah" }, { "rdx", "edx", "dx", "dl", "dh" },
		{ "rcx", "ecx", "cx", "cl", "ch" }, { "rbx", "ebx", "bx", "bl", "bh" },
		{ "rsi", "esi", "si", "sil", "" }, { "rdi", "edi", "di", "dil", "" },
		{ "rbp", "ebp", "bp", "bpl", "" }, { "rsp", "esp", "sp", "spl", "" },
	};
	int64_t number;

	*ret_whole = false;
	if (part.len < 2 || *part.text != '%')
		return OPERAND_NONE;
	part = (struct part){ part.text + 1, part.len - 1 };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t k = 0; k < ARRAY_SIZE(names[i]); k++)
			if (part_is(part, names[i][k])) {
				*ret_whole = !k;
				return i;
			}
	if (*part.text != 'r')
		return OPERAND_NONE;
	part = (struct part){ part.text + 1, part.len - 1 };
	*ret_whole = part.len && isdigit((unsigned char)part.text[part.len - 1]);
	if (part.len && !*ret_whole)
		part.len--;
	/* Otherwise "%r08" would be octal. */
	if (part.len > 2 || (part.len && *part.text == '0') || !part_number(part, &number) ||
	    number < 8 || number > 15)
		return OPERAND_NONE;
	return number;
}

/* Read "%fs:-0x8(%rax,%rcx,8)"; false: it is no memory. */
static bool x86_memory(struct part part, const struct instruction *instruction,
		       struct memory_operand *ret)
{
	const char *end = part.text + part.len, *open = memchr(part.text, '(', part.len);
	const char *colon = memchr(part.text, ':', open ? (size_t)(open - part.text) : part.len);
	struct part number, base, index;
	const char *comma;
	bool whole;

	*ret = (struct memory_operand){ .base = OPERAND_NONE, .index = OPERAND_NONE };
	if (part.len && *part.text == '*')
		part = text_part(part.text + 1, end);
	if (colon) {
		struct part segment = text_part(part.text, colon);

		ret->segment = part_is(segment, "%fs") ? 'f' : part_is(segment, "%gs") ? 'g' : 0;
		part = text_part(colon + 1, end);
	}
	number = text_part(part.text, open ? open : end);
	if (number.len && !part_number(number, &ret->displacement))
		return false;
	if (!open)
		return number.len;
	if (end[-1] != ')')
		return false;
	comma = memchr(open, ',', end - open);
	base = text_part(open + 1, comma ? comma : end - 1);
	if (part_is(base, "%rip") || part_is(base, "%eip")) {
		ret->displacement = instruction->target;
		return instruction->refers;
	}
	if (base.len) {
		ret->base = x86_register(base, &whole);
		if (ret->base == OPERAND_NONE)
			return false;
	}
	if (!comma)
		return base.len;
	open = comma + 1;
	comma = memchr(open, ',', end - open);
	index = text_part(open, comma ? comma : end - 1);
	ret->index = x86_register(index, &whole);
	ret->scale = comma && comma[1] >= '1' && comma[1] <= '8' ? comma[1] - '0' : 1;
	return true;
}

/* Instructions that write at most their last operand, by the start of their names. */
static const char *const x86_plain[] = {
	"mov", "add", "sub", "and", "or", "xor", "inc", "dec", "neg", "not", "sh", "sa", "ro",
	"set", "cmov", "lea", "bswap", "bs", "tzcnt", "lzcnt", "popcnt", "adc", "sbb", "pxor",
	"cvt", "ucomis", "comis", "sqrt", "padd", "psub", "unpck", "nop", "endbr", NULL,
};

/* Instructions that write no operand. */
static const char *const x86_readers[] = {
	"cmp", "test", "bt", "btq", "btl", "prefetch", "ucomis", "comis", "nop", "endbr", "j", NULL,
};

static bool x86_is_string(const struct parts *parts)
{
	static const char *const words[] = { "movs", "stos", "lods", "scas", "cmps", NULL };

	/* movsd and movsl have other meanings, too: only the operands decide. */
	for (size_t i = 0; i < parts->nr; i++)
		if (part_starts(parts->items[i], "%es:"))
			return true;
	return part_starts_one(parts->name, words) && !parts->nr;
}

/* In user space, the word at %fs:0 holds the base of %fs. */
static bool x86_is_thread_pointer(const struct memory_operand *m)
{
	return m->segment == 'f' && m->base == OPERAND_NONE && m->index == OPERAND_NONE &&
	       !m->displacement;
}

static void x86_effect(const struct parts *parts, struct operands *o)
{
	struct part last = parts->nr ? parts->items[parts->nr - 1] : (struct part){ "", 0 };
	struct part first = parts->items[0];
	bool is_move = part_is(parts->name, "mov") || part_is(parts->name, "movq") ||
		       part_is(parts->name, "movabs") || part_is(parts->name, "movabsq");
	bool whole, source_whole;
	int reg = x86_register(last, &whole);

	o->effect = OPERAND_WRITES;
	if (part_starts_one(parts->name, x86_readers) && !part_starts(parts->name, "cmpxchg") &&
	    !part_starts(parts->name, "cmps") && !part_starts(parts->name, "bts") &&
	    !part_starts(parts->name, "btr") && !part_starts(parts->name, "btc"))
		return;
	if (part_starts(parts->name, "push"))
		return;
	if (part_starts(parts->name, "pop") && !part_starts(parts->name, "popcnt")) {
		write_register(o, reg);
		return;
	}
	if (x86_is_string(parts) ||
	    (!part_starts_one(parts->name, x86_plain) &&
	     !(part_starts(parts->name, "imul") && parts->nr > 1))) {
		o->effect = OPERAND_UNKNOWN;
		return;
	}
	if (reg == OPERAND_NONE)
		return;
	write_register(o, reg);
	if (!whole || parts->nr != 2)
		return;
	if (is_move && o->accesses) {
		o->effect = x86_is_thread_pointer(&o->memory) ? OPERAND_THREAD : OPERAND_LOADS;
	} else if (is_move && *first.text == '$') {
		if (part_number((struct part){ first.text + 1, first.len - 1 },
				&o->memory.displacement))
			o->effect = OPERAND_ADDRESSES;
	} else if (is_move) {
		o->source = x86_register(first, &source_whole);
		if (o->source != OPERAND_NONE && source_whole)
			o->effect = OPERAND_MOVES;
	} else if (part_starts(parts->name, "lea")) {
		if (o->memory.base != OPERAND_NONE || o->memory.displacement)
			o->effect = OPERAND_ADDRESSES;
	} else if ((part_is(parts->name, "add") || part_is(parts->name, "addq")) &&
		   *first.text == '$') {
		int64_t number;

		if (part_number((struct part){ first.text + 1, first.len - 1 }, &number)) {
			o->memory = (struct memory_operand){ reg, OPERAND_NONE, 0, number, false };
			o->effect = OPERAND_ADDRESSES;
		}
	}
}

static void x86_read(const struct instruction *instruction, const struct parts *parts,
		     struct operands *o)
{
	static const char *const stack[] = { "push", "pop", "call", "ret", "leave", "enter", NULL };
	bool is_jump = part_starts(parts->name, "j");

	o->stack = part_starts_one(parts->name, stack) && !part_starts(parts->name, "popcnt");
	o->ends = part_starts(parts->name, "jmp") || part_starts(parts->name, "ret") ||
		  part_starts(parts->name, "ud2") || part_starts(parts->name, "hlt");
	o->wanders = is_jump && parts->nr && *parts->items[0].text == '*';
	for (size_t i = 0; i < parts->nr && !instruction->branches; i++) {
		struct part part = parts->items[i];

		if (*part.text == '$' || !x86_memory(part, instruction, &o->memory))
			continue;
		o->accesses = !part_starts(parts->name, "lea") && !part_starts(parts->name, "nop");
		break;
	}
	if (part_starts(parts->name, "call"))
		o->effect = OPERAND_CALLS;
	else
		x86_effect(parts, o);
}

static int arm64_register(struct part part, bool *ret_whole)
{
	int64_t number;

	*ret_whole = false;
	if (part_is(part, "sp") || part_is(part, "wsp")) {
		*ret_whole = part.len == 2;
		return ARM64_SP;
	}
	if (part.len < 2 || part.len > 3 || (*part.text != 'x' && *part.text != 'w') ||
	    !part_number((struct part){ part.text + 1, part.len - 1 }, &number) || number < 0 ||
	    number > 30)
		return OPERAND_NONE;
	*ret_whole = *part.text == 'x';
	return number;
}

/* Read "[x0, #8]!"; false: it is no memory. */
static bool arm64_memory(struct part part, struct memory_operand *ret, bool *ret_writes)
{
	const char *close, *comma;
	struct part base, second;
	bool whole;

	*ret = (struct memory_operand){ .base = OPERAND_NONE, .index = OPERAND_NONE };
	close = part.len && *part.text == '[' ? memchr(part.text, ']', part.len) : NULL;
	if (!close)
		return false;
	*ret_writes = close + 1 < part.text + part.len && close[1] == '!';
	comma = memchr(part.text, ',', close - part.text);
	base = text_part(part.text + 1, comma ? comma : close);
	ret->base = arm64_register(base, &whole);
	if (ret->base == OPERAND_NONE)
		return false;
	if (!comma)
		return true;
	part = text_part(comma + 1, close);
	comma = memchr(part.text, ',', part.len);
	second = text_part(part.text, comma ? comma : part.text + part.len);
	if (part_number(second, &ret->displacement))
		return true;
	ret->index = arm64_register(second, &whole);
	/* "lsl #3", "sxtw #3", "sxtw": the shift of the index. */
	ret->scale = 1;
	if (comma && close[-1] >= '0' && close[-1] <= '4')
		ret->scale = 1 << (close[-1] - '0');
	return ret->index != OPERAND_NONE;
}

/* Instructions that write only their first operand, by the start of their names. */
static const char *const arm64_plain[] = {
	"mov", "mvn", "add", "sub", "neg", "and", "orr", "orn", "eor", "bic", "lsl", "lsr", "asr",
	"ror", "ubf", "sbf", "bfi", "bfx", "uxt", "sxt", "mul", "madd", "msub", "smull", "umull",
	"sdiv", "udiv", "cse", "cin", "cneg", "clz", "rbit", "rev", "adr", "fmov", "fcvt", "scvtf",
	"ucvtf", "extr", "smaddl", "umaddl", "mneg", NULL,
};

static const char *const arm64_readers[] = {
	"cmp", "cmn", "tst", "ccmp", "ccmn", "cb", "tb", "b", "nop", "bti", "dmb", "hint", "pac",
	"aut", "prfm", "ret", "yield", "isb", "dsb", NULL,
};

static void arm64_load(const struct parts *parts, bool writes_base, struct operands *o)
{
	bool is_pair = part_starts(parts->name, "ldp") || part_starts(parts->name, "ldnp");
	bool is_load = part_starts(parts->name, "ldr") || part_starts(parts->name, "ldur") || is_pair;
	bool is_store = part_starts(parts->name, "str") || part_starts(parts->name, "stur") ||
			part_starts(parts->name, "stp") || part_starts(parts->name, "stnp");
	bool whole = false;
	int reg = OPERAND_NONE;

	o->effect = OPERAND_WRITES;
	if (part_starts(parts->name, "prfm"))
		return;
	if (!is_load && !is_store) {
		o->effect = OPERAND_UNKNOWN;
		return;
	}
	for (int i = 0; is_load && i <= is_pair && parts->nr > (size_t)i; i++) {
		reg = arm64_register(parts->items[i], &whole);
		if (reg != OPERAND_NONE)
			write_register(o, reg);
	}
	if (writes_base)
		write_register(o, o->memory.base);
	if (is_load && !is_pair && whole && !writes_base &&
	    (part_is(parts->name, "ldr") || part_is(parts->name, "ldur")))
		o->effect = OPERAND_LOADS;
}

static void arm64_arithmetic(const struct instruction *instruction, const struct parts *parts,
			     struct operands *o)
{
	bool whole, source_whole;
	int reg = parts->nr ? arm64_register(parts->items[0], &whole) : OPERAND_NONE;
	int64_t number = 0;

	o->effect = OPERAND_WRITES;
	if (part_starts_one(parts->name, arm64_readers) && !part_starts(parts->name, "bic") &&
	    !part_starts(parts->name, "bf"))
		return;
	if (!part_starts_one(parts->name, arm64_plain)) {
		o->effect = OPERAND_UNKNOWN;
		return;
	}
	if (reg == OPERAND_NONE)
		return;
	write_register(o, reg);
	if (!whole || parts->nr < 2)
		return;
	if (part_starts(parts->name, "adr") && parts->nr == 2) {
		/*
		 * Both print the address; LLVM prints the number of pages and then the address as a
		 * remark.
		 */
		const char *remark = strstr(instruction->text, "// 0x");
		const char *at = remark ? remark + 3 : parts->items[1].text;

		if (!strncmp(at, "0x", 2)) {
			o->memory.displacement = strtoull(at, NULL, 16);
			o->effect = OPERAND_ADDRESSES;
		}
		return;
	}
	o->source = arm64_register(parts->items[1], &source_whole);
	if (o->source == OPERAND_NONE || !source_whole)
		return;
	if (part_is(parts->name, "mov") && parts->nr == 2) {
		o->effect = OPERAND_MOVES;
	} else if (part_is(parts->name, "add") && parts->nr >= 3 && parts->nr <= 4 &&
		   part_number(parts->items[2], &number)) {
		if (parts->nr == 4 && part_is(parts->items[3], "lsl #12"))
			number = (uint64_t)number << 12;
		else if (parts->nr == 4)
			return;
		o->memory = (struct memory_operand){ o->source, OPERAND_NONE, 0, number, false };
		o->effect = OPERAND_ADDRESSES;
	}
}

static void arm64_read(const struct instruction *instruction, const struct parts *parts,
		       struct operands *o)
{
	bool writes = false;
	size_t at;

	o->ends = part_is(parts->name, "b") || part_starts(parts->name, "br") ||
		  part_starts(parts->name, "ret") || part_is(parts->name, "udf") ||
		  part_is(parts->name, "brk");
	o->wanders = part_is(parts->name, "br") || part_starts(parts->name, "bra");
	if (part_is(parts->name, "bl") || part_starts(parts->name, "blr")) {
		o->effect = OPERAND_CALLS;
		return;
	}
	for (at = 0; at < parts->nr; at++)
		if (arm64_memory(parts->items[at], &o->memory, &writes))
			break;
	if (at == parts->nr) {
		arm64_arithmetic(instruction, parts, o);
		return;
	}
	o->accesses = true;
	arm64_load(parts, writes || at + 1 < parts->nr, o);
}

bool operands_read(uint16_t machine, const struct instruction *instruction, struct operands *ret)
{
	struct parts parts;

	*ret = (struct operands){
		.memory = { .base = OPERAND_NONE, .index = OPERAND_NONE },
		.written = { OPERAND_NONE, OPERAND_NONE, OPERAND_NONE }, .source = OPERAND_NONE,
	};
	split(instruction->text, &parts);
	if (machine == EM_X86_64)
		x86_read(instruction, &parts, ret);
	else if (machine == EM_AARCH64)
		arm64_read(instruction, &parts, ret);
	else
		return false;
	return true;
}

bool operands_is_saved(uint16_t machine, int reg)
{
	if (machine == EM_X86_64)
		return reg == 3 || reg == 6 || reg == 7 || (reg >= 12 && reg <= 15);
	return machine == EM_AARCH64 && ((reg >= 19 && reg <= 29) || reg == ARM64_SP);
}
