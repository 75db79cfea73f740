// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"

struct stat_chain {
	uint64_t number;	/* in the module */
	uint64_t stack;
};

struct stat_pending {
	struct stat_chains *chains;	/* borrowed */
	uint64_t number, time;
	int32_t pid;
	uint64_t *ips;
	size_t nr;
};

void stat_chains_deinit(struct stat_chains *chains)
{
	free(chains->known.items);
	hash_table_deinit(&chains->table);
}

void stat_stacks_deinit(struct stat_stacks *stacks)
{
	array_free_each(&stacks->pending, .ips);
	key_stacks_deinit(&stacks->names);
}

struct stat_reading {
	struct stat_stacks *stacks;
	struct stat_chains *chains;
};

static struct error *stat_stacks_take(void *data, const struct counts_chain *chain)
{
	const struct stat_reading *reading = data;
	struct stat_pending own = {
		.chains = reading->chains, .number = chain->number, .time = chain->time,
		.pid = chain->pid, .nr = chain->nr,
		.ips = calloc(chain->nr + 1, sizeof(*own.ips)),
	};

	if (!own.ips)
		return &error_no_memory;
	memcpy(own.ips, chain->ips, chain->nr * sizeof(*own.ips));
	if (array_push(&reading->stacks->pending, own))
		return NULL;
	free(own.ips);
	return &error_no_memory;
}

DEFINE_COMPARISON(stat_pending_by_time, struct stat_pending, array_order(x->time, y->time))

struct error *stat_stacks_read(struct stat_stacks *stacks, struct capture *capture,
			       const struct event *event, struct stat_chains *chains)
{
	struct stat_reading reading = { stacks, chains };
	size_t before = stacks->pending.nr;
	struct error *err = counts_backend()->read_chains(capture, event, &chains->state,
							  stat_stacks_take, &reading);

	if (stacks->pending.nr != before)
		array_sort(&stacks->pending, stat_pending_by_time);
	return err;
}

static struct error *stat_pending_name(struct stat_stacks *stacks,
				       const struct stat_pending *pending)
{
	struct stat_chains *chains = pending->chains;
	struct stat_chain own = { .number = pending->number };
	struct error *err;

	err = key_stacks_add(&stacks->names, stacks->session->machine, stacks->session->processes,
			     pending->pid, pending->ips, pending->nr, &own.stack);
	if (err)
		return err;
	if (!array_push(&chains->known, own) ||
	    !hash_table_add(&chains->table, hash_key_number(own.number), chains->known.nr - 1))
		return &error_no_memory;
	return NULL;
}

struct error *stat_stacks_name(struct stat_stacks *stacks, uint64_t time)
{
	struct error *err = NULL;
	size_t nr = 0;

	while (!err && nr < stacks->pending.nr && stacks->pending.items[nr].time < time) {
		err = stat_pending_name(stacks, &stacks->pending.items[nr]);
		free(stacks->pending.items[nr++].ips);
	}
	if (!nr)
		return err;
	stacks->pending.nr -= nr;
	memmove(stacks->pending.items, stacks->pending.items + nr,
		stacks->pending.nr * sizeof(*stacks->pending.items));
	return err;
}

uint64_t stat_stacks_find(const struct stat_chains *chains, uint64_t number)
{
	if (!number)
		return KEY_STACK_NONE;
	hash_table_each(&chains->table, hash_key_number(number), n)
		if (chains->known.items[n].number == number)
			return chains->known.items[n].stack;
	return KEY_STACK_UNNAMED;
}
