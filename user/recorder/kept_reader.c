// SPDX-License-Identifier: GPL-2.0
#include "recorder/kept_reader.h"

#include "capture/synthesize.h"
#include "lib/interrupt.h"
#include "lib/strbuf.h"
#include "perfdata/module_events.h"

static struct event_list *reader_list(const struct kept_reader *r)
{
	return reader_events(r->description.reader);
}

static struct capture *reader_capture(const struct kept_reader *r)
{
	return r->captures.items[0];
}

/* A session without a description has events of this kernel. */
static struct error *reader_describe(const char *name, struct kept_reader *r)
{
	const struct kept_session *session = &r->session;
	_cleanup_(strbuf) struct strbuf made = STRBUF_INIT;
	struct error *err;

	if (session->description) {
		err = description_parse(session->description, session->description_size,
					&r->description);
		return err ? error_prefix(err, "The description of the session %s is damaged", name) :
			     NULL;
	}
	err = module_events_describe(session->module_events, session->nr_events, session->clockid,
				     NULL, &made);
	if (!err)
		err = description_parse(made.data, made.len, &r->description);
	return err ? error_prefix(err, "The events of the session %s cannot be read", name) : NULL;
}

struct error *kept_reader_open(const char *name, bool ends, struct kept_reader *r)
{
	struct error *err = kept_open(name, &r->session);

	if (err)
		return err;
	r->ends = ends;
	err = reader_describe(name, r);
	if (err)
		return err;
	err = kept_capture(&r->session, capture_backend_find("ktrace"), reader_list(r), ends,
			   &r->captures.items[0]);
	if (err)
		return err;
	r->captures.nr = 1;
	r->captures.overwrite = r->session.overwrite;
	interrupt_block();
	return NULL;
}

/* Store the records from the rings before the rings may reuse their room. */
static struct error *kept_store(struct kept_reader *r)
{
	struct error *err = writer_store(r->file.writer);

	if (!err)
		kept_release(reader_capture(r));
	return err;
}

static struct error *store_each_turn(struct loop_consumer *consumer, bool *ret_end)
{
	struct kept_reader *r = container_of(consumer, struct kept_reader, consumer);

	return kept_store(r);
}

static struct error *kept_add_clock(struct loop_consumer *consumer, struct captures *captures)
{
	struct kept_reader *r = container_of(consumer, struct kept_reader, consumer);

	return captures_add_clock(captures, r->file.writer);
}

/* Only the current tasks and cgroups are known; earlier ones have no names. */
static struct error *write_tasks(struct kept_reader *r, struct record_sink *sink)
{
	struct error *err = synthesize_kernel(reader_list(r), sink);

	if (!err)
		err = synthesize_cgroups(reader_list(r), sink);
	return err ? err : synthesize_tasks(reader_list(r), NULL, 0, true, sink);
}

static struct error *kept_read_rings(struct kept_reader *r, struct loop_consumer *consumer,
				     bool once)
{
	struct loop loop = {
		.captures = &r->captures, .workload = &r->no_command,
		.duration_ms = once || r->ends || !r->session.running ? 1 : 0,
	};

	return loop_run(&loop, consumer);
}

static struct error *kept_write_all(struct kept_reader *r, bool once)
{
	struct record_sink *sink = r->file.consumer.sink;
	struct error *err = write_tasks(r, sink);

	r->consumer = (struct loop_consumer){
		.sink = sink, .clock = kept_add_clock, .turn = store_each_turn,
	};
	if (!err && r->captures.overwrite)
		err = kept_add_clock(&r->consumer, &r->captures);
	if (!err)
		err = r->captures.overwrite ? captures_stop(&r->captures) :
					      kept_read_rings(r, &r->consumer, once);
	if (!err)
		err = captures_ledger(&r->captures, sink, &r->ledger);
	return err ? err : kept_totals(reader_capture(r), &r->totals);
}

struct error *kept_reader_write(struct kept_reader *r, const char *path, bool once)
{
	struct error *err;

	err = perf_file_create_described(path, &r->description, &r->file);
	if (err)
		return err;
	/* The rings do not have the records any more. */
	writer_keep_all(r->file.writer);
	err = kept_write_all(r, once);
	if (err)
		return perf_file_give_up(&r->file, err);
	err = perf_file_finish(&r->file, &r->captures, &r->ledger);
	if (err)
		return err;
	kept_release(reader_capture(r));
	return r->ends ? kept_forget(reader_capture(r)) : NULL;
}

void kept_reader_close(struct kept_reader *r)
{
	perf_file_deinit(&r->file);
	captures_close(&r->captures);
	description_deinit(&r->description);
	kept_session_deinit(&r->session);
	ledger_deinit(&r->ledger);
	ledger_deinit(&r->totals);
}
