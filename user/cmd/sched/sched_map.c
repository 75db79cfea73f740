// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/sched/sched.h"
#include "lib/log.h"
#include "table/sched/sched_map_text.h"
#include "terminal/pager.h"

struct map_command {
	struct subcommand_input *common;
	const char *shown, *marked_cpus, *marked_tids;
	struct selection_words words;
	struct sched_map_options options;
	struct cpumap cpus[2];
	struct recording in;
};

static struct error *map_parse_cpus(const char *text, struct cpumap *cpus,
				    const struct cpumap **ret)
{
	*ret = text ? cpus : NULL;
	return text ? cpumap_parse(text, cpus) : NULL;
}

static struct error *map_parse(struct map_command *c)
{
	struct sched_map_options *o = &c->options;
	struct error *err = map_parse_cpus(c->shown, &c->cpus[0], &o->shown);

	if (!err)
		err = map_parse_cpus(c->marked_cpus, &c->cpus[1], &o->marked_cpus);
	if (!err && o->tasks_in_part && !o->tasks)
		err = error_hint(error_new(EINVAL, "--fuzzy-name says how --task-name is compared, which "
					   "is missing"), "Add --task-name=NAME");
	if (!err && c->marked_tids)
		err = id_list_parse(&o->marked_tids, "--color-pids", c->marked_tids);
	return err;
}

static struct error *map_run(void *data)
{
	_cleanup_(sched_map_text) struct sched_map_text *map = NULL;
	struct map_command *c = data;
	struct error *err = map_parse(c);

	if (!err)
		err = sched_open(&c->in, c->common, &c->words);
	if (err)
		return err;
	c->options.out = stdout;
	c->options.cpus = reader_header(c->in.reader)->nr_cpus_available;
	c->options.verbose = log_verbosity > 0;
	err = sched_map_text_create(&c->options, &map);
	if (err)
		return err;
	pager_start();
	return recording_run(c->in.reader, NULL, &c->in.selection,
			     sched_map_text_consumer(map), true, NULL);
}

struct error *sched_map(struct subcommand_call *call)
{
	struct map_command c = { .common = call->data };
	const struct option_spec options[] = {
		OPT_FLAG("compact", &c.options.compact),
		OPT_STRING("cpus", &c.shown),
		OPT_STRING("color-cpus", &c.marked_cpus),
		OPT_STRING("color-pids", &c.marked_tids),
		OPT_STRING("task-name", &c.options.tasks),
		OPT_FLAG("fuzzy-name", &c.options.tasks_in_part),
		OPT_STRING("time", &c.words.times),
		SUBCOMMAND_INPUT_OPTIONS(c.common),
		{ 0 },
	};
	struct error *err;

	call->data = &c;
	err = subcommand_do(call, options, map_run);
	cpumap_deinit(&c.cpus[0]);
	cpumap_deinit(&c.cpus[1]);
	free(c.options.marked_tids.items);
	recording_end(&c.in);
	return err;
}
