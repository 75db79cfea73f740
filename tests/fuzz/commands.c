// SPDX-License-Identifier: GPL-2.0
/*
 * Whole commands that read a recording.  The first byte of the input chooses the command line, the
 * rest is the recording.
 */
#include "fuzz.h"

#include <stdio.h>

#include "cmd/commands.h"
#include "lib/array.h"
#include "lib/log.h"

/* Nothing of this machine is looked at: its symbols would take longer than all the rest. */
#define NO_KERNEL	"--kallsyms /dev/null "
#define NO_SYMBOLS	"--symfs /nonexistent " NO_KERNEL

static const char *const lines[] = {
#define LINE(kinds, line) line,
#include "commands.def"
#undef LINE
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_quiet = true;
	commands_use(commands);
	if (!freopen("/dev/null", "w", stdout))
		abort();
	return 0;
}

/* Split a command line at its blanks, within it.  Returns how many words there are. */
static int split(char *line, char *recording, char **words)
{
	int nr = 0;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		words[nr++] = strcmp(word, "@") ? word : recording;
	words[nr] = NULL;
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char line[512], path[INPUT_PATH_SIZE], *words[64];
	const struct command *command;
	int fd, nr, status;
	struct error *err;

	if (size < 2)
		return 0;
	fd = input_file(data + 1, size - 1, path);
	snprintf(line, sizeof(line), "%s", lines[data[0] % ARRAY_SIZE(lines)]);
	nr = split(line, path, words);
	err = command_find(words[0], &command);
	if (err)
		abort();
	error_free(command_run(command, nr, words, &status));
	fflush(stdout);
	close(fd);
	return 0;
}
