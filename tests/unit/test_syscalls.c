// SPDX-License-Identifier: GPL-2.0
/*
 * System calls whose ends are lost, interleaved, unknown or damaged, and texts that are recorded
 * with them. Made-up samples go through the states, and the lines are checked.
 */
#include <stdlib.h>

#include "format/syscall_strings.h"
#include "lib/array.h"
#include "table/trace/syscall_stats.h"
#include "table/trace/trace_text.h"
#include "tap.h"

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct made_up_format {
	const char *system, *name, *text;
} made_up_formats[] = {
	{ "raw_syscalls", "sys_enter", "name: sys_enter\nID: 1\nformat:\n" COMMON
	  "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
	  "print fmt: \"NR %ld\", REC->id\n" },
	{ "raw_syscalls", "sys_exit", "name: sys_exit\nID: 2\nformat:\n" COMMON
	  "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
	  "print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n" },
	{ "syscalls", "sys_enter_openat", "name: sys_enter_openat\nID: 3\nformat:\n" COMMON
	  "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	  "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	  "\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	  "\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
	  "\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n\n"
	  "print fmt: \"dfd: %ld\", REC->dfd\n" },
	{ "syscalls", "sys_exit_openat", "name: sys_exit_openat\nID: 4\nformat:\n" COMMON
	  "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
	  "print fmt: \"0x%lx\", REC->ret\n" },
	{ "syscalls", "sys_enter_close", "name: sys_enter_close\nID: 5\nformat:\n" COMMON
	  "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	  "print fmt: \"fd: %ld\", REC->fd\n" },
	{ "syscalls", "sys_exit_close", "name: sys_exit_close\nID: 6\nformat:\n" COMMON
	  "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
	  "print fmt: \"0x%lx\", REC->ret\n" },
};

enum { ENTER, EXIT, OPENAT, OPENED, CLOSE, CLOSED, MADE_UP_EVENTS };
enum { NR_READ = 0, NR_WRITE = 1, NR_CLOSE = 3, NR_OPENAT = 257 };

struct made_up {
	struct event_list events;
	struct formats *formats;
	struct processes *processes;
	struct syscalls *syscalls;
	struct descriptor_paths *paths;
	struct syscall_words *words;
	struct trace_text_options options;
	struct trace_text *text;
	struct syscall_stats *stats;
	struct syscall_states *states;
	char *lines;
	size_t size;
};

static void made_up_check(struct error *err)
{
	if (!err)
		return;
	printf("# %s\n", err->message);
	abort();
}

/* The events of index @first to @last - 1. */
static void made_up_begin(struct made_up *m, int first, int last)
{
	*m = (struct made_up){ .options = { .tasks = true, .comms = true, .lines = true } };
	m->options.out = open_memstream(&m->lines, &m->size);
	event_list_init(&m->events);
	made_up_check(formats_create(&m->formats));
	for (int i = first; i < last; i++) {
		const struct made_up_format *f = &made_up_formats[i];
		struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = i + 1 };
		struct event *event;
		char name[64];

		snprintf(name, sizeof(name), "%s:%s", f->system, f->name);
		made_up_check(event_list_add(&m->events, &attr, name, &event));
		made_up_check(formats_add(m->formats, f->system, f->text, strlen(f->text)));
	}
	made_up_check(processes_create(&m->processes));
	made_up_check(syscalls_create("x86_64", &m->syscalls));
	made_up_check(descriptor_paths_create(false, &m->paths));
	made_up_check(syscall_words_create(m->syscalls, m->paths, true, &m->words));
	made_up_check(trace_text_create(&m->options, m->words, &m->text));
	made_up_check(syscall_stats_create(trace_text_listener(m->text), &m->stats));
	made_up_check(syscall_states_create(m->syscalls, NULL, m->paths,
					    syscall_stats_listener(m->stats), &m->states));
}

static void made_up_end(struct made_up *m)
{
	syscall_states_destroy(m->states);
	syscall_stats_destroy(m->stats);
	trace_text_destroy(m->text);
	syscall_words_destroy(m->words);
	descriptor_paths_destroy(m->paths);
	syscalls_destroy(m->syscalls);
	processes_destroy(m->processes);
	formats_destroy(m->formats);
	event_list_deinit(&m->events);
	fclose(m->options.out);
	free(m->lines);
}

