// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <errno.h>

/* As in `ktrace help kvm stat report input`. */
#define HELP_WORDS	4

struct error *cmd_help(int argc, char **argv, int *ret_status)
{
	const struct command *command;
	bool all = false;
	const struct option_spec options[] = { OPT_FLAG("all", &all), { 0 } };
	const struct command_usage usage = {
		.name = "help", .synopsis = "[-a | COMMAND [COMMAND]... [GROUP]]", .options = options,
	};
	char *words[HELP_WORDS + 2];
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index == argc) {
		commands_print(all);
		return NULL;
	}
	if (argc - index > HELP_WORDS || all)
		return error_hint(error_new(EINVAL, "help takes no argument '%s'", argv[argc - 1]),
				  "'ktrace help' lists the commands, 'ktrace help %s' describes one",
				  argv[index]);
	err = command_find(argv[index], &command);
	if (err)
		return err;
	if (command->run == cmd_help) {
		commands_print(false);
		return NULL;
	}
	words[0] = argv[index];
	words[1] = "--help";
	for (int i = 1; i <= argc - index; i++)
		words[i + 1] = argv[index + i];
	return command_run(command, argc - index + 1, words, ret_status);
}
