// SPDX-License-Identifier: GPL-2.0
/*
 * The contents of the rows and their order are those of perf.
 */
#include "table/samples/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns/dictionary.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "record/body.h"
#include "record/registers.h"
#include "session/callchain.h"

/* The host is the only machine there is. */
#define MACHINE_ID 1
#define HOST (-1)

/* Keys that distinguish objects, and the number of ids given to them. */
struct ids {
	struct dictionary *dictionary;
	int64_t nr;
};

/* One name that a thread had. */
struct comm {
	char text[32];
	uint64_t time;
	bool exec;		/* the name came from an exec */
	uint64_t id;		/* 0: no row yet */
};

struct thread {
	int32_t pid, tid;
	uint64_t id;		/* 0: no row yet */
	bool named;		/* a record named it; else its only comm is ":TID" */
	/* Positions in export->comms; 0 in second and executed: none. */
	size_t first, second, executed, now;
};

struct export {
	struct export_sink *sink;
	bool callchains;
	bool machine_told;
	struct ids evsels, dsos, symbols, paths;
	struct ids thread_numbers;	/* by tid: number in threads, from 1 */
	ARRAY_OF(struct thread) threads;
	ARRAY_OF(struct comm) comms;	/* the first is unused */
	bool exec_is_told;	/* COMM records have it, because the events request that ... */
	size_t events_seen;	/* ... and this many of the events were looked at */
	uint64_t nr_samples, nr_switches, nr_comms, nr_comm_threads, nr_threads;
};

DEFINE_CLEANUP(callchain, struct callchain, callchain_deinit)

/* Flags of branch samples, and their names. */
static const struct {
	uint32_t flags;
	const char *name;
} branch_types[] = {
	{ 0, "no branch" }, { 3, "call" }, { 5, "return" }, { 9, "conditional jump" },
	{ 1, "unconditional jump" }, { 67, "software interrupt" },
	{ 69, "return from interrupt" }, { 19, "system call" },
	{ 21, "return from system call" }, { 33, "asynchronous branch" },
	{ 99, "hardware interrupt" }, { 129, "transaction abort" }, { 257, "trace begin" },
	{ 513, "trace end" }, { 2051, "vm entry" }, { 4099, "vm exit" },
};

#define FIRST_TRACE_NAMES 1	/* the first kind of branch with which tracing can begin or end */
#define TRACE_BEGIN 256
#define TRACE_END 512

static struct export_value number(int64_t value)
{
	return (struct export_value){ .type = EXPORT_SIGNED, .number = value };
}

static struct export_value count(uint64_t value)
{
	return (struct export_value){ .type = EXPORT_UNSIGNED, .unsigned_number = value };
}

static struct export_value text(const char *value)
{
	return (struct export_value){ .type = EXPORT_TEXT, .text = value };
}

static struct error *give_row(struct export *export, enum export_table table,
			      const struct export_value *values, size_t nr)
{
	return export->sink->row(export->sink, table, values, nr);
}

#define row(export, table, ...) \
	give_row(export, table, (const struct export_value[]){ __VA_ARGS__ }, \
		 ARRAY_SIZE(((const struct export_value[]){ __VA_ARGS__ })))

static struct error *branch_row(struct export *export, uint32_t flags, const char *name)
{
	return row(export, EXPORT_BRANCH_TYPE, number(flags), text(name));
}

static struct error *branch_rows(struct export *export)
{
	struct error *err = NULL;
	char name[64];

	for (size_t i = 0; !err && i < ARRAY_SIZE(branch_types); i++)
		err = branch_row(export, branch_types[i].flags, branch_types[i].name);
	if (!err)
		err = branch_row(export, TRACE_BEGIN, "trace begin / no branch");
	if (!err)
		err = branch_row(export, TRACE_END, "no branch / trace end");
	for (size_t i = FIRST_TRACE_NAMES; !err && i < ARRAY_SIZE(branch_types); i++) {
		uint32_t flags = branch_types[i].flags;

		if (flags == 1 || flags == (TRACE_BEGIN | 1) || flags == (TRACE_END | 1))
			continue;
		snprintf(name, sizeof(name), "trace begin / %s", branch_types[i].name);
		err = branch_row(export, flags | TRACE_BEGIN, name);
		snprintf(name, sizeof(name), "%s / trace end", branch_types[i].name);
		if (!err)
			err = branch_row(export, flags | TRACE_END, name);
	}
	return err;
}