/* A sample at @ms of thread @tid, whose bytes behind the common fields are @raw. */
static void give_bytes(struct made_up *m, int which, const char *comm, int32_t tid, uint64_t ms,
		       const void *raw, size_t size)
{
	struct session_record r = {
		.sample = { .pid = tid, .tid = tid, .cpu = 0, .time = ms * 1000000 },
		.pid = tid, .tid = tid, .comm = comm, .events = &m->events,
		.processes = m->processes,
	};
	bool taken;

	for (size_t i = 0; i < m->events.nr; i++)
		if (m->events.items[i]->attr.config == (uint64_t)which + 1)
			r.event = m->events.items[i];
	r.format = formats_find(m->formats, which + 1);
	r.sample.raw = raw;
	r.sample.raw_size = size;
	trace_text_see(m->text, r.sample.time);
	made_up_check(syscall_states_sample(m->states, &r, &taken));
}

static void give(struct made_up *m, int which, int32_t tid, uint64_t ms, int64_t number,
		 int64_t first, int64_t second)
{
	uint64_t raw[8] = { 0, number, first, second };

	give_bytes(m, which, "task", tid, ms, raw, sizeof(raw));
}

static const char *lines(struct made_up *m)
{
	made_up_check(trace_text_flush(m->text));
	return m->lines;
}

TEST(check_ends)
{
	struct made_up m;

	about("calls");
	made_up_begin(&m, ENTER, OPENAT);
	give(&m, ENTER, 7, 1, NR_READ, 5, 0);
	give(&m, EXIT, 7, 3, NR_READ, 9, 0);
	/* The beginning is lost. */
	give(&m, EXIT, 7, 5, NR_WRITE, -9, 0);
	/* The end is lost, and the beginning of the next one. */
	give(&m, ENTER, 7, 6, NR_READ, 5, 0);
	give(&m, EXIT, 7, 8, NR_WRITE, 1, 0);
	is_str(lines(&m),
	       "     0.000 ( 2.000 ms): task/7 read(fd: 5)"
	       "                                                           = 9\n"
	       "         ? (         ): task/7  ... [continued]: write())"
	       "                                            = -1 EBADF (Bad file descriptor)\n"
	       "         ? (         ): task/7  ... [continued]: write())"
	       "                                            = 1\n",
	       "an end without its beginning has no time, not that of another call");
	made_up_end(&m);

	made_up_begin(&m, ENTER, OPENAT);
	give(&m, ENTER, 7, 1, NR_READ, 5, 0);
	give(&m, ENTER, 8, 2, NR_WRITE, 1, 0);
	give(&m, EXIT, 7, 4, NR_READ, 9, 0);
	give(&m, EXIT, 8, 5, NR_WRITE, 9, 0);
	is_str(lines(&m),
	       "     0.000 (         ): task/7 read(fd: 5)"
	       "                                                        ...\n"
	       "     0.000 ( 3.000 ms): task/7  ... [continued]: read())"
	       "                                             = 9\n"
	       "     1.000 ( 3.000 ms): task/8 write(fd: 1)"
	       "                                                          = 9\n",
	       "a call that another one interrupts has two lines");
	made_up_end(&m);
}

TEST(check_numbers)
{
	static const unsigned char few[12] = { 0 };
	struct syscall_task_sums *sums;
	struct made_up m;
	size_t nr;

	about("numbers");
	made_up_begin(&m, ENTER, OPENAT);
	give(&m, ENTER, 7, 1, 1000, 16, 0);
	give(&m, EXIT, 7, 2, 1000, -4096, 0);
	give(&m, ENTER, 7, 3, 1LL << 40, 1, 2);
	give(&m, ENTER, 7, 3, -1, 1, 2);
	ok(strstr(lines(&m), "syscall_1000(arg1: 0x10) ") && strstr(m.lines, "= -4096\n"),
	   "a call that is newer than the table is shown");
	ok(syscall_states_unknown(m.states) == 1, "a record that is no call is counted");
	give_bytes(&m, ENTER, "a\nb/1 exit(", 9, 4, few, sizeof(few));
	give_bytes(&m, EXIT, "a\nb/1 exit(", 9, 5, few, 3);
	ok(strstr(lines(&m), "a\\nb/1 exit(/9 read()"),
	   "names of tasks make no lines, and samples that are cut off read as zeros");
	made_up_check(syscall_stats_sorted(m.stats, m.states, &sums, &nr));
	ok(nr == 2 && sums[0].calls.nr == 1 && sums[0].calls.items[0].failures == 1 &&
	   sums[0].calls.items[0].shortest == 1000000, "calls with unknown numbers are summed up");
	made_up_end(&m);
}

