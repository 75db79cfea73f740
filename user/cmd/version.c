// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "capture/ktrace/device.h"
#include "lib/library.h"
#include "perfdata/layout.h"
#include "terminal/options.h"

/* As perf does. */
static void version_print_libraries(void)
{
	for (int id = 0; id < LIBRARY_COUNT; id++) {
		const struct library *library = library_at(id);

		printf("%22s: [ %-3s ]  # %s%s%s\n", library->name, library->package ? "OFF" : "on",
		       library->define, library->package ? ": lacks " : "",
		       library->package ? library->lacks : "");
	}
}

static void version_print_missing(void)
{
	for (int id = 0; id < LIBRARY_COUNT; id++) {
		const struct library *library = library_at(id);

		if (library->package)
			printf("without        %s (%s), so it lacks: %s\n", library->name,
			       library->package, library->lacks);
	}
}

struct error *cmd_version(int argc, char **argv, int *ret_status)
{
	bool build_options = false;
	const struct option_spec options[] = {
		OPT_FLAG("build-options", &build_options),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "version",
		.synopsis = "[OPTIONS]",
		.options = options,
	};
	struct ktrace_info info;
	struct error *err;
	int index, fd;

	err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0)
		err = options_no_argument(&usage, argc, argv, index);
	if (err || index < 0)
		return err;
	printf("ktrace version %s\n", KTRACE_VERSION);
	if (build_options) {
		version_print_libraries();
		return NULL;
	}
	version_print_missing();
	printf("file schema    %d\n", PERFDATA_SCHEMA);
	printf("record schema  %d\n", KTRACE_SCHEMA);
	printf("device ABI     %d.%d\n", KTRACE_ABI_MAJOR, KTRACE_ABI_MINOR);
	err = device_open(&fd, &info);
	if (err) {
		printf("module         %s\n", err->code == ENOENT ? "not loaded" : err->message);
		error_free(err);
		return NULL;
	}
	printf("module         %.31s, ABI %u.%u, record schema %u\n", info.version, info.abi_major,
	       info.abi_minor, info.schema);
	close(fd);
	return NULL;
}
