/* SPDX-License-Identifier: GPL-2.0 */
/* The rules of `ktrace check`, its findings, and their locations. */
#ifndef KTRACE_CHECK_FINDING_H
#define KTRACE_CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "check/cost.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"

/* The rules: a row for each in rules.def. */
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

/* No location in the format file. */
#define NO_PLACE ((size_t)-1)

struct finding {
	enum rule_id rule;
	char *field;		/* NULL: not about a single field */
	char *message;		/* a sentence about this case, without a final dot */
	char *instead;		/* NULL: the text of the rule */
	char *detail;		/* lines that show it, such as a diff; NULL: none */
	const char *cause;	/* of a difference: "decoding", "kernel", "unknown"; NULL: none */
	size_t saves;		/* bytes per record that `instead` would save; 0: none */
	size_t place;		/* offset in the event's format text, or NO_PLACE */
	size_t line;		/* of the header that defines the event, from 1; 0: unknown */
	char *excerpt;		/* that line; NULL: unknown */
};

/* One event, its findings, and its format. */
struct result {
	char *system, *name;
	char *text;		/* of the format file, NUL-terminated */
	char *path;		/* of the format file */
	char *source;		/* header that defines it, below source_root; NULL: unknown */
	size_t line;		/* of source, from 1 */
	struct finding *items;
	size_t nr, alloc;
	bool met[RULES_NR];	/* rules that were broken, suppressed ones too */
};

struct results {
	struct result **items;
	size_t nr, alloc;
	struct suppressed suppressed;
	struct strbuf notes;	/* lines about the check itself, behind the findings */
	struct costs costs;
	char *source_root;	/* --source, absolute; NULL: none */
	size_t compared;	/* events whose layout was compared with BTF */
	bool failed;		/* memory ran out: findings may be missing */
};

void results_deinit(struct results *results);
DEFINE_CLEANUP(results, struct results, results_deinit)

/* The number of findings in all results, without remarks. */
size_t results_count(const struct results *results);

/* The same of one event. */
size_t result_count(const struct result *result);

/* Add a result without findings, owned by @results.  The texts are copied.  NULL: out of memory. */
struct result *results_add(struct results *results, const char *system, const char *name,
			   const char *path, const char *text, size_t len);

/* The name of a result's event: "system:name"; free() it; NULL: out of memory. */
char *result_name(const struct result *result);

/* Add a finding unless its rule is suppressed; results->failed is set when memory is out. */
void finding_add(struct results *results, struct result *result, enum rule_id rule,
		 const char *field, size_t place, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* Remove the findings of @rule. */
void findings_remove(struct result *result, enum rule_id rule);

/* Set the suggestion of the finding that was added last. */
void finding_instead(struct result *result, enum rule_id rule, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Set the number of the header's line that it is about, and the text of that line. */
void finding_source(struct results *results, struct result *result, enum rule_id rule, size_t line,
		    const char *excerpt);

/* Set its detail, which is copied. */
void finding_detail(struct result *result, enum rule_id rule, const char *detail);

/* Set the cause of different values; @cause is static. */
void finding_cause(struct result *result, enum rule_id rule, const char *cause);

/* Set the number of bytes of each record that it would save. */
void finding_saves(struct result *result, enum rule_id rule, size_t bytes);

/* Set the rate of the event, by which findings that save bytes also give bytes per second. */
void finding_add_rate(struct results *results, struct result *result, double per_second);

/* Find the line and column, from 1, of an offset in @text, and the beginning of that line. */
void place_find(const char *text, size_t place, size_t *ret_line, size_t *ret_column);

#endif