static void give_openat(struct made_up *m, uint64_t ms, const char *path)
{
	struct {
		uint64_t words[6];
		uint32_t where;
		char text[32];
	} raw = { { 0, NR_OPENAT, (uint64_t)-100, 0x7fff12345678, 0, 0 }, 0, "" };

	/* NULL: the string was not in memory. */
	raw.where = 52 | (path ? strlen(path) + 1 : 0) << 16;
	strcpy(raw.text, path ? path : "");
	give_bytes(m, OPENAT, "task", 7, ms, &raw, sizeof(raw));
}

TEST(check_texts)
{
	struct made_up m;

	about("texts");
	made_up_begin(&m, OPENAT, MADE_UP_EVENTS);
	give_openat(&m, 1, "/etc/\"x\"\n");
	give(&m, OPENED, 7, 2, NR_OPENAT, 3, 0);
	give(&m, CLOSE, 7, 3, NR_CLOSE, 3, 0);
	give(&m, CLOSED, 7, 4, NR_CLOSE, 0, 0);
	give(&m, CLOSE, 7, 5, NR_CLOSE, 3, 0);
	give(&m, CLOSED, 7, 6, NR_CLOSE, -9, 0);
	ok(strstr(lines(&m), " openat(dfd: CWD, filename: \"/etc/\\\"x\\\"\\n\") "),
	   "a text that is recorded stands for its address");
	ok(strstr(m.lines, " close(fd: 3</etc/\"x\"\\n>) "), "descriptors have the path that was opened");
	ok(strstr(m.lines, " close(fd: 3) "), "a descriptor that was closed has no path");
	made_up_end(&m);
}

/* Both events of the beginning of a call. Only the one for a single call has the string. */
TEST(check_both)
{
	struct made_up m;

	about("both");
	made_up_begin(&m, ENTER, MADE_UP_EVENTS);
	give_openat(&m, 1, "/etc/group");
	give(&m, ENTER, 7, 1, NR_OPENAT, -100, 0x7fff1234);
	give(&m, EXIT, 7, 2, NR_OPENAT, 3, 0);
	give(&m, OPENED, 7, 2, NR_OPENAT, 3, 0);
	give(&m, ENTER, 7, 3, NR_OPENAT, -100, 0x7fff1234);
	give_openat(&m, 3, "too late");
	give(&m, EXIT, 7, 4, NR_OPENAT, -2, 0);
	/* The end is lost: the same event again is another call. */
	give_openat(&m, 5, "first");
	give_openat(&m, 6, "second");
	give(&m, EXIT, 7, 7, NR_OPENAT, 4, 0);
	ok(strstr(lines(&m), "     0.000 ( 1.000 ms): task/7 openat(dfd: CWD, filename: "
			     "\"/etc/group\") "), "two events of one call are one line");
	ok(strstr(m.lines, " openat(dfd: CWD, filename: 0x7fff1234) "),
	   "the first one counts");
	ok(!strstr(m.lines, "too late") && !strstr(m.lines, "continued]: openat())"),
	   "the second one makes no line");
	ok(strstr(m.lines, "\"second\") "), "the same event again is another call");
	ok(syscall_states_repeated(m.states) == 3, "a repeated event is counted");
	made_up_end(&m);

	about("not in memory");
	made_up_begin(&m, OPENAT, MADE_UP_EVENTS);
	give_openat(&m, 1, NULL);
	give(&m, OPENED, 7, 2, NR_OPENAT, -14, 0);
	give_openat(&m, 3, "");
	give(&m, OPENED, 7, 4, NR_OPENAT, -2, 0);
	ok(strstr(lines(&m), "filename: 0x7fff12345678) "), "a string that was not there");
	ok(strstr(m.lines, "filename: \"\") "), "an empty string");
	made_up_end(&m);
}

