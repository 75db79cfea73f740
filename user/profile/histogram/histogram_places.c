// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_values.h"

#include <inttypes.h>
#include <string.h>

#include "lib/array.h"
#include "profile/histogram/histogram.h"
#include "profile/histogram/histogram_state.h"
#include "record/registers.h"
#include "symbol/elf/dwarf_lines.h"

/* The size of a cache line if it is not recorded. */
#define CACHE_LINE	64

/* An additional address of a sample, and its level as perf prints it. */
struct named_address {
	struct place place;
	char level;
};

static struct place place_of_sample(const struct session_record *r)
{
	struct place place = { .ip = r->sample.ip };

	if (r->machine)
		machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.ip, &place);
	return place;
}

/* The ends of a branch may be in user space or in the kernel: both maps are searched. */
static struct named_address place_of_branch(const struct session_record *r, uint64_t address)
{
	static const uint8_t modes[] = { PERF_RECORD_MISC_USER, PERF_RECORD_MISC_KERNEL };
	struct named_address found = { { .ip = address }, 'H' };

	for (size_t i = 0; r->machine && i < ARRAY_SIZE(modes) && !found.place.map; i++) {
		machine_find(r->machine, r->maps, modes[i], address, &found.place);
		if (found.place.map)
			found.level = histogram_privilege(modes[i]);
	}
	return found;
}

static struct named_address place_of_data(const struct session_record *r)
{
	struct named_address found = {
		{ .ip = r->sample.addr }, histogram_privilege(r->sample.cpumode),
	};

	if (r->machine)
		machine_find(r->machine, r->maps, r->sample.cpumode, r->sample.addr, &found.place);
	return found;
}

/* Append "[.] main", "[.] table+0x10", or @unknown as "[k] 0xffffffff81000000". */
static void add_named_address(struct strbuf *out, const struct place *place, char level,
			      uint64_t unknown)
{
	strbuf_addf(out, "[%c] ", level);
	if (!place->symbol) {
		strbuf_addf(out, "%#.16" PRIx64, unknown);
		return;
	}
	strbuf_addstr(out, place->symbol->name);
	if (place->symbol->is_data)
		strbuf_addf(out, "+0x%" PRIx64, place->offset);
}

/* Append the name of a binary.  Addresses without a binary come first, as in perf. */
static void add_dso_name(struct strbuf *out, const struct place *place, uint64_t *ret_number)
{
	*ret_number = !place->map;
	strbuf_addstr(out, place->map ? place->map->dso->short_name : "[unknown]");
}

static void add_source_file(struct strbuf *out, const struct histogram_options *options,
			    const struct place *place)
{
	struct source_place source;
	const char *slash;

	if (!place->map || !machine_sources(place, &source, 1) || !source.file)
		return;
	slash = options->full_source_path ? NULL : strrchr(source.file, '/');
	strbuf_addstr(out, slash ? slash + 1 : source.file);
}

/* Append the function of a place, and the offset of the place in it, as perf does. */
static void add_symbol_offset(struct strbuf *out, const struct session_record *r,
			      const struct place *place)
{
	const char level = histogram_privilege(r->sample.cpumode);

	if (place->symbol)
		strbuf_addf(out, "[%c] %s+0x%" PRIx64, level, place->symbol->name, place->offset);
	else
		strbuf_addf(out, "[%c] %#.16" PRIx64, level,
			    place->map ? place->address : place->ip);
}

/* Append "4K", or "N/A" for 0. */
static void add_histogram_page_size(struct strbuf *out, uint64_t size)
{
	static const char units[] = " KMGTPE";
	unsigned int unit = 0;

	if (!size) {
		strbuf_addstr(out, "N/A");
		return;
	}
	while (size >= 1024 && unit + 2 < sizeof(units)) {
		size /= 1024;
		unit++;
	}
	strbuf_addf(out, "%" PRIu64, size);
	if (unit)
		strbuf_addch(out, units[unit]);
}

/* Functions are sorted by their first address; addresses without a name come first. */
static bool add_branch_symbol(struct strbuf *out, const struct named_address *end,
			      uint64_t *ret_number)
{
	*ret_number = end->place.symbol ? end->place.symbol->start : end->place.ip;
	add_named_address(out, &end->place, end->level,
			  end->place.map ? end->place.address : end->place.ip);
	return true;
}

static bool add_branch_text(struct strbuf *out, enum histogram_key key,
			    const struct histogram_options *options,
			    const struct histogram_subject *subject, uint64_t *ret_number)
{
	static const struct perf_branch_entry none;
	const struct perf_branch_entry *branch = subject->branch ? subject->branch : &none;
	bool to = key == KEY_DSO_TO || key == KEY_SYMBOL_TO || key == KEY_ADDR_TO ||
		  key == KEY_SRCLINE_TO;
	struct named_address end = { .level = 'H' };

	if (key <= KEY_SRCLINE_TO)
		end = place_of_branch(subject->r, to ? branch->to : branch->from);
	switch (key) {
	case KEY_DSO_FROM:
	case KEY_DSO_TO:
		add_dso_name(out, &end.place, ret_number);
		return true;
	case KEY_SYMBOL_FROM:
	case KEY_SYMBOL_TO:
		return add_branch_symbol(out, &end, ret_number);
	case KEY_ADDR_FROM:
	case KEY_ADDR_TO:
		*ret_number = end.place.ip;
		add_named_address(out, &end.place, end.level,
				  end.place.map ? end.place.address : end.place.ip);
		if (end.place.symbol && !end.place.symbol->is_data && end.place.offset)
			strbuf_addf(out, "+0x%" PRIx64, end.place.offset);
		return true;
	case KEY_SRCLINE_FROM:
	case KEY_SRCLINE_TO:
		place_add_source(&end.place, options->full_source_path, out);
		return true;
	case KEY_MISPREDICT:
		strbuf_addstr(out, branch->predicted ? "N" : branch->mispred ? "Y" : "N/A");
		return true;
	case KEY_IN_TX:
		strbuf_addstr(out, branch->in_tx ? "T" : ".");
		return true;
	case KEY_ABORT:
		strbuf_addstr(out, branch->abort ? "A" : ".");
		return true;
	default:
		*ret_number = branch->cycles;
		if (!branch->cycles)
			strbuf_addstr(out, "-");
		return !branch->cycles;
	}
}

