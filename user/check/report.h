/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was found, for people and for machines.
 */
#ifndef KTRACE_CHECK_REPORT_H
#define KTRACE_CHECK_REPORT_H

#include <stdio.h>

#include "check/finding.h"

struct report_format {
	const char *name;	/* of the option: "ktap" */
	struct error *(*print)(FILE *out, const struct results *results);
};

/* Ended by a row without a name; the first is what is printed unasked. */
extern const struct report_format report_formats[];

struct error *report_text(FILE *out, const struct results *results);
struct error *report_ktap(FILE *out, const struct results *results);
struct error *report_junit(FILE *out, const struct results *results);
struct error *report_sarif(FILE *out, const struct results *results);
struct error *report_json(FILE *out, const struct results *results);

/* The rules, as `check --rules` prints them. */
void report_rules(FILE *out);

/* The lines of @text (NULL: none), each behind @before. */
void report_lines(FILE *out, const char *text, const char *before);

#endif
