/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The definition of a probe in the syntax of perf probe:
 *
 *	[[GROUP:]EVENT=]FUNC[@SRC][+OFFS|%return|:RLN|;PTN] [ARG...]
 *	[[GROUP:]EVENT=]SRC:ALN [ARG...]
 *	[[GROUP:]EVENT=]SRC;PTN [ARG...]
 *	sdt_PROVIDER:NAME or %PROVIDER:NAME
 *	ARG is [NAME=]VAR[->FIELD|.FIELD|[INDEX]]...[@user][:TYPE], or a value of the kernel's
 *	own syntax: %REG, $retval, $stackN, $comm, $argN, @SYM, +OFFS(ARG), \IMM; or $vars, $params.
 *
 * Only the syntax is checked here, not whether the function or the variable exists.
 */
#ifndef KTRACE_PROBE_DEFINITION_H
#define KTRACE_PROBE_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* One step from a variable to a part of it. */
struct probe_field {
	char *name;	/* of a member; NULL: an element of an array */
	long index;
	bool arrow;	/* "->", not "." */
	size_t at;	/* position in the definition's text */
};

enum probe_arg_kind {
	PROBE_ARG_VARIABLE,
	PROBE_ARG_RAW,		/* passed to the kernel unchanged, in `variable` */
	PROBE_ARG_RETVAL,	/* $retval, maybe with fields */
	PROBE_ARG_PARAMS,	/* $params: all parameters */
	PROBE_ARG_VARS,		/* $vars: parameters and local variables */
};

struct probe_arg {
	enum probe_arg_kind kind;
	char *name;	/* the one in front of '='; NULL: none */
	char *text;	/* the text behind it, as written */
	char *variable;
	ARRAY_OF(struct probe_field) fields;
	char *type;	/* NULL: none */
	bool user;	/* @user: it points to memory of user space */
	size_t at;	/* position in the definition's text */
};

struct probe_definition {
	char *text;		/* all of it */
	char *group, *event;	/* NULL: not given */
	bool is_sdt;		/* group and event name an SDT marker */
	char *function, *file;	/* NULL: not given; may be globs */
	char *pattern;		/* ";PTN"; NULL: none */
	unsigned int line;	/* valid if has_line; of the file, or behind the function's */
	bool has_line;
	uint64_t offset;	/* bytes behind the function's start */
	uint64_t address;	/* valid if has_address: the location is an address, "0x1234" */
	bool has_address;
	bool is_return;		/* "%return" */
	size_t at;		/* position of the location in the text */
	ARRAY_OF(struct probe_arg) args;
};

/* Parse a definition.  Errors show the text, with a caret under the mistake. */
struct error *probe_definition_parse(const char *text, struct probe_definition *ret);

/*
 * The same for the form "FUNC(ARG, ARG)" or "FUNC%return(ARG)" of `record -e k:...`: without
 * parentheses there are no arguments.
 */
struct error *probe_definition_parse_call(const char *text, struct probe_definition *ret);

void probe_definition_deinit(struct probe_definition *definition);
DEFINE_CLEANUP(probe_definition, struct probe_definition, probe_definition_deinit)

/* Append the location in perf's format: "walk:5", "walk+4", "walk%return", "@t.c:12". */
struct strbuf;
void probe_definition_add_place(const struct probe_definition *definition, struct strbuf *out);

/* Whether an argument has to be looked up in debug information. */
bool probe_definition_has_variables(const struct probe_definition *definition);

#endif
