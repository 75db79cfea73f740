/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Found before the kernel's own: trace headers give their helpers only to who
 * defines CREATE_TRACE_POINTS, as ktrace/templates.h then does, and in the end
 * include this to have the events themselves defined, which they are.
 */
