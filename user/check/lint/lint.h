/* SPDX-License-Identifier: GPL-2.0 */
/* The rules that need only the text of a format file, and the rules that need the header. */
#ifndef KTRACE_CHECK_LINT_LINT_H
#define KTRACE_CHECK_LINT_LINT_H

#include "check/finding.h"
#include "check/lint/class_layout.h"
#include "check/subject.h"
#include "header/trace_header.h"
#include "lib/error.h"

/*
 * Apply all rules to @result's format; findings go into @result.  @layout: also compare the
 * fields with it; NULL: do not.
 */
struct error *lint(struct results *results, struct result *result,
		   const struct class_layout *layout);

/*
 * Apply the rules about the assignment, which only the sources have: @event of @header defines the
 * event of @result.  Findings have their lines, and replace kept findings of these rules.
 */
struct error *lint_source(struct results *results, struct result *result,
			  const struct trace_header *header, const struct header_event *event);

/* The groups of rules; each is in lint_<group>.c. */
void lint_record(struct subject *subject);	/* where fields are in the record */
void lint_field(struct subject *subject);	/* the type and the name of a field */
void lint_print_fmt(struct subject *subject);	/* the print fmt as a whole */
void lint_mention(struct subject *subject);	/* fields named in the print fmt */
void lint_pointer(struct subject *subject);	/* pointers that are followed */
void lint_conversion(struct subject *subject);	/* conversions and their arguments */
void lint_label(struct subject *subject);	/* the text before and behind conversions */
void lint_symbol(struct subject *subject);	/* enums, and tables of names */
void lint_array(struct subject *subject);	/* how far arrays are read */

void lint_parse(struct subject *subject);	/* syntax errors, by reader; goes last */

/* Add a finding at an offset of the print fmt. */
#define find_at(subject, rule, field, place, ...) \
	finding_add((subject)->results, (subject)->result, rule, field, place, __VA_ARGS__)

/* Add a finding about a field's declaration. */
#define find_field(subject, rule, field, ...) \
	find_at(subject, rule, (field)->name, subject_declaration(subject, field), __VA_ARGS__)

#endif
