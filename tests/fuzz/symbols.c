// SPDX-License-Identifier: GPL-2.0
/* Binaries, perf maps and kallsyms: symbols, source lines, descriptions of addresses. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/log.h"
#include "symbol/dso.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/jit/perf_map.h"
#include "symbol/kallsyms.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_quiet = true;
	return 0;
}

static void use_binary(const char *path)
{
	static const struct symbol_options options = { .symfs = "" };
	struct source_place places[8];
	struct dso *dso;

	if (dso_create(DSO_FILE, path, path, &dso))
		abort();
	error_free(dso_load(dso, &options));
	for (uint64_t at = 0; at < 0x3000; at += 97) {
		dso_find(dso, at);
		dso_find_source(dso, at, places, 8);
	}
	dso_destroy(dso);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbols map = { 0 }, kallsyms = { 0 };
	uint64_t landmark;
	char path[64];
	int fd;

	/* Perf maps are not read by way of links, as those in /proc are. */
	snprintf(path, sizeof(path), "/tmp/fuzz-symbols-%d", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	use_binary(path);
	error_free(perf_map_read(path, geteuid(), &map));
	symbols_find(&map, 0x1000);
	symbols_deinit(&map);
	error_free(kallsyms_read(path, &kallsyms, "_text", &landmark));
	symbols_deinit(&kallsyms);
	close(fd);
	unlink(path);
	return 0;
}
