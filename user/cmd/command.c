// SPDX-License-Identifier: GPL-2.0
#include "cmd/command.h"

#include <stdio.h>
#include <string.h>

const struct command commands[] = {
#define COMMAND(name, summary) { #name, summary, cmd_##name, NULL },
#define COMMAND_LATER(name, meanwhile) { #name, NULL, NULL, meanwhile },
#include "cmd/commands.def"
#undef COMMAND
#undef COMMAND_LATER
	{ 0 },
};

const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

void commands_print(void)
{
	printf("Usage: ktrace [--version] [--help] COMMAND [ARGS]\n\nCommands:\n");
	for (const struct command *c = commands; c->name; c++)
		if (c->run)
			printf("    %-10s  %s\n", c->name, c->summary);
	printf("\n'ktrace help COMMAND' or 'ktrace COMMAND --help' tells more of one.\n");
}
