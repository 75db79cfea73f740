/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Draws call graphs as perf report --stdio does.
 */
#ifndef KTRACE_TABLE_PROFILE_CALL_GRAPH_TEXT_H
#define KTRACE_TABLE_PROFILE_CALL_GRAPH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/strbuf.h"
#include "profile/histogram/call_graph.h"

/* The base of the percentages of a graph, and its place. */
struct call_graph_whole {
	uint64_t total;		/* period of all samples of the event */
	uint64_t entry;		/* period of the line below which the graph is drawn */
	bool skip_first;	/* the first frame is the line itself */
	bool branch_history;	/* chains have branches: mark the frames that are no branches */
	unsigned int columns;	/* that a line may have; 0: nothing is cut */
};

/* Whether a node can be large enough to be drawn. */
bool call_graph_text_has_lines(const struct call_graph_options *options,
			       const struct call_graph_whole *whole);

/* Append the drawing and a blank line; nothing if @graph is NULL or no node is large enough. */
void call_graph_text_add(const struct call_graph *graph, const struct call_graph_options *options,
			 const struct call_graph_whole *whole, struct strbuf *out);

#endif