/* ---- ids ----------------------------------------------------------------- */

/* Find or create the id of the object with @key. */
static struct error *find_id(struct ids *ids, const void *key, size_t size, int64_t *ret_id,
			     bool *ret_new)
{
	int64_t id = (int64_t)dictionary_number(ids->dictionary, key, size) + 1;

	*ret_id = id;
	*ret_new = id > ids->nr;
	if (*ret_new)
		ids->nr = id;
	return id > 0 ? NULL : &error_no_memory;
}

static struct error *evsel_id(struct export *export, const struct event *event, int64_t *ret)
{
	struct error *err;
	bool new;

	err = find_id(&export->evsels, &event->index, sizeof(event->index), ret, &new);
	if (err || !new)
		return err;
	return row(export, EXPORT_EVSEL, number(*ret), text(event->name));
}

static struct error *machine_row(struct export *export)
{
	if (export->machine_told)
		return NULL;
	export->machine_told = true;
	return row(export, EXPORT_MACHINE, number(MACHINE_ID), number(HOST), text(""));
}

static struct error *dso_id(struct export *export, const struct dso *dso, int64_t *ret)
{
	char build_id[BUILD_ID_TEXT];
	bool new;
	struct error *err = find_id(&export->dsos, &dso, sizeof(dso), ret, &new);

	if (err || !new)
		return err;
	build_id_text(&dso->id, build_id);
	return row(export, EXPORT_DSO, number(*ret), number(MACHINE_ID), text(dso->short_name),
		   text(dso->path && dso->kind == DSO_FILE ? dso->path : dso->name),
		   text(build_id));
}

#define NO_SYMBOL "unknown"

static void symbol_key(struct strbuf *key, int64_t dso, uint64_t start, const char *name)
{
	strbuf_add(key, (const char *)&dso, sizeof(dso));
	strbuf_add(key, (const char *)&start, sizeof(start));
	strbuf_addstr(key, name);
}

/*
 * Find or create the id of a place's symbol.  If it has none, one is created that begins at
 * @address.
 */
static struct error *symbol_id(struct export *export, const struct place *place, int64_t dso,
			       uint64_t address, int64_t *ret)
{
	const struct symbol *symbol = place->symbol;
	uint64_t start = symbol ? symbol->start : address;
	const char *name = symbol ? symbol->name : NO_SYMBOL;
	_cleanup_(strbuf) struct strbuf key = STRBUF_INIT;
	struct error *err;
	bool new;

	symbol_key(&key, dso, start, name);
	if (key.failed)
		return &error_no_memory;
	err = find_id(&export->symbols, key.data, key.len, ret, &new);
	if (err || !new)
		return err;
	return row(export, EXPORT_SYMBOL, number(*ret), number(dso), number(start),
		   number(symbol ? symbol->end : address), number(symbol ? symbol->binding : 0),
		   text(name));
}

/* Whether a symbol was created for an earlier sample at @place, which has none. */
static bool has_unknown(const struct export *export, const struct place *place)
{
	const struct dso *dso = place->map ? place->map->dso : NULL;
	_cleanup_(strbuf) struct strbuf key = STRBUF_INIT;
	int64_t id;

	if (!dso)
		return false;
	id = (int64_t)dictionary_find(export->dsos.dictionary, (const char *)&dso, sizeof(dso)) + 1;
	symbol_key(&key, id, place->address, NO_SYMBOL);
	return !key.failed &&
	       dictionary_find(export->symbols.dictionary, key.data, key.len) >= 0;
}

/* ---- threads and comms --------------------------------------------------- */

/* Start a thread with the name ":TID", which it has until a record names it. */
static struct error *begin_thread(struct export *export, struct thread *thread)
{
	struct comm comm = { .text = "swapper" };

	if (thread->tid)
		snprintf(comm.text, sizeof(comm.text), ":%d", thread->tid);
	thread->named = !thread->tid;
	thread->first = thread->now = export->comms.nr;
	thread->second = thread->executed = 0;
	return array_push(&export->comms, comm) ? NULL : &error_no_memory;
}

