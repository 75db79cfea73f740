// SPDX-License-Identifier: GPL-2.0
#include "calls/chain_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "session/branch_history.h"
#include "session/callchain.h"

/* The number of slots for recent chains, which are chosen by the root. */
#define CHAIN_SLOTS	16

/* The most frames of a sample: its branches, the kernel's frames, and unwound ones. */
#define MAX_FRAMES	(2 * CALLCHAIN_DEPTH + 2 * BRANCH_HISTORY_DEPTH)

/* The most functions that are inlined into each other and become frames. */
#define MAX_INLINED	256

/* The last chain below a root, and its nodes, outermost first. */
struct recent_chain {
	uint32_t root;		/* 0: none yet */
	uint64_t version;	/* of the maps */
	size_t nr;		/* frames */
	uint64_t ips[MAX_FRAMES];
	uint8_t modes[MAX_FRAMES];
	uint32_t depths[MAX_FRAMES];	/* number of nodes of each frame and those before it */
	uint32_t nodes[CHAIN_NODES_MAX];
	size_t nr_nodes;
};

struct chain_nodes {
	struct call_tree *tree;
	struct chain_options options;
	struct callchain frames;	/* of a sample */
	struct branch_history history;	/* of a sample; its frames begin with these */
	uint32_t step_nodes[2 * BRANCH_HISTORY_DEPTH];
	size_t ignored_frames;		/* of the sample of the last look-up: innermost ones */
	struct place_matches {
		uint8_t *items;		/* by place: 0: not known, 1: no, 2: yes */
		size_t nr, alloc;
	} parents, ignored;		/* the functions that match the patterns */
	uint32_t places[CHAIN_NODES_MAX];	/* of a sample's nodes, for the look-up */
	uint32_t frame_places[MAX_FRAMES];	/* of its frames, without inlined functions */
	struct recent_chain recent[CHAIN_SLOTS];	/* by root */
};

struct error *chain_nodes_create(struct call_tree *tree, const struct chain_options *options,
				 struct chain_nodes **ret)
{
	struct chain_nodes *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return &error_no_memory;
	chains->tree = tree;
	chains->options = *options;
	*ret = chains;
	return NULL;
}

void chain_nodes_destroy(struct chain_nodes *chains)
{
	if (!chains)
		return;
	callchain_deinit(&chains->frames);
	free(chains->parents.items);
	free(chains->ignored.items);
	free(chains);
}

void chain_nodes_forget(struct chain_nodes *chains)
{
	for (size_t i = 0; i < CHAIN_SLOTS; i++)
		chains->recent[i].root = 0;
}

/* The slot for the root's chains with the current maps. */
static struct recent_chain *find_recent_chain(struct chain_nodes *chains, uint32_t root,
					      uint64_t version)
{
	struct recent_chain *recent = &chains->recent[(root ^ version) % CHAIN_SLOTS];

	if (recent->root != root || recent->version != version)
		recent->nr = 0;
	recent->root = root;
	recent->version = version;
	return recent;
}

static void add_chain_place(struct chain_nodes *chains, uint32_t place,
			    struct recent_chain *chain)
{
	if (chain->nr_nodes < CHAIN_NODES_MAX &&
	    (!chains->options.hide_unresolved || call_tree_place(chains->tree, place)->symbol))
		chains->places[chain->nr_nodes++] = place;
}

/* Add the places of an unwound frame to a chain: several if functions are inlined. */
static struct error *add_frame(struct chain_nodes *chains, const struct session_record *r,
			       const struct frame *frame, struct recent_chain *chain)
{
	uint32_t places[MAX_INLINED];
	struct error *err;
	size_t nr;

	err = call_tree_find_frame(chains->tree, r->machine, r->maps, frame, places, MAX_INLINED,
				   &nr);
	for (size_t i = 0; !err && i < nr; i++)
		add_chain_place(chains, places[chains->options.innermost_first ? i : nr - 1 - i],
				chain);
	return err;
}

static struct error *read_frames(struct chain_nodes *chains, const struct session_record *r)
{
	unsigned int most = chains->options.max_stack;

