/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call chains as a tree that begins with the outermost functions.  Chains with the same beginning
 * share nodes, so that a repeated chain takes no memory.  The place of a recent address is kept
 * until the maps change.
 *
 * The numbers of places and nodes do not change while the tree grows.
 */
#ifndef KTRACE_CALLS_CALL_TREE_H
#define KTRACE_CALLS_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "session/callchain.h"
#include "session/machine.h"

/*
 * The location of a frame: a function, or an address without a name.  Two places of a tree differ
 * in at least one member.
 */
struct call_place {
	/* For a function these are 0, unless the tree keeps addresses. */
	uint64_t ip;			/* in memory */
	uint64_t address;		/* in the binary; 0 without one */
	const struct dso *dso;		/* NULL: no mapping is known there */
	const struct symbol *symbol;	/* NULL: unknown */
	uint8_t mode;			/* PERF_RECORD_MISC_KERNEL, _USER ... */
};

struct call_tree;

/* No node. */
#define CALL_TREE_NONE	0

struct error *call_tree_create(struct call_tree **ret);
void call_tree_destroy(struct call_tree *tree);
DEFINE_CLEANUP_PTR(call_tree, struct call_tree, call_tree_destroy)

/* From now on, each address of a function is a place of its own. */
void call_tree_keep_addresses(struct call_tree *tree);

/*
 * Find or add the place of @ip, an address in @mode of a process with @maps.  @machine NULL:
 * addresses have no names.  The only possible error is lack of memory.
 */
struct error *call_tree_find_place(struct call_tree *tree, struct machine *machine,
				   const struct maps *maps, uint8_t mode, uint64_t ip,
				   uint32_t *ret);

/*
 * Find or add the places of frames, without inlined functions.  Longer lists reduce the waits for
 * memory.  The only possible error is lack of memory.
 */
struct error *call_tree_find_places(struct call_tree *tree, struct machine *machine,
				    const struct maps *maps, const struct frame *frames,
				    size_t nr, uint32_t *places);

/*
 * Find or add the places of a frame of a chain: if its address is unwound, functions that are
 * inlined there are places, too.  Stores at most @max, the innermost first.
 */
struct error *call_tree_find_frame(struct call_tree *tree, struct machine *machine,
				   const struct maps *maps, const struct frame *frame,
				   uint32_t *places, size_t max, size_t *ret_nr);

/* Valid until the next place is added. */
const struct call_place *call_tree_place(const struct call_tree *tree, uint32_t place);

/*
 * Find or add the root of a group of chains, which share nodes only with each other.  The only
 * possible error is lack of memory.
 */
struct error *call_tree_add_root(struct call_tree *tree, uint32_t group, uint32_t *ret_node);

/* Find or add the node of a place below @parent.  The only possible error is lack of memory. */
struct error *call_tree_add(struct call_tree *tree, uint32_t parent, uint32_t place,
			    uint32_t *ret_node);

/*
 * Find or add the nodes of a path: the first place's below @parent, each further one below the node
 * of the place before it.  Longer paths reduce the waits for memory.  *ret_mark is that of the last
 * node, or of @parent if the path is empty.  The only possible error is lack of memory.
 */
struct error *call_tree_add_path(struct call_tree *tree, uint32_t parent, const uint32_t *places,
				 size_t nr, uint32_t *ret_nodes, uint32_t *ret_mark);

/* Set a number that is returned with the node.  It is 0 at first, and after call_tree_keep(). */
void call_tree_set_mark(struct call_tree *tree, uint32_t node, uint32_t mark);

/* Nodes are numbered from 1 to below this; a node has a higher number than its parent. */
size_t call_tree_nodes(const struct call_tree *tree);

/* Returns CALL_TREE_NONE for a root. */
uint32_t call_tree_parent(const struct call_tree *tree, uint32_t node);

static inline bool call_tree_is_root(const struct call_tree *tree, uint32_t node)
{
	return call_tree_parent(tree, node) == CALL_TREE_NONE;
}

/* The place of a node that is no root. */
uint32_t call_tree_node_place(const struct call_tree *tree, uint32_t node);

/*
 * Store the nodes from the outermost function to @node, at most @max.  Returns their number, 0 for
 * a root.
 */
size_t call_tree_path(const struct call_tree *tree, uint32_t node, uint32_t *nodes, size_t max);

/*
 * Remove the nodes whose items of @numbers, one for each node, are 0.  The remaining nodes must
 * include all their parents.  They get new numbers in the same order, which are stored there.
 */
void call_tree_keep(struct call_tree *tree, uint32_t *numbers);

#endif
