// SPDX-License-Identifier: GPL-2.0
#include "filter/filter.h"

#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fields/common_fields.h"
#include "lib/memlock.h"

/* Allocates a filter with room for the program and its pool, which the caller fills in. */
static struct ktrace_filter *alloc_filter(u32 nr_insns, u32 pool_bytes, char **ret_pool)
{
	struct ktrace_filter *filter;
	size_t size;

	if (!nr_insns || nr_insns > KTRACE_FILTER_MAX_INSNS ||
	    pool_bytes > KTRACE_FILTER_MAX_POOL)
		return ERR_PTR(-EINVAL);

	size = struct_size(filter, insns, nr_insns);
	filter = kmalloc(size + pool_bytes, KTRACE_MEMLOCK_GFP);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	*ret_pool = (char *)filter + size;
	filter->pool = *ret_pool;
	filter->nr_insns = nr_insns;
	return filter;
}

/* Verifies and compiles a filter that is filled in.  On failure, the filter is freed. */
static struct ktrace_filter *accept_filter(struct ktrace_filter *filter, u32 pool_bytes)
{
	u64 cost;
	int err;

	err = ktrace_filter_verify_program(filter->insns, filter->nr_insns, pool_bytes);
	if (err)
		goto err_free_filter;
	err = -ENOSPC;
	cost = ktrace_filter_program_cost(filter->insns, filter->nr_insns, filter->pool);
	if (cost > KTRACE_FILTER_MAX_COST)
		goto err_free_filter;
	filter->cost = cost;
	ktrace_filter_jit_compile(filter);
	return filter;

err_free_filter:
	kfree(filter);
	return ERR_PTR(err);
}

struct ktrace_filter *ktrace_filter_create(const void __user *insns, u32 nr_insns,
					   const void __user *pool, u32 pool_bytes)
{
	struct ktrace_filter *filter;
	char *own_pool;

	filter = alloc_filter(nr_insns, pool_bytes, &own_pool);
	if (IS_ERR(filter))
		return filter;
	if (copy_from_user(filter->insns, insns, nr_insns * sizeof(*filter->insns)) ||
	    copy_from_user(own_pool, pool, pool_bytes)) {
		kfree(filter);
		return ERR_PTR(-EFAULT);
	}
	return accept_filter(filter, pool_bytes);
}

struct ktrace_filter *ktrace_filter_copy(const struct ktrace_filter_insn *insns, u32 nr_insns,
					 const char *pool, u32 from, u32 bytes)
{
	struct ktrace_filter *filter;
	char *own_pool;
	u32 i;

	filter = alloc_filter(nr_insns, bytes, &own_pool);
	if (IS_ERR(filter))
		return filter;
	memcpy(filter->insns, insns, nr_insns * sizeof(*insns));
	memcpy(own_pool, pool + from, bytes);
	for (i = 0; i < nr_insns; i++)
		if (ktrace_filter_is_text(filter->insns[i].op))
			filter->insns[i].value -= (u64)from << 32;
	return accept_filter(filter, bytes);
}

u64 ktrace_filter_bytes(const struct ktrace_filter *filter)
{
	const struct bpf_prog *prog = filter->prog;

	return ksize(filter) + (prog ? (prog->pages << PAGE_SHIFT) + sizeof(*prog->aux) +
				       prog->jited_len : 0);
}

void ktrace_filter_destroy(struct ktrace_filter *filter)
{
	if (!filter)
		return;
	ktrace_filter_jit_free(filter);
	kfree(filter);
}

struct operand {
	const u8 *bytes;
	u32 size;
};

/* The part of [offset, offset + size) that is in the raw data. */
static __always_inline struct operand part_of(const struct ktrace_filter_record *rec,
					      u32 offset, u32 size)
{
	if (offset >= rec->size)
		return (struct operand){ NULL, 0 };
	return (struct operand){ rec->raw + offset, min(size, rec->size - offset) };
}