static void add_cache_line(struct strbuf *out, const struct session_record *r,
			   uint64_t *ret_number)
{
	struct named_address data = place_of_data(r);
	uint64_t line = data.place.ip & ~(CACHE_LINE - 1ULL);
	uint64_t offset = data.place.ip - line;

	*ret_number = line;
	/*
	 * The named address is the line's, with the function or variable of the original address.
	 */
	data.place.ip -= offset;
	data.place.offset -= offset;
	add_named_address(out, &data.place, data.place.map ? data.level : 'X', line);
}

static bool add_memory_text(struct strbuf *out, enum histogram_key key,
			    const struct histogram_subject *subject, uint64_t *ret_number)
{
	static const enum data_source_part parts[] = {
		[KEY_MEM - KEY_MEM] = DATA_SOURCE_LEVEL, [KEY_SNOOP - KEY_MEM] = DATA_SOURCE_SNOOP,
		[KEY_TLB - KEY_MEM] = DATA_SOURCE_TLB, [KEY_LOCKED - KEY_MEM] = DATA_SOURCE_LOCK,
		[KEY_BLOCKED - KEY_MEM] = DATA_SOURCE_BLOCK,
	};
	const struct session_record *r = subject->r;
	bool has_source = r->event->attr.sample_type & PERF_SAMPLE_DATA_SRC;
	struct named_address data;
	struct place code;

	switch (key) {
	case KEY_SYMBOL_DADDR:
		data = place_of_data(r);
		*ret_number = r->sample.addr;
		add_named_address(out, &data.place, data.level, r->sample.addr);
		return true;
	case KEY_DSO_DADDR:
		data = place_of_data(r);
		add_dso_name(out, &data.place, ret_number);
		return true;
	case KEY_SYMBOL_IADDR:
		code = place_of_sample(r);
		*ret_number = r->sample.ip;
		add_named_address(out, &code, histogram_privilege(r->sample.cpumode),
				  r->sample.ip);
		return true;
	case KEY_PHYS_DADDR:
		*ret_number = r->sample.phys_addr;
		strbuf_addf(out, "[%c] %#.16" PRIx64, histogram_privilege(r->sample.cpumode),
			    r->sample.phys_addr);
		return true;
	case KEY_DCACHELINE:
		add_cache_line(out, r, ret_number);
		return true;
	case KEY_DATA_PAGE_SIZE:
		*ret_number = r->sample.data_page_size;
		add_histogram_page_size(out, r->sample.data_page_size);
		return true;
	default:
		*ret_number = data_source_part_text(parts[key - KEY_MEM],
						    has_source ? r->sample.data_src :
								 DATA_SRC_NONE, out);
		return true;
	}
}

bool histogram_place_text(struct strbuf *out, enum histogram_key key,
			  const struct histogram_options *options,
			  const struct histogram_subject *subject, uint64_t *ret_number)
{
	const struct session_record *r = subject->r;
	struct place place;

	if (histogram_key_is_of_branch(key))
		return add_branch_text(out, key, options, subject, ret_number);
	if (histogram_key_is_of_memory(key))
		return add_memory_text(out, key, subject, ret_number);
	if (histogram_key_is_of_place(key))
		place = place_of_sample(r);
	switch (key) {
	case KEY_SOCKET:
		*ret_number = r->machine ? machine_socket(r->machine, r->sample.cpu) : -1;
		strbuf_addf(out, "%.3d", (int)*ret_number);
		return true;
	case KEY_CODE_PAGE_SIZE:
		*ret_number = r->sample.code_page_size;
		add_histogram_page_size(out, r->sample.code_page_size);
		return true;
	case KEY_SRCLINE:
		place_add_source(&place, options->full_source_path, out);
		return true;
	case KEY_SRCFILE:
		add_source_file(out, options, &place);
		return true;
	case KEY_SYMOFF:
		*ret_number = r->sample.ip;
		add_symbol_offset(out, r, &place);
		return true;
	case KEY_ADDR:
		*ret_number = r->sample.ip;
		strbuf_addf(out, "%#" PRIx64, r->sample.ip);
		return true;
	case KEY_SYMBOL_SIZE:
		*ret_number = place.symbol ? place.symbol->end - place.symbol->start : 0;
		return false;
	default:
		*ret_number = place.map ? place.map->end - place.map->start : 0;
		return false;
	}
}

char histogram_privilege(uint8_t mode)
{
	return mode == PERF_RECORD_MISC_KERNEL ? 'k' : mode == PERF_RECORD_MISC_USER ? '.' : 'H';
}
