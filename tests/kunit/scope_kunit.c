// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "filter/scope.c"

static void name_this_task(const char *name)
{
	task_lock(current);
	strscpy_pad(current->comm, name, TASK_COMM_LEN);
	task_unlock(current);
}

/* Names are compared as a whole. */
static void names(struct kunit *test)
{
	static const struct {
		const char *name;
		int err;
		bool meets;
	} cases[] = {
		{ "", -EINVAL, true },
		{ "another", 0, false },
		{ "kunit-scop", 0, false },
		{ "kunit-scope-", 0, false },
		{ "kunit-scope", 0, true },
		{ "another", 0, true },
	};
	struct ktrace_scope scope;
	char comm[TASK_COMM_LEN], before[TASK_COMM_LEN];
	int i;

	get_task_comm(before, current);
	name_this_task("kunit-scope");
	ktrace_scope_init(&scope, NULL);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strscpy_pad(comm, cases[i].name, sizeof(comm));
		KUNIT_EXPECT_EQ(test, ktrace_scope_add_comm(&scope, comm), cases[i].err);
		preempt_disable();
		KUNIT_EXPECT_EQ_MSG(test, ktrace_scope_covers(&scope.probe), cases[i].meets, "case %d", i);
		preempt_enable();
	}
	memset(comm, 'a', sizeof(comm));
	KUNIT_EXPECT_EQ(test, ktrace_scope_add_comm(&scope, comm), -EINVAL);
	comm[3] = '\0';
	comm[15] = '\0';
	KUNIT_EXPECT_EQ(test, ktrace_scope_add_comm(&scope, comm), -EINVAL);
	name_this_task(before);
	ktrace_scope_deinit(&scope);
}

static void the_recorder(struct kunit *test)
{
	struct ktrace_scope scope;

	ktrace_scope_init(&scope, current);
	KUNIT_EXPECT_FALSE(test, ktrace_scope_covers(&scope.probe));
	ktrace_scope_include_self(&scope);
	KUNIT_EXPECT_TRUE(test, ktrace_scope_covers(&scope.probe));
	ktrace_scope_deinit(&scope);
	ktrace_scope_init(&scope, NULL);
	KUNIT_EXPECT_TRUE(test, ktrace_scope_covers(&scope.probe));
	ktrace_scope_deinit(&scope);
}

static struct kunit_case scope_cases[] = {
	KUNIT_CASE(names),
	KUNIT_CASE(the_recorder),
	{}
};

static struct kunit_suite scope_suite = {
	.name = "ktrace_scope",
	.test_cases = scope_cases,
};

kunit_test_suites(&scope_suite);
