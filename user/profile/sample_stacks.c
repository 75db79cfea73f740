// SPDX-License-Identifier: GPL-2.0
#include "profile/sample_stacks.h"

#include <stdlib.h>

#include "calls/call_tree.h"
#include "calls/chain_nodes.h"
#include "lib/strbuf.h"
#include "session/callchain.h"

struct sample_stacks {
	struct call_tree *tree;
	struct chain_nodes *chains;
	uint32_t root;		/* the first node, so that stacks are nodes minus one */
	struct strbuf name;
};

struct error *sample_stacks_create(struct sample_stacks **ret)
{
	const struct chain_options options = { .max_stack = CALLCHAIN_DEPTH };
	struct sample_stacks *stacks = calloc(1, sizeof(*stacks));
	struct error *err;

	if (!stacks)
		return &error_no_memory;
	err = call_tree_create(&stacks->tree);
	if (!err)
		err = chain_nodes_create(stacks->tree, &options, &stacks->chains);
	if (!err)
		err = call_tree_add_root(stacks->tree, 0, &stacks->root);
	if (err) {
		sample_stacks_destroy(stacks);
		return err;
	}
	*ret = stacks;
	return NULL;
}

void sample_stacks_destroy(struct sample_stacks *stacks)
{
	if (!stacks)
		return;
	chain_nodes_destroy(stacks->chains);
	call_tree_destroy(stacks->tree);
	strbuf_deinit(&stacks->name);
	free(stacks);
}

struct error *sample_stacks_find(struct sample_stacks *stacks, const struct session_record *r,
				 uint32_t *ret)
{
	uint32_t node = stacks->root, place;
	struct error *err = chain_nodes_find(stacks->chains, r, &node);

	if (!err && node == stacks->root && r->event->attr.sample_type & PERF_SAMPLE_IP &&
	    r->event->attr.type != PERF_TYPE_TRACEPOINT) {
		err = call_tree_find_place(stacks->tree, r->machine, r->maps, r->sample.cpumode,
					   r->sample.ip, &place);
		if (!err)
			err = call_tree_add(stacks->tree, stacks->root, place, &node);
	}
	if (!err)
		*ret = node - stacks->root;
	return err;
}

uint32_t sample_stacks_end(const struct sample_stacks *stacks)
{
	return call_tree_nodes(stacks->tree) - stacks->root;
}

uint32_t sample_stacks_caller(const struct sample_stacks *stacks, uint32_t stack)
{
	return call_tree_parent(stacks->tree, stack + stacks->root) - stacks->root;
}

uint32_t sample_stacks_place(const struct sample_stacks *stacks, uint32_t stack)
{
	return call_tree_node_place(stacks->tree, stack + stacks->root);
}

void sample_stacks_frame(struct sample_stacks *stacks, uint32_t stack, struct stack_frame *ret)
{
	const struct call_place *place =
		call_tree_place(stacks->tree, sample_stacks_place(stacks, stack));
	const char *binary = place->dso ? place->dso->short_name : "[unknown]";

	*ret = (struct stack_frame){
		.name = binary, .dso = place->dso, .address = place->address,
		.kernel = place->mode == PERF_RECORD_MISC_KERNEL, .unknown = !place->symbol,
	};
	if (place->symbol) {
		ret->name = place->symbol->name;
		ret->inlined = place->symbol->inlined;
	} else if (*binary != '[') {
		strbuf_reset(&stacks->name);
		strbuf_addf(&stacks->name, "[%s]", binary);
		ret->name = strbuf_str(&stacks->name);
	}
}
