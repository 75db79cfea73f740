// SPDX-License-Identifier: GPL-2.0
#include "cmd/commands.h"

const struct command commands[] = {
#define COMMAND(name, summary) { #name, summary, cmd_##name, NULL, 0 },
#define COMMAND_AS(name, typed, summary) { typed, summary, cmd_##name, NULL, 0 },
#define COMMAND_PLUGIN(name, summary) { #name, summary, NULL, #name, 0 },
#define COMMAND_LATER(name, of_perf) { #name, NULL, NULL, NULL, of_perf },
#include "cmd/commands.def"
#undef COMMAND
#undef COMMAND_AS
#undef COMMAND_PLUGIN
#undef COMMAND_LATER
	{ 0 },
};
