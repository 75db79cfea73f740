// SPDX-License-Identifier: GPL-2.0
#include "format/tep_texts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <unistd.h>

#include "format/tracefs.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define NO_TEXT UINT32_MAX

/* Add names for %pS and strings for %s; without them, numbers are printed. */
static void tep_add_names(struct tep_handle *tep)
{
	_cleanup_free_ char *kallsyms = NULL, *printk = NULL, *path = NULL;
	const char *root;
	size_t len;

	error_free(file_read("/proc/kallsyms", &kallsyms, &len));
	if (kallsyms)
		tep_parse_kallsyms(tep, kallsyms);
	if (tracefs_path(&root) || asprintf(&path, "%s/printk_formats", root) < 0) {
		path = NULL;
		return;
	}
	error_free(file_read(path, &printk, &len));
	if (printk)
		tep_parse_printk_formats(tep, printk);
}

/* Write a length and the text, or NO_TEXT. */
static void print(struct tep_handle *tep, const struct tep_bytes *bytes, FILE *out)
{
	struct tep_record record = {
		.data = (void *)bytes->raw, .size = bytes->size, .record_size = bytes->size,
	};
	struct tep_event *event = tep_find_event_by_record(tep, &record);
	uint32_t len = NO_TEXT;
	struct trace_seq seq;

	if (!event || (event->flags & TEP_EVENT_FL_FAILED)) {
		fwrite(&len, sizeof(len), 1, out);
		return;
	}
	trace_seq_init(&seq);
	tep_print_event(tep, &seq, &record, "%s", TEP_PRINT_INFO);
	len = seq.len;
	fwrite(&len, sizeof(len), 1, out);
	fwrite(seq.buffer, 1, len, out);
	trace_seq_destroy(&seq);
	/* Texts that were written before a crash must not be lost. */
	fflush(out);
}

static _Noreturn void child(const struct tep_text_format *formats, size_t nr_formats,
			    const struct tep_bytes *records, size_t nr, int fd)
{
	const struct rlimit no_core = { 0, 0 };
	struct tep_handle *tep = tep_alloc();
	FILE *out = fdopen(fd, "w");

	setrlimit(RLIMIT_CORE, &no_core);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	if (!tep || !out)
		_exit(1);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, sizeof(long));
	tep_add_names(tep);
	for (size_t i = 0; i < nr_formats; i++) {
		struct tep_event *event;

		tep_parse_format(tep, &event, formats[i].text, strlen(formats[i].text),
				 formats[i].system);
	}
	for (size_t i = 0; i < nr; i++)
		print(tep, &records[i], out);
	_exit(fflush(out) != 0);
}

/* Read one text.  Returns false at the end. */
static bool tep_take(FILE *in, char **ret)
{
	uint32_t len;

	*ret = NULL;
	if (fread(&len, sizeof(len), 1, in) != 1)
		return false;
	if (len == NO_TEXT)
		return true;
	*ret = malloc((size_t)len + 1);
	if (!*ret || fread(*ret, 1, len, in) != len) {
		free(*ret);
		*ret = NULL;
		return false;
	}
	(*ret)[len] = '\0';
	return true;
}

struct error *tep_texts_make(const struct tep_text_format *formats, size_t nr_formats,
			     const struct tep_bytes *records, size_t nr, char **texts,
			     size_t *ret_done)
{
	_cleanup_(fclose) FILE *in = NULL;
	int ends[2], status;
	size_t done = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return error_errno(errno, "Cannot create a pipe");
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(formats, nr_formats, records, nr, ends[1]);
	close(ends[1]);
	in = pid < 0 ? NULL : fdopen(ends[0], "r");
	if (!in) {
		close(ends[0]);
		return error_errno(errno, "Cannot start libtraceevent in a process of its own");
	}
	while (done < nr && tep_take(in, &texts[done]))
		done++;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	for (size_t i = done; i < nr; i++)
		texts[i] = NULL;
	*ret_done = done;
	return NULL;
}
