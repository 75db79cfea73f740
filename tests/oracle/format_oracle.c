// SPDX-License-Identifier: GPL-2.0
/*
 * format_oracle FIXTURE RECORDS [SEED]: made-up records of every event format in FIXTURE, which
 * collect-formats wrote and xz unpacked.  Each is printed by our print program and by
 * libtraceevent's interpreter; where the texts differ, on stdout:
 *
 *	differs SYSTEM:NAME KIND, then a line each: libtraceevent's, ours
 *	crashes SYSTEM:NAME: libtraceevent dies of it, or does not end
 *	fields SYSTEM:NAME: ours has no program for it, and prints the fields
 *	counted FORMATS RECORDS COMPARED
 *
 * The records go to the file RECORDS: u64 id, u32 size, bytes; for a recording that
 * perf prints.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <unistd.h>

#include "format/event_format.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/log.h"
#include "made_up.h"

#define RECORDS_PER_FORMAT	6

/* CPU time in microseconds: a hundred times the longest time of a format that comes to an end. */
#define ENOUGH			300000

/* Targets of the numbers in the records: functions, and strings of printk. */
static const uint64_t functions[] = { 0xffffffff81000000, 0xffffffff81000400 };
static char kallsyms[] = "ffffffff81000000 T first_function\nffffffff81000400 T second_function\n"
			 "ffffffff81000800 T behind_all\n";

struct record_made_up {
	uint64_t id;
	uint32_t size;
	char raw[MADE_UP_MAX];
};

/* The progress that a child reports while it runs, so that it is known when the child dies. */
struct progress {
	size_t at;		/* index of the format */
	size_t compared;
};

static struct error *read_formats(char *text, struct formats *formats, struct tep_handle *tep)
{
	struct made_up_format from;
	char *at = text;
	struct error *err = NULL;

	while (!err && made_up_next_format(&at, &from)) {
		err = formats_add(formats, from.system, from.text, from.len);
		tep_parse_event(tep, from.text, from.len, from.system);
	}
	return err;
}

static struct error *make_records(const struct formats *formats, uint64_t seed,
				  struct record_made_up *records, const char *path)
{
	struct made_up made_up = { .functions = functions, .nr_functions = 2 };
	FILE *file = fopen(path, "we");

	if (!file)
		return error_errno(errno, "Cannot write %s", path);
	made_up_seed(&made_up, seed);
	for (size_t i = 0; i < formats_count(formats); i++)
		for (int n = 0; n < RECORDS_PER_FORMAT; n++) {
			const struct event_format *format = formats_at(formats, i);
			struct record_made_up *r = &records[i * RECORDS_PER_FORMAT + n];

			if (!made_up_is_usable(format))
				continue;
			r->id = format->id;
			r->size = made_up_record(&made_up, n < MADE_UP_RANDOM ? n : MADE_UP_RANDOM,
						 format, r->raw);
			fwrite(&r->id, 8, 1, file);
			fwrite(&r->size, 4, 1, file);
			fwrite(r->raw, r->size, 1, file);
		}
	return fclose(file) ? error_errno(errno, "Cannot write %s", path) : NULL;
}

static bool compare_record(struct tep_handle *tep, const struct event_format *format,
			   struct record_made_up *r)
{
	struct tep_record record = { .data = r->raw, .size = r->size, .record_size = r->size };
	_cleanup_(strbuf) struct strbuf ours = STRBUF_INIT;
	struct trace_seq seq;
	bool same;

	trace_seq_init(&seq);
	tep_print_event(tep, &seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	event_format_print(format, r->raw, r->size, 0, &ours);
	same = !strcmp(seq.buffer, strbuf_str(&ours));
	if (!same)
		printf("differs %s:%s\n%s\n%s\n", format->system, format->name, seq.buffer,
		       strbuf_str(&ours));
	trace_seq_destroy(&seq);
	return same;
}

/* A child per stretch, since a print fmt may make libtraceevent crash. */
static void compare_from(size_t start, const struct formats *formats, struct tep_handle *tep,
			 struct record_made_up *records, struct progress *progress)
{
	for (size_t i = start; i < formats_count(formats); i++) {
		const struct event_format *format = formats_at(formats, i);

		progress->at = i;
		setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_usec = ENOUGH }, NULL);
		for (int n = 0; n < RECORDS_PER_FORMAT; n++) {
			struct record_made_up *r = &records[i * RECORDS_PER_FORMAT + n];

			if (!r->size)
				continue;
			progress->compared++;
			if (!compare_record(tep, format, r))
				break;
		}
		fflush(stdout);
	}
}

static void compare_all(const struct formats *formats, struct tep_handle *tep,
			struct record_made_up *records, struct progress *progress)
{
	size_t start = 0;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	while (start < formats_count(formats)) {
		pid_t pid;
		int status;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			compare_from(start, formats, tep, records, progress);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSIGNALED(status))
			break;
		printf("crashes %s:%s\n", formats_at(formats, progress->at)->system,
		       formats_at(formats, progress->at)->name);
		start = progress->at + 1;
	}
}

static struct error *run(const char *fixture, const char *records_path, uint64_t seed)
{
	_cleanup_(formats) struct formats *formats = NULL;
	_cleanup_free_ struct record_made_up *records = NULL;
	_cleanup_free_ char *text = NULL, *symbols = strdup(kallsyms);
	struct tep_handle *tep = tep_alloc();
	struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct error *err = file_read_text(fixture, &text);
	size_t usable = 0;

	if (!err)
		err = formats_create(&formats);
	if (err)
		return err;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_parse_kallsyms(tep, kallsyms);
	err = formats_add_kallsyms(formats, symbols);
	if (!err)
		err = read_formats(text, formats, tep);
	if (err)
		return err;
	records = calloc(formats_count(formats) * RECORDS_PER_FORMAT, sizeof(*records));
	err = make_records(formats, seed, records, records_path);
	if (err)
		return err;
	for (size_t i = 0; i < formats_count(formats); i++) {
		const struct event_format *format = formats_at(formats, i);

		usable += records[i * RECORDS_PER_FORMAT].size != 0;
		if (!format->print_ok)
			printf("fields %s:%s\n", format->system, format->name);
	}
	compare_all(formats, tep, records, progress);
	printf("counted %zu %zu %zu\n", formats_count(formats), usable * RECORDS_PER_FORMAT,
	       progress->compared);
	tep_free(tep);
	return NULL;
}

int main(int argc, char **argv)
{
	struct error *err;

	if (argc < 3) {
		fprintf(stderr, "format_oracle FIXTURE RECORDS [SEED]\n");
		return 2;
	}
	err = run(argv[1], argv[2], argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	if (!err)
		return 0;
	error_report(err);
	return 1;
}
