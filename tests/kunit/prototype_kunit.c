// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/slab.h>

#include "attach/prototype.c"

/* "!" in place of a text: the prototype is not understood. */
static const struct {
	const char *proto, *text;
} cases[] = {
	{ "", "" },
	{ "int cpu", "int," },
	{ "  unsigned  cpu ", "unsigned int," },
	{ "unsigned long int x, long unsigned y", "unsigned long int,unsigned long int," },
	{ "long long a, unsigned long long int b", "long long int,unsigned long long int," },
	{ "char a, signed char b, unsigned char c", "char,signed char,unsigned char," },
	{ "short int a, unsigned short b, signed c", "short,unsigned short,int," },
	{ "bool a, _Bool b, u64 c, pid_t", "bool,_Bool,u64,pid_t," },
	{ "__int128 a, unsigned __int128 b", "__int128,unsigned __int128," },
	{ "struct task_struct *p", "*struct task_struct," },
	{ "const struct task_struct * const p", "*struct task_struct," },
	{ "struct file const*const*f", "**struct file," },
	{ "union u *a, enum e b, enum e *", "*union u,enum e,*enum e," },
	{ "const char __attribute__((btf_type_tag(\"user\"))) *name", "*char," },
	{ "const void *p, void **q", "*void,**void," },
	{ "unsigned long args[6], const u8 mac[]", "*unsigned long int,*u8," },
	{ "void (*f)(u64 seq, u32 ctx)", "*(void;u64,u32,)," },
	{ "struct x *(*f)(void), int a", "*(*struct x;),int," },
	{ "int (*f)(), int a", "*(int;),int," },
	{ "void (*f)(int (*g)(char), long l)", "*(void;*(int;char,),long int,)," },
	{ "void (**f)(int)", "**(void;int,)," },
	/* A name may be that of a type elsewhere. */
	{ "u32 u64, struct bio *struct_bio", "u32,*struct bio," },
	{ "typeof(x) y", "!" },
	{ "int a,", "!" },
	{ "int f(int)", "!" },
	{ "int a[2][3]", "!" },
	{ "struct { int a; } *p", "!" },
	{ "void (*f(int))(int)", "!" },
	{ "void (*a)(void (*b)(void (*c)(void (*d)(void (*e)(int)))))", "!" },
	{ "void (*f)(int", "!" },
	{ "int a;", "!" },
	{ "...", "!" },
};

static void texts(struct kunit *test)
{
	struct ktrace_prototype *got = kunit_kmalloc(test, sizeof(*got), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, got);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ktrace_prototype_init(got);
		ktrace_prototype_parse(got, cases[i].proto, NULL, NULL);
		KUNIT_EXPECT_STREQ_MSG(test, got->failed ? "!" : got->text, cases[i].text, "'%s'",
				       cases[i].proto);
	}
}

/* A prototype that is too long for its buffer is not compared by its beginning. */
static void too_long(struct kunit *test)
{
	struct ktrace_prototype *got = kunit_kmalloc(test, sizeof(*got), GFP_KERNEL);
	char *proto = kunit_kzalloc(test, 2 * KTRACE_PROTOTYPE_SIZE, GFP_KERNEL);
	int len;

	KUNIT_ASSERT_NOT_NULL(test, got);
	KUNIT_ASSERT_NOT_NULL(test, proto);
	for (len = 1; len < 2 * KTRACE_PROTOTYPE_SIZE - 1; len++) {
		memset(proto, 'x', len);
		ktrace_prototype_init(got);
		ktrace_prototype_parse(got, proto, NULL, NULL);
		KUNIT_ASSERT_EQ(test, got->failed, len + 1 >= KTRACE_PROTOTYPE_SIZE);
	}
}

static struct kunit_case prototype_cases[] = {
	KUNIT_CASE(texts),
	KUNIT_CASE(too_long),
	{}
};

static struct kunit_suite prototype_suite = {
	.name = "ktrace_prototype",
	.test_cases = prototype_cases,
};

kunit_test_suites(&prototype_suite);
