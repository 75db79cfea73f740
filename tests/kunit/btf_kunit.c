// SPDX-License-Identifier: GPL-2.0
/* Type information, whole and damaged. */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "attach/btf.c"

#define INFO(kind, vlen) ((kind) << 24 | (vlen))

/* Offsets of the names in .strings. */
enum { INT = 1, FILE_ = 5, U64 = 10, OPEN = 14, ODD = 29, PASS = 43, MAC = 58, MACS = 62, FN = 67 };

static const struct blob {
	struct btf_header header;
	struct btf_type number;			/* 1 */
	u32 number_bits;
	struct btf_type file, file_pointer;	/* 2, 3 */
	struct btf_type u64_name, const_u64;	/* 4, 5 */
	struct btf_type data;			/* 6: void * */
	struct btf_type proto;			/* 7 */
	struct btf_param params[4];
	struct btf_type pointer, open;		/* 8, 9 */
	struct btf_type odd;			/* 10: a tracepoint that is a number */
	struct btf_type array;			/* 11: int[6] */
	struct btf_array elements;
	struct btf_type mac, macs, fn;		/* 12 to 14: of the array, of mac, of proto */
	struct btf_type fn_pointer, number_pointer;	/* 15, 16 */
	struct btf_type pass_proto;		/* 17 */
	struct btf_param pass_params[5];
	struct btf_type pass_pointer, pass;	/* 18, 19 */
	char strings[72];
} blob = {
	.header = {
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct btf_header),
		.type_len = offsetof(struct blob, strings) - sizeof(struct btf_header),
		.str_off = offsetof(struct blob, strings) - sizeof(struct btf_header),
		.str_len = sizeof(((struct blob *)0)->strings),
	},
	.number = { .name_off = INT, .info = INFO(BTF_KIND_INT, 0), .size = 4 },
	.number_bits = 32,
	.file = { .name_off = FILE_, .info = INFO(BTF_KIND_STRUCT, 0) },
	.file_pointer = { .info = INFO(BTF_KIND_PTR, 0), .type = 2 },
	.u64_name = { .name_off = U64, .info = INFO(BTF_KIND_TYPEDEF, 0), .type = 1 },
	.const_u64 = { .info = INFO(BTF_KIND_CONST, 0), .type = 4 },
	.data = { .info = INFO(BTF_KIND_PTR, 0), .type = 0 },
	.proto = { .info = INFO(BTF_KIND_FUNC_PROTO, 4), .type = 0 },
	.params = { { .type = 6 }, { .type = 1 }, { .type = 3 }, { .type = 5 } },
	.pointer = { .info = INFO(BTF_KIND_PTR, 0), .type = 7 },
	.open = { .name_off = OPEN, .info = INFO(BTF_KIND_TYPEDEF, 0), .type = 8 },
	.odd = { .name_off = ODD, .info = INFO(BTF_KIND_TYPEDEF, 0), .type = 1 },
	.array = { .info = INFO(BTF_KIND_ARRAY, 0) },
	.elements = { .type = 1, .index_type = 1, .nelems = 6 },
	.mac = { .name_off = MAC, .info = INFO(BTF_KIND_TYPEDEF, 0), .type = 11 },
	.macs = { .name_off = MACS, .info = INFO(BTF_KIND_TYPEDEF, 0), .type = 12 },
	.fn = { .name_off = FN, .info = INFO(BTF_KIND_TYPEDEF, 0), .type = 7 },
	.fn_pointer = { .info = INFO(BTF_KIND_PTR, 0), .type = 14 },
	.number_pointer = { .info = INFO(BTF_KIND_PTR, 0), .type = 1 },
	.pass_proto = { .info = INFO(BTF_KIND_FUNC_PROTO, 5), .type = 0 },
	.pass_params = {
		{ .type = 6 }, { .type = 16 }, { .type = 16 }, { .type = 15 }, { .type = 4 },
	},
	.pass_pointer = { .info = INFO(BTF_KIND_PTR, 0), .type = 17 },
	.pass = { .name_off = PASS, .info = INFO(BTF_KIND_TYPEDEF, 0), .type = 18 },
	.strings = "\0int\0file\0u64\0btf_trace_open\0btf_trace_odd\0btf_trace_pass\0mac\0macs\0fn",
};

static const char proto[] = "int flags, struct file *file, u64 start";

