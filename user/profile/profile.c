// SPDX-License-Identifier: GPL-2.0
#include "profile/profiler.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "record/body.h"
#include "session/callchain.h"

#define DEFAULT_NODES		50000
#define DEFAULT_CELLS		2000000
#define DEFAULT_POINTS		2000000
#define DEFAULT_STRETCHES	1000
/* The cells of a page take some 3 MB, and its samples may take as much. */
#define DEFAULT_FINE		64
#define DEFAULT_FINE_CELLS	600000

static struct error *find_profile_task(struct profiler *profiler, const struct session_record *r,
				       uint32_t *ret)
{
	struct profile *profile = &profiler->profile;
	uint64_t hash = hash_key_join(hash_key_text(r->comm), (uint32_t)r->sample.tid);
	struct profile_task task = { .pid = r->sample.pid, .tid = r->sample.tid };
	size_t at;

	for (bool more = hash_table_first(&profiler->task_table, hash, &at); more;
	     more = hash_table_next(&profiler->task_table, &at)) {
		const struct profile_task *known;

		*ret = hash_table_value(&profiler->task_table, at);
		known = &profile->tasks.items[*ret];
		if (known->tid == task.tid && known->pid == task.pid &&
		    !strcmp(known->comm, r->comm))
			return NULL;
	}
	*ret = profile->tasks.nr;
	task.parent = r->processes ?
		      processes_pid(r->processes, processes_parent(r->processes, task.pid)) : -1;
	task.comm = strdup(r->comm);
	if (!task.comm || !hash_table_add(&profiler->task_table, hash, *ret) ||
	    !array_push(&profile->tasks, task)) {
		free(task.comm);
		return &error_no_memory;
	}
	return NULL;
}

static struct error *find_profile_node(struct profiler *profiler, const struct session_record *r,
				       uint32_t *ret)
{
	struct error *err;
	uint32_t place;

	*ret = profiler->root;
	err = chain_nodes_find(profiler->chain_nodes, r, ret);
	if (err || *ret != profiler->root || !(r->event->attr.sample_type & PERF_SAMPLE_IP))
		return err;
	err = call_tree_find_place(profiler->tree, r->machine, r->maps, r->sample.cpumode,
				   r->sample.ip, &place);
	return err ? err : call_tree_add(profiler->tree, profiler->root, place, ret);
}

static struct error *count_profile_event(struct profile *profile, const struct session_record *r)
{
	struct profile_event *event = array_at(&profile->events, r->event->index, 0);

	if (!event)
		return &error_no_memory;
	if (!event->samples)
		event->each = r->sample.period;
	else if (event->each != r->sample.period)
		event->each = 0;
	event->samples++;
	event->period += r->sample.period;
	return NULL;
}

/* All chains of a node end alike, except those of another event, which may have copied stacks. */
static struct error *count_chain_end(struct profiler *profiler, const struct session_record *r,
				     uint32_t node)
{
	struct chain_ends *ends = &profiler->profile.ends;
	struct chain_end end = { .only = NULL };
	uint32_t *known;

	if (r->event->attr.sample_type & PERF_SAMPLE_STACK_USER)
		return NULL;
	known = array_at(&profiler->node_ends, node, 0);
	if (!known)
		return &error_no_memory;
	if (!*known) {
		for (uint32_t at = node; !call_tree_is_root(profiler->tree, at);
		     at = call_tree_parent(profiler->tree, at))
			chain_end_add_place(ends, &end, call_tree_place(profiler->tree,
					    call_tree_node_place(profiler->tree, at)));
		*known = chain_ends_number(ends, r->event, &end) + 1;
	}
	chain_ends_add(ends, *known - 1, 1);
	return NULL;
}

static struct error *count_wall_cost(struct profiler *profiler, const struct session_record *r,
				     uint32_t node)
{
	struct error *err = NULL;

	if (!profiler->wall_costs)
		err = wall_costs_create(&profiler->wall_costs);
	return err ? err : wall_costs_add(profiler->wall_costs, r, node);
}

/*
 * Move a sample that has a state to the beginning of that state.  A running interval is before the
 * sample.  A waiting interval begins at the sample; but waiting for a CPU begins only at the
 * wakeup, although the sample is of the moment when the task stopped.
 */
static struct error *place_state(struct profiler *profiler, const struct session_record *r,
				 uint32_t task, struct profiler_sample *sample)
{
	uint64_t *end;

	if (!strcmp(r->task_state, "running")) {
		sample->time -= sample->period <= sample->time ? sample->period : 0;
		return NULL;
	}
	end = array_at(&profiler->wait_ends, task, 0);
	if (!end)
		return &error_no_memory;
	if (sample->time < *end)
		sample->time = *end;
	if (sample->period <= UINT64_MAX - sample->time)
		*end = sample->time + sample->period;
	return NULL;
}

