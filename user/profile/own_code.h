/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a function is the program's own: it is neither in a system library nor in a language's
 * standard library.  The rows of own_code.def define these.
 */
#ifndef KTRACE_PROFILE_OWN_CODE_H
#define KTRACE_PROFILE_OWN_CODE_H

#include <stdbool.h>

#include "calls/call_tree.h"

bool own_code_has(const struct call_place *place);

/* Whether it is one of the functions with which each program or thread begins. */
bool own_code_is_start(const struct call_place *place);

/*
 * Whether it is also a function of a program that a JIT compiler or an interpreter runs.  Costs of
 * the compiler's or interpreter's functions that it calls are then attributed to it, although these
 * are in no library.
 */
bool own_code_is_jitted(const struct call_place *place);

#endif
