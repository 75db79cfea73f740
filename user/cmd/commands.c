// SPDX-License-Identifier: GPL-2.0
#include "cmd/commands.h"

const struct command commands[] = {
#define COMMAND(word, text) { .name = #word, .summary = text, .run = cmd_##word },
#define COMMAND_AS(word, typed, text) { .name = typed, .summary = text, .run = cmd_##word },
#define COMMAND_PLUGIN(word, text) { .name = #word, .summary = text, .plugin = #word },
#define COMMAND_LATER(word) { .name = #word },
#define COMMAND_WORD(word, typed) { .name = #word, .instead = typed },
#define COMMAND_GROUP(title) { .name = "", .group = title },
#define COMMAND_ALSO() { .name = "" },
#include "cmd/commands.def"
#undef COMMAND
#undef COMMAND_AS
#undef COMMAND_PLUGIN
#undef COMMAND_LATER
#undef COMMAND_WORD
#undef COMMAND_GROUP
#undef COMMAND_ALSO
	{ 0 },
};