static struct error *take_profile_sample(struct session_consumer *consumer,
					 const struct session_record *r)
{
	struct profiler *profiler = container_of(consumer, struct profiler, consumer);
	struct profiler_sample sample = { .time = r->sample.time, .period = r->sample.period };
	struct profile_lane lane = { .cpu = r->sample.cpu };
	struct error *err;

	if (!r->event)
		return NULL;
	lane.event = r->event->index;
	if (r->task_state)
		profiler->timed_event = lane.event + 1;
	profiler->nr_events = r->events ? r->events->nr : 0;
	err = find_profile_task(profiler, r, &lane.task);
	if (!err && r->task_state)
		err = place_state(profiler, r, lane.task, &sample);
	if (!err)
		err = profiler_find_lane(profiler, &lane, &sample.lane);
	if (!err)
		err = find_profile_node(profiler, r, &sample.node);
	if (!err)
		err = count_profile_event(&profiler->profile, r);
	if (!err && !array_push(&profiler->samples, sample))
		err = &error_no_memory;
	if (!err && r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		err = count_chain_end(profiler, r, sample.node);
	if (!err && r->task_state)
		err = count_wall_cost(profiler, r, sample.node);
	if (!err && profiler->options.rows)
		err = profiler_add_row(profiler, r);
	return err ? err : profiler_take_states(profiler, r, &sample);
}

static struct error *finish_profile_samples(struct session_consumer *consumer)
{
	return profiler_finish_states(container_of(consumer, struct profiler, consumer));
}

static struct error *take_profile_other(struct session_consumer *consumer,
					const struct session_record *r)
{
	struct profiler *profiler = container_of(consumer, struct profiler, consumer);
	const struct perf_event_header *header = r->record.header;
	const struct body_lost_samples *samples = body_of(header, struct body_lost_samples);
	const struct body_lost *lost = body_of(header, struct body_lost);
	struct profile_loss loss = { .time = r->sample.time };
	struct error *err = task_states_other(&profiler->states, r);

	if (!err && header->type == PERF_RECORD_EXIT)
		err = task_states_exit(&profiler->states, r);
	if (err)
		return err;
	if (header->type == PERF_RECORD_LOST && lost)
		loss.lost = lost->lost;
	if (header->type == PERF_RECORD_LOST_SAMPLES && samples)
		loss.lost = samples->lost;
	if (!loss.lost)
		return NULL;
	profiler->profile.lost += loss.lost;
	return array_push(&profiler->profile.losses, loss) ? NULL : &error_no_memory;
}

struct error *profiler_create(const struct profile_options *options, struct profiler **ret)
{
	_cleanup_(profiler) struct profiler *profiler = calloc(1, sizeof(*profiler));
	const struct chain_options chains = {
		.no_inline = options->no_inline, .max_stack = CALLCHAIN_DEPTH,
	};
	struct profile_limits *limits;
	struct error *err;

	if (!profiler)
		return &error_no_memory;
	profiler->options = *options;
	limits = &profiler->options.limits;
	limits->nodes = limits->nodes ? limits->nodes : DEFAULT_NODES;
	limits->cells = limits->cells ? limits->cells : DEFAULT_CELLS;
	limits->points = limits->points ? limits->points : DEFAULT_POINTS;
	limits->stretches = limits->stretches ? limits->stretches : DEFAULT_STRETCHES;
	limits->fine = limits->fine ? limits->fine : options->points ? DEFAULT_FINE : 1;
	limits->fine_cells = limits->fine_cells ? limits->fine_cells : DEFAULT_FINE_CELLS;
	err = call_tree_create(&profiler->tree);
	if (!err)
		err = chain_nodes_create(profiler->tree, &chains, &profiler->chain_nodes);
	if (!err)
		err = call_tree_add_root(profiler->tree, 0, &profiler->root);
	if (err)
		return err;
	profiler->consumer = (struct session_consumer){
		.sample = take_profile_sample, .other = take_profile_other,
		.finish = finish_profile_samples,
	};
	*ret = take_ptr(profiler);
	return NULL;
}

void profiler_destroy(struct profiler *profiler)
{
	struct profile *profile = profiler ? &profiler->profile : NULL;

	if (!profiler)
		return;
	for (size_t i = 0; i < profile->tasks.nr; i++)
		free(profile->tasks.items[i].comm);
	for (size_t i = 0; i < profiler->texts.nr; i++)
		free(profiler->texts.items[i]);
	free(profile->tasks.items);
	free(profile->functions.items);
	free(profile->nodes.items);
	free(profile->lanes.items);
	free(profile->cells.items);
	free(profile->points.items);
	free(profile->events.items);
	free(profile->losses.items);
	free(profiler->samples.items);
	free(profiler->texts.items);
	free(profiler->node_ends.items);
	free(profiler->wait_ends.items);
	wall_costs_destroy(profiler->wall_costs);
	profiler_deinit_states(profiler);
	profiler_deinit_rows(profiler);
	hash_table_deinit(&profiler->task_table);
	hash_table_deinit(&profiler->lane_table);
	chain_nodes_destroy(profiler->chain_nodes);
	call_tree_destroy(profiler->tree);
	free(profiler);
}

struct session_consumer *profiler_consumer(struct profiler *profiler)
{
	return &profiler->consumer;
}

struct error *profiler_settle(struct profiler *profiler, const struct profile **ret)
{
	_cleanup_free_ uint32_t *functions = NULL;
	struct error *err = profiler_find_functions(profiler, &functions);

	profiler->profile.samples = profiler->samples.nr;
	if (!err && profiler->wall_costs)
		err = wall_costs_settle(profiler->wall_costs, profiler->tree,
					&profiler->profile.wall);
	if (!err)
		err = profiler_settle_states(profiler);
	if (!err)
		err = profiler_make_tree(profiler, functions);
	if (!err)
		err = profiler_settle_rows(profiler);
	if (!err)
		err = profiler_make_points(profiler);
	if (!err)
		err = profiler_make_cells(profiler);
	*ret = &profiler->profile;
	return err;
}
