/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares events with BTF: their formats with struct trace_event_raw_CLASS, and the arguments of
 * their tracepoints.  The kernel was compiled with these structures, and eBPF programs read events
 * by them.
 */
#ifndef KTRACE_CHECK_LINT_CLASS_LAYOUT_H
#define KTRACE_CHECK_LINT_CLASS_LAYOUT_H

#include <stddef.h>

#include "check/subject.h"
#include "lib/cleanup.h"
#include "lib/error.h"

struct class_layout;

/*
 * @path is a file with BTF, vmlinux or raw; NULL: use that of this kernel and its modules.
 * ENOENT: this kernel has none; ENOTSUP: ktrace was built without libbpf.
 */
struct error *class_layout_open(const char *path, struct class_layout **ret);
void class_layout_close(struct class_layout *layout);
DEFINE_CLEANUP_PTR(class_layout, struct class_layout, class_layout_close)

/*
 * Compare the fields of @subject; differences are findings, and so is a tracepoint of its name that
 * takes a va_list.  A format does not name its class.  We use the class that has the same fields at
 * the same offsets, else the class with the event's name. results->compared counts the events that
 * have either.
 */
void class_layout_check(const struct class_layout *layout, struct subject *subject);

#endif
