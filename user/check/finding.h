/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a check found, and in what.
 */
#ifndef KTRACE_CHECK_FINDING_H
#define KTRACE_CHECK_FINDING_H

#include <stddef.h>

#include "check/cost.h"
#include "check/rule.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"

/* No place in the format file. */
#define NO_PLACE ((size_t)-1)

struct finding {
	enum rule_id rule;
	char *field;		/* NULL: of none alone */
	char *message;		/* a sentence without a final dot, of this very case */
	char *instead;		/* NULL: as the rule says */
	char *detail;		/* lines that show it, a diff perhaps; NULL: none */
	size_t saves;		/* bytes of each record, by what it says instead; 0: none */
	size_t place;		/* byte of the event's format text, or NO_PLACE */
};

/* One event, what was found in it, and its format. */
struct result {
	char *system, *name;
	char *text;		/* of the format file, NUL-terminated */
	char *path;		/* of the format file */
	char *source;		/* header that defines it, below source_root; NULL: not known */
	size_t line;		/* of source, from 1 */
	struct finding *items;
	size_t nr, alloc;
	bool met[RULES_NR];	/* rules that were broken, suppressed ones too */
};

struct results {
	struct result **items;
	size_t nr, alloc;
	struct suppressed suppressed;
	struct strbuf notes;	/* lines of what was done, behind the findings */
	struct costs costs;
	char *source_root;	/* --source, absolute; NULL: none */
	size_t compared;	/* events whose layout was held against BTF */
	bool failed;		/* memory ran out: findings may be missing */
};

void results_deinit(struct results *results);
DEFINE_CLEANUP(results, struct results, results_deinit)

/* Findings of all results. */
size_t results_count(const struct results *results);

/*
 * A result without findings, owned by @results.  The texts are copied; NULL:
 * memory is out.
 */
struct result *results_add(struct results *results, const char *system, const char *name,
			   const char *path, const char *text, size_t len);

/* The name of its event: "system:name"; free() it; NULL: memory is out. */
char *result_name(const struct result *result);

/* Add a finding unless its rule is suppressed; results->failed is set when memory is out. */
void finding_add(struct results *results, struct result *result, enum rule_id rule,
		 const char *field, size_t place, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* Say of the finding added last what to write instead. */
void finding_instead(struct result *result, enum rule_id rule, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Likewise its detail, which is copied. */
void finding_detail(struct result *result, enum rule_id rule, const char *detail);

/* Likewise how many bytes of each record it would save. */
void finding_saves(struct result *result, enum rule_id rule, size_t bytes);

/* The event fires so often: findings that save bytes tell how many a second. */
void finding_add_rate(struct results *results, struct result *result, double per_second);

/* Line and column, from 1, of a place in @text, and where that line begins. */
void place_find(const char *text, size_t place, size_t *ret_line, size_t *ret_column);

#endif
