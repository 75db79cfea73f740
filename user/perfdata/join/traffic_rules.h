/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules that match the two ends of a message between two hosts.
 *
 *	SEND-EVENT(ITEM,...)=RECEIVE-EVENT(ITEM,...)
 *
 * An event is SYSTEM:NAME.  An ITEM is a field or a condition: FIELD==NUMBER or FIELD!=FIELD.  The
 * fields of both ends correspond by their order, and have the same values at both.
 */
#ifndef KTRACE_PERFDATA_JOIN_TRAFFIC_RULES_H
#define KTRACE_PERFDATA_JOIN_TRAFFIC_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

enum traffic_item_kind {
	TRAFFIC_KEY = 0,	/* part of the identity of a message */
	TRAFFIC_EQUAL,		/* the field equals @number */
	TRAFFIC_DIFFER,		/* the field differs from the field @other */
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
	char *text;			/* the names point into it; owned */
	const char *given;		/* the user's text; borrowed */
	struct traffic_side send, receive;
};

struct traffic_rules {
	struct traffic_rule *items;
	size_t nr, alloc;
	bool none;			/* messages are not used */
	bool own;			/* the rules are the user's */
};

/* Add the rule in @text, which is borrowed; "none" disables the use of messages. */
struct error *traffic_rules_add(struct traffic_rules *rules, const char *text);

/* Add the built-in rules for events of the kernel. */
struct error *traffic_rules_add_known(struct traffic_rules *rules);

void traffic_rules_deinit(struct traffic_rules *rules);

#endif
