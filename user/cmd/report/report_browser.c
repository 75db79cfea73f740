// SPDX-License-Identifier: GPL-2.0
/*
 * All is done in one thread: while the recording is read, the consumer looks after the terminal
 * now and then.
 */
#include "cmd/report/report_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/recording.h"
#include "lib/file.h"
#include "lib/monotonic.h"
#include "output/text/header_text.h"
#include "profile/function_counts.h"
#include "record/body.h"
#include "script/script_list.h"

/* Number of records between two readings of the clock. */
#define TICK_RECORDS	64

/* Interval between checks for keys.  The first rows are shown after FIRST_MS. */
#define KEYS_MS		20
#define FIRST_MS	50
#define REFRESH_MS	250

/* Sorting takes at most this part of the time. */
#define REFRESH_PART	10

/* How long to wait for keys when nothing else is to be done. */
#define IDLE_MS		500

struct report_browser {
	struct report_source *source;
	struct screen *screen;
	struct browser browser;
	struct histograms *histograms;
	struct function_counts *functions;	/* for annotations */
	struct source_texts *texts;
	struct session_consumer consumer, *inner;
	unsigned int records;	/* since the clock was read */
	uint64_t keys_at, refresh_at;	/* ms */
	uint64_t total;		/* bytes to be read; 0: not known */
	volatile int stop;
	struct error *failure;	/* of a turn of the reader; NULL: none */
	char *times;		/* to count alone, as soon as reading has stopped; NULL: none */
	char *next;		/* the recording to be shown then; NULL: the same */
	char *path;		/* the one that is shown; NULL: the one that was asked for */
};

static void report_tell_progress(struct report_browser *r)
{
	uint64_t left = reader_bytes_left(r->source->reader);

	if (left > r->total)
		r->total = left;
	strbuf_reset(&r->browser.state);
	if (r->total)
		strbuf_addf(&r->browser.state, "Reading %.0f %%",
			    100.0 * (r->total - left) / r->total);
	else
		strbuf_addstr(&r->browser.state, "Reading");
}

static void report_take_keys(struct report_browser *r, bool *ret_any)
{
	*ret_any = screen_take_keys(r->screen, &r->browser);
	if (r->browser.ended || r->times || screen_signal())
		r->stop = 1;
}

/* Whether there are no rows yet: before the first sample, the reader may read ahead. */
static bool report_is_empty(const struct report_browser *r)
{
	const struct event_list *events = reader_events(r->source->reader);

	for (size_t i = 0; i < events->nr; i++)
		if (histograms_get(r->histograms, i))
			return false;
	return true;
}

/* Look after the terminal. */
static struct error *report_look(struct report_browser *r)
{
	struct error *err = NULL;
	uint64_t now = monotonic_ms();
	bool show;

	if (now < r->keys_at)
		return NULL;
	report_take_keys(r, &show);
	if (now >= r->refresh_at && !r->stop) {
		uint64_t took, pause = report_is_empty(r) ? FIRST_MS : REFRESH_MS;

		report_tell_progress(r);
		err = browser_refresh(&r->browser);
		took = monotonic_ms() - now;
		r->refresh_at = now + (took * REFRESH_PART > pause ? took * REFRESH_PART : pause);
		show = true;
	}
	if (show)
		screen_show(r->screen, &r->browser);
	r->keys_at = monotonic_ms() + KEYS_MS;
	return err;
}

static struct error *report_tick(struct report_browser *r)
{
	if (++r->records < TICK_RECORDS)
		return NULL;
	r->records = 0;
	return report_look(r);
}

/* The reader creates an index, which takes a moment. */
static bool report_turn(void *data)
{
	struct report_browser *r = data;

	if (!r->failure)
		r->failure = report_look(r);
	return !r->failure && !r->stop;
}

