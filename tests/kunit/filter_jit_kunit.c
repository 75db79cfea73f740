// SPDX-License-Identifier: GPL-2.0
/* Machine code has to agree with the interpreter, on random programs and records. */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "filter/filter_jit.c"

#include "fields/common_fields.h"

#define ACCEPT KTRACE_FILTER_ACCEPT
#define REJECT KTRACE_FILTER_REJECT

static unsigned int jit_seed;
module_param(jit_seed, uint, 0444);
MODULE_PARM_DESC(jit_seed, "Repeat the random programs of a run that printed this number");

static struct rnd_state rnd;

static u32 below(u32 n)
{
	return prandom_u32_state(&rnd) % n;
}

static int filter_jit_init(struct kunit *test)
{
	u32 seed = jit_seed ?: get_random_u32();

	kunit_info(test, "jit_seed=%u\n", seed);
	prandom_seed_state(&rnd, seed);
	return 0;
}

enum { MODEL_SIZE = 96, POOL_SIZE = 64 };

/* Programs search for bytes of this.  Records are copies of it with changes. */
static u8 model[MODEL_SIZE];
static char pool[POOL_SIZE];

static void make_model(void)
{
	static const u8 letters[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 'a', 'b', '*', '?' };
	u32 i;

	for (i = 0; i < MODEL_SIZE; i++)
		model[i] = below(3) ? letters[below(sizeof(letters))] : below(256);
	/* The model has some strings, and words with their offsets. */
	for (i = 0; i < MODEL_SIZE; i += 16)
		if (below(2))
			model[i + below(16)] = 0;
	for (i = 0; i < 16; i += 4) {
		model[i] = below(MODEL_SIZE + 4);
		model[i + 1] = 0;
		model[i + 2] = below(24);
		model[i + 3] = 0;
	}
	for (i = 0; i < POOL_SIZE; i++)
		pool[i] = model[below(MODEL_SIZE)];
}

static u64 model_number(u32 offset, u32 width, bool is_signed)
{
	u64 value = 0;

	if (offset + width <= MODEL_SIZE)
		value = load_number((char *)model + offset, width);
	if (is_signed)
		value = sign_extend64(value, 8 * width - 1);
	return value;
}

static u16 random_target(u32 index, u32 nr)
{
	if (index + 1 < nr && below(4))
		return index + 1 + below(min(nr - index - 1, 4U));
	return below(2) ? ACCEPT : REJECT;
}

static void make_string(struct ktrace_filter_insn *insn)
{
	u32 len = below(5) ? below(20) : below(MAX_INLINE_STRING + 8), offset;

	len = min_t(u32, len, POOL_SIZE);
	offset = below(POOL_SIZE - len + 1);
	/* The pattern is the text in the model. */
	if (insn->src == KTRACE_FILTER_SRC_RECORD && below(2)) {
		len = min_t(size_t, strnlen(model + insn->offset, MODEL_SIZE - insn->offset),
			    POOL_SIZE);
		memcpy(pool, model + insn->offset, len);
		offset = 0;
	} else if (insn->src == KTRACE_FILTER_SRC_FIELD && below(2)) {
		len = strlen(current->comm);
		memcpy(pool, current->comm, len);
		offset = 0;
	}
	/* Or its beginning. */
	if (!offset && insn->op == KTRACE_FILTER_GLOB && len && below(2)) {
		len = below(len);
		pool[len++] = '*';
	}
	insn->value = (u64)offset << 32 | len;
}

static const u32 fields[] = {
	KTRACE_FIELD_TGID, KTRACE_FIELD_PPID, KTRACE_FIELD_UID, KTRACE_FIELD_CGROUP,
	KTRACE_FIELD_CONTEXT, KTRACE_FIELD_CPU, KTRACE_FIELD_TID, KTRACE_FIELD_NICE,
	KTRACE_FIELD_VPID, KTRACE_FIELD_USER_NS,
};

/* How many registers programs with arithmetic use. */
#define NR_SET		3

/*
 * Such programs begin with steps that set the accumulator and registers, so that later
 * steps can read them.
 */
