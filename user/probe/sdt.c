// SPDX-License-Identifier: GPL-2.0
#include "probe/sdt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/log.h"
#include "spec/caret.h"
#include "symbol/elf/elf_file.h"
#include "terminal/options.h"

/* The type of the notes in the section ".note.stapsdt". */
#define SDT_NOTE 3

struct sdt_marker {
	uint64_t address, base, reference;
	const char *provider, *name, *args;	/* in the section */
};

typedef bool (*sdt_fn)(void *context, const struct sdt_marker *marker);

static uint64_t sdt_word(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Read a string of a note; NULL: it has no end. */
static const char *sdt_string(const char **at, const char *end)
{
	const char *string = *at, *stop = string < end ? memchr(string, '\0', end - string) : NULL;

	*at = stop ? stop + 1 : end;
	return stop ? string : NULL;
}

static bool sdt_read_note(const char *at, size_t len, struct sdt_marker *ret)
{
	const char *end = at + len;

	if (len < 3 * sizeof(uint64_t))
		return false;
	ret->address = sdt_word(at);
	ret->base = sdt_word(at + 8);
	ret->reference = sdt_word(at + 16);
	at += 24;
	ret->provider = sdt_string(&at, end);
	ret->name = sdt_string(&at, end);
	ret->args = sdt_string(&at, end);
	return ret->provider && ret->name && ret->args;
}

/* Call @function for each marker until it returns false. */
static void sdt_markers(const struct probe_binary *binary, sdt_fn function, void *context)
{
	_cleanup_(elf_file) struct elf_file elf = { .fd = -1 };
	struct elf_section notes, base;
	size_t at = 0, next, name, desc;
	GElf_Nhdr header;
	Elf_Data *data;

	/* Only 64-bit files are read: others have shorter words. */
	if (!elf_file_open(&elf, binary->path) || elf.header.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	notes = elf_file_section(&elf, ".note.stapsdt");
	base = elf_file_section(&elf, ".stapsdt.base");
	data = notes.scn ? elf_section_data(&notes) : NULL;
	for (; data && (next = gelf_getnote(data, at, &header, &name, &desc)); at = next) {
		struct sdt_marker marker;

		if (header.n_type != SDT_NOTE ||
		    !sdt_read_note((const char *)data->d_buf + desc, header.n_descsz, &marker))
			continue;
		/* prelink may have moved the code since the notes were written. */
		if (base.scn && marker.base) {
			marker.address += base.header.sh_addr - marker.base;
			if (marker.reference)
				marker.reference += base.header.sh_addr - marker.base;
		}
		if (!function(context, &marker))
			return;
	}
}

/* The name of the whole register of x86 for each name of a part of it: "%eax", "%r8d" -> "%ax". */
static bool sdt_register(const char *name, size_t len, struct strbuf *out)
{
	static const struct { const char *name; const char *parts; } registers[] = {
		{ "%ax", " rax eax ax al " }, { "%bx", " rbx ebx bx bl " },
		{ "%cx", " rcx ecx cx cl " }, { "%dx", " rdx edx dx dl " },
		{ "%si", " rsi esi si sil " }, { "%di", " rdi edi di dil " },
		{ "%bp", " rbp ebp bp bpl " }, { "%sp", " rsp esp sp spl " },
		{ "%ip", " rip " },
	};
	char word[8];

	if (!len || len > 5)
		return false;
	snprintf(word, sizeof(word), " %.*s ", (int)len, name);
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (strstr(registers[i].parts, word)) {
			strbuf_addstr(out, registers[i].name);
			return true;
		}
	if (*name != 'r' || len < 2 || !isdigit((unsigned char)name[1]))
		return false;
	strbuf_addf(out, "%%r%d", atoi(name + 1));
	return atoi(name + 1) < 16;
}

bool sdt_argument(const char *text, struct strbuf *value, struct strbuf *type)
{
	const char *at = strchr(text, '@'), *end;
	long size, offset;
	char *stop;

	size = strtol(text, &stop, 10);
	if (!at || stop != at)
		return false;
	if (labs(size) != 1 && labs(size) != 2 && labs(size) != 4 && labs(size) != 8)
		return false;
	strbuf_addf(type, "%c%ld", size < 0 ? 's' : 'u', labs(size) * 8);
	at++;
	if (*at == '$') {
		strbuf_addf(value, "\\%ld", strtol(at + 1, &stop, 0));
		return stop > at + 1 && !*stop;
	}
	if (*at == '%')
		return sdt_register(at + 1, strlen(at + 1), value);
	offset = strtol(at, &stop, 0);
	if (strncmp(stop, "(%", 2))
		return false;
	end = strchr(stop, ')');
	if (!end || end[1])
		return false;
	strbuf_addf(value, "%+ld(", offset);
	if (!sdt_register(stop + 2, end - stop - 2, value))
		return false;
	strbuf_addch(value, ')');
	return true;
}

struct sdt_search {
	const struct probe_binary *binary;
	const struct probe_definition *definition;
	struct probe_events *events;
	const char *near;
	char near_text[128];
	size_t nr;
	struct error *err;
};

static struct error *sdt_add_args(const char *args, struct probe_event *event)
{
	_cleanup_free_ char *copy = strdup(args);
	struct error *err = NULL;
	unsigned int number = 0;
	char *state;

	if (!copy)
		return &error_no_memory;
	for (char *word = strtok_r(copy, " ", &state); word && !err;
	     word = strtok_r(NULL, " ", &state)) {
		_cleanup_(strbuf) struct strbuf value = STRBUF_INIT, type = STRBUF_INIT;
		char name[16];

		snprintf(name, sizeof(name), "arg%u", ++number);
		if (sdt_argument(word, &value, &type) && !value.failed && !type.failed)
			err = probe_event_add_arg(event, name, value.data, type.data);
		else
			log_notice("Argument %u of %s, '%s', cannot be described to the kernel.", number,
				   event->name, word);
	}
	return err;
}

static struct error *sdt_add(struct sdt_search *s, const struct sdt_marker *marker)
{
	struct probe_event event = {
		.is_user = true, .group = strdup(s->definition->group),
		.name = strdup(s->definition->event), .binary = strdup(s->binary->path),
	};
	struct error *err = NULL;

	if (!event.group || !event.name || !event.binary)
		err = &error_no_memory;
	else if (!probe_binary_offset(s->binary, marker->address, &event.offset) ||
		 (marker->reference &&
		  !probe_binary_offset(s->binary, marker->reference, &event.reference)))
		err = error_new(0, "The marker %s is not in the code that %s loads", event.name,
				s->binary->path);
	else if (s->binary->header.e_machine == EM_X86_64)
		err = sdt_add_args(marker->args, &event);
	if (!err && !array_push(s->events, event))
		err = &error_no_memory;
	if (err)
		probe_event_deinit(&event);
	else
		s->nr++;
	return err;
}

static bool sdt_match(void *context, const struct sdt_marker *marker)
{
	struct sdt_search *s = context;
	const char *provider = s->definition->group + strlen("sdt_");

	if (!strcmp(marker->provider, provider) && !strcmp(marker->name, s->definition->event)) {
		s->err = sdt_add(s, marker);
	} else if (word_nearer(s->definition->event, s->near, marker->name) == marker->name) {
		snprintf(s->near_text, sizeof(s->near_text), "%s", marker->name);
		s->near = s->near_text;
	}
	return !s->err;
}

struct error *sdt_make(const struct probe_binary *binary,
		       const struct probe_definition *definition, struct probe_events *ret)
{
	struct sdt_search s = { binary, definition, ret, NULL, "", 0, NULL };

	if (binary->kind != PROBE_PROGRAM)
		return error_hint(caret_error(definition->text, definition->at, "Markers are in programs "
					      "and libraries"), "Name one with -x");
	sdt_markers(binary, sdt_match, &s);
	if (s.err)
		return s.err;
	if (s.nr)
		return NULL;
	s.err = caret_error(definition->text, definition->at, "%s has no marker %s:%s", binary->path,
			    definition->group + strlen("sdt_"), definition->event);
	return error_hint(s.err, s.near ? "Did you mean %s? 'ktrace probe --funcs --filter \"%%*\"' lists "
			  "the markers" : "'ktrace probe --funcs --filter \"%%*\"' lists the markers",
			  s.near);
}

struct sdt_listing {
	void (*function)(void *context, const char *name);
	void *context;
};

static bool sdt_list_one(void *context, const struct sdt_marker *marker)
{
	struct sdt_listing *listing = context;
	char name[256];

	snprintf(name, sizeof(name), "%%%s:%s", marker->provider, marker->name);
	listing->function(listing->context, name);
	return true;
}

void sdt_list(const struct probe_binary *binary, void (*function)(void *, const char *),
	      void *context)
{
	struct sdt_listing listing = { function, context };

	sdt_markers(binary, sdt_list_one, &listing);
}
