// SPDX-License-Identifier: GPL-2.0
/*
 * Compiled once for each trace header of the kernel: the Kbuild file says which
 * one this time, try-cc with which help.
 */
#include <linux/list.h>

#ifdef KTRACE_PROBES_NONE
void KTRACE_TEMPLATES_LIST(struct list_head *templates);
void KTRACE_TEMPLATES_LIST(struct list_head *templates)
{
}
#else
#ifdef KTRACE_PROBES_PRELUDE
#include "prelude.h"
#endif
#include KTRACE_PROBES_STRUCTS
#include <ktrace/templates.h>
#endif