static void make_step(struct ktrace_filter_insn *insn, u32 index, u32 nr)
{
	bool compares;

	insn->op = KTRACE_FILTER_LOAD + below(KTRACE_FILTER_ACC_BAND - KTRACE_FILTER_LOAD + 1);
	if (index < 2 * NR_SET)
		insn->op = index % 2 ? KTRACE_FILTER_STORE : KTRACE_FILTER_LOAD;
	if (insn->op == KTRACE_FILTER_STORE || (index >= 2 * NR_SET && !below(4))) {
		insn->src = KTRACE_FILTER_SRC_REGISTER;
		insn->offset = index < 2 * NR_SET ? index / 2 : below(NR_SET);
	} else if (!below(3)) {
		insn->src = KTRACE_FILTER_SRC_VALUE;
		insn->offset = 0;
	}
	if (insn->src > KTRACE_FILTER_SRC_FIELD) {
		insn->width = 8;
		insn->flags = 0;
	}
	if (insn->src != KTRACE_FILTER_SRC_VALUE)
		insn->value = 0;
	else if (below(2))
		insn->value = below(70);
	if (ktrace_filter_can_be_signed(insn->op) && below(2))
		insn->flags |= KTRACE_FILTER_SIGNED_OP;
	compares = insn->op >= KTRACE_FILTER_ACC_EQ;
	if (!compares)
		insn->jt = index + 1 < nr ? index + 1 : ACCEPT;
	if (!compares && insn->op != KTRACE_FILTER_DIV && insn->op != KTRACE_FILTER_MOD)
		insn->jf = insn->jt;
}

static void make_insn(struct ktrace_filter_insn *insn, u32 index, u32 nr, u32 nr_ops)
{
	static const u64 edges[] = {
		0, 1, -1, S8_MIN, U8_MAX, S16_MIN, U16_MAX, S32_MAX, S32_MIN, U32_MAX,
		(u64)S32_MAX + 1, (u64)S32_MIN - 1, S64_MAX, S64_MIN,
	};
	bool string;

	*insn = (struct ktrace_filter_insn){
		.op = 1 + below(nr_ops),
		.src = below(3) ? KTRACE_FILTER_SRC_RECORD : 1 + below(4),
		.width = 1 << below(4),
		.offset = below(MODEL_SIZE - 8),
	};
	string = insn->op >= KTRACE_FILTER_STREQ;
	insn->flags = !string && below(2);
	if (insn->src == KTRACE_FILTER_SRC_DATA_LOC || insn->src == KTRACE_FILTER_SRC_REL_LOC)
		insn->offset = below(5) * 4;
	else if (string)
		insn->width = 1 + below(MODEL_SIZE - insn->offset);
	if (insn->src == KTRACE_FILTER_SRC_FIELD) {
		insn->offset = string ? KTRACE_FIELD_COMM : fields[below(ARRAY_SIZE(fields))];
		insn->width = KTRACE_FIELD_SLOT(insn->offset);
	}
	insn->jt = random_target(index, nr);
	insn->jf = below(8) ? random_target(index, nr) : insn->jt;
	/* This way each instruction can be reached. */
	if (index + 1 < nr && below(2))
		insn->jt = index + 1;
	else if (index + 1 < nr)
		insn->jf = index + 1;

	if (string) {
		make_string(insn);
	} else if (insn->src == KTRACE_FILTER_SRC_FIELD) {
		preempt_disable();
		ktrace_common_fields_read(insn->offset, NULL, 0, &insn->value);
		preempt_enable();
		insn->value += below(3) - 1;
	} else if (below(3)) {
		insn->value = model_number(insn->offset, insn->width, insn->flags) + below(3) - 1;
	} else {
		insn->value = edges[below(ARRAY_SIZE(edges))];
	}
}

/* The record is in memory of its own size, so that KASAN sees a read beyond it. */
static u8 *make_record(struct kunit *test, u32 size)
{
	u8 *raw = kmalloc(size ?: 1, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, raw);
	memcpy(raw, model, size);
	for (i = below(4); i && size; i--)
		raw[below(size)] += below(3) - 1;
	return raw;
}