static struct error *report_take_sample(struct session_consumer *consumer,
					const struct session_record *record)
{
	struct report_browser *r = container_of(consumer, struct report_browser, consumer);
	struct error *err = r->inner->sample(r->inner, record);

	if (!err)
		err = function_counts_add(r->functions, record);
	return err ? err : report_tick(r);
}

static struct error *report_take_other(struct session_consumer *consumer,
				       const struct session_record *record)
{
	struct report_browser *r = container_of(consumer, struct report_browser, consumer);
	const struct perf_event_header *header = record->record.header;
	const struct body_lost *lost = body_of(header, struct body_lost);
	const struct body_lost_samples *samples = body_of(header, struct body_lost_samples);
	struct error *err = r->inner->other ? r->inner->other(r->inner, record) : NULL;

	if (header->type == PERF_RECORD_LOST && lost)
		r->browser.lost += lost->lost;
	if (header->type == PERF_RECORD_LOST_SAMPLES && samples)
		r->browser.lost += samples->lost;
	return err ? err : report_tick(r);
}

static struct error *report_add_header(void *data, struct strbuf *ret)
{
	struct report_browser *r = data;
	struct reader *reader = r->source->reader;

	header_text_add(ret, reader_header(reader), reader_events(reader), true);
	return NULL;
}

static struct error *report_add_context(void *data, const struct entry_sample *sample,
					struct strbuf *ret, size_t *ret_line)
{
	struct report_browser *r = data;

	return r->source->context(r->source, sample, ret, ret_line);
}

static struct error *report_ask_slice(void *data, const char *times)
{
	struct report_browser *r = data;
	const struct header *header = reader_header(r->source->reader);
	struct time_ranges ranges = { 0 };
	struct error *err = NULL;

	if (*times)
		err = time_ranges_parse(&ranges, times, header->first_sample_time,
					header->last_sample_time);
	free(ranges.items);
	if (err)
		return err;
	free(r->times);
	r->times = strdup(times);
	return r->times ? NULL : &error_no_memory;
}

static int report_is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !strchr(entry->d_name, '\n') &&
	       file_is_recording(entry->d_name);
}

static struct error *report_add_files(void *data, struct strbuf *ret)
{
	struct dirent **entries;
	int nr = scandir(".", &entries, report_is_file, alphasort);

