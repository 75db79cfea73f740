// SPDX-License-Identifier: GPL-2.0
/*
 * In code without frame pointers, the kernel takes words of the stack for frames of call chains.
 * Such words may hold any data, so only frames in mapped code are kept.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "lib/array.h"
#include "perfdata/reader.h"
#include "perfdata/redact/redaction_state.h"
#include "record/body.h"
#include "record/sample.h"

/* Replaces words that are no addresses.  It is no address either, so readers drop both. */
#define NO_ADDRESS	(1ULL << 63)

DEFINE_COMPARISON(compare_code_ranges, struct code_range, array_order(x->start, y->start))

/* Sort the ranges, and join adjacent ones. */
static void join_ranges(struct code_ranges *code)
{
	size_t nr = 0;

	array_sort(code, compare_code_ranges);
	for (size_t i = 0; i < code->nr; i++) {
		const struct code_range *range = &code->items[i];

		if (nr && range->start <= code->items[nr - 1].end) {
			if (range->end > code->items[nr - 1].end)
				code->items[nr - 1].end = range->end;
		} else {
			code->items[nr++] = *range;
		}
	}
	code->nr = nr;
}

static bool add_code_range(struct code_ranges *code, uint64_t start, uint64_t size)
{
	const struct code_range range = { start, start + size };

	/* Many ranges repeat, because most processes map code at the same addresses. */
	if (code->nr == code->alloc)
		join_ranges(code);
	return range.end <= range.start || array_push(code, range);
}

/* Note where a record maps code; false: out of memory. */
static bool learn_code(struct code_ranges *code, const struct perf_event_header *header)
{
	const struct body_mmap *mmap = body_of(header, struct body_mmap);
	const struct body_mmap2 *mmap2 = body_of(header, struct body_mmap2);

	if (header->type == PERF_RECORD_MMAP && mmap &&
	    !(header->misc & PERF_RECORD_MISC_MMAP_DATA))
		return add_code_range(code, mmap->addr, mmap->len);
	if (header->type == PERF_RECORD_MMAP2 && mmap2 && mmap2->prot & PROT_EXEC)
		return add_code_range(code, mmap2->addr, mmap2->len);
	return true;
}

struct error *redaction_learn_code(struct redaction *redaction, const char *path)
{
	_cleanup_(reader) struct reader *reader = NULL;
	struct error *err = reader_open(path, &reader);
	struct record record;

	while (!err && record_source_next(reader_source(reader), &record, &err) == RECORD_OK)
		if (!learn_code(&redaction->code, record.header))
			err = &error_no_memory;
	join_ranges(&redaction->code);
	return err;
}

static int compare_place(const void *key, const void *item)
{
	const uint64_t *address = key;
	const struct code_range *range = item;

	return *address < range->start ? -1 : *address >= range->end;
}

static bool is_code(const struct code_ranges *code, uint64_t address)
{
	return code->nr && bsearch(&address, code->items, code->nr, sizeof(*code->items),
				   compare_place);
}

void redaction_blank_frames(struct redaction *redaction, uint64_t *ips, uint64_t nr)
{
	/* The first user frame is the program counter, which is no word of the stack. */
	bool is_user = true, is_counter = true, any = false;

	for (uint64_t i = 0; i < nr && ips[i] != SAMPLE_CONTEXT_USER_DEFERRED; i++) {
		if (ips[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			is_user = ips[i] == (uint64_t)PERF_CONTEXT_USER;
			is_counter = true;
			continue;
		}
		if (is_user && !is_counter && ips[i] && !is_code(&redaction->code, ips[i])) {
			ips[i] = sample_is_user_address(ips[i]) ? 0 : NO_ADDRESS;
			any = true;
		}
		is_counter = false;
	}
	redaction->frames += any;
}
