/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of an event: its print fmt, made into a program once and applied
 * to records.  Where perf and libtraceevent print differently, it is perf's
 * text.  No byte beyond the record is ever read.
 *
 * Inside format/ only; everybody else calls event_format_print().
 */
#ifndef KTRACE_FORMAT_PRINT_H
#define KTRACE_FORMAT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <traceevent/event-parse.h>

#include "format/print_text.h"
#include "format/print_value.h"
#include "lib/strbuf.h"

/* What a program asks of its collection while it prints. */
struct print_context {
	/* The function at @address: its name, *start its address; NULL: none. */
	const char *(*function)(void *owner, uint64_t address, uint64_t *start);
	print_address_fn text;
	void *owner;
};

struct print_program;

/*
 * @tree must outlive the program.  NULL: it has something nobody can print, or
 * memory is out; print_fields_add() is what then remains.
 */
struct print_program *print_program_create(const struct print_target *target,
					   const struct print_tree *tree);
void print_program_destroy(struct print_program *program);

void print_program_run(const struct print_program *program, const struct print_record *record,
		       const struct print_context *context, struct strbuf *out);

/* Whether it asks its context for nothing. */
bool print_program_stands_alone(const struct print_program *program);

/* "[FAILED TO PARSE] name=value ...", for events without a program. */
void print_fields_add(const struct tep_event *event, const struct print_record *record,
		      struct strbuf *out);

/* "%pI4", "%pM", "%pU" ...: a network address in a field. */
struct print_address;
struct print_address *print_address_create(const struct print_target *target,
					   const struct print_node *node,
					   const char *letters, size_t *ret_used);
void print_address_destroy(struct print_address *address);
void print_address_add(const struct print_address *address, const struct print_record *record,
		       struct strbuf *out);

#endif
