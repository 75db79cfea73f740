/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of redaction.
 */
#ifndef KTRACE_PERFDATA_REDACT_REDACTION_STATE_H
#define KTRACE_PERFDATA_REDACT_REDACTION_STATE_H

#include <stdint.h>

#include "format/event_format.h"
#include "lib/array.h"
#include "lib/pseudonyms.h"
#include "perfdata/redact/redaction.h"

enum redaction_what {
	REDACT_COMM	= 1 << 0,
	REDACT_PATH	= 1 << 1,
	REDACT_CMDLINE	= 1 << 2,
	REDACT_HOST	= 1 << 3,
	REDACT_KERNEL	= 1 << 4,
	REDACT_FIELDS	= 1 << 5,	/* fields that match the rule's glob */
};

struct redaction_rule {
	unsigned int what;	/* bits of enum redaction_what */
	char *fields;		/* a glob for SYSTEM:EVENT.FIELD; NULL: none; owned */
	char *values;		/* a glob for values; NULL: all; owned */
	const char *text;	/* the user's text, borrowed */
};

struct code_range {
	uint64_t start, end;
};

struct code_ranges {
	struct code_range *items;
	size_t nr, alloc;
};

struct redaction {
	struct pseudonyms *pseudonyms;
	ARRAY_OF(struct redaction_rule) rules;
	const struct event_list *events;	/* borrowed, like formats */
	const struct formats *formats;
	char *record;		/* buffer for redaction_take(), 64 KiB; 8-aligned */
	struct strbuf text;	/* the replacement of a text */
	struct code_ranges code;	/* ranges where any process has code, in order */
	/* The number of samples in which these were blanked. */
	uint64_t unknown_raw, stacks, registers, frames;
	uint64_t dropped;	/* records that were left out */
	bool no_filters, no_features;	/* some were removed */
};

/* Whether a field with this name matches a rule for fields. */
bool redaction_wants_field(const struct redaction *redaction, const struct event_format *format,
			   const struct field *field);

/*
 * Replace the text in @size bytes at @at if a rule for @what, or for this field (NULL: it is none),
 * applies.  The text ends at the first NUL or after @size bytes.  The rest is blanked.
 */
struct error *redaction_replace(struct redaction *redaction, unsigned int what,
				const struct event_format *format, const struct field *field,
				char *at, size_t size);

/* As redaction_replace(), for the name of a mapped binary; @misc is that of its record. */
struct error *redaction_replace_binary(struct redaction *redaction, uint16_t misc, char *at,
				       size_t size);

/* Read the recording at @path to find where code is mapped. */
struct error *redaction_learn_code(struct redaction *redaction, const char *path);

/* Blank the user's frames of a call chain that are not in mapped code. */
void redaction_blank_frames(struct redaction *redaction, uint64_t *ips, uint64_t nr);

/*
 * Redact a sample in place.  If it is damaged or of an unknown event, it is not changed, and
 * *ret_known is false.
 */
struct error *redaction_sample(struct redaction *redaction, struct perf_event_header *header,
			       bool *ret_known);

#endif