struct tally {
	u32 accepted, rejected, interpreted;
};

static void compare(struct kunit *test, const struct ktrace_filter *filter, struct tally *tally)
{
	struct ktrace_filter_record rec = {
		.size = below(4) ? MODEL_SIZE - below(8) : below(MODEL_SIZE + 1),
	};
	u8 *raw = make_record(test, rec.size);
	bool want, got;

	rec.raw = raw;
	preempt_disable();
	want = ktrace_filter_interpret(filter, &rec);
	got = ktrace_filter_run(filter, raw, rec.size);
	preempt_enable();
	KUNIT_EXPECT_EQ_MSG(test, got, want, "%u instructions, %u bytes", filter->nr_insns,
			    rec.size);
	if (rec.size < filter->prog_min_size)
		tally->interpreted++;
	else if (want)
		tally->accepted++;
	else
		tally->rejected++;
	kfree(raw);
}

static void random_programs(struct kunit *test)
{
	struct ktrace_filter_insn *insn;
	struct ktrace_filter *filter;
	struct tally tally = {};
	bool arithmetic, begins;
	int n, i;

	if (!ktrace_filter_jit_works())
		kunit_skip(test, "this kernel does not compile eBPF");

	filter = kunit_kzalloc(test, struct_size(filter, insns, KTRACE_FILTER_MAX_INSNS),
			       GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, filter);
	filter->pool = pool;
	for (n = 0; n < 400; n++) {
		make_model();
		filter->nr_insns = below(50) ? 1 + below(16) : 1 + below(KTRACE_FILTER_MAX_INSNS);
		arithmetic = filter->nr_insns > 2 * NR_SET && below(2);
		for (i = 0; i < filter->nr_insns; i++) {
			insn = &filter->insns[i];
			begins = arithmetic && i < 2 * NR_SET;
			make_insn(insn, i, filter->nr_insns,
				  begins ? KTRACE_FILTER_BAND : KTRACE_FILTER_GLOB);
			if (begins || (arithmetic && !ktrace_filter_is_text(insn->op) && below(4)))
				make_step(insn, i, filter->nr_insns);
		}
		KUNIT_ASSERT_EQ(test, 0, ktrace_filter_verify_program(filter->insns,
								      filter->nr_insns,
								      sizeof(pool)));
		ktrace_filter_jit_compile(filter);
		KUNIT_ASSERT_NOT_NULL_MSG(test, filter->prog, "program %d of %u instructions", n,
					  filter->nr_insns);
		for (i = 0; i < 100; i++)
			compare(test, filter, &tally);
		ktrace_filter_jit_free(filter);
	}
	kunit_info(test, "%u accepted, %u rejected, %u too short\n", tally.accepted,
		   tally.rejected, tally.interpreted);
	KUNIT_EXPECT_GT(test, tally.accepted, 5000U);
	KUNIT_EXPECT_GT(test, tally.rejected, 5000U);
	KUNIT_EXPECT_GT(test, tally.interpreted, 1000U);
}

static const u64 values[] = {
	0, 1, 2, 0x7f, 0x80, 0xff, 0x100, S16_MAX, 0x8000, U16_MAX, S32_MAX, 0x80000000,
	U32_MAX, (u64)U32_MAX + 1, S64_MAX, S64_MIN, -1, -2, S8_MIN, S16_MIN, S32_MIN,
};

