// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <errno.h>

struct error *cmd_help(int argc, char **argv, int *ret_status)
{
	const struct command *command;
	bool all = false;
	const struct option_spec options[] = { OPT_FLAG("all", &all), { 0 } };
	const struct command_usage usage = {
		.name = "help", .synopsis = "[-a | COMMAND [GROUP]]", .options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index == argc) {
		commands_print(all);
		return NULL;
	}
	if (argc - index > 2 || all)
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
	return command_run(command, argc - index + 1,
			   (char *[]){ argv[index], "--help", argv[index + 1], NULL }, ret_status);
}
