// SPDX-License-Identifier: GPL-2.0
#include "perfdata/own_sections.h"

#include "lib/array.h"
#include "lib/file.h"
#include "perfdata/swap.h"

/* The features, in the order of perfdata_own_sections.sections. */
static const enum feature own[] = { FEATURE_KTRACE, FEATURE_KTRACE_INDEX };

_Static_assert(sizeof(((struct perfdata_own_sections *)0)->sections) ==
	       sizeof(own) / sizeof(own[0]) * sizeof(struct perfdata_section),
	       "a section for each");

bool own_section_is(unsigned int bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (own[i] == bit)
			return true;
	return false;
}

void own_sections_build(const struct perfdata_section *sections, bool swapped,
			struct strbuf *ret)
{
	struct perfdata_own_sections told = { .magic = PERFDATA_OWN_MAGIC };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		told.sections[i] = sections[own[i]];
	if (swapped)
		swap_words(&told, sizeof(told) / 8);
	strbuf_add(ret, &told, sizeof(told));
}

void own_sections_read(int fd, uint64_t file_size, bool swapped, uint64_t at,
		       struct perfdata_section *sections)
{
	struct perfdata_own_sections told;

	if (fd_pread_all(fd, &told, sizeof(told), at) != sizeof(told))
		return;
	if (swapped)
		swap_words(&told, sizeof(told) / 8);
	if (told.magic != PERFDATA_OWN_MAGIC)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		struct perfdata_section section = told.sections[i];

		if (section.offset > at && section.offset <= file_size &&
		    section.size <= file_size - section.offset)
			sections[own[i]] = section;
	}
}
