/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events of two hosts are the two ends of one message.
 *
 *	SEND-EVENT(ITEM,...)=RECEIVE-EVENT(ITEM,...)
 *
 * An event is SYSTEM:NAME.  An ITEM is the name of a field that both ends have the same value in,
 * in the order of the other end's, or a condition: FIELD==NUMBER, or FIELD!=FIELD.
 */
#ifndef KTRACE_PERFDATA_JOIN_TRAFFIC_RULES_H
#define KTRACE_PERFDATA_JOIN_TRAFFIC_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

enum traffic_item_kind {
	TRAFFIC_KEY = 0,	/* part of what identifies a message */
	TRAFFIC_EQUAL,		/* the field is @number */
	TRAFFIC_DIFFER,		/* the field is not what @other is */
};

struct traffic_item {
	enum traffic_item_kind kind;
	const char *field, *other;
	uint64_t number;
};

struct traffic_side {
	const char *system, *event;
	struct traffic_item *items;
	size_t nr, alloc;
};

struct traffic_rule {
	char *text;			/* what the names point into; owned */
	const char *given;		/* as it was given; borrowed */
	struct traffic_side send, receive;
};

struct traffic_rules {
	struct traffic_rule *items;
	size_t nr, alloc;
	bool none;			/* messages are not looked for */
	bool own;			/* the rules are the user's */
};

/* Add the rule in @text, which is borrowed; "none" means that there are none. */
struct error *traffic_rules_add(struct traffic_rules *rules, const char *text);

/* Add what ktrace knows of the kernel's events. */
struct error *traffic_rules_add_known(struct traffic_rules *rules);

void traffic_rules_deinit(struct traffic_rules *rules);

#endif
