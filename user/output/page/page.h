/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the output html: the page without a recording, and a profile as its data.
 */
#ifndef KTRACE_OUTPUT_PAGE_PAGE_H
#define KTRACE_OUTPUT_PAGE_PAGE_H

#include "columns/dictionary.h"
#include "lib/json.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "profile/compare/comparison.h"
#include "profile/function_counts.h"
#include "profile/profile.h"

/* The result of scripts/gen-page from user/page/; the JSON replaces the mark. */
extern const char page_template[];
#define PAGE_MARK	"@DATA@"

/* The sources of listings. */
struct page_code {
	const struct function_counts *counts;
	struct machine *machine;	/* NULL: no samples */
};

/* Slower and faster functions of the shown recording; all is borrowed. */
struct page_comparison {
	const struct comparison *comparison;	/* of binaries and functions, in this order */
	struct comparison_side before, after;	/* after: the recording that is shown */
	const char *const *names;		/* of the earlier recordings */
	bool absolute;				/* verdicts are about costs, not shares */
};

/*
 * Append the sentences about a recording that stand above the pictures and that are printed on the
 * terminal.  They are lines without a line end behind the last one.  @out is empty before.
 */
void page_notes_add(struct strbuf *out, const struct profile *profile,
		    const struct rendering_request *request);

/*
 * Append the JSON that the page shows.  user/page/data.js reads it; base64 are numbers as in
 * lib/varint.h:
 *
 *	notes		sentences that stand above the pictures, by line
 *	strings		all names; elsewhere they are positions in this list
 *	functions	base64: for each, its name, its binary and twice its enum profile_kind, + 1
 *			if it is the program's own
 *	nodes		base64: for each, by how much it is less deep than a child of the node
 *			before it would be, and its function; the first has only the function
 *	lanes		rows of event, task, CPU, number of samples or, without these, of cells
 *	samples		base64, empty if they are too many: for each lane, of each sample by how
 *			much later it is than the one before, less by how much that one was, signed
 *			and in ticks; the rank of its node, 0 for that with most samples; and its
 *			period if these differ in the event.  These are exponential Golomb codes of
 *			the order that the event's "codes" say, the highest bit of a byte first
 *	counts		base64: of each node, the number of samples
 *	tick		ns that times of samples are multiples of, rounded down
 *	cells		base64, empty if there are samples: for each lane, stretches that have some:
 *			by how much the stretch is later than the one before, the number of its
 *			cells, and of each cell
 *			2 * (node - node of the one before) + 1 unless there is one sample, their
 *			number if so, and the sum of their periods if these differ in the event; a
 *			cell of 0 samples is a part of the time of one before, and has also the
 *			number of stretches, this one and those behind it, that it is alike in
 *	unknown		when each CPU, or -1: any, lost records, ns since the first sample
 *	runs		base64: for each, by how much its CPU is higher than that of the one before,
 *			ns since the end of the one before on this CPU, ns that it took, and its
 *			task + 1; 0: several tasks
 *	wakes		base64: for each, when the task was woken, for how long it then waited, the
 *			waker's tid + 1, and the task
 *	states		base64: for each task, its number and that of its stays; of each of these,
 *			4 * ns since the end of the one before + enum profile_state, and ns that it
 *			took; with PROFILE_STATES for the state, then the ns of each state
 *	rows		base64: for each, ns since the one before, its lane, its node, and the
 *			string of its text + 1; 0: it has none
 *
 * The only error is to be out of memory.
 */
struct error *page_data_add(struct strbuf *out, const struct profile *profile,
			    const struct page_code *code,
			    const struct rendering_request *request);

/* The codes of the numbers of an event's samples, by number. */
#define PAGE_NUMBERS	3

struct page_codes {
	unsigned int bits[PAGE_NUMBERS];
};

/*
 * Append the bytes of the members "samples" and "counts" to @samples and @counts; nothing if the
 * profile has too many samples.  @codes, by event, are set.
 */
struct error *page_points_encode(const struct profile *profile, struct strbuf *counts,
				 struct strbuf *samples, struct page_codes *codes);

/* The unit of their times, in ns. */
uint64_t page_tick(const struct profile *profile);

/* Add the member "code": the listings of the functions with the most samples. */
struct error *page_code_add(struct json_writer *json, const struct page_code *code,
			    const struct rendering_request *request);

/*
 * Add the member "diff": for each event, the functions with the largest shares before or after.
 * Their names are positions in @strings, their kinds enum profile_kind.
 */
struct error *page_diff_add(struct json_writer *json, struct dictionary *strings,
			    const struct profile *profile,
			    const struct rendering_request *request);

#endif
