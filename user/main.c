// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "lib/error.h"
#include "lib/log.h"

/* perf's and git's status for a wrong command line. */
#define EXIT_USAGE 129

/* A full disk or a closed pipe must not look like success. */
static int finish_stdout(int status)
{
	bool failed = ferror(stdout);

	if (fclose(stdout) == 0 && !failed)
		return status;
	if (errno == EPIPE)
		return status;
	log_error("Cannot write to standard output: %s.", strerror(errno));
	return status ? status : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct error *err;
	int status = 0;

	if (argc < 2) {
		commands_print();
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		argv[1] = "help";
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v"))
		argv[1] = "version";

	err = command_find(argv[1], &command);
	if (!err)
		err = command_run(command, argc - 1, argv + 1, &status);
	if (err) {
		status = err->code == EINVAL ? EXIT_USAGE : EXIT_FAILURE;
		error_report(err);
	}
	return finish_stdout(status);
}
