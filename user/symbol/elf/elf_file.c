// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/elf_file.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/strbuf.h"
#include "symbol/elf/unpack.h"

static bool elf_file_begin(struct elf_file *file)
{
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF && gelf_getehdr(file->elf, &file->header))
		return true;
	elf_file_close(file);
	return false;
}

bool elf_file_open_fd(struct elf_file *file, int fd)
{
	elf_version(EV_CURRENT);
	*file = (struct elf_file){ .fd = fd };
	if (fd >= 0)
		file->elf = elf_begin(fd, ELF_C_READ, NULL);
	return elf_file_begin(file);
}

/* Decompress the file of a kernel module to a copy in memory; -1: it is not compressed. */
static int open_packed(const char *path)
{
	_cleanup_(strbuf) struct strbuf image = STRBUF_INIT;
	int fd = unpack_module(path, &image) ? memfd_create("ktrace-module", MFD_CLOEXEC) : -1;

	if (fd >= 0 && fd_write_all(fd, image.data, image.len)) {
		close(fd);
		return -1;
	}
	return fd;
}

bool elf_file_open(struct elf_file *file, const char *path)
{
	int packed = open_packed(path);
	struct stat st;

	if (packed >= 0)
		return elf_file_open_fd(file, packed);
	return elf_file_open_fd(file, file_open_regular(path, 0, &st));
}

bool elf_file_open_memory(struct elf_file *file, void *image, size_t size)
{
	elf_version(EV_CURRENT);
	*file = (struct elf_file){ .fd = -1, .elf = elf_memory(image, size) };
	return elf_file_begin(file);
}

void elf_file_close(struct elf_file *file)
{
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct elf_file){ .fd = -1 };
}

const char *elf_file_section_name(const struct elf_file *file, const GElf_Shdr *header)
{
	const char *name = NULL;
	size_t names;

	if (!elf_getshdrstrndx(file->elf, &names))
		name = elf_strptr(file->elf, names, header->sh_name);
	return name ? name : "";
}

struct elf_section elf_file_section(const struct elf_file *file, const char *name)
{
	struct elf_section section = { .index = 0 };

	while ((section.scn = elf_nextscn(file->elf, section.scn))) {
		section.index++;
		if (gelf_getshdr(section.scn, &section.header) &&
		    !strcmp(elf_file_section_name(file, &section.header), name))
			break;
	}
	return section;
}

Elf_Data *elf_section_data(const struct elf_section *section)
{
	Elf_Data *data;

	if (!section->scn || section->header.sh_type == SHT_NOBITS)
		return NULL;
	data = elf_getdata(section->scn, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

bool elf_debug_strings_end(Elf *elf)
{
	static const char *const names[] = { ".debug_str", ".debug_line_str" };
	const struct elf_file file = { .elf = elf, .fd = -1 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct elf_section section = elf_file_section(&file, names[i]);
		const Elf_Data *data = elf_section_data(&section);

		if (data && ((const char *)data->d_buf)[data->d_size - 1])
			return false;
	}
	return true;
}

bool elf_file_build_id(const struct elf_file *file, struct build_id *ret)
{
	static const char *const names[] = { ".note.gnu.build-id", ".notes", ".note" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct elf_section notes = elf_file_section(file, names[i]);
		Elf_Data *data = elf_section_data(&notes);

		if (data && build_id_find(data->d_buf, data->d_size, ret))
			return true;
	}
	return false;
}

const char *elf_file_debug_link(const struct elf_file *file)
{
	struct elf_section link = elf_file_section(file, ".gnu_debuglink");
	Elf_Data *data = elf_section_data(&link);

	if (!data || !memchr(data->d_buf, '\0', data->d_size) || !*(char *)data->d_buf)
		return NULL;
	return data->d_buf;
}

bool elf_file_segment(const struct elf_file *file, uint64_t address, GElf_Phdr *ret)
{
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		uint64_t size;

		if (!gelf_getphdr(file->elf, i, ret) || ret->p_type != PT_LOAD)
			continue;
		size = ret->p_memsz > ret->p_filesz ? ret->p_memsz : ret->p_filesz;
		if (address >= ret->p_vaddr && address - ret->p_vaddr < size)
			return true;
	}
	return false;
}