static struct error *find_thread(struct export *export, int32_t pid, int32_t tid,
				 struct thread **ret)
{
	struct thread thread = { .pid = pid, .tid = tid };
	struct error *err;
	int64_t id;
	bool new;

	err = find_id(&export->thread_numbers, &tid, sizeof(tid), &id, &new);
	if (!err && new)
		err = begin_thread(export, &thread);
	if (err)
		return err;
	if (new && !array_push(&export->threads, thread))
		return &error_no_memory;
	*ret = &export->threads.items[id - 1];
	return NULL;
}

/*
 * Name a thread.  The first name replaces ":TID" in its row, any further name has a row of its own.
 */
static struct error *name_thread(struct export *export, struct thread *thread, const char *text,
				 uint64_t time, bool exec)
{
	struct comm comm = { .time = time, .exec = exec };
	struct comm *now = &export->comms.items[thread->now];

	snprintf(comm.text, sizeof(comm.text), "%s", text);
	if (!thread->named) {
		comm.id = now->id;
		*now = comm;
	} else {
		thread->now = export->comms.nr;
		if (!thread->second)
			thread->second = thread->now;
		if (!array_push(&export->comms, comm))
			return &error_no_memory;
	}
	thread->named = true;
	if (exec)
		thread->executed = thread->now;
	return NULL;
}

/*
 * The name of a process is the one that its main thread got by its last exec, even if it has
 * renamed itself since.  Without an exec it is its first name; but the first name of a process that
 * was there before recording began may be its parent's.
 */
static size_t process_comm(const struct export *export, const struct thread *main)
{
	if (!export->exec_is_told)
		return main->now;
	if (main->executed)
		return main->executed;
	return main->second && !export->comms.items[main->first].time ? main->second : main->first;
}

static void look_at_events(struct export *export, const struct event_list *events)
{
	for (; export->events_seen < events->nr; export->events_seen++)
		if (events->items[export->events_seen]->attr.comm_exec)
			export->exec_is_told = true;
}

static struct error *thread_row(struct export *export, struct thread *thread, uint64_t main_id)
{
	if (thread->id)
		return NULL;
	thread->id = ++export->nr_threads;
	return row(export, EXPORT_THREAD, number(thread->id), number(MACHINE_ID),
		   number(main_id ? main_id : thread->id), number(thread->pid),
		   number(thread->tid));
}

static struct error *comm_thread_row(struct export *export, const struct thread *thread,
				     uint64_t comm_id)
{
	return row(export, EXPORT_COMM_THREAD, number(++export->nr_comm_threads), number(comm_id),
		   number(thread->id));
}

/* Write the row of a comm.  *ret_new (may be NULL): it had none before. */
static struct error *comm_row(struct export *export, const struct thread *thread, size_t at,
			      bool *ret_new)
{
	struct comm *comm = &export->comms.items[at];

	if (ret_new)
		*ret_new = !comm->id;
	if (comm->id)
		return NULL;
	comm->id = ++export->nr_comms;
	return row(export, EXPORT_COMM, number(comm->id), text(comm->text), number(thread->id),
		   count(comm->time), number(comm->exec));
}

/* Write the rows of a process, whose comm is that of its main thread. */
static struct error *main_thread_rows(struct export *export, struct thread *main,
				      uint64_t *ret_comm)
{
	size_t comm = process_comm(export, main);
	struct error *err;
	bool new = false;

	err = thread_row(export, main, 0);
	if (!err)
		err = comm_row(export, main, comm, &new);
	*ret_comm = export->comms.items[comm].id;
	return err || !new ? err : comm_thread_row(export, main, *ret_comm);
}