static const char *text_with_strings(const char *name, const char *text, uint32_t *args)
{
	static char *copy;

	free(copy);
	copy = strdup(text);
	made_up_check(syscall_strings_add(name, &copy, args));
	return copy;
}

#define FORMAT(fields, print) "name: x\nID: 7\nformat:\n" COMMON \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n" fields "\nprint fmt: " print "\n"
#define RENAME_FIELDS \
	"\tfield:const char * oldname;\toffset:16;\tsize:8;\tsigned:0;\n" \
	"\tfield:const char * newname;\toffset:24;\tsize:8;\tsigned:0;\n"

TEST(check_strings)
{
	static const char *const without[] = {
		FORMAT("\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
		       "\tfield:const char * buf;\toffset:24;\tsize:8;\tsigned:0;\n", "\"\""),
		FORMAT("", "\"\""), "", "\tfield:const char * path;", "name: x\nformat:\n",
		"\tfield:const char * path;\toffset:16;\tsize:8;\tsigned:0;\n",
		made_up_formats[OPENAT].text,
	};
	unsigned int changed = 0;
	const char *text;
	uint32_t args;

	about("formats");
	text = text_with_strings("sys_enter_rename",
		FORMAT(RENAME_FIELDS, "\"oldname: 0x%08lx, newname: 0x%08lx\", "
		       "((unsigned long)(REC->oldname)), ((unsigned long)(REC->newname))"), &args);
	ok(args == 3, "both arguments are strings");
	is_str(text, FORMAT(RENAME_FIELDS
		"\tfield:__data_loc char[] __oldname_val;\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] __newname_val;\toffset:36;\tsize:4;\tsigned:0;\n",
		"\"oldname: 0x%08lx \\\"%s\\\", newname: 0x%08lx \\\"%s\\\"\", "
		"((unsigned long)(REC->oldname)), __get_str(__oldname_val), "
		"((unsigned long)(REC->newname)), __get_str(__newname_val)"),
	       "the format is that of a newer kernel");
	text = text_with_strings("sys_enter_rename", FORMAT(RENAME_FIELDS, "\"unusual\""), &args);
	ok(args == 3 && strstr(text, "__newname_val;") && strstr(text, "print fmt: \"unusual\"\n"),
	   "a print fmt of another form stays");
	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		text = text_with_strings("sys_enter_x", without[i], &args);
		changed += args || strcmp(text, without[i]);
	}
	ok(!changed, "formats without strings stay");
	text_with_strings("sys_enter_sethostname",
			  FORMAT("\tfield:char * name;\toffset:16;\tsize:8;\tsigned:0;\n", "\"\""),
			  &args);
	ok(!args, "an array with a length of its own is no string");
	text_with_strings("sys_exit_rename", FORMAT(RENAME_FIELDS, "\"\""), &args);
	ok(!args, "the end of a call has none");
}

TEST(check_groups)
{
	static bool wanted[SYSCALL_NUMBERS];
	struct syscalls *syscalls;

	about("names");
	made_up_check(syscalls_create("x86_64", &syscalls));
	ok(syscalls_match_group(syscalls, "%net", wanted) && wanted[41] && !wanted[NR_READ],
	   "a group names its calls");
	ok(syscalls_match(syscalls, "newuname", wanted) && wanted[63],
	   "the kernel's name of a call");
	ok(!syscalls_match(syscalls, "nothing", wanted) &&
	   !syscalls_match_group(syscalls, "%nothing", wanted), "a word that is no name");
	is_str(syscalls_nearest(syscalls, "opnat"), "openat", "a similar name is found");
	syscalls_destroy(syscalls);
	made_up_check(syscalls_create("aarch64", &syscalls));
	is_str(syscalls_at(syscalls, 56)->name, "openat", "the numbers of another machine");
	ok(syscalls_of_arm(syscalls), "ARM has flags of its own");
	syscalls_destroy(syscalls);
}

TAP_MAIN
