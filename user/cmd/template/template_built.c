// SPDX-License-Identifier: GPL-2.0
#include "cmd/template/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/elf/elf_file.h"

/*
 * Each template names its event by a constant.  The parser of the header does not evaluate #if.  So
 * an event of another configuration is in the header's text, but not in the module.
 */
bool template_is_built(const struct template *template, const struct template_header *header,
		       const struct header_event *event)
{
	_cleanup_(elf_file) struct elf_file elf = { .fd = -1 };
	_cleanup_free_ char *path = NULL;
	GElf_Shdr section;

	if (asprintf(&path, "%s/%s.ko", template->output, header->object) < 0 ||
	    !elf_file_open(&elf, path))
		return false;
	for (Elf_Scn *scn = elf_nextscn(elf.elf, NULL); scn; scn = elf_nextscn(elf.elf, scn)) {
		struct elf_section strings = { .scn = scn };
		Elf_Data *data;

		if (!gelf_getshdr(scn, &section) ||
		    strncmp(elf_file_section_name(&elf, &section), ".rodata.str", 11))
			continue;
		strings.header = section;
		data = elf_section_data(&strings);
		if (data && data->d_buf && memmem(data->d_buf, data->d_size, event->name,
						  strlen(event->name) + 1))
			return true;
	}
	return false;
}
