// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "lib/strbuf.h"
#include "spec/metric_expr.h"
#include "tap.h"

static double test_value(void *data, const char *name)
{
	return !strcmp(name, "a") ? 6 : !strcmp(name, "b") ? 4 : !strcmp(name, "cpu/event=1,umask=2/") ?
	       7 : !strcmp(name, "L1-dcache-loads:u") ? 9 : NAN;
}

static double test_literal(void *data, const char *name)
{
	return !strcmp(name, "#smt_on") ? 1 : !strcmp(name, "#num_cpus") ? 8 : NAN;
}

static bool test_has_event(void *data, const char *name)
{
	return !strcmp(name, "a");
}

static const struct metric_names test_names = {
	.value = test_value, .literal = test_literal, .has_event = test_has_event,
};

static void test_is(const char *text, double want)
{
	_cleanup_(metric_expr) struct metric_expr *expr = NULL;
	double got;

	if (!no_error(metric_expr_parse(text, &expr), text))
		return;
	got = metric_expr_value(expr, &test_names);
	if (!ok(isnan(want) ? isnan(got) : got == want, "%s is %g", text, want))
		printf("# got %g\n", got);
}

static void test_values(void)
{
	test_is("1 + 2 * 3", 7);
	test_is("(1 + 2) * 3", 9);
	test_is("10 - 4 - 3", 3);
	test_is("12 / 2 / 3", 2);
	test_is("-a + 1", -5);
	test_is("- -a", 6);
	test_is("7 % 4 * 2", 6);
	test_is("1e3 + 1.5e-1 + .5", 1000.65);
	test_is("6 | 1 & 3 ^ 2", 6 | ((1 & 3) ^ 2));
	test_is("1 + 1 < 3", 1);
	test_is("2 > 1 + 1", 0);
	test_is("a if b > 3 else b", 6);
	test_is("a if b > 4 else b", 4);
	test_is("1 if 0 else 2 if 0 else 3", 3);
	test_is("(a if #smt_on else b) / #num_cpus", 0.75);
	test_is("min(a, b) + max(a, b) * 10", 64);
	test_is("max(a, 8 if b else 9)", 8);
	test_is("d_ratio(a, b) + d_ratio(a, 0)", 1.5);
	test_is("has_event(a) + has_event(other) * 2", 1);
	test_is("cpu@event\\=1\\,umask\\=2@ * 2", 14);
	test_is("L1\\-dcache\\-loads:u - 1", 8);
	test_is("minimum", NAN);
	test_is("a / (b - b)", NAN);
	test_is("a % (b - b)", NAN);
	test_is("-9223372036854775808 % -1", 0);
	test_is("1e300 & 1", 1);
	test_is("min(other, a)", NAN);
	test_is("a if other else b", NAN);
	test_is("a if 1 else other", 6);
	test_is("#unknown", NAN);
}

static void test_is_wrong(const char *text, const char *message, unsigned int column)
{
	struct metric_expr *expr = NULL;
	struct error *err = metric_expr_parse(text, &expr);
	const char *caret = err ? strrchr(err->message, '\n') : NULL;

	about("'%s'", text);
	if (ok(err && caret, "is refused")) {
		ok(!strncmp(err->message, message, strlen(message)), "the sentence says why");
		is_u64(strcspn(caret + 1, "^") - 4, column, "the caret is under the mistake");
	}
	about_nothing();
	error_free(err);
	metric_expr_destroy(expr);
}

static void test_errors(void)
{
	_cleanup_(strbuf) struct strbuf deep = STRBUF_INIT, wide = STRBUF_INIT;
	struct metric_expr *expr = NULL;
	struct error *err;

	test_is_wrong("", "Something is missing", 0);
	test_is_wrong("a +", "Something is missing", 3);
	test_is_wrong("a b", "An operator is missing", 2);
	test_is_wrong("(a", "')' is missing", 2);
	test_is_wrong("min(a)", "',' is missing", 5);
	test_is_wrong("a if b", "'else' is missing", 6);
	test_is_wrong("else", "No number and no name", 0);
	test_is_wrong("1 + #", "No number and no name", 4);
	test_is_wrong("source_count(a)", "ktrace does not know this function", 0);
	test_is_wrong("hv@x\\=?@", "ktrace does not know which number", 0);
	test_is_wrong("has_event()", "The name of an event", 10);
	for (int i = 0; i < 100000; i++) {
		strbuf_addch(&deep, '(');
		strbuf_addstr(&wide, "1+");
	}
	strbuf_addstr(&wide, "1");
	err = metric_expr_parse(deep.data, &expr);
	ok(err && strstr(err->message, "nested too deep"), "100000 parentheses are refused");
	error_free(err);
	err = metric_expr_parse(wide.data, &expr);
	ok(err && strstr(err->message, "too many operators"), "100000 operators are refused");
	error_free(err);
}

static struct error *test_add_name(void *data, const char *name)
{
	strbuf_addf(data, "%s ", name);
	return NULL;
}

static void test_each(const char *text, const char *want)
{
	_cleanup_(metric_expr) struct metric_expr *expr = NULL;
	_cleanup_(strbuf) struct strbuf seen = STRBUF_INIT;
	struct metric_names names = test_names;

	names.data = &seen;
	error_free(metric_expr_parse(text, &expr));
	if (expr)
		error_free(metric_expr_each_name(expr, &names, test_add_name));
	about("%s", text);
	is_str(strbuf_str(&seen), want, "the names that it needs");
	about_nothing();
}

int main(void)
{
	test_values();
	test_errors();
	test_each("a + b * c", "a b c ");
	test_each("a if #smt_on else b", "a ");
	test_each("a if has_event(b) else c", "c ");
	test_each("a if b else c", "a b c ");
	test_each("a if #smt_on < 1 else b if #unknown else c", "b c ");
	return tap_done();
}
