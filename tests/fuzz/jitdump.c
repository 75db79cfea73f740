// SPDX-License-Identifier: GPL-2.0
/* Files that JIT compilers write about their code, and the binaries that are made of them. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/dso.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/jit/jit_image.h"
#include "symbol/jit/jitdump.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	return 0;
}

static void use_image(int fd)
{
	static const struct symbol_options options = { .symfs = "" };
	struct source_place places[8];
	char path[64];
	struct dso *dso;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (dso_create(DSO_FILE, path, path, &dso))
		abort();
	error_free(dso_load(dso, &options));
	dso_find(dso, JIT_IMAGE_TEXT);
	dso_find_source(dso, JIT_IMAGE_TEXT, places, 8);
	dso_destroy(dso);
}

static void write_image(const struct jitdump *dump, const struct jitdump_record *function)
{
	int fd = memfd_create("fuzz-jitdump", MFD_CLOEXEC);
	struct build_id id;
	struct error *err;

	if (fd < 0)
		abort();
	err = jit_image_write(fd, dump, function, &id);
	if (!err)
		use_image(fd);
	error_free(err);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(jitdump) struct jitdump dump = JITDUMP_INIT;
	struct jitdump_record function;
	struct error *err;
	char path[64];
	int fd;

	/* Jitdumps are not read by way of links, as those in /proc are. */
	snprintf(path, sizeof(path), "/tmp/fuzz-jitdump-%d", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	err = jitdump_open(path, &dump);
	while (!err && jitdump_next(&dump, &function, &err))
		if (!function.is_move)
			write_image(&dump, &function);
	error_free(err);
	close(fd);
	unlink(path);
	return 0;
}
