// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <errno.h>
#include <string.h>

struct error *cmd_help(int argc, char **argv, int *ret_status)
{
	const struct command *command;
	struct error *err;
	char *help_argv[] = { argv[argc > 1], "--help", argc > 2 ? argv[2] : NULL, NULL };

	if (argc < 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		commands_print(false);
		return NULL;
	}
	if (!strcmp(argv[1], "-a") || !strcmp(argv[1], "--all")) {
		commands_print(true);
		return NULL;
	}
	if (argv[1][0] == '-')
		return error_hint(error_new(EINVAL, "help has no option '%s'", argv[1]),
				  "'ktrace help -a' describes all commands");
	if (argc > 3)
		return error_hint(error_new(EINVAL, "help takes no argument '%s'", argv[3]),
				  "'ktrace help' lists the commands, 'ktrace help %s' describes "
				  "one",
				  argv[1]);
	err = command_find(argv[1], &command);
	if (err)
		return err;
	if (command->run == cmd_help) {
		commands_print(false);
		return NULL;
	}
	return command_run(command, argc > 2 ? 3 : 2, help_argv, ret_status);
}
