// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks of a recording as a tree, as perf report --tasks prints it, or --mmaps.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lib/escape.h"
#include "lib/strbuf.h"
#include "output/rendering.h"
#include "states/task_list.h"
#include "table/profile/histogram_text.h"

/* A damaged recording may claim any depth. */
#define DEPTH_SHOWN 256

struct tasks_rendering {
	struct rendering rendering;
	FILE *out;
	struct task_list *list;
};

/* perf's columns in front of a name. */
#define TASK_INDENT	32

static void add_task_maps(struct strbuf *ret, const struct task_entry *task, size_t depth)
{
	const struct map *map;

	for (uint64_t at = 0; (map = maps_next(&task->maps, at)); at = map->end) {
		size_t from;

		strbuf_add_spaces(ret, TASK_INDENT + depth);
		strbuf_addf(ret, "%" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " ",
			    map->start, map->end, map->prot & PROT_READ ? 'r' : '-',
			    map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
			    map->flags & MAP_SHARED ? 's' : 'p', map->offset,
			    map->dso->numbers.inode);
		from = ret->len;
		strbuf_addstr(ret, map->dso->name);
		escape_line_ends(ret, from);
		strbuf_addch(ret, '\n');
	}
}

static struct error *tasks_finish(struct rendering *rendering)
{
	struct tasks_rendering *r = container_of(rendering, struct tasks_rendering, rendering);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t position = task_list_link(r->list);

	if (position == TASK_LIST_NONE)
		return &error_no_memory;
	strbuf_addf(&text, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	for (; position != TASK_LIST_NONE; position = task_list_next(r->list, position)) {
		const struct task_entry *task = task_list_get(r->list, position);
		size_t from;

		strbuf_addf(&text, "  %8d %8d %8d |", (int)task->pid, (int)task->tid,
			    (int)task->ppid);
		strbuf_add_spaces(&text, task->depth < DEPTH_SHOWN ? task->depth : DEPTH_SHOWN);
		from = text.len;
		strbuf_addstr(&text, task->comm);
		escape_line_ends(&text, from);
		strbuf_addch(&text, '\n');
		add_task_maps(&text, task, task->depth < DEPTH_SHOWN ? task->depth : DEPTH_SHOWN);
	}
	return rendering_print(r->out, &text);
}

static void destroy_tasks(struct rendering *rendering)
{
	struct tasks_rendering *r = container_of(rendering, struct tasks_rendering, rendering);

	task_list_destroy(r->list);
	free(r);
}

struct error *output_tasks_open(const struct rendering_request *request, struct rendering **ret)
{
	struct tasks_rendering *r = calloc(1, sizeof(*r));
	struct error *err;

	if (!r)
		return &error_no_memory;
	r->out = request->out;
	err = task_list_create(request->report && request->report->task_maps, &r->list);
	if (err) {
		free(r);
		return err;
	}
	r->rendering = (struct rendering){
		.consumer = task_list_consumer(r->list), .finish = tasks_finish,
		.destroy = destroy_tasks,
	};
	*ret = &r->rendering;
	return NULL;
}
