// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "lib/error.h"
#include "lib/escape.h"
#include "lib/log.h"
#include "terminal/options.h"
#include "terminal/pager.h"

/* The exit status for a wrong command line, as in perf and git. */
#define EXIT_USAGE 129

/* The usual limit of systems, with which everything is tested.  libdw's line tables take 180 kB. */
#define STACK_BYTES (8UL << 20)

/*
 * Close standard output.  A failed write, for instance to a full disk, changes the exit status.  It
 * prints a message, too, unless a command has noticed it and @reported an error.
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

static int main_with_stack(int argc, char **argv)
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

/* The command that runs on a stack of our own.  A context's function takes ints alone. */
static struct {
	int argc;
	char **argv;
	int status;
} on_stack;

static void begin_on_stack(void)
{
	on_stack.status = main_with_stack(on_stack.argc, on_stack.argv);
}

static void enlarge_stacks_of_threads(void)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr))
		return;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

/*
 * Run main_with_stack() on a stack of our own, below which is a guard page.  The limit stays:
 * commands that we start inherit it.  A thread would have another number than the process.
 */
static struct error *run_on_stack(int argc, char **argv, int *ret_status)
{
	size_t guard = sysconf(_SC_PAGESIZE);
	ucontext_t here, there;
	char *low;

	enlarge_stacks_of_threads();
	low = mmap(NULL, guard + STACK_BYTES, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	if (low == MAP_FAILED || mprotect(low + guard, STACK_BYTES, PROT_READ | PROT_WRITE))
		return error_hint(error_errno(errno, "Cannot get memory for a stack of %lu MiB",
					      STACK_BYTES >> 20),
				  "Raise the limit of the stack: ulimit -s %lu", STACK_BYTES >> 10);
	if (getcontext(&there))
		return error_errno(errno, "Cannot change the stack");
	there.uc_stack.ss_sp = low + guard;
	there.uc_stack.ss_size = STACK_BYTES;
	there.uc_link = &here;
	on_stack.argc = argc;
	on_stack.argv = argv;
	makecontext(&there, begin_on_stack, 0);
	/* It stays mapped: functions that run at exit may use objects on it. */
	if (swapcontext(&here, &there))
		return error_errno(errno, "Cannot change the stack");
	*ret_status = on_stack.status;
	return NULL;
}

int main(int argc, char **argv)
{
	int status = EXIT_FAILURE;
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_BYTES)
		return main_with_stack(argc, argv);
	error_report(run_on_stack(argc, argv, &status));
	return status;
}
