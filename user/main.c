// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "lib/error.h"
#include "lib/escape.h"
#include "lib/log.h"
#include "terminal/options.h"
#include "terminal/pager.h"

/* The exit status for a wrong command line, as in perf and git. */
#define EXIT_USAGE 129

/*
 * Close standard output.  A failed write, for instance to a full disk, changes the exit status; it
 * is told unless a command that noticed it has @reported an error.
 */
static int finish_stdout(int status, bool reported)
{
	bool failed = ferror(stdout);
	bool closed = fclose(stdout) == 0;

	pager_wait();
	if (closed && !failed)
		return status;
	if (errno == EPIPE || reported)
		return status;
	log_error("Cannot write to standard output: %s.", strerror(errno));
	return status ? status : EXIT_FAILURE;
}

/*
 * If a standard stream is closed, its number would be given to the next file that is opened,
 * and printed text would go into that file.  We fill it with a descriptor on which reads or
 * writes fail, as on a closed one, but which can be closed; so only code that uses the stream
 * gets an error.
 */
static void fill_closed_streams(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return;
}

/* Parse the options that come before the command.  *ret is how many arguments they are. */
static struct error *parse_global_options(int argc, char **argv, int *ret)
{
	int nr = 0;

	while (nr + 1 < argc) {
		const char *word = argv[nr + 1];
		struct error *err = NULL;

		if (!strcmp(word, "--no-pager"))
			pager_mode = PAGER_NEVER;
		else if (!strcmp(word, "--paginate") || !strcmp(word, "-p"))
			pager_mode = PAGER_ALWAYS;
		else if (!strcmp(word, "--color"))
			err = options_set_color(NULL, NULL);
		else if (!strncmp(word, "--color=", strlen("--color=")))
			err = options_set_color(NULL, word + strlen("--color="));
		else
			break;
		if (err)
			return err;
		nr++;
	}
	*ret = nr;
	return NULL;
}

static struct error *run_command(int argc, char **argv, int *ret_status)
{
	const struct command *command;
	struct error *err;

	if (argc < 2) {
		commands_print(false);
		*ret_status = EXIT_USAGE;
		return NULL;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		argv[1] = "help";
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v"))
		argv[1] = "version";

	err = command_find(argv[1], &command);
	if (err)
		return err;
	if (pager_mode == PAGER_ALWAYS)
		pager_start();
	return command_run(command, argc - 1, argv + 1, ret_status);
}

int main(int argc, char **argv)
{
	int status = 0, skip = 0;
	struct error *err;
	bool reported;

	fill_closed_streams();
	escape_stdout();
	commands_use(commands);
	err = parse_global_options(argc, argv, &skip);
	if (!err)
		err = run_command(argc - skip, argv + skip, &status);
	reported = err;
	if (err) {
		status = err->code == EINVAL ? EXIT_USAGE : EXIT_FAILURE;
		error_report(err);
	}
	return finish_stdout(status, reported);
}