static struct error *thread_rows(struct export *export, int32_t pid, int32_t tid,
				 uint64_t *ret_thread, uint64_t *ret_comm)
{
	struct thread *main, *thread;
	struct error *err;
	bool new;

	*ret_thread = *ret_comm = 0;
	err = find_thread(export, pid, pid < 0 ? tid : pid, &main);
	if (!err)
		err = machine_row(export);
	if (!err)
		err = main_thread_rows(export, main, ret_comm);
	if (err)
		return err;
	*ret_thread = main->id;
	if (main->tid == tid)
		return comm_row(export, main, main->now, NULL);
	err = find_thread(export, pid, tid, &thread);	/* may move *main */
	if (err)
		return err;
	new = !thread->id;
	err = thread_row(export, thread, *ret_thread);
	if (!err && new)
		err = comm_thread_row(export, thread, *ret_comm);
	if (!err)
		err = comm_row(export, thread, thread->now, NULL);
	*ret_thread = thread->id;
	return err;
}

/* ---- samples ------------------------------------------------------------- */

static struct error *place_ids(struct export *export, const struct place *place,
			       uint64_t address, int64_t *ret_dso, int64_t *ret_symbol)
{
	struct error *err;

	*ret_dso = *ret_symbol = 0;
	if (!place->map)
		return NULL;
	err = dso_id(export, place->map->dso, ret_dso);
	return err ? err : symbol_id(export, place, *ret_dso, address, ret_symbol);
}

static struct error *path_id(struct export *export, int64_t parent, int64_t symbol, uint64_t ip,
			     int64_t *ret)
{
	const struct {
		int64_t parent, symbol;
		uint64_t ip;
	} key = { parent, symbol, ip };
	bool new;
	struct error *err = find_id(&export->paths, &key, sizeof(key), ret, &new);

	if (err || !new)
		return err;
	return row(export, EXPORT_CALL_PATH, number(*ret), number(parent), number(symbol),
		   number(ip));
}

/* Paths lead from the outermost frame inwards; each process has a root of its own. */
static struct error *call_path_id(struct export *export, const struct session_record *r,
				  int64_t *ret)
{
	_cleanup_(callchain) struct callchain chain = { 0 };
	_cleanup_free_ int64_t *symbols = NULL;
	struct error *err = callchain_read(&chain, r, CALLCHAIN_DEPTH);
	int64_t dso;

	*ret = 0;
	if (err || !chain.nr)
		return err;
	symbols = calloc(chain.nr, sizeof(*symbols));
	if (!symbols)
		return &error_no_memory;
	for (size_t i = chain.nr; !err && i--; ) {
		struct place place = { .ip = chain.items[i].ip };

		if (r->machine)
			machine_find(r->machine, r->maps, chain.items[i].mode, chain.items[i].ip,
				     &place);
		err = place_ids(export, &place, has_unknown(export, &place) ? place.address :
				chain.items[i].ip, &dso, &symbols[i]);
	}
	if (!err)
		err = path_id(export, 0, 0, 0, ret);
	for (size_t i = chain.nr; !err && i--; )
		err = path_id(export, *ret, symbols[i], symbols[i] ? 0 : chain.items[i].ip, ret);
	return err;
}

struct error *export_sample(struct export *export, const struct session_record *r,
			    uint64_t *ret_id)
{
	const struct sample *s = &r->sample;
	bool has_data_src = r->event->attr.sample_type & PERF_SAMPLE_DATA_SRC;
	struct place place = { .ip = s->ip };
	int64_t evsel, dso, symbol, path = 0;
	uint64_t thread, comm;
	struct error *err;

	look_at_events(export, r->events);
	err = evsel_id(export, r->event, &evsel);
	if (!err)
		err = thread_rows(export, s->pid, s->tid, &thread, &comm);
	if (err)
		return err;
	if (r->machine)
		machine_find(r->machine, r->maps, s->cpumode, s->ip, &place);
	err = place_ids(export, &place, place.address, &dso, &symbol);
	if (!err && export->callchains)
		err = call_path_id(export, r, &path);
	if (err)
		return err;
	if (ret_id)
		*ret_id = export->nr_samples + 1;
	return row(export, EXPORT_SAMPLE, number(++export->nr_samples), number(evsel),
		   number(MACHINE_ID), number(thread), number(comm), number(dso), number(symbol),
		   count(place.symbol ? place.offset : 0), number(s->ip), count(s->time),
		   number(s->cpu), number(0), number(0), number(0), number(s->addr),
		   count(s->period), count(s->weight), count(s->transaction),
		   count(has_data_src ? s->data_src : DATA_SRC_NONE), number(0), number(0),
		   number(path), number(0), number(0), number(0));
}

