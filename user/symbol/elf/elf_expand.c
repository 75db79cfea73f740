// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf/elf_expand.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/library.h"
#include "symbol/elf/unpack.h"
#include "with/zstd.h"

/* Debian 12's elf.h does not have it. */
#define COMPRESSED_BY_ZSTD	2

static bool is_by_zstd(Elf_Scn *scn, GElf_Shdr *header, GElf_Chdr *compression)
{
	return gelf_getshdr(scn, header) && (header->sh_flags & SHF_COMPRESSED) &&
	       gelf_getchdr(scn, compression) && compression->ch_type == COMPRESSED_BY_ZSTD;
}

static bool has_zstd_section(Elf *elf)
{
	GElf_Chdr compression;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn)))
		if (is_by_zstd(scn, &header, &compression))
			return true;
	return false;
}

static bool copy_file(int from, int to, off_t *ret_size)
{
	off_t at = 0;
	struct stat st;

	if (fstat(from, &st))
		return false;
	*ret_size = st.st_size;
	while (at < st.st_size)
		if (sendfile(to, from, &at, st.st_size - at) <= 0)
			return false;
	return true;
}

/* Overwrite the header of a section, at its offset in the file. */
static bool write_header(Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, int fd)
{
	bool wide = gelf_getclass(elf) == ELFCLASS64;
	Elf64_Shdr header64 = *header;
	Elf32_Shdr header32 = {
		.sh_name = header->sh_name, .sh_type = header->sh_type,
		.sh_flags = header->sh_flags, .sh_addr = header->sh_addr,
		.sh_offset = header->sh_offset, .sh_size = header->sh_size,
		.sh_link = header->sh_link, .sh_info = header->sh_info,
		.sh_addralign = header->sh_addralign, .sh_entsize = header->sh_entsize,
	};
	char bytes[sizeof(header64)];
	Elf_Data from = {
		.d_buf = wide ? (void *)&header64 : &header32, .d_type = ELF_T_SHDR,
		.d_version = EV_CURRENT, .d_size = wide ? sizeof(header64) : sizeof(header32),
	};
	Elf_Data to = { .d_buf = bytes, .d_version = EV_CURRENT, .d_size = sizeof(bytes) };
	GElf_Ehdr file;

	return gelf_getehdr(elf, &file) &&
	       gelf_xlatetof(elf, &to, &from, file.e_ident[EI_DATA]) &&
	       pwrite(fd, bytes, to.d_size, file.e_shoff + elf_ndxscn(scn) * file.e_shentsize) ==
	       (ssize_t)to.d_size;
}

/* Whether a section may have this size: a few compressed bytes can claim any size. */
static bool is_plausible(uint64_t size, uint64_t compressed)
{
	return size && (size <= UNPACK_MAX || size / 256 <= compressed);
}

/* Append the content of a section to the copy, which ends at *end. */
static bool expand_section(Elf *elf, Elf_Scn *scn, GElf_Shdr *header,
			   const GElf_Chdr *compression, int fd, off_t *end)
{
	size_t head = gelf_getclass(elf) == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint64_t size = compression->ch_size, at = (*end + 63) & ~63ULL;
	_cleanup_free_ char *content = NULL;
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || !data->d_buf || data->d_size < head || !is_plausible(size, data->d_size))
		return false;
	content = malloc(size);
	if (!content || ZSTD_decompress(content, size, (char *)data->d_buf + head,
					data->d_size - head) != size ||
	    lseek(fd, at, SEEK_SET) < 0 || fd_write_all(fd, content, size))
		return false;
	header->sh_offset = at;
	header->sh_size = size;
	header->sh_flags &= ~SHF_COMPRESSED;
	header->sh_addralign = compression->ch_addralign;
	*end = at + size;
	return write_header(elf, scn, header, fd);
}

static bool expand_into(Elf *elf, int from, int fd)
{
	GElf_Chdr compression;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	off_t end;

	if (!copy_file(from, fd, &end))
		return false;
	while ((scn = elf_nextscn(elf, scn)))
		if (is_by_zstd(scn, &header, &compression) &&
		    !expand_section(elf, scn, &header, &compression, fd, &end))
			return false;
	return true;
}

int elf_expand(int fd)
{
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_READ, NULL));
	int ret = -1;

	if (elf && elf_kind(elf) == ELF_K_ELF && has_zstd_section(elf)) {
		library_notice(LIBRARY_ZSTD);
		ret = memfd_create("ktrace-elf", MFD_CLOEXEC);
		if (ret >= 0 && !expand_into(elf, fd, ret)) {
			close(ret);
			ret = -1;
		}
	}
	elf_end(elf);
	return ret;
}

bool elf_file_expand(struct elf_file *file)
{
	int fd = file->fd < 0 ? -1 : elf_expand(file->fd);

	if (fd < 0)
		return true;
	elf_file_close(file);
	return elf_file_open_fd(file, fd);
}
