// SPDX-License-Identifier: GPL-2.0
/* The parts of an event that records exercise. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "check/coverage.h"
#include "check/coverage_file.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "tap.h"

static const char text[] =
	"name: event\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u32 kind;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 flags;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 spare;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:char name[4];\toffset:20;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%s %s %u %.4s %s\", __print_symbolic(REC->kind, { 0, \"none\" }, { 1, \"one\" }, "
	"{ 2, \"two\" }), __print_flags(REC->flags, \"|\", { 1, \"r\" }, { 2, \"w\" }, { 4, \"x\" }), "
	"REC->spare, REC->name, REC->kind > 1 ? \"many\" : \"few\"\n";

struct record {
	uint32_t common[2];
	uint32_t kind, flags, spare;
	char name[4];
};

/* The messages, one a line. */
static void is_found(const struct results *results, const char *want, const char *name)
{
	_cleanup_(strbuf) struct strbuf got = STRBUF_INIT;

	for (size_t i = 0; i < results->items[0]->nr; i++)
		strbuf_addf(&got, "%s: %s; ", rules[results->items[0]->items[i].rule].name,
			    results->items[0]->items[i].message);
	is_str(strbuf_str(&got), want, name);
}

static void run(const struct record *records, size_t nr, const char *want, const char *name)
{
	_cleanup_(results) struct results results = { 0 };
	_cleanup_(coverage) struct coverage *coverage = NULL;

	if (!results_add(&results, "mydrv", "event", "x", text, strlen(text)) ||
	    coverage_create(&results, &coverage))
		abort();
	if (coverage_find(coverage, "mydrv", "event") != 0 ||
	    coverage_find(coverage, "mydrv", "other") != SIZE_MAX)
		abort();
	for (size_t i = 0; i < nr; i++)
		coverage_add(coverage, 0, &records[i], sizeof(records[i]));
	coverage_report(coverage);
	is_found(&results, want, name);
}

static void test_unresolved(const struct record *record)
{
	_cleanup_(results) struct results results = { 0 };
	_cleanup_(coverage) struct coverage *coverage = NULL;
	unsigned int not_seen = 0;

	if (!results_add(&results, "mydrv", "event", "x", text, strlen(text)) ||
	    coverage_create(&results, &coverage))
		abort();
	finding_add(&results, results.items[0], RULE_ENUM_UNRESOLVED, NULL, NO_PLACE, "unknown");
	coverage_add(coverage, 0, record, sizeof(*record));
	coverage_report(coverage);
	for (size_t i = 0; i < results.items[0]->nr; i++)
		not_seen += results.items[0]->items[i].rule == RULE_VALUE_NOT_SEEN;
	is_u64(not_seen, 0, "where values of names are unknown, none is reported as missing");
}

static const char *coverage_path;

/* Add a run with @format to the file. */
static void merge(const char *format, const struct record *records, size_t nr, const char *want,
		  const char *name)
{
	_cleanup_(results) struct results results = { 0 };
	_cleanup_(coverage) struct coverage *coverage = NULL;
	_cleanup_(coverage_file) struct coverage_file *file = NULL;

	if (!results_add(&results, "mydrv", "event", "x", format, strlen(format)) ||
	    coverage_create(&results, &coverage) || coverage_file_open(coverage_path, &file) ||
	    coverage_file_load(file, coverage))
		abort();
	for (size_t i = 0; i < nr; i++)
		coverage_add(coverage, 0, &records[i], sizeof(records[i]));
	if (coverage_file_write(file, coverage))
		abort();
	coverage_report(coverage);
	is_found(&results, want, name);
}

static void test_merge(struct record records[12])
{
	char path[] = "/tmp/ktrace-coverage-XXXXXX", other[sizeof(text)];
	int fd = mkstemp(path);

	if (fd < 0 || unlink(path))
		abort();
	close(fd);
	coverage_path = path;
	log_quiet = true;
	for (uint32_t i = 0; i < 12; i++)
		records[i] = (struct record){ { 7 }, i % 2, i % 4, i, "abc" };
	merge(text, records, 12, "value-not-seen: 1 of the 3 names of kind were not seen: two; "
	      "value-not-seen: 1 of the 3 names of flags were not seen: x; "
	      "field-constant: name is always the same, in 12 records; "
	      "branch-not-taken: A condition of the print fmt is always false; ", "a first run");
	merge(text, NULL, 0, "value-not-seen: 1 of the 3 names of kind were not seen: two; "
	      "value-not-seen: 1 of the 3 names of flags were not seen: x; "
	      "field-constant: name is always the same, in 12 records; "
	      "branch-not-taken: A condition of the print fmt is always false; ",
	      "a run that fires nothing takes nothing away");
	records[0] = (struct record){ { 7 }, 2, 4, 1, "abd" };
	merge(text, records, 1, "", "a run with what was missing");
	/* The id is not the format. */
	strcpy(other, text);
	strstr(other, "ID: 7")[4] = '8';
	merge(other, NULL, 0, "", "another id, the same format");
	memcpy(strstr(other, "\"w\""), "\"W\"", 3);
	merge(other, NULL, 0, "event-not-fired: The event did not fire; ", "another format");
	unlink(path);
}

int main(void)
{
	struct record records[12];

	run(NULL, 0, "event-not-fired: The event did not fire; ", "no record");
	for (uint32_t i = 0; i < 12; i++)
		records[i] = (struct record){ { 7 }, i % 3, i % 8, i, "abc" };
	records[1].name[0] = 'x';
	run(records, 12, "", "everything");
	for (uint32_t i = 0; i < 12; i++)
		records[i] = (struct record){ { 7 }, i % 2, i % 2, 0, "abc" };
	run(records, 12, "value-not-seen: 1 of the 3 names of kind were not seen: two; "
	    "value-not-seen: 2 of the 3 names of flags were not seen: w, x; "
	    "field-constant: spare is always zero, in 12 records; "
	    "field-constant: name is always the same, in 12 records; "
	    "branch-not-taken: A condition of the print fmt is always false; ", "parts of it");
	run(records, 3, "value-not-seen: 1 of the 3 names of kind were not seen: two; "
	    "value-not-seen: 2 of the 3 names of flags were not seen: w, x; "
	    "branch-not-taken: A condition of the print fmt is always false; ",
	    "of few records nothing is constant");
	test_unresolved(records);
	test_merge(records);
	return tap_done();
}
