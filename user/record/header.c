// SPDX-License-Identifier: GPL-2.0
#include "record/header.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/array.h"

void header_deinit(struct header *header)
{
	free(header->hostname);
	free(header->os_release);
	free(header->version);
	free(header->arch);
	free(header->cpu_desc);
	free(header->cpu_id);
	free(header->kernel_name);
	free(header->kallsyms);
	free(header->embedded);
	for (char **word = header->cmdline; word && *word; word++)
		free(*word);
	free(header->cmdline);
	free(header->sockets.items);
	free(header->cores.items);
	free(header->cpu_nodes.items);
	free(header->memory.items);
	array_free_each(&header->pmus, .name);
	array_free_each(&header->build_ids, .name);
	for (size_t i = 0; i < header->details.nr; i++) {
		free(header->details.items[i].name);
		free(header->details.items[i].text);
	}
	free(header->details.items);
	for (size_t i = 0; i < header->sched_domains.nr; i++) {
		free(header->sched_domains.items[i].name);
		free(header->sched_domains.items[i].mask);
		free(header->sched_domains.items[i].cpus);
	}
	free(header->sched_domains.items);
	for (size_t i = 0; i < header->notes.nr; i++) {
		free(header->notes.items[i].name);
		free(header->notes.items[i].text);
	}
	free(header->notes.items);
	*header = (struct header){ .clockid = -1 };
}

struct error *header_add_note(struct header *header, const char *name, const char *text,
			      size_t size)
{
	struct header_note note = { .name = strdup(name), .text = strndup(text, size) };

	if (note.name && note.text && array_push(&header->notes, note))
		return NULL;
	free(note.name);
	free(note.text);
	return &error_no_memory;
}

struct error *header_init_local(struct header *header)
{
	struct utsname uts;

	*header = (struct header){ .clockid = -1, .written = time(NULL) };
	build_id_of_kernel(&header->kernel);
	if (uname(&uts))
		return NULL;
	header->hostname = strdup(uts.nodename);
	header->os_release = strdup(uts.release);
	header->arch = strdup(uts.machine);
	return header->hostname && header->os_release && header->arch ? NULL : &error_no_memory;
}

bool header_is_local(const struct header *header)
{
	struct utsname uts;

	return header->hostname && !uname(&uts) && !strcmp(uts.nodename, header->hostname);
}