	return callchain_read(&chains->frames, r,
			      most < CALLCHAIN_DEPTH ? most : CALLCHAIN_DEPTH);
}

/* Put the branches of a sample before its frames, and drop frames that are in both. */
static struct error *read_branches(struct chain_nodes *chains, const struct session_record *r)
{
	struct callchain *frames = &chains->frames;
	struct branch_history *history = &chains->history;
	size_t kept;

	branch_history_read(r, frames, chains->options.max_stack, history);
	kept = frames->nr - history->overlap;
	for (size_t i = history->overlap; i < history->nr; i++)
		if (!array_push(frames, (struct frame){ 0 }))
			return &error_no_memory;
	/* Without a frame, there may be no items at all. */
	if (kept)
		memmove(frames->items + history->nr, frames->items + history->overlap,
			kept * sizeof(*frames->items));
	for (size_t i = 0; i < history->nr; i++) {
		const uint64_t ip = history->steps[i].ip;

		frames->items[i] = (struct frame){
			.ip = ip,
			.mode = ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		};
	}
	frames->nr = history->nr + kept;
	return NULL;
}

/* Whether the function of a place matches; the result is kept for each place. */
static struct error *match_place(struct chain_nodes *chains, uint32_t place,
				 const regex_t *pattern, struct place_matches *matches, bool *ret)
{
	const struct symbol *symbol = call_tree_place(chains->tree, place)->symbol;

	*ret = false;
	if (!pattern)
		return NULL;
	if (!array_at(matches, place, 0))
		return &error_no_memory;
	if (!matches->items[place])
		matches->items[place] = 1 + (symbol && !regexec(pattern, symbol->name, 0, NULL, 0));
	*ret = matches->items[place] == 2;
	return NULL;
}

