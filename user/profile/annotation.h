/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The annotated listing of a function: its instructions with their samples, the lines of source
 * that they were compiled from, and a heading wherever the code of another, inlined function
 * begins.
 */
#ifndef KTRACE_PROFILE_ANNOTATION_H
#define KTRACE_PROFILE_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "profile/function_counts.h"
#include "session/machine.h"
#include "symbol/code.h"
#include "symbol/disassembler.h"
#include "symbol/source_text.h"
#include "terminal/word_list.h"

enum annotation_kind {
	ANNOTATION_INSTRUCTION,
	ANNOTATION_SOURCE,	/* text: a line of source, NULL if the file is not here */
	ANNOTATION_HEADING,	/* text: the name of a function, demangled */
};

/* No line. */
#define ANNOTATION_NOWHERE	SIZE_MAX

struct annotation_line {
	enum annotation_kind kind;
	const char *text;
	const char *file;	/* of an instruction: its source; NULL: unknown */
	unsigned int line;	/* 0: unknown */
	/* Of an instruction only. */
	const unsigned char *bytes;
	uint64_t address;	/* as objdump shows it */
	uint32_t size;
	size_t target;		/* line of its jump target, in this function; or NOWHERE */
	struct sample_count *counts;	/* by column */
};

/* A jump inside the function. */
struct annotation_jump {
	size_t from, to;	/* lines */
	unsigned int lane;	/* jumps of one lane do not overlap; the shortest have the lowest */
};

/* The samples of one line of source. */
struct annotation_place {
	const char *file;
	unsigned int line;
	struct sample_count *counts;	/* by column */
};

struct annotation {
	const struct counted_function *function;
	size_t columns;
	struct sample_count *totals;	/* of the function, by column */
	ARRAY_OF(struct annotation_line) lines;
	size_t *instructions;		/* the lines of instructions, by position in disassembly */
	ARRAY_OF(struct annotation_jump) jumps;	/* jumps longer than the limit are left out */
	unsigned int lanes;
	/* the most samples of the first column first */
	ARRAY_OF(struct annotation_place) places;
	struct code code;
	struct disassembly disassembly;
	bool has_lines;			/* debug information was found */
	bool source_is_newer;		/* a source file is newer than the binary */
	ARRAY_OF(char *) texts;		/* texts that the annotation owns */
	struct sample_count *memory;	/* the memory of all counts */
};

struct annotation_options {
	struct disassembly_options disassembly;
	bool no_source;			/* no lines of source */
};

/*
 * Create the listing.  Column i shows the samples of the event with the index @events[i].  The
 * machine, @function, whose binary was loaded, and @texts must live as long as the listing.
 * ENOENT: the code or a disassembler is missing; the error names it.
 */
struct error *annotation_create(struct machine *machine, const struct counted_function *function,
				const size_t *events, size_t nr_events,
				const struct annotation_options *options,
				struct source_texts *texts, struct annotation **ret);
void annotation_destroy(struct annotation *annotation);
DEFINE_CLEANUP_PTR(annotation, struct annotation, annotation_destroy)

/*
 * Count again, because the function may have more samples now; @events is as for
 * annotation_create().  The sums of places are not updated.
 */
void annotation_count(struct annotation *annotation, const struct counted_function *function,
		      const size_t *events);

/*
 * The function that the instruction of a line calls or jumps to, if it is in the same binary; NULL:
 * it is not, or is unknown.  *ret_start is the address in memory of its first byte, as in
 * counted_function; *ret_offset is the distance of the target from it.
 */
const struct symbol *annotation_target(const struct annotation *annotation, size_t line,
				       uint64_t *ret_start, uint64_t *ret_offset);

/* The kinds of percentages, by perf's names. */
struct percent_type {
	bool is_global;		/* of all samples of the event, not of those in the function */
	bool is_hits;		/* samples are counted, not their periods */
};

/* Parse "local-period", "global-hits" ...; EINVAL: an unknown keyword. */
struct error *percent_type_parse(const char *text, struct percent_type *ret);
extern const struct word_table percent_type_words;
const char *percent_type_name(const struct percent_type *type);

/* @count in percent of the function or of the event, depending on @type. */
double annotation_percent(const struct percent_type *type, const struct sample_count *count,
			  const struct sample_count *function, const struct sample_count *event);

#endif
