/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of an event: its print fmt applied to a record.  Inside format/
 * only; everybody else calls event_format_print().
 */
#ifndef KTRACE_FORMAT_PRINT_H
#define KTRACE_FORMAT_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <traceevent/event-parse.h>

#include "lib/strbuf.h"

struct print_program;

void print_program_destroy(struct print_program *program);

/* Append the text of the record; @program NULL: libtraceevent prints it. */
void print_event(const struct print_program *program, struct tep_event *event,
		 const void *raw, size_t raw_size, int cpu, struct strbuf *out);

/* The number a value of __print_flags or __print_symbolic is written as. */
uint64_t print_flag_value(const char *text);

#endif