struct error *chain_nodes_look_up(struct chain_nodes *chains, const struct session_record *r,
				  uint32_t *place, const struct symbol **ret_parent)
{
	const struct chain_options *options = &chains->options;
	struct error *err = NULL;

	*ret_parent = NULL;
	chains->ignored_frames = 0;
	if ((!options->parents && !options->ignored) ||
	    !(r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return NULL;
	err = read_frames(chains, r);
	for (size_t i = 0; !err && i < chains->frames.nr; i++) {
		const struct frame *frame = &chains->frames.items[i];
		bool is_parent = false, is_ignored = false;
		uint32_t number;

		err = call_tree_find_place(chains->tree, r->machine, r->maps, frame->mode,
					   frame->ip, &number);
		if (!err)
			err = match_place(chains, number, options->parents, &chains->parents,
					  &is_parent);
		if (!err)
			err = match_place(chains, number, options->ignored, &chains->ignored,
					  &is_ignored);
		if (is_parent && (!*ret_parent || options->callers_first))
			*ret_parent = call_tree_place(chains->tree, number)->symbol;
		if (is_ignored) {
			chains->ignored_frames = i;
			*place = number;
		}
	}
	return err;
}

/* Find the nodes of a sample's branches. */
static void find_step_nodes(struct chain_nodes *chains, const struct recent_chain *chain,
			    struct chain_path *ret)
{
	const bool inner = chains->options.innermost_first;

	ret->steps = chains->history.steps;
	ret->nr_steps = chains->history.nr;
	ret->step_nodes = chains->step_nodes;
	for (size_t i = 0; i < chains->history.nr; i++) {
		size_t at = inner ? i : chain->nr - 1 - i;
		bool has_node = i < chain->nr &&
				chain->depths[at] > (at ? chain->depths[at - 1] : 0);

		chains->step_nodes[i] = has_node ? chain->nodes[chain->depths[at] - 1] :
						   CALL_TREE_NONE;
	}
}

/* The frame with this number in the order of the tree. */
static const struct frame *frame_in_order(const struct chain_nodes *chains,
					  const struct frame *frames, size_t nr, size_t number)
{
	return &frames[chains->options.innermost_first ? number : nr - 1 - number];
}

/* The number of frames that a sample shares with the previous chain, in the order of the tree. */
static size_t count_same_frames(const struct chain_nodes *chains, const struct frame *frames,
				size_t nr, const struct recent_chain *chain)
{
	size_t same = 0;

	for (; same < nr && same < chain->nr; same++) {
		const struct frame *frame = frame_in_order(chains, frames, nr, same);

		if (frame->ip != chain->ips[same] || frame->mode != chain->modes[same] ||
		    frame->mode != PERF_RECORD_MISC_USER)
			break;
	}
	return same;
}

/* Whether functions that are inlined at a frame have places of their own. */
static bool shows_inlined(const struct chain_nodes *chains, const struct frame *frame)
{
	return frame->unwound && !chains->options.no_inline;
}

/* Find the places of the frames that need no inlined functions, with one call. */
static struct error *find_frame_places(struct chain_nodes *chains, const struct session_record *r,
				       const struct frame *frames, size_t nr)
{
	size_t stored = 0;

	/* Unwound frames follow the frames of the kernel. */
	while (stored < nr && !shows_inlined(chains, &frames[stored]))
		stored++;
	return call_tree_find_places(chains->tree, r->machine, r->maps, frames, stored,
				     chains->frame_places);
}

/*
 * Find the nodes of a sample's frames from number @same on, in the order of the tree.  Memory is
 * prefetched first, because most of the time would pass with waiting for it.
 */
static struct error *find_nodes(struct chain_nodes *chains, const struct session_record *r,
				const struct frame *frames, size_t nr, size_t same,
				struct recent_chain *chain, uint32_t *ret_mark)
{
	const size_t known = chain->nr_nodes;
	const struct frame *first = frames + (chains->options.innermost_first ? same : 0);
	struct error *err = find_frame_places(chains, r, first, nr - same);

	for (size_t i = same; i < nr && !err; i++) {
		const struct frame *frame = frame_in_order(chains, frames, nr, i);

		if (shows_inlined(chains, frame))
			err = add_frame(chains, r, frame, chain);
		else
			add_chain_place(chains, chains->frame_places[frame - first], chain);
		chain->ips[i] = frame->ip;
		chain->modes[i] = frame->mode;
		chain->depths[i] = chain->nr_nodes;
	}
	if (err)
		return err;
	return call_tree_add_path(chains->tree, known ? chain->nodes[known - 1] : chain->root,
				  chains->places + known, chain->nr_nodes - known,
				  chain->nodes + known, ret_mark);
}

struct error *chain_nodes_find_path(struct chain_nodes *chains, const struct session_record *r,
				    uint32_t root, struct chain_path *ret)
{
	struct recent_chain *chain;
	const struct frame *frames;
	struct error *err;
	size_t nr, same;

	*ret = (struct chain_path){ .nr = 0 };
	if (!(r->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN) &&
	    !chains->options.branch_history)
		return NULL;
	err = read_frames(chains, r);
	/* Below an ignored function the callees are dropped, so the branches are, too. */
	chains->history.nr = 0;
	if (!err && chains->options.branch_history && !chains->ignored_frames)
		err = read_branches(chains, r);
	nr = chains->frames.nr - chains->ignored_frames;
	if (err || !nr)
		return err;
	chain = find_recent_chain(chains, root, r->maps ? r->maps->version : 0);
	frames = chains->frames.items + chains->ignored_frames;
	if (nr > MAX_FRAMES)
		nr = MAX_FRAMES;
	same = count_same_frames(chains, frames, nr, chain);
	chain->nr_nodes = same ? chain->depths[same - 1] : 0;
	err = find_nodes(chains, r, frames, nr, same, chain, &ret->mark);
	chain->nr = err ? 0 : nr;
	ret->nodes = chain->nodes;
	ret->nr = chain->nr_nodes;
	if (chains->options.branch_history)
		find_step_nodes(chains, chain, ret);
	return err;
}

struct error *chain_nodes_find(struct chain_nodes *chains, const struct session_record *r,
			       uint32_t *node)
{
	struct chain_path path;
	struct error *err = chain_nodes_find_path(chains, r, *node, &path);

	if (!err && path.nr)
		*node = path.nodes[path.nr - 1];
	return err;
}