	if (nr < 0)
		return error_errno(errno, "Cannot read the current folder");
	for (int i = 0; i < nr; i++) {
		strbuf_addf(ret, "%s\n", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return NULL;
}

/* The current recording is closed only for one that can be read. */
static struct error *report_check_file(const char *path)
{
	struct reader *reader = NULL;
	struct error *err = recording_open(path, &reader);

	if (!err)
		err = reader_read_header(reader);
	reader_close(reader);
	return err;
}

static struct error *report_open_file(void *data, const char *path)
{
	struct report_browser *r = data;
	struct error *err = report_check_file(path);

	if (err)
		return err;
	free(r->times);
	free(r->next);
	r->times = strdup("");
	r->next = strdup(path);
	return r->times && r->next ? NULL : &error_no_memory;
}

static struct error *report_add_scripts(void *data, struct strbuf *ret)
{
	return script_list_add_names(ret);
}

static struct error *report_add_script(void *data, const char *name, struct strbuf *ret)
{
	struct report_browser *r = data;

	browser_tell(&r->browser, "%s is running ...", name);
	screen_show(r->screen, &r->browser);
	strbuf_reset(&r->browser.message);
	return r->source->script(r->source, name, ret);
}

static struct error *report_read(struct report_browser *r)
{
	struct report_source *source = r->source;
	struct error *err;

	r->consumer = (struct session_consumer){
		.sample = report_take_sample, .other = report_take_other,
	};
	r->stop = 0;
	r->total = 0;
	r->browser.lost = 0;
	r->refresh_at = monotonic_ms() + FIRST_MS;
	reader_watch(source->reader, report_turn, r);
	report_tell_progress(r);
	screen_show(r->screen, &r->browser);
	err = recording_run(source->reader, source->machine, source->selection, &r->consumer,
			    false, &r->stop);
	if (r->failure) {
		error_free(err);
		err = take_ptr(r->failure);
	}
	strbuf_reset(&r->browser.state);
	/* The records before an error are still shown. */
	if (err && err->code != ENOMEM) {
		browser_tell_error(&r->browser, err);
		err = NULL;
	}
	if (err || r->stop)
		return err;
	err = browser_refresh(&r->browser);
	browser_settle(&r->browser);
	return err;
}

/* Begin to count, of no sample yet. */
static struct error *report_begin_counts(struct report_browser *r)
{
	struct error *err = histograms_create(&r->source->report->histogram, &r->histograms);

	if (!err)
		err = function_counts_create(&r->functions);
	if (!err)
		err = source_texts_create(NULL, 0, &r->texts);
	if (!err)
		r->inner = histograms_consumer(r->histograms);
	return err;
}

/* Set the sources of listings. */
static void report_set_listings(struct report_browser *r)
{
	r->browser.listings.source = (struct listing_source){
		.machine = r->source->machine, .functions = r->functions, .texts = r->texts,
		.events = reader_events(r->source->reader),
	};
}

static void report_end_counts(struct report_browser *r)
{
	listings_close(&r->browser.listings);
	histograms_destroy(take_ptr(r->histograms));
	function_counts_destroy(take_ptr(r->functions));
}

static bool report_goes_on(const struct report_browser *r)
{
	return !r->browser.ended && !r->times && !screen_signal();
}

/* Begin with other times, or again with all. */
static struct error *report_reopen(struct report_browser *r)
{
	_cleanup_free_ char *times = take_ptr(r->times), *old = NULL;
	struct report_source *source = r->source;
	bool other = r->next;
	struct error *err;

	rows_deinit(&r->browser.rows);
	report_end_counts(r);
	source_texts_destroy(take_ptr(r->texts));
	if (r->next) {
		old = r->path;
		r->path = take_ptr(r->next);
		err = source->reopen(source, times, r->path);
	} else {
		err = source->reopen(source, times, NULL);
	}
	if (!err)
		err = report_begin_counts(r);
	if (err)
		return err;
	if (other)
		browser_tell(&r->browser, "This is %s.", r->path);
	if (other)
		browser_begin(&r->browser, reader_events(source->reader));
	r->browser.events = reader_events(source->reader);
	report_set_listings(r);
	return browser_set_histograms(&r->browser, r->histograms);
}

static struct error *report_browse_on(struct report_browser *r)
{
	struct error *err = report_read(r);

	while (!err) {
		screen_show(r->screen, &r->browser);
		while (report_goes_on(r)) {
			bool any;

			screen_wait(r->screen, IDLE_MS);
			report_take_keys(r, &any);
			screen_show(r->screen, &r->browser);
		}
		if (!r->times)
			break;
		err = report_reopen(r);
		if (!err)
			err = report_read(r);
	}
	return err;
}

struct error *report_browse(struct report_source *source, struct screen *screen)
{
	struct report_browser r = { .source = source, .screen = screen };
	struct error *err;

	err = report_begin_counts(&r);
	if (err) {
		report_end_counts(&r);
		return err;
	}
	browser_init(&r.browser, source->report, reader_events(source->reader), r.histograms);
	r.browser.view.samples = source->samples;
	report_set_listings(&r);
	r.browser.hooks = (struct browser_hooks){
		.data = &r, .header = report_add_header, .slice = report_ask_slice,
		.context = report_add_context, .files = report_add_files,
		.open_file = report_open_file, .scripts = report_add_scripts,
		.run_script = report_add_script,
	};
	err = report_browse_on(&r);
	report_end_counts(&r);
	browser_deinit(&r.browser);
	source_texts_destroy(r.texts);
	free(r.times);
	free(r.next);
	free(r.path);
	return err;
}
