// SPDX-License-Identifier: GPL-2.0
/*
 * This is compiled for each group of trace headers.  compile-headers writes the file that
 * includes them.
 */
#include <linux/list.h>

#include KTRACE_PROBES_GROUP
