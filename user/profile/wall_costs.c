// SPDX-License-Identifier: GPL-2.0
#include "profile/wall_costs.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "profile/own_code.h"
#include "symbol/dso.h"

/* Samples of a node of the call tree, in a state. */
struct node_cost {
	uint32_t node;
	enum wall_kind state;	/* RUNNING, RUNNABLE or BLOCKED */
	uint64_t ns, samples;
};

/* The properties of a chain. */
struct chain_facts {
	enum wall_kind kind;
	const struct call_place *own;		/* NULL: none */
	const struct call_place *through;	/* NULL: none */
};

/* Time of a cost in a function that it called. */
struct through_cost {
	size_t cost;
	const struct call_place *place;
	uint64_t ns;
};

struct wall_costs {
	ARRAY_OF(struct node_cost) nodes;
	struct hash_table node_table;
	ARRAY_OF(struct wall_cost) costs;
	struct hash_table cost_table;
	ARRAY_OF(struct through_cost) through;
	struct hash_table through_table;
};

static const struct {
	const char *text, *command;
	bool waits;
} wall_kinds[] = {
#define WALL_KIND(name, text, waits, command)	[WALL_##name] = { text, command, waits },
#define WALL_SIGN(side, name, kind)
#include "profile/wall_costs.def"
#undef WALL_KIND
#undef WALL_SIGN
};

static const struct wall_sign {
	uint8_t mode;
	const char *begins;
	enum wall_kind kind;
} wall_signs[] = {
#define WALL_KIND(name, text, waits, command)
#define WALL_SIGN(side, name, kind)	{ PERF_RECORD_MISC_##side, name, WALL_##kind },
#include "profile/wall_costs.def"
#undef WALL_KIND
#undef WALL_SIGN
};

const char *wall_kind_text(enum wall_kind kind)
{
	return wall_kinds[kind].text;
}

const char *wall_kind_command(enum wall_kind kind)
{
	return wall_kinds[kind].command;
}

bool wall_kind_waits(enum wall_kind kind)
{
	return wall_kinds[kind].waits;
}

struct error *wall_costs_create(struct wall_costs **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? NULL : &error_no_memory;
}

void wall_costs_destroy(struct wall_costs *costs)
{
	if (!costs)
		return;
	free(costs->nodes.items);
	free(costs->costs.items);
	free(costs->through.items);
	hash_table_deinit(&costs->node_table);
	hash_table_deinit(&costs->cost_table);
	hash_table_deinit(&costs->through_table);
	free(costs);
}

static enum wall_kind kind_of_state(const char *state)
{
	return !strcmp(state, "running") ? WALL_RUNNING :
	       !strcmp(state, "runnable") ? WALL_RUNNABLE : WALL_BLOCKED;
}

struct error *wall_costs_add(struct wall_costs *costs, const struct session_record *r,
			     uint32_t node)
{
	struct node_cost added = {
		.node = node, .state = kind_of_state(r->task_state), .ns = r->sample.period,
		.samples = 1,
	};
	uint64_t hash = hash_key_number((uint64_t)added.state << 32 | node);

	hash_table_each(&costs->node_table, hash, n) {
		struct node_cost *known = &costs->nodes.items[n];

		if (known->node == node && known->state == added.state) {
			known->ns += added.ns;
			known->samples++;
			return NULL;
		}
	}
	return hash_table_add(&costs->node_table, hash, costs->nodes.nr) &&
	       array_push(&costs->nodes, added) ? NULL : &error_no_memory;
}

static bool find_sign(const struct call_place *place, enum wall_kind *ret)
{
	if (!place->symbol)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(wall_signs); i++) {
		const struct wall_sign *sign = &wall_signs[i];

		if (place->mode == sign->mode &&
		    !strncmp(place->symbol->name, sign->begins, strlen(sign->begins))) {
			*ret = sign->kind;
			return true;
		}
	}
	return false;
}

static struct chain_facts chain_facts_of(const struct call_tree *tree, uint32_t node,
					 enum wall_kind state)
{
	struct chain_facts facts = { .kind = state };
	bool open = state == WALL_BLOCKED;	/* a sign may still determine the kind */
	const struct call_place *caller = NULL;		/* the last one with a name */
	bool kernel_thread = false;

