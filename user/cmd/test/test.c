// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "capture/doctor.h"
#include "cmd/command.h"
#include "cmd/recording.h"
#include "cmd/scratch_folder.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/file.h"
#include "lib/spawn.h"
#include "lib/strbuf.h"
#include "record/ledger.h"
#include "symbol/kallsyms.h"
#include "terminal/options.h"
#include "terminal/word_list.h"
#include "terminal/words.h"

/* The workload of a test of a source: it causes a known number of events. */

/* How often a workload causes its event. */
#define TEST_TIMES 100

/* CPU time of the workload that only computes. */
#define SPIN_NS 100000000L

static struct error *test_set_names(void)
{
	char name[16];

	for (int i = 0; i < TEST_TIMES; i++) {
		snprintf(name, sizeof(name), "step-%02d", i);
		if (prctl(PR_SET_NAME, name))
			return error_errno(errno, "Cannot set the name of this task");
	}
	return NULL;
}

static struct error *test_get_priorities(void)
{
	/* Most of these processes do not exist: only the call counts. */
	for (int i = 0; i < TEST_TIMES; i++)
		getpriority(PRIO_PROCESS, i);
	return NULL;
}

static struct error *test_touch_pages(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size = TEST_TIMES * page;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return error_errno(errno, "Cannot map %zu bytes", size);
	/* A huge page would be one fault. */
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += page)
		((volatile char *)memory)[at] = 1;
	munmap(memory, size);
	return NULL;
}

static struct error *test_spin(void)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (!now.tv_sec && now.tv_nsec < SPIN_NS);
	return NULL;
}

static const struct {
	const char *name;
	struct error *(*run)(void);
} workloads[] = {
	{ "names", test_set_names },
	{ "priorities", test_get_priorities },
	{ "pages", test_touch_pages },
	{ "spin", test_spin },
};

/* Run a workload in this process.  EINVAL: there is none of that name. */
static struct error *test_workload_run(const char *name)
{
	unsigned int row;
	struct error *err = word_parse(WORDS(workloads), "There is no workload", name, &row);

	return err ? err : workloads[row].run();
}

/* Append "names, priorities, ...". */
static void test_workload_add_names(struct strbuf *out)
{
	word_add_names(WORDS(workloads), ", ", out);
}

/* The sources of events that are tested, each by the ways in which it can be captured. */

/* The result of a test. */
struct test_report {
	struct strbuf text;	/* its steps in KTAP, indented; empty if it was skipped */
	struct strbuf skipped;	/* why it cannot work here, and the next step; empty if it can */
	bool failed;
};

/* Rows of doctor without which nothing is recorded by perf_event, and by the module. */
#define BY_PERF		"lockdown"
#define BY_MODULE	"lockdown,privileges,ktrace module"
/* The same for all tracepoints, and for one's kernel. */
#define TRACEPOINTS	"tracefs,privileges"

enum test_way { TEST_PERF, TEST_MODULE };

/* A source and a way. */
struct test_source {
	const char *name;
	enum test_way way;
	const char *needs;	/* rows of doctor, with commas */
	const char *event;	/* for -e; NULL: see make_event */
	struct error *(*make_event)(struct strbuf *out);
	const char *options[3];	/* of record, for this event */
	const char *workload;
	unsigned int times;	/* how many events the workload causes */
	bool or_more;		/* it may cause more of them */
	const char *marker;	/* only lines with it count; NULL: the event's name */
	const char *text;	/* in the line of event number %d, from 0; NULL: none */
	const char *chain;	/* in each call chain; NULL: none */
};

/* Whether a symbol is the kernel's function for getpriority(), as "__x64_sys_getpriority". */
static bool test_is_priority(const char *name)
{
	static const char *const others[] = { "__do_", "__se_", "__ia32_", "__pfx_" };
	static const char end[] = "_sys_getpriority";
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return len > strlen(end) && !strcmp(name + len - strlen(end), end);
}

static struct error *test_kernel_function(struct strbuf *out)
{
	_cleanup_(symbols) struct symbols symbols = { .nr = 0 };
	struct error *err = kallsyms_read("/proc/kallsyms", &symbols, NULL, NULL);

	for (size_t i = 0; i < symbols.nr && !err && !out->len; i++)
		if (test_is_priority(symbols.items[i].name))
			strbuf_addf(out, "k:%s", symbols.items[i].name);
	if (!err && !out->len)
		err = error_hint(error_new(ENOENT, "/proc/kallsyms has no function for getpriority()"),
				 "'ktrace doctor' shows whether kernel symbols can be read");
	return err;
}