/* ---- other records ------------------------------------------------------- */

/* Write the rows of a thread, unless no record has mentioned it. */
static struct error *known_thread_rows(struct export *export, int32_t pid, int32_t tid,
				       uint64_t *ret_thread, uint64_t *ret_comm)
{
	*ret_thread = *ret_comm = 0;
	if (dictionary_find(export->thread_numbers.dictionary, (const char *)&tid,
			    sizeof(tid)) < 0)
		return NULL;
	return thread_rows(export, pid, tid, ret_thread, ret_comm);
}

static struct error *switch_row(struct export *export, const struct session_record *r)
{
	const struct perf_event_header *header = r->record.header;
	const struct body_switch *wide = body_of(header, struct body_switch);
	bool out = header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool preempt = out && header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	uint64_t thread, comm, other = 0, other_comm = 0;
	struct error *err;

	err = machine_row(export);
	if (!err)
		err = known_thread_rows(export, r->sample.pid, r->sample.tid, &thread, &comm);
	if (!err && header->type == PERF_RECORD_SWITCH_CPU_WIDE && wide)
		err = known_thread_rows(export, wide->other_pid, wide->other_tid, &other,
					&other_comm);
	if (err)
		return err;
	/*
	 * A record of a switch out is about the task that leaves, and names the next one.  A record
	 * of a switch in is the other way round.
	 */
	return row(export, EXPORT_CONTEXT_SWITCH, number(++export->nr_switches),
		   number(MACHINE_ID), count(r->sample.time), number(r->sample.cpu),
		   number(out ? thread : other), number(out ? comm : other_comm),
		   number(out ? other : thread), number(out ? other_comm : comm),
		   number(out + 2 * preempt));
}

struct error *export_other(struct export *export, const struct session_record *r, bool *ret_taken)
{
	const struct perf_event_header *header = r->record.header;
	struct thread *thread;
	struct error *err;

	*ret_taken = false;
	look_at_events(export, r->events);
	switch (header->type) {
	case PERF_RECORD_COMM:
		err = find_thread(export, r->pid, r->tid, &thread);
		return err ? err : name_thread(export, thread, r->comm, r->sample.time,
					       header->misc & PERF_RECORD_MISC_COMM_EXEC);
	case PERF_RECORD_FORK:
		err = find_thread(export, r->pid, r->tid, &thread);
		if (err)
			return err;
		*thread = (struct thread){ .pid = r->pid, .tid = r->tid };
		err = begin_thread(export, thread);
		/* If the parent has no name, the child has none either. */
		if (err || !strcmp(export->comms.items[thread->now].text, r->comm))
			return err;
		return name_thread(export, thread, r->comm, r->sample.time, false);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		*ret_taken = true;
		return switch_row(export, r);
	default:
		return NULL;
	}
}

/* ---- its life ------------------------------------------------------------ */

struct error *export_create(struct export_sink *sink, bool callchains, struct export **ret)
{
	struct export *export = calloc(1, sizeof(*export));
	const struct comm nobody = { .id = 0 };
	struct error *err;

	if (!export)
		return &error_no_memory;
	export->sink = sink;
	export->callchains = callchains;
	err = array_push(&export->comms, nobody) ? NULL : &error_no_memory;
	if (!err)
		err = dictionary_create(&export->evsels.dictionary);
	if (!err)
		err = dictionary_create(&export->dsos.dictionary);
	if (!err)
		err = dictionary_create(&export->symbols.dictionary);
	if (!err)
		err = dictionary_create(&export->paths.dictionary);
	if (!err)
		err = dictionary_create(&export->thread_numbers.dictionary);
	if (!err)
		err = branch_rows(export);
	if (err) {
		export_destroy(export);
		return err;
	}
	*ret = export;
	return NULL;
}

void export_destroy(struct export *export)
{
	if (!export)
		return;
	dictionary_destroy(export->evsels.dictionary);
	dictionary_destroy(export->dsos.dictionary);
	dictionary_destroy(export->symbols.dictionary);
	dictionary_destroy(export->paths.dictionary);
	dictionary_destroy(export->thread_numbers.dictionary);
	free(export->threads.items);
	free(export->comms.items);
	free(export);
}
