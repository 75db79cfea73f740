// SPDX-License-Identifier: GPL-2.0
#include "recorder/command.h"

static void add_flag(struct words *words, const char *option, bool given)
{
	if (given)
		words_add(words, option);
}

void recorder_command_add(const struct recorder_command *c, const char *program,
			  struct words *words)
{
	words_add(words, program);
	words_add(words, "record");
	words_add(words, "-q");
	words_add_option(words, "--ready", c->ready);
	words_add_option(words, "--command-output", c->command_output);
	words_add_option(words, "-o", c->output);
	words_add_option(words, "-k", c->clock);
	words_add_option(words, "--latency", c->latency);
	words_add_option(words, "--via", c->via);
	words_add_option(words, "--path", c->path);
	for (size_t i = 0; i < c->nr_events; i++) {
		words_add_option(words, "-e", c->events[i].event);
		words_add_option(words, "--filter", c->events[i].filter);
	}
	words_add_option(words, "-C", c->cpus);
	words_add_option(words, "-p", c->pids);
	words_add_option(words, "-t", c->tids);
	add_flag(words, "-g", c->callchain);
	add_flag(words, "-d", c->addr);
	add_flag(words, "--switch-events", c->switches);
	words_add_option(words, "--fields", c->fields);
	words_add_option(words, "-m", c->pages);
	words_add_all(words, c->others);
	add_flag(words, "-a", c->all_cpus);
	if (c->command)
		words_add(words, "--");
	words_add_all(words, c->command);
}