/* Compares each value with one of them.  Returns the number of comparisons. */
static u32 compare_with(struct kunit *test, u32 op, u32 flags, u32 width, u64 with)
{
	struct {
		struct ktrace_filter filter;
		struct ktrace_filter_insn insn;
	} one = {
		.filter.nr_insns = 1,
		.insn = { op, KTRACE_FILTER_SRC_RECORD, flags, 0, ACCEPT, REJECT, 0, width, with },
	};
	struct ktrace_filter_record rec = { .size = 8 };
	u32 a;

	ktrace_filter_jit_compile(&one.filter);
	KUNIT_EXPECT_NOT_NULL(test, one.filter.prog);
	if (!one.filter.prog)
		return 0;
	for (a = 0; a < ARRAY_SIZE(values); a++) {
		rec.raw = &values[a];
		preempt_disable();
		KUNIT_EXPECT_EQ_MSG(test, ktrace_filter_run(&one.filter, rec.raw, 8),
				    ktrace_filter_interpret(&one.filter, &rec),
				    "op %u flags %u width %u: %llx and %llx", op, flags, width,
				    values[a], with);
		preempt_enable();
	}
	ktrace_filter_jit_free(&one.filter);
	return ARRAY_SIZE(values);
}

/* A single comparison with all widths and signs: each value is compared with some other ones. */
static void every_comparison(struct kunit *test)
{
	u32 op, width, b, compared = 0;

	if (!ktrace_filter_jit_works())
		kunit_skip(test, "this kernel does not compile eBPF");

	for (op = KTRACE_FILTER_EQ; op <= KTRACE_FILTER_BAND; op++) {
		for (width = 1; width <= 8; width *= 2) {
			for (b = below(3); b < ARRAY_SIZE(values); b += 1 + below(3)) {
				compared += compare_with(test, op, 0, width, values[b]);
				compared += compare_with(test, op, 1, width, values[b]);
			}
		}
	}
	KUNIT_EXPECT_GT(test, compared, 4 * 2 * 4 * ARRAY_SIZE(values) * 5U);
}

/* C's result, by other code than the uapi header's. */
static bool plain_result(u32 op, bool is_signed, u64 a, u64 b, u64 *ret)
{
	s64 sa = a, sb = b;

	switch (op) {
	case KTRACE_FILTER_ADD:
		*ret = a + b;
		return true;
	case KTRACE_FILTER_SUB:
		*ret = a + ~b + 1;
		return true;
	case KTRACE_FILTER_MUL:
		*ret = a * b;
		return true;
	case KTRACE_FILTER_DIV:
		if (b)
			*ret = !is_signed ? div64_u64(a, b) :
			       sb == -1 ? 0 - a : (u64)div64_s64(sa, sb);
		return b;
	case KTRACE_FILTER_MOD:
		if (b)
			*ret = !is_signed ? a - div64_u64(a, b) * b :
			       sb == -1 ? 0 : (u64)(sa - div64_s64(sa, sb) * sb);
		return b;
	case KTRACE_FILTER_AND:
		*ret = a & b;
		return true;
	case KTRACE_FILTER_OR:
		*ret = a | b;
		return true;
	case KTRACE_FILTER_XOR:
		*ret = a ^ b;
		return true;
	case KTRACE_FILTER_SHL:
		*ret = b > 63 ? 0 : a << b;
		return true;
	default:
		*ret = is_signed ? (u64)(sa >> min(b, 63ULL)) : b > 63 ? 0 : a >> b;
		return true;
	}
}

