/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the text of an event: its print fmt is compiled into a program once, which is applied to
 * records.  Where perf and libtraceevent print differently, we follow perf.  No byte beyond the
 * record is ever read.
 *
 * Used only inside format/; other code calls event_format_print().
 */
#ifndef KTRACE_FORMAT_PRINT_H
#define KTRACE_FORMAT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <traceevent/event-parse.h>

#include "format/print_value.h"
#include "lib/strbuf.h"

/*
 * The string arguments in a print fmt: the text that an argument of %s has for a record.  Used only
 * inside format/.
 */

/* The padding and the maximum length of a string: "%-16.8s". */
struct print_width {
	bool left;
	int width;		/* 0: no padding */
	int precision;		/* -1: all of it */
};

/* Returns the string that the kernel has at this address (printk_formats), or NULL. */
typedef const char *(*print_address_fn)(void *context, uint64_t address);

struct print_text;

/* Returns NULL if the tree contains an unsupported element, or if memory is out. */
struct print_text *print_text_create(const struct print_target *target,
				     const struct print_node *node);
void print_text_destroy(struct print_text *text);

/* Whether printing may call print_address_fn. */
bool print_text_asks(const struct print_text *text);

void print_text_add(const struct print_text *text, const struct print_record *record,
		    const struct print_width *width, print_address_fn known, void *context,
		    struct strbuf *out);

/* Find a dynamic array, cut to the record.  *ret_len is 0 if it is outside. */
const char *print_dynamic(const struct print_record *record, size_t offset, bool relative,
			  size_t *ret_len);

/* The functions that a program calls while it prints. */
struct print_context {
	/* Returns the name of the function at @address, and in *start its address, or NULL. */
	const char *(*function)(void *owner, uint64_t address, uint64_t *start);
	print_address_fn text;
	void *owner;
};

struct print_program;

/*
 * @tree must outlive the program.  Returns NULL if the print fmt contains an unsupported element,
 * or if memory is out; the caller then uses print_fields_add().
 */
struct print_program *print_program_create(const struct print_target *target,
					   const struct print_tree *tree);
void print_program_destroy(struct print_program *program);

void print_program_run(const struct print_program *program, const struct print_record *record,
		       const struct print_context *context, struct strbuf *out);

/* Whether the program never calls the functions of its context. */
bool print_program_stands_alone(const struct print_program *program);

/* Append " name=value ..." for all fields of an event. */
void print_fields_add(const struct tep_event *event, const struct print_record *record,
		      struct strbuf *out);

/* Append the value of field number @number, counted from 0. */
void print_fields_add_number(const struct tep_event *event, size_t number,
			     const struct print_record *record, struct strbuf *out);

/* A network address or UUID in a field, printed by "%pI4", "%pM", "%pU" and so on. */
struct print_address;
struct print_address *print_address_create(const struct print_target *target,
					   const struct print_node *node,
					   const char *letters, size_t *ret_used);
void print_address_destroy(struct print_address *address);
void print_address_add(const struct print_address *address, const struct print_record *record,
		       struct strbuf *out);

#endif
