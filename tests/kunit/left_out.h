/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before the sources of a suite that KTRACE_KUNIT_SUITES does not name.  The suite is
 * built, since other suites call functions of the sources that it includes, but does not run.
 */
#include <kunit/test.h>

#undef kunit_test_suites
#define kunit_test_suites(...) \
	static struct kunit_suite *const left_out[] __maybe_unused = { __VA_ARGS__ }
