// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <errno.h>

struct error *cmd_help(int argc, char **argv, int *ret_status)
{
	const struct command *command;
	char *help_argv[] = { argv[argc > 1], "--help", NULL };

	if (argc < 2 || argv[1][0] == '-') {
		commands_print();
		return NULL;
	}
	command = command_find(argv[1]);
	if (!command)
		return error_hint(error_new(EINVAL, "'%s' is not a ktrace command", argv[1]),
				  "'ktrace help' lists the commands");
	if (!command->run)
		return error_hint(error_new(ENOSYS, "ktrace %s is not built yet", argv[1]),
				  "Meanwhile '%s' reads what ktrace records",
				  command->meanwhile);
	if (command->run == cmd_help) {
		commands_print();
		return NULL;
	}
	return command->run(2, help_argv, ret_status);
}