/* Returns the result of compare() for @size bytes; also UNKNOWN if they cannot be read. */
static enum ktrace_btf_answer ask(struct kunit *test, const void *bytes, size_t size,
				  const char *name, const char *text)
{
	enum ktrace_btf_answer answer = KTRACE_BTF_UNKNOWN;
	struct btf_types *btf = kzalloc(sizeof(*btf), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, btf);
	/* The memory is exactly as large as the file, so that KASAN sees reads beyond it. */
	btf->file = vmalloc(size);
	KUNIT_ASSERT_NOT_NULL(test, btf->file);
	memcpy(btf->file, bytes, size);
	if (index_types(btf, size))
		answer = compare(btf, name, text);
	free_types(btf);
	return answer;
}

static void answers(struct kunit *test)
{
	static const char * const others[] = {
		"", "int flags", "int flags, struct file *file, u32 start",
		"int flags, struct inode *file, u64 start", "int flags, union file *file, u64 start",
		"int flags, struct file file, u64 start", "int *flags, struct file *file, u64 start",
		"unsigned int flags, struct file *file, u64 start",
		"int flags, struct file *file, u64 start, int more",
	};
	int i;

	KUNIT_EXPECT_EQ(test, ask(test, &blob, sizeof(blob), "open", proto), KTRACE_BTF_SAME);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_EQ_MSG(test, ask(test, &blob, sizeof(blob), "open", others[i]),
				    KTRACE_BTF_OTHER, "'%s'", others[i]);
	KUNIT_EXPECT_EQ(test, ask(test, &blob, sizeof(blob), "clos", proto), KTRACE_BTF_UNKNOWN);
	KUNIT_EXPECT_EQ(test, ask(test, &blob, sizeof(blob), "odd", proto), KTRACE_BTF_UNKNOWN);
	KUNIT_EXPECT_EQ(test, ask(test, &blob, sizeof(blob), "open", "typeof(x) y"),
			KTRACE_BTF_UNKNOWN);
}

/* Types that C passes as pointers, although their typedefs have another name. */
static void passed(struct kunit *test)
{
	static const struct {
		const char *proto;
		enum ktrace_btf_answer answer;
	} cases[] = {
		{ "mac from, macs to, fn call, u64 id", KTRACE_BTF_SAME },
		{ "const mac from, int *to, fn *call, u64 id", KTRACE_BTF_SAME },
		{ "int from[6], mac to, fn call, u64 id", KTRACE_BTF_SAME },
		{ "mac *from, mac to, fn call, u64 id", KTRACE_BTF_OTHER },
		{ "u64 from, mac to, fn call, u64 id", KTRACE_BTF_OTHER },
		{ "ma from, mac to, fn call, u64 id", KTRACE_BTF_OTHER },
		{ "mac from, mac to, fn **call, u64 id", KTRACE_BTF_OTHER },
		{ "mac from, mac to, fn call, mac id", KTRACE_BTF_OTHER },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, ask(test, &blob, sizeof(blob), "pass", cases[i].proto),
				    cases[i].answer, "'%s'", cases[i].proto);
}

static void damaged(struct kunit *test)
{
	struct rnd_state rnd;
	struct blob copy;
	size_t size;
	u32 n, i;

	for (size = 1; size < sizeof(blob); size++)
		KUNIT_EXPECT_EQ(test, ask(test, &blob, size, "open", proto), KTRACE_BTF_UNKNOWN);
	prandom_seed_state(&rnd, 4711);
	for (n = 0; n < 20000; n++) {
		copy = blob;
		for (i = 0; i <= n % 4; i++)
			((u8 *)&copy)[prandom_u32_state(&rnd) % sizeof(copy)] ^=
				1 << prandom_u32_state(&rnd) % 8;
		/* Any answer will do here, as long as there is one. */
		if (n % 8)
			ask(test, &copy, sizeof(copy), "open", proto);
		else
			ask(test, &copy, sizeof(copy), "pass", "mac from, macs to, fn call, u64 id");
	}
}

static struct kunit_case btf_cases[] = {
	KUNIT_CASE(answers),
	KUNIT_CASE(passed),
	KUNIT_CASE(damaged),
	{}
};

static struct kunit_suite btf_suite = {
	.name = "ktrace_btf",
	.test_cases = btf_cases,
};

kunit_test_suites(&btf_suite);
