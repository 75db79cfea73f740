// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <errno.h>

struct error *cmd_help(int argc, char **argv, int *ret_status)
{
	const struct command *command;
	struct error *err;
	char *help_argv[] = { argv[argc > 1], "--help", NULL };

	if (argc < 2 || argv[1][0] == '-') {
		commands_print();
		return NULL;
	}
	if (argc > 2)
		return error_hint(error_new(EINVAL, "help takes no argument '%s'", argv[2]),
				  "'ktrace help' lists the commands, 'ktrace help %s' describes "
				  "one",
				  argv[1]);
	err = command_find(argv[1], &command);
	if (err)
		return err;
	if (command->run == cmd_help) {
		commands_print();
		return NULL;
	}
	return command_run(command, 2, help_argv, ret_status);
}
