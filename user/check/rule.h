/* SPDX-License-Identifier: GPL-2.0 */
/* The rules of `ktrace check`: one row per rule. */
#ifndef KTRACE_CHECK_RULE_H
#define KTRACE_CHECK_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/strbuf.h"

enum rule_id {
#define RULE(id, name, level, finds, why, instead) RULE_##id,
#include "check/rules.def"
#undef RULE
	RULES_NR
};

enum rule_level {
	LEVEL_ERROR,	/* readers get something wrong, or the kernel may crash */
	LEVEL_WARNING,	/* wrong for some values, machines or readers */
	LEVEL_NOTE,	/* bytes wasted, or against convention */
	LEVEL_REMARK,	/* a hint: nothing is wrong, and it does not count */
	LEVELS_NR
};

struct rule {
	const char *name;	/* as in --suppress and in reports: "pointer-dereference" */
	enum rule_level level;
	const char *finds;	/* the problem, one line */
	const char *why;	/* a sentence or two */
	const char *instead;	/* the replacement */
};

/* By rule_id. */
extern const struct rule rules[RULES_NR];

/* Append their names, "a, b, c". */
void rules_add_names(struct strbuf *out);

/* SARIF's names "error", "warning" and "note"; and "remark". */
const char *rule_level_name(enum rule_level level);

/* Rules without reports. */
struct suppressed {
	bool rule[RULES_NR];
};

/* Add "NAME[,NAME...]"; the error for an unknown name suggests the nearest one. */
struct error *suppressed_add(struct suppressed *suppressed, const char *list);

#endif