/* getpriority() of the C library that this process uses. */
static struct error *test_user_function(struct strbuf *out)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	_cleanup_free_ char *line = NULL;
	uintptr_t address = (uintptr_t)getpriority, start, end;
	size_t alloc = 0;
	int at;

	while (maps && getline(&line, &alloc, maps) > 0)
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &start, &end, &at) == 2 &&
		    start <= address && address < end) {
			line[strcspn(line, "\n")] = '\0';
			strbuf_addf(out, "u:%s:getpriority", line + at);
			return NULL;
		}
	return error_hint(error_new(ENOENT, "The C library is not among the maps of this process"),
			  "It has to be linked dynamically");
}

#define NAMES .workload = "names", .marker = "newcomm=step-", .event = "task:task_rename"
#define PRIORITIES .workload = "priorities", .times = TEST_TIMES
#define BOTH_WAYS(title, rows, ...) \
	{ title, TEST_PERF, BY_PERF "," TRACEPOINTS rows, ##__VA_ARGS__ }, \
	{ title, TEST_MODULE, BY_MODULE "," TRACEPOINTS rows, ##__VA_ARGS__ }

static const struct test_source sources[] = {
	{ "timer", TEST_PERF, BY_PERF, "cpu-clock", .workload = "spin", .times = 1, .or_more = true },
	{ "software event", TEST_PERF, BY_PERF, "page-faults", .options = { "-c", "1" },
	  .workload = "pages", .times = TEST_TIMES, .or_more = true },
	{ "hardware event", TEST_PERF, BY_PERF ",PMU", "cycles", .workload = "spin", .times = 1,
	  .or_more = true },
	BOTH_WAYS("tracepoint", "", NAMES, .times = TEST_TIMES, .text = "newcomm=step-%02d "),
	BOTH_WAYS("filter", "", NAMES, .options = { "--filter", "newcomm == \"step-07\"" },
		  .times = 1, .text = "newcomm=step-07 "),
	BOTH_WAYS("call chain", ",kernel symbols", NAMES, .options = { "-g" },
		  .times = TEST_TIMES, .text = "newcomm=step-%02d ", .chain = "sys_prctl"),
	BOTH_WAYS("system call", ",syscall events", PRIORITIES,
		  .event = "syscalls:sys_enter_getpriority", .text = "who: 0x%08x"),
	BOTH_WAYS("kernel function", ",kprobes,kernel symbols", PRIORITIES,
		  .make_event = test_kernel_function, .marker = "getpriority:"),
	{ "user function", TEST_PERF, BY_PERF "," TRACEPOINTS ",uprobes", PRIORITIES,
	  .make_event = test_user_function, .marker = "getpriority:" },
};

/* The tests, each once; NULL: there is none of that number, from 0. */
static const struct test_source *test_source_at(size_t number)
{
	return number < ARRAY_SIZE(sources) ? &sources[number] : NULL;
}

/* Append "tracepoint by perf_event". */
static void test_source_add_name(const struct test_source *source, struct strbuf *out)
{
	strbuf_addf(out, "%s by %s", source->name,
		    source->way == TEST_PERF ? "perf_event" : "the ktrace module");
}

static void test_report_deinit(struct test_report *report)
{
	strbuf_deinit(&report->text);
	strbuf_deinit(&report->skipped);
}
DEFINE_CLEANUP(test_report, struct test_report, test_report_deinit)

/* Find the reason that a source cannot work here among the checks of doctor. */
static void test_find_obstacle(const struct test_source *source, struct strbuf *out)
{
	for (const struct doctor_check *check = doctor_checks; check->name && !out->len; check++) {
		_cleanup_(doctor_result) struct doctor_result result = { 0 };
		bool always = !strcmp(check->name, "perf_event");

		if (!always && !word_in_list(source->needs, check->name))
			continue;
		check->run("", &result);
		if (result.status == DOCTOR_OK || (always && result.status == DOCTOR_LIMITED))
			continue;
		strbuf_addf(out, "%s: %s; next: %s", check->name, strbuf_str(&result.value),
			    strbuf_str(&result.next));
	}
}

/* One test of a source, and its results. */
struct test_run {
	const struct test_source *source;
	struct test_report *report;
	struct strbuf event, data;	/* for -e; the path of the recording */
	char program[64];		/* this one */
	unsigned int step;
	const char *broken;		/* the first step that failed; NULL: none has */
	char *text;			/* the output of script */
};

static void test_run_deinit(struct test_run *run)
{
	strbuf_deinit(&run->event);
	strbuf_deinit(&run->data);
	free(run->text);
}

DEFINE_CLEANUP(test_run, struct test_run, test_run_deinit)

/* Add the next step; @why NULL: it works.  Lines of @why are comments below it. */
static void test_add_step(struct test_run *run, const char *name, const char *why)
{
	struct strbuf *out = &run->report->text;

	run->step++;
	if (run->broken) {
		strbuf_addf(out, "    ok %u %s # SKIP '%s' failed\n", run->step, name, run->broken);
		return;
	}
	strbuf_addf(out, "    %sok %u %s\n", why ? "not " : "", run->step, name);
	while (why && *why) {
		size_t len = strcspn(why, "\n");

		strbuf_addf(out, "    # %.*s\n", (int)len, why);
		why += len + (why[len] == '\n');
	}
	if (why) {
		run->broken = name;
		run->report->failed = true;
	}
}

/* Run this program with @words.  *ret_out and *ret_errors are to be freed. */
static struct error *test_call(const struct test_run *run, struct words *words, char **ret_out,
			       char **ret_errors, int *ret_status)
{
	_cleanup_close_ int out = memfd_create("output", MFD_CLOEXEC);
	_cleanup_close_ int errors = memfd_create("errors", MFD_CLOEXEC);
	char **argv = words_argv(words);
	struct error *err;
	pid_t pid;

	if (!argv)
		return &error_no_memory;
	if (out < 0 || errors < 0)
		return error_errno(errno, "Cannot create a file in memory");
	err = spawn(&(struct spawn){ .program = run->program, .argv = argv, .out = out,
				     .errors = errors, .dies_with_us = true }, &pid);
	if (err)
		return err;
	*ret_status = spawn_wait(pid);
	err = fd_read_text(out, ret_out);
	return err ? err : fd_read_text(errors, ret_errors);
}

/* Why a command failed: its messages, or at least its status. */
static struct error *test_explain(const char *command, int status, const char *errors, char **ret)
{
	int len = asprintf(ret, "'ktrace %s' ended with status %d%s\n%s", command, status,
			   *errors ? ":" : ", and said nothing.", errors);

	return len < 0 ? &error_no_memory : NULL;
}

/* Record the workload; *ret_why, to be freed, is the reason of a failure. */
static struct error *test_record(struct test_run *run, char **ret_why)
{
	const struct test_source *source = run->source;
	_cleanup_(words) struct words words = { 0 };
	_cleanup_free_ char *out = NULL, *errors = NULL;
	struct error *err;
	int status = 0;

	words_add(&words, "ktrace");
	words_add(&words, "record");
	words_add(&words, source->way == TEST_PERF ? "--via=perf" : "--via=ktrace");
	words_add_option(&words, "-o", strbuf_str(&run->data));
	words_add_option(&words, "-e", strbuf_str(&run->event));
	for (size_t i = 0; i < ARRAY_SIZE(source->options) && source->options[i]; i++)
		words_add(&words, source->options[i]);
	words_add(&words, "--");
	words_add(&words, run->program);
	words_add(&words, "test");
	words_add_option(&words, "--workload", source->workload);
	err = test_call(run, &words, &out, &errors, &status);
	return err || !status ? err : test_explain("record", status, errors, ret_why);
}

/* Print the recording as text into run->text. */
static struct error *test_print(struct test_run *run, char **ret_why)
{
	_cleanup_(words) struct words words = { 0 };
	_cleanup_free_ char *errors = NULL;
	struct error *err;
	int status = 0;

	words_add(&words, "ktrace");
	words_add(&words, "script");
	words_add_option(&words, "-i", strbuf_str(&run->data));
	words_add_option(&words, "-F", run->source->chain ? "event,trace,ip,sym" : "event,trace");
	err = test_call(run, &words, &run->text, &errors, &status);
	return err || !status ? err : test_explain("script", status, errors, ret_why);
}

/* The next line of @text that counts; NULL: none. */
static const char *test_next(const struct test_run *run, const char *text)
{
	const struct test_source *source = run->source;

	return strstr(text, source->marker ? source->marker : strbuf_str(&run->event));
}

static unsigned int test_count(const struct test_run *run)
{
	unsigned int nr = 0;

	for (const char *at = test_next(run, run->text); at; at = test_next(run, at + 1))
		nr++;
	return nr;
}

/* Compare the events with the workload's, and with the ledger. */
static struct error *test_sum_up(struct test_run *run, struct strbuf *why)
{
	const struct test_source *source = run->source;
	_cleanup_(reader) struct reader *reader = NULL;
	unsigned int found = test_count(run);
	struct ledger_row sum;
	struct error *err = recording_open(run->data.data, &reader);

	if (err)
		return err;
	if (!reader_ledger(reader)) {
		strbuf_addstr(why, "The recording has no ledger.");
		return NULL;
	}
	sum = ledger_sum(reader_ledger(reader), UINT32_MAX);
	if (found < source->times || (found > source->times && !source->or_more))
		strbuf_addf(why, "The workload caused %s%u events, and the recording has %u of them; "
			    "the ledger says that %" PRIu64 " were recorded and %" PRIu64 " lost.\n"
			    "next: ktrace %s %s",
			    source->or_more ? "at least " : "", source->times, found, sum.recorded,
			    ledger_row_lost(&sum), source->event && strchr(source->event, ':') ?
			    "check" : "stat -e", strbuf_str(&run->event));
	else if (ledger_row_lost(&sum) && ledger_row_lost(&sum) != LEDGER_NOT_KNOWN)
		strbuf_addf(why, "%" PRIu64 " events were lost.\nnext: record with a larger ring, -m 4M",
			    ledger_row_lost(&sum));
	return NULL;
}

/* Look for the text that each event has to have. */
static void test_check_text(struct test_run *run, struct strbuf *why)
{
	const struct test_source *source = run->source;
	const char *at = test_next(run, run->text);

	for (unsigned int i = 0; at && !why->len; i++) {
		const char *next = test_next(run, at + 1);
		size_t len = next ? (size_t)(next - at) : strlen(at);
		char want[64] = "";

		if (source->text)
			snprintf(want, sizeof(want), source->text, i);
		if (!memmem(at, len, want, strlen(want)))
			strbuf_addf(why, "Event %u has no '%s' in its text, but: %.*s", i, want,
				    (int)strcspn(at, "\n"), at);
		else if (source->chain && !memmem(at, len, source->chain, strlen(source->chain)))
			strbuf_addf(why, "The call chain of event %u has no function '%s'.", i,
				    source->chain);
		at = next;
	}
}

static struct error *test_do_steps(struct test_run *run)
{
	_cleanup_free_ char *why_not_opened = NULL, *why_not_printed = NULL;
	_cleanup_(strbuf) struct strbuf sum = STRBUF_INIT, text = STRBUF_INIT;
	struct error *err = test_record(run, &why_not_opened);

	if (err)
		return err;
	test_add_step(run, "opens and records", why_not_opened);
	if (!run->broken)
		err = test_print(run, &why_not_printed);
	if (err)
		return err;
	test_add_step(run, "is read back", why_not_printed);
	if (!run->broken)
		err = test_sum_up(run, &sum);
	if (err)
		return err;
	test_add_step(run, "adds up", sum.len ? sum.data : NULL);
	if (!run->broken)
		test_check_text(run, &text);
	test_add_step(run, "is decoded", text.len ? text.data : NULL);
	return sum.failed || text.failed ? &error_no_memory : NULL;
}

/*
 * Test a source; @folder is for its recording.  An error is a failure of the test itself, not of
 * the source.
 */
static struct error *test_source_run(const struct test_source *source, const char *folder,
				     struct test_report *ret)
{
	_cleanup_(test_run) struct test_run run = { .source = source, .report = ret };
	struct error *err = NULL;

	test_find_obstacle(source, &ret->skipped);
	if (ret->skipped.len)
		return NULL;
	snprintf(run.program, sizeof(run.program), "/proc/%d/exe", getpid());
	strbuf_addf(&run.data, "%s/1.data", folder);
	if (source->event)
		strbuf_addstr(&run.event, source->event);
	else
		err = source->make_event(&run.event);
	if (!err && (run.data.failed || run.event.failed))
		err = &error_no_memory;
	if (!err)
		err = test_do_steps(&run);
	if (run.data.data)
		unlink(run.data.data);
	return err;
}

struct test_command {
	bool list;
	const char *workload;
	char **patterns;	/* ended by NULL; none: all tests */
	unsigned int passed, failed, skipped;
};

/* Whether a test has this number or name, or the word in its name. */
static bool test_matches(const char *pattern, size_t number, const char *name)
{
	if (pattern[strspn(pattern, "0123456789")] == '\0')
		return *pattern && strtoul(pattern, NULL, 10) == number + 1;
	return !fnmatch(pattern, name, 0) || strstr(name, pattern);
}

static bool test_is_chosen(const struct test_command *c, size_t number, const char *name)
{
	if (!*c->patterns)
		return true;
	for (char **pattern = c->patterns; *pattern; pattern++)
		if (test_matches(*pattern, number, name))
			return true;
	return false;
}

/* Call @each, if it is not NULL, for the tests that are chosen; returns how many these are. */
static struct error *test_each(struct test_command *c, size_t *ret_nr,
			       struct error *(*each)(struct test_command *c, size_t number,
						     size_t position, const char *name, void *data),
			       void *data)
{
	const struct test_source *source;
	struct error *err = NULL;

	*ret_nr = 0;
	for (size_t i = 0; (source = test_source_at(i)) && !err; i++) {
		_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

		test_source_add_name(source, &name);
		if (name.failed)
			return &error_no_memory;
		if (!test_is_chosen(c, i, name.data))
			continue;
		++*ret_nr;
		if (each)
			err = each(c, i, *ret_nr, name.data, data);
	}
	return err;
}

static struct error *test_print_name(struct test_command *c, size_t number, size_t position,
				     const char *name, void *data)
{
	(void)c, (void)position, (void)data;
	printf("%3zu: %s\n", number + 1, name);
	return NULL;
}

static struct error *test_run_one(struct test_command *c, size_t number, size_t position,
				  const char *name, void *data)
{
	_cleanup_(test_report) struct test_report report = { .failed = false };
	const struct held_folder *folder = data;
	struct error *err;

	fflush(stdout);
	err = test_source_run(test_source_at(number), folder->path, &report);
	if (!err && (report.text.failed || report.skipped.failed))
		err = &error_no_memory;
	if (err)
		return err;
	if (report.skipped.len) {
		printf("ok %zu %s # SKIP %s\n", position, name, report.skipped.data);
		c->skipped++;
		return NULL;
	}
	printf("    KTAP version 1\n    # Subtest: %s\n%s%sok %zu %s\n", name,
	       strbuf_str(&report.text), report.failed ? "not " : "", position, name);
	if (report.failed)
		c->failed++;
	else
		c->passed++;
	return NULL;
}

static struct error *test_run_all(struct test_command *c, size_t nr)
{
	struct held_folder folder = HELD_FOLDER_INIT;
	struct error *err = scratch_folder_create(&folder, "ktrace-test");

	if (!err) {
		printf("KTAP version 1\n1..%zu\n", nr);
		err = test_each(c, &nr, test_run_one, &folder);
	}
	scratch_folder_destroy(&folder);
	if (!err)
		printf("# Totals: pass:%u fail:%u skip:%u\n", c->passed, c->failed, c->skipped);
	return err;
}

static struct error *test_do(struct test_command *c)
{
	struct error *err;
	size_t nr;

	if (c->workload)
		return test_workload_run(c->workload);
	/* As in perf, the word is the same as the option. */
	if (*c->patterns && !strcmp(*c->patterns, "list")) {
		c->patterns++;
		c->list = true;
	}
	err = test_each(c, &nr, c->list ? test_print_name : NULL, NULL);
	if (!err && !nr)
		err = error_hint(error_new(EINVAL, "No test has '%s' in its name", *c->patterns),
				 "'ktrace test --list' lists them");
	return err || c->list ? err : test_run_all(c, nr);
}

static const struct option_values values[] = {
	{ "workload", NULL, test_workload_add_names, NULL },
	{ 0 },
};

struct error *cmd_test(int argc, char **argv, int *ret_status)
{
	struct test_command c = { .list = false };
	const struct option_spec options[] = {
		OPT_FLAG("list", &c.list),
		OPT_STRING("workload", &c.workload),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "test",
		.synopsis = "[OPTIONS] [PATTERN]...",
		.options = options,
		.values = values,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	c.patterns = argv + index;
	err = test_do(&c);
	*ret_status = c.failed ? EXIT_FAILURE : 0;
	return err;
}