static __always_inline u64 load(struct operand from, u32 width)
{
	u64 value = 0;

	if (likely(from.size >= width)) {
		switch (width) {
		case 1:
			return *from.bytes;
		case 2: {
			u16 v;

			memcpy(&v, from.bytes, sizeof(v));
			return v;
		}
		case 4: {
			u32 v;

			memcpy(&v, from.bytes, sizeof(v));
			return v;
		}
		default:
			memcpy(&value, from.bytes, sizeof(value));
			return value;
		}
	}
	/* The bytes beyond the raw data are zeros. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		memcpy((u8 *)&value + sizeof(value) - width, from.bytes, from.size);
	else
		memcpy(&value, from.bytes, from.size);
	return value;
}

/* A __data_loc or __rel_loc word: its lower half is the array's offset, its upper half the size. */
static __always_inline struct operand dynamic_array(const struct ktrace_filter_record *rec,
						    const struct ktrace_filter_insn *insn)
{
	u32 word = load(part_of(rec, insn->offset, sizeof(word)), sizeof(word));
	u32 offset = word & 0xffff;

	if (insn->src == KTRACE_FILTER_SRC_REL_LOC)
		offset += insn->offset + sizeof(word);
	return part_of(rec, offset, word >> 16);
}

static __always_inline u64 number(const struct ktrace_filter_insn *insn,
				  const struct ktrace_filter_record *rec)
{
	u64 value;

	switch (insn->src) {
	case KTRACE_FILTER_SRC_RECORD:
		value = load(part_of(rec, insn->offset, insn->width), insn->width);
		break;
	case KTRACE_FILTER_SRC_FIELD:
		ktrace_common_fields_read(insn->offset, rec->raw, rec->size, &value);
		break;
	default:
		value = load(dynamic_array(rec, insn), insn->width);
		break;
	}
	if (insn->flags & KTRACE_FILTER_SIGNED) {
		u32 shift = 64 - 8 * insn->width;

		value = (s64)(value << shift) >> shift;
	}
	return value;
}

/* Is the operand, up to its NUL or end, equal to the whole pattern? */
static notrace bool is_equal(struct operand str, const char *pattern, u32 len)
{
	u32 i;

	for (i = 0; i < str.size && str.bytes[i]; i++)
		if (i >= len || str.bytes[i] != (u8)pattern[i])
			return false;
	return i == len;
}

/*
 * Is @c in the class [...] that begins at pattern[*pos]?  Moves *pos behind the class.  A
 * class without an end is taken as the character '['.
 */
static notrace bool is_in_class(const char *pattern, u32 len, u32 *pos, u8 c)
{
	u32 i = *pos + 1;
	bool inverted = i < len && pattern[i] == '!';
	bool match = false;
	u8 first, last;

	i += inverted;
	do {
		if (i >= len)
			goto literal;
		first = pattern[i++];
		last = first;
		if (i + 1 < len && pattern[i] == '-' && pattern[i + 1] != ']') {
			last = pattern[i + 1];
			i += 2;
		}
		match |= first <= c && c <= last;
	} while (i >= len || pattern[i] != ']');

	*pos = i + 1;
	return match != inverted;

literal:
	++*pos;
	return c == '[';
}

/* Does the character @c match the pattern at *pos, which is no '*'?  Moves *pos on. */
static __always_inline bool is_char(const char *pattern, u32 len, u32 *pos, u8 c)
{
	switch (pattern[*pos]) {
	case '?':
		++*pos;
		return true;
	case '[':
		return is_in_class(pattern, len, pos, c);
	case '\\':
		++*pos;
		if (*pos == len)
			return false;
		fallthrough;
	default:
		return (u8)pattern[(*pos)++] == c;
	}
}

/*
 * Sets *ret_chars to the number of characters that the pattern from @pos on matches.
 * Returns false if the pattern contains a '*', which can match any number.
 */
static notrace bool is_fixed(const char *pattern, u32 len, u32 pos, u32 *ret_chars)
{
	u32 chars = 0;

	while (pos < len && pattern[pos] != '*') {
		/* A backslash at the end matches no character, only the end. */
		if (pattern[pos] == '\\' && pos + 1 == len)
			break;
		is_char(pattern, len, &pos, 0);
		chars++;
	}
	*ret_chars = chars;
	return pos == len || pattern[pos] != '*';
}

static __always_inline bool is_end(struct operand str, u32 i)
{
	return i >= str.size || !str.bytes[i];
}

/*
 * The algorithm of lib/glob, for a string that need not end in a NUL.  After a mismatch it suffices
 * to go back to the last '*'.  The part behind the pattern's last '*' can match only at the end of
 * the string.  The uapi header describes the cost.
 */
static notrace bool is_glob(struct operand str, const char *pattern, u32 len)
{
	u32 i = 0, pos = 0, back_i = 0, back_pos = 0, chars;
	bool star = false;

	for (;;) {
		if (pos < len && pattern[pos] == '*') {
			if (++pos == len)
				return true;
			star = !is_fixed(pattern, len, pos, &chars);
			back_pos = pos;
			back_i = i;
			if (star)
				continue;
			while (!is_end(str, i))
				i++;
			if (i - back_i < chars)
				return false;
			i -= chars;
			continue;
		}
		if (is_end(str, i))
			return pos == len || (pos + 1 == len && pattern[pos] == '\\');
		if (pos < len && is_char(pattern, len, &pos, str.bytes[i])) {
			i++;
			continue;
		}
		if (!star)
			return false;
		pos = back_pos;
		i = ++back_i;
	}
}

static notrace bool is_string_match(const struct ktrace_filter *filter,
				    const struct ktrace_filter_insn *insn,
				    const struct ktrace_filter_record *rec)
{
	const char *pattern = filter->pool + (insn->value >> 32);
	u8 comm[KTRACE_SLOT_TEXT];
	struct operand str;
	u32 len = insn->value;

	switch (insn->src) {
	case KTRACE_FILTER_SRC_RECORD:
		str = part_of(rec, insn->offset, insn->width);
		break;
	case KTRACE_FILTER_SRC_FIELD:
		ktrace_common_fields_read(insn->offset, rec->raw, rec->size, comm);
		str = (struct operand){ comm, sizeof(comm) };
		break;
	default:
		str = dynamic_array(rec, insn);
		break;
	}
	return insn->op == KTRACE_FILTER_STREQ ? is_equal(str, pattern, len) :
						 is_glob(str, pattern, len);
}

notrace bool ktrace_filter_holds(const struct ktrace_filter *filter,
				 const struct ktrace_filter_insn *insn,
				 const struct ktrace_filter_record *rec)
{
	u64 value;

	if (insn->op >= KTRACE_FILTER_STREQ)
		return is_string_match(filter, insn, rec);

	value = number(insn, rec);
	switch (insn->op) {
	case KTRACE_FILTER_EQ:
		return value == insn->value;
	case KTRACE_FILTER_BAND:
		return value & insn->value;
	case KTRACE_FILTER_LT:
		return insn->flags & KTRACE_FILTER_SIGNED ?
			(s64)value < (s64)insn->value : value < insn->value;
	default:
		return insn->flags & KTRACE_FILTER_SIGNED ?
			(s64)value > (s64)insn->value : value > insn->value;
	}
}

notrace u64 ktrace_filter_number(const struct ktrace_filter_insn *insn,
				 const struct ktrace_filter_record *rec)
{
	return number(insn, rec);
}

struct accumulator {
	u64 value;
	u64 registers[KTRACE_FILTER_REGISTERS];
};

/* Returns whether execution continues at jt. */
static __always_inline bool accumulate(struct accumulator *a, const struct ktrace_filter_insn *insn,
				       const struct ktrace_filter_record *rec)
{
	bool is_signed = insn->flags & KTRACE_FILTER_SIGNED_OP;
	u64 operand;

	if (insn->op == KTRACE_FILTER_STORE) {
		a->registers[insn->offset] = a->value;
		return true;
	}
	if (insn->src == KTRACE_FILTER_SRC_REGISTER)
		operand = a->registers[insn->offset];
	else if (insn->src == KTRACE_FILTER_SRC_VALUE)
		operand = insn->value;
	else
		operand = number(insn, rec);

	switch (insn->op) {
	case KTRACE_FILTER_LOAD:
		a->value = operand;
		return true;
	case KTRACE_FILTER_ACC_EQ:
		return a->value == operand;
	case KTRACE_FILTER_ACC_LT:
		return is_signed ? (s64)a->value < (s64)operand : a->value < operand;
	case KTRACE_FILTER_ACC_GT:
		return is_signed ? (s64)a->value > (s64)operand : a->value > operand;
	case KTRACE_FILTER_ACC_BAND:
		return a->value & operand;
	default:
		if (!ktrace_filter_has_result(insn->op, operand))
			return false;
		a->value = ktrace_filter_calculate(insn->op, is_signed, a->value, operand);
		return true;
	}
}

/* Interprets from @pc on, which is the first instruction that uses the accumulator. */
static noinline notrace bool interpret_arithmetic(const struct ktrace_filter *filter,
						  const struct ktrace_filter_record *rec, u32 pc)
{
	const struct ktrace_filter_insn *insn;
	struct accumulator accumulator;
	bool holds;

	do {
		insn = &filter->insns[pc];
		holds = insn->op >= KTRACE_FILTER_LOAD ? accumulate(&accumulator, insn, rec) :
							 ktrace_filter_holds(filter, insn, rec);
		pc = holds ? insn->jt : insn->jf;
	} while (pc < KTRACE_FILTER_REJECT);

	return pc == KTRACE_FILTER_ACCEPT;
}

notrace bool ktrace_filter_interpret(const struct ktrace_filter *filter,
				     const struct ktrace_filter_record *rec)
{
	const struct ktrace_filter_insn *insn;
	u32 pc = 0;

	/* The loop ends, because the verifier has accepted forward jumps only. */
	do {
		insn = &filter->insns[pc];
		if (unlikely(insn->op >= KTRACE_FILTER_LOAD))
			return interpret_arithmetic(filter, rec, pc);
		pc = ktrace_filter_holds(filter, insn, rec) ? insn->jt : insn->jf;
	} while (pc < KTRACE_FILTER_REJECT);

	return pc == KTRACE_FILTER_ACCEPT;
}

bool ktrace_filter_takes_record(const struct ktrace_filter *filter)
{
	u32 i;

	for (i = 0; i < filter->nr_insns; i++)
		if (filter->insns[i].src < KTRACE_FILTER_SRC_FIELD)
			return true;
	return false;
}

notrace bool ktrace_filter_run_record(const struct ktrace_filter *filter, const void *raw, u32 size)
{
	const struct ktrace_filter_record rec = { raw, size };

	if (filter->prog && size >= filter->prog_min_size)
		return ktrace_filter_call(filter->prog, filter->prog_is_bare ? raw : &rec);
	return ktrace_filter_interpret(filter, &rec);
}
