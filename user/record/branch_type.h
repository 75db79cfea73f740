/* SPDX-License-Identifier: GPL-2.0 */
/* perf's names for the types of branches (PERF_BR_* of linux/perf_event.h). */
#ifndef KTRACE_RECORD_BRANCH_TYPE_H
#define KTRACE_RECORD_BRANCH_TYPE_H

#include <stdbool.h>

/* The name of PERF_BR_*, or with @is_new of PERF_BR_NEW_*; "": it has none. */
const char *branch_type_name(unsigned int type, bool is_new);

/* The same for both fields of struct perf_branch_entry. */
const char *branch_type_of(unsigned int type, unsigned int new_type);

#endif
