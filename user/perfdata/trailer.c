// SPDX-License-Identifier: GPL-2.0
#include "perfdata/trailer.h"

#include "lib/array.h"
#include "lib/file.h"
#include "perfdata/swap.h"

/* In the order of perfdata_trailer.sections. */
static const enum feature told_of[] = { FEATURE_KTRACE, FEATURE_KTRACE_INDEX };

_Static_assert(sizeof(((struct perfdata_trailer *)0)->sections) ==
	       sizeof(told_of) / sizeof(told_of[0]) * sizeof(struct perfdata_section),
	       "a section for each");

bool trailer_tells_of(unsigned int bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(told_of); i++)
		if (told_of[i] == bit)
			return true;
	return false;
}

void trailer_build(const struct perfdata_section *sections, bool swapped, struct strbuf *ret)
{
	struct perfdata_trailer trailer = { .magic = PERFDATA_TRAILER_MAGIC };
	bool some = false;

	for (size_t i = 0; i < ARRAY_SIZE(told_of); i++) {
		trailer.sections[i] = sections[told_of[i]];
		some |= trailer.sections[i].offset != 0;
	}
	if (swapped)
		swap_words(&trailer, sizeof(trailer) / 8);
	if (some)
		strbuf_add(ret, &trailer, sizeof(trailer));
}

bool trailer_read(int fd, uint64_t file_size, bool swapped, uint64_t from,
		  struct perfdata_section *sections)
{
	struct perfdata_trailer trailer;
	uint64_t end = file_size - sizeof(trailer);

	if (file_size < sizeof(trailer) || end < from ||
	    fd_pread_all(fd, &trailer, sizeof(trailer), end) != sizeof(trailer))
		return false;
	if (swapped)
		swap_words(&trailer, sizeof(trailer) / 8);
	if (trailer.magic != PERFDATA_TRAILER_MAGIC)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(told_of); i++) {
		struct perfdata_section section = trailer.sections[i];

		if (section.offset >= from && section.offset <= end &&
		    section.size <= end - section.offset)
			sections[told_of[i]] = section;
	}
	return true;
}
