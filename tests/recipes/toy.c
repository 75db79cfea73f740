// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <stdio.h>

struct error *cmd_toy(int argc, char **argv, int *ret_status)
{
	static const struct option_spec options[] = { { 0 } };
	static const struct command_usage usage = {
		.name = "toy",
		.synopsis = "",
		.options = options,
	};
	int index;
	struct error *err = command_parse(&usage, argc, argv, &index);

	if (!err && index >= 0)
		puts("the toy runs");
	return err;
}
