/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for unit tests: one program per module, one line per check.
 *
 *	TEST(test_buffers)
 *	{
 *		ok(1 + 1 == 2, "one and one are two");
 *		about("an empty buffer");
 *		is_str(strbuf_str(&sb), "", "its text is empty");
 *	}
 *
 *	TAP_MAIN
 *
 * A program that has to prepare something has a main() of its own, which ends with tap_done().
 */
#ifndef KTRACE_TESTS_TAP_H
#define KTRACE_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/error.h"

static int tap_nr, tap_failed;
static char tap_subject[200];
__attribute__((unused)) static void (*tap_tests[64])(void);
__attribute__((unused)) static size_t tap_nr_tests;

/* The subject of the checks from here on, in front of their names. */
__attribute__((format(printf, 1, 2), unused))
static void about(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(tap_subject, sizeof(tap_subject), fmt, ap);
	va_end(ap);
}

__attribute__((unused))
static void about_nothing(void)
{
	*tap_subject = '\0';
}

/* Make the name of a check; it holds until the next one is made. */
__attribute__((format(printf, 1, 2), unused))
static const char *named(const char *fmt, ...)
{
	static char name[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	return name;
}

__attribute__((format(printf, 2, 3), unused))
static bool ok(bool holds, const char *fmt, ...)
{
	va_list ap;

	tap_failed += !holds;
	printf("%sok %d - %s%s", holds ? "" : "not ", ++tap_nr, tap_subject,
	       *tap_subject ? ": " : "");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	return holds;
}

__attribute__((unused))
static bool is_u64(unsigned long long got, unsigned long long want, const char *name)
{
	if (got != want)
		printf("# got %llu, want %llu\n", got, want);
	return ok(got == want, "%s", name);
}

__attribute__((unused))
static bool is_str(const char *got, const char *want, const char *name)
{
	bool same = got && want ? !strcmp(got, want) : got == want;

	if (!same)
		printf("# got  '%s'\n# want '%s'\n", got ? got : "(null)", want ? want : "(null)");
	return ok(same, "%s", name);
}

/* @err must be NULL; it is freed. */
__attribute__((unused))
static bool no_error(struct error *err, const char *name)
{
	bool none = !err;

	if (err)
		printf("# %s\n", err->message);
	error_free(err);
	return ok(none, "%s", name);
}

/* @err must have this message; it is freed. */
__attribute__((unused))
static bool is_error(struct error *err, const char *message, const char *name)
{
	bool same = is_str(err ? err->message : NULL, message, name);

	error_free(err);
	return same;
}

__attribute__((unused))
static int tap_done(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed != 0;
}

/* A test of a program that ends with TAP_MAIN, which runs them in the order in which they stand. */
#define TEST(name) \
	static void name(void); \
	__attribute__((constructor)) static void name##_add(void) \
	{ \
		tap_tests[tap_nr_tests++] = name; \
	} \
	static void name(void)

#define TAP_MAIN \
	int main(void) \
	{ \
		for (size_t i = 0; i < tap_nr_tests; i++) \
			tap_tests[i](); \
		return tap_done(); \
	}

#endif