	for (; !call_tree_is_root(tree, node); node = call_tree_parent(tree, node)) {
		const struct call_place *place =
			call_tree_place(tree, call_tree_node_place(tree, node));
		enum wall_kind kind;

		kernel_thread |= place->mode == PERF_RECORD_MISC_KERNEL && place->symbol &&
				 !strcmp(place->symbol->name, "kthread");
		if (open && !facts.own && find_sign(place, &kind)) {
			facts.kind = kind;
			open = kind == WALL_FUTEX;
		}
		if (own_code_is_jitted(place)) {
			facts.own = place;
			facts.through = caller;
			break;
		}
		if (!facts.own && own_code_has(place)) {
			facts.own = place;
			facts.through = caller;
		}
		if (place->mode == PERF_RECORD_MISC_USER && place->symbol &&
		    !(caller && own_code_is_start(place)))
			caller = place;
	}
	if (!facts.own)
		facts.through = caller;
	if (state == WALL_BLOCKED && kernel_thread)
		facts.kind = WALL_KERNEL_THREADS;
	/* A task without a CPU does not wait because of its current function. */
	if (state == WALL_RUNNABLE)
		facts.own = facts.through = NULL;
	return facts;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct error *find_cost(struct wall_costs *costs, const struct chain_facts *facts,
			       size_t *ret)
{
	struct wall_cost added = {
		.kind = facts->kind,
		.function = facts->own && facts->own->symbol ? facts->own->symbol->name : NULL,
		.binary = facts->own ? facts->own->dso->short_name : NULL,
	};
	uint64_t hash = hash_key_join(hash_key_text(added.function ? added.function : ""),
				      added.kind);

	hash_table_each(&costs->cost_table, hash, n) {
		const struct wall_cost *known;

		*ret = n;
		known = &costs->costs.items[*ret];
		if (known->kind == added.kind && is_same(known->function, added.function) &&
		    is_same(known->binary, added.binary))
			return NULL;
	}
	*ret = costs->costs.nr;
	return hash_table_add(&costs->cost_table, hash, *ret) && array_push(&costs->costs, added) ?
	       NULL : &error_no_memory;
}

static struct error *add_through(struct wall_costs *costs, size_t cost,
				 const struct call_place *place, uint64_t ns)
{
	struct through_cost added = { .cost = cost, .place = place, .ns = ns };
	uint64_t hash = hash_key_join(hash_key_text(place->symbol->name), cost);

	hash_table_each(&costs->through_table, hash, n) {
		struct through_cost *known = &costs->through.items[n];

		if (known->cost == cost &&
		    !strcmp(known->place->symbol->name, place->symbol->name)) {
			known->ns += ns;
			return NULL;
		}
	}
	return hash_table_add(&costs->through_table, hash, costs->through.nr) &&
	       array_push(&costs->through, added) ? NULL : &error_no_memory;
}

static int compare_costs(const void *a, const void *b)
{
	const struct wall_cost *left = a, *right = b;
	int order = left->ns < right->ns ? 1 : -(left->ns > right->ns);

	if (!order)
		order = (int)left->kind - (int)right->kind;
	return order ? order : strcmp(left->function ? left->function : "",
				      right->function ? right->function : "");
}

/* Set the half width of the confidence interval of the share of @samples in @all. */
static void set_errors(struct wall_costs *costs)
{
	uint64_t ns = 0, samples = 0;

	for (size_t i = 0; i < costs->costs.nr; i++)
		if (costs->costs.items[i].kind == WALL_RUNNING) {
			ns += costs->costs.items[i].ns;
			samples += costs->costs.items[i].samples;
		}
	for (size_t i = 0; i < costs->costs.nr; i++) {
		struct wall_cost *cost = &costs->costs.items[i];
		double share = ns ? (double)cost->ns / ns : 0;

		if (cost->kind == WALL_RUNNING && samples)
			cost->error_ns = 1.96 * sqrt(share * (1 - share) / samples) * ns;
	}
}

struct error *wall_costs_settle(struct wall_costs *costs, const struct call_tree *tree,
				struct wall_summary *ret)
{
	struct error *err = NULL;

	*ret = (struct wall_summary){ .nr = 0 };
	for (size_t i = 0; i < costs->nodes.nr && !err; i++) {
		const struct node_cost *node = &costs->nodes.items[i];
		struct chain_facts facts = chain_facts_of(tree, node->node, node->state);
		size_t at;

		err = find_cost(costs, &facts, &at);
		if (err)
			break;
		costs->costs.items[at].ns += node->ns;
		costs->costs.items[at].samples += node->samples;
		ret->all_ns += node->ns;
		if (facts.through)
			err = add_through(costs, at, facts.through, node->ns);
	}
	for (size_t i = 0; i < costs->through.nr; i++) {
		const struct through_cost *through = &costs->through.items[i];
		struct wall_cost *cost = &costs->costs.items[through->cost];

		if (through->ns > cost->through_ns) {
			cost->through_ns = through->ns;
			cost->through = through->place->symbol->name;
		}
	}
	set_errors(costs);
	array_sort(&costs->costs, compare_costs);
	ret->items = costs->costs.items;
	ret->nr = costs->costs.nr;
	return err;
}
