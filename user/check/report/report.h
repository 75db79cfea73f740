/* SPDX-License-Identifier: GPL-2.0 */
/* Prints the findings, for people and for programs. */
#ifndef KTRACE_CHECK_REPORT_REPORT_H
#define KTRACE_CHECK_REPORT_REPORT_H

#include <stdio.h>

#include "check/finding.h"

struct report_format {
	const char *name;	/* of the option: "ktap" */
	struct error *(*print)(FILE *out, const struct results *results);
};

/* All formats, ended by a row without a name; the first one is the default. */
extern const struct report_format report_formats[];

struct error *report_text(FILE *out, const struct results *results);
struct error *report_ktap(FILE *out, const struct results *results);
struct error *report_junit(FILE *out, const struct results *results);
struct error *report_sarif(FILE *out, const struct results *results);
struct error *report_json(FILE *out, const struct results *results);

/* Print the rules as `check --rules` shows them. */
void report_rules(FILE *out);

/* Print the lines of @text (NULL: none), each behind @before. */
void report_lines(FILE *out, const char *text, const char *before);

#endif