/* The accumulator, the operand and the result follow in the record. */
static void calculate_with(struct kunit *test, u32 op, u32 flags, u32 src, u64 with)
{
	struct {
		struct ktrace_filter filter;
		struct ktrace_filter_insn insns[5];
	} program = {
		.filter.nr_insns = 5,
		.insns = {
			{ KTRACE_FILTER_LOAD, KTRACE_FILTER_SRC_RECORD, 0, 0, 1, 1, 8, 8, 0 },
			{ KTRACE_FILTER_STORE, KTRACE_FILTER_SRC_REGISTER, 0, 0, 2, 2, 6, 8, 0 },
			{ KTRACE_FILTER_LOAD, KTRACE_FILTER_SRC_RECORD, 0, 0, 3, 3, 0, 8, 0 },
			{ op, src, flags, 0, 4, REJECT, 0, 8, 0 },
			{ KTRACE_FILTER_ACC_EQ, KTRACE_FILTER_SRC_RECORD, 0, 0, ACCEPT, REJECT,
			  16, 8, 0 },
		},
	};
	u64 raw[3] = { 0, with, 0 };
	struct ktrace_filter_record rec = { .raw = raw, .size = sizeof(raw) };
	bool want;
	u32 a;

	/* Only divisions have another way out. */
	if (op != KTRACE_FILTER_DIV && op != KTRACE_FILTER_MOD)
		program.insns[3].jf = program.insns[3].jt;
	if (src == KTRACE_FILTER_SRC_VALUE)
		program.insns[3].value = with;
	else
		program.insns[3].offset = src == KTRACE_FILTER_SRC_REGISTER ? 6 : 8;
	KUNIT_EXPECT_EQ(test, 0, ktrace_filter_verify_program(program.insns, 5, 0));
	ktrace_filter_jit_compile(&program.filter);
	KUNIT_EXPECT_NOT_NULL(test, program.filter.prog);
	if (!program.filter.prog)
		return;
	for (a = 0; a < ARRAY_SIZE(values); a++) {
		raw[0] = values[a];
		want = plain_result(op, flags, raw[0], with, &raw[2]);
		preempt_disable();
		KUNIT_EXPECT_EQ_MSG(test, want,
				    ktrace_filter_run(&program.filter, raw, sizeof(raw)),
				    "machine code: op %u flags %u src %u: %llx and %llx", op, flags, src,
				    raw[0], with);
		KUNIT_EXPECT_EQ_MSG(test, want, ktrace_filter_interpret(&program.filter, &rec),
				    "interpreter: op %u flags %u src %u: %llx and %llx", op, flags, src,
				    raw[0], with);
		/* Any other result is seen. */
		raw[2]++;
		KUNIT_EXPECT_FALSE(test, ktrace_filter_run(&program.filter, raw, sizeof(raw)));
		preempt_enable();
	}
	ktrace_filter_jit_free(&program.filter);
}

/* Each operation of arithmetic: critical numbers with some other ones, and with shifts. */
static void every_operation(struct kunit *test)
{
	static const u64 shifts[] = { 0, 1, 31, 32, 62, 63, 64, 65, 127, 128 };
	u32 op, b, src;

	if (!ktrace_filter_jit_works())
		kunit_skip(test, "this kernel does not compile eBPF");

	for (op = KTRACE_FILTER_ADD; op <= KTRACE_FILTER_SHR; op++) {
		for (b = 0; b < ARRAY_SIZE(values) + ARRAY_SIZE(shifts); b++) {
			u64 with = b < ARRAY_SIZE(values) ? values[b] :
							    shifts[b - ARRAY_SIZE(values)];

			src = below(3) ? KTRACE_FILTER_SRC_REGISTER + below(2) :
					 KTRACE_FILTER_SRC_RECORD;
			calculate_with(test, op, 0, src, with);
			if (ktrace_filter_can_be_signed(op))
				calculate_with(test, op, KTRACE_FILTER_SIGNED_OP, src, with);
		}
	}
}

static void switched_off(struct kunit *test)
{
	struct ktrace_filter filter;

	/* The allocator may return such memory. */
	memset(&filter, 0xff, sizeof(filter));
	filter_jit = false;
	ktrace_filter_jit_compile(&filter);
	KUNIT_EXPECT_NULL(test, filter.prog);
	KUNIT_EXPECT_EQ(test, filter.prog_min_size, 0);
	KUNIT_EXPECT_FALSE(test, *(u8 *)&filter.prog_is_bare);
	KUNIT_EXPECT_FALSE(test, *(u8 *)&filter.prog_takes_common);
	KUNIT_EXPECT_FALSE(test, ktrace_filter_jit_works());
	filter_jit = true;
}

static struct kunit_case filter_jit_cases[] = {
	KUNIT_CASE(random_programs),
	KUNIT_CASE(every_comparison),
	KUNIT_CASE(every_operation),
	KUNIT_CASE(switched_off),
	{}
};

static struct kunit_suite filter_jit_suite = {
	.name = "ktrace_filter_jit",
	.init = filter_jit_init,
	.test_cases = filter_jit_cases,
};

kunit_test_suites(&filter_jit_suite);
