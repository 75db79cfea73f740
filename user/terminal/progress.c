// SPDX-License-Identifier: GPL-2.0
#include "terminal/progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/monotonic.h"
#include "terminal/pager.h"

#define MSEC_PER_SEC	1000
#define FIRST_MSEC	1000
#define NEXT_MSEC	250
#define LINE_BYTES	160
#define MB		1000000

static struct {
	const char *what;	/* NULL: progress is not shown */
	bool counts;		/* things, not bytes */
	uint64_t total, done;
	double rate;		/* bytes per second, recently */
	uint64_t last, next;	/* when rate was computed, when it will be next; monotonic ms */
	uint64_t done_at_last;
	bool shown;
	bool until_output;
	bool recount;
	uint64_t written;	/* bytes written before, and for the progress line since */
} progress;

/*
 * Work that is read twice gets slower the second time, so the latest rate counts as much as
 * all earlier ones together.
 */
static void update_rate(uint64_t time)
{
	double rate = (double)(progress.done - progress.done_at_last) * MSEC_PER_SEC /
		      (time - progress.last);

	progress.rate = progress.rate ? (progress.rate + rate) / 2 : rate;
	progress.last = time;
	progress.done_at_last = progress.done;
}

static void progress_add_left(char *text, size_t size, uint64_t seconds)
{
	if (seconds < 60)
		snprintf(text, size, ", %" PRIu64 " s left", seconds);
	else if (seconds < 3600)
		snprintf(text, size, ", %" PRIu64 " min %" PRIu64 " s left", seconds / 60,
			 seconds % 60);
	else
		snprintf(text, size, ", %" PRIu64 " h %" PRIu64 " min left", seconds / 3600,
			 seconds / 60 % 60);
}

static void build(char *text, size_t size)
{
	double rate = progress.rate, done = progress.done, total = progress.total;
	bool known = progress.total && progress.done <= progress.total;
	int len;

	if (progress.counts)
		len = snprintf(text, size, "%s: %" PRIu64 " of %" PRIu64, progress.what,
			       progress.done, progress.total);
	else if (known)
		len = snprintf(text, size, "%s: %.0f %%", progress.what, 100 * done / total);
	else
		len = snprintf(text, size, "%s: %.0f MB", progress.what, done / MB);
	if (!progress.counts)
		len += snprintf(text + len, size - len, rate < 10 * MB ? ", %.1f MB/s" : ", %.0f MB/s",
			rate / MB);
	if (known && rate)
		progress_add_left(text + len, size - len, (total - done) / rate + 1);
}

/* Cut the line to the terminal's width, because one that wraps cannot be removed again. */
static void cut_to_terminal(char *text)
{
	struct winsize size;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_col < LINE_BYTES)
		text[size.ws_col - 1] = '\0';
}

#define UNCOUNTED UINT64_MAX

/* The number of bytes that this process has written to any file; UINT64_MAX if not known. */
static uint64_t bytes_written(void)
{
	_cleanup_free_ char *text = NULL;
	const char *found = NULL;
	uint64_t bytes = UNCOUNTED;

	error_free(file_read_text("/proc/self/io", &text));
	if (text)
		found = strstr(text, "wchar:");
	if (found)
		sscanf(found, "wchar: %" SCNu64, &bytes);
	return bytes;
}

static void show(void)
{
	char text[LINE_BYTES];
	int len;

	if (progress.until_output) {
		uint64_t written = bytes_written();

		if (written != progress.written && !progress.recount) {
			progress_end();
			return;
		}
		progress.written = written;
		progress.recount = false;
	}
	build(text, sizeof(text));
	cut_to_terminal(text);
	/* Leave the cursor at the line's beginning, so that other output overwrites it. */
	len = fprintf(stderr, "\r%s\033[K\r", text);
	fflush(stderr);
	progress.written += len > 0 ? len : 0;
	progress.shown = true;
}

void progress_begin(const char *what, uint64_t total)
{
	progress_end();
	if (log_quiet || pager_is_used() || !isatty(STDERR_FILENO))
		return;
	log_before = progress_hide;
	memset(&progress, 0, sizeof(progress));
	progress.what = what;
	progress.total = total;
	progress.last = monotonic_ms();
	progress.next = progress.last + FIRST_MSEC;
}

void progress_begin_count(const char *what, uint64_t total)
{
	progress_begin(what, total);
	progress.counts = true;
}

void progress_until_output(void)
{
	if (!progress.what)
		return;
	progress.until_output = true;
	progress.written = bytes_written();
	if (progress.written == UNCOUNTED)
		progress.what = NULL;
}

void progress_expect(uint64_t bytes)
{
	progress.total += bytes;
}

void progress_advance(uint64_t bytes)
{
	uint64_t time;

	if (!progress.what)
		return;
	progress.done += bytes;
	time = monotonic_ms();
	if (time < progress.next)
		return;
	progress.next = time + NEXT_MSEC;
	update_rate(time);
	show();
}

void progress_hide(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
	/* A message follows, which is not output of the work itself. */
	progress.recount = true;
}

void progress_end(void)
{
	progress_hide();
	progress.what = NULL;
}
