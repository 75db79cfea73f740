// SPDX-License-Identifier: GPL-2.0
#include "machine/judge.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/array.h"
#include "record/body.h"

/* Larger numbers of CPUs come from damaged files. */
#define JUDGE_CPUS_MAX	65536

struct judge {
	struct session_consumer consumer;
	const struct monitor *monitor;
	struct key_table *keys;
	const struct event **events;	/* by index in the monitor */
	ARRAY_OF(uint32_t) numbers;	/* by event: index + 1; 0: none */
	ARRAY_OF(uint64_t) stored;	/* by CPU: the last record's time */
	uint64_t first, last;		/* the first and the latest time of all samples */
	bool skewed;			/* events were not enabled at the same time */
	bool settled;			/* all events are enabled */
	bool takes_all;			/* judge even firings before that */
	bool missed;			/* a firing is missing or damaged */
	uint64_t skew, settled_at;
	uint32_t nr_cpus;
	/* When each event fired last, nr_cpus values per event; 0: never. */
	uint64_t *fired;
	size_t nr_fired;		/* number of values that are not 0 */
	struct processes *processes;	/* of the session, while it runs */
	uint64_t placed;		/* losses in LOST records */
	uint64_t counted;		/* losses in LOST_SAMPLES, which count all */
};

void judge_destroy(struct judge *j)
{
	if (!j)
		return;
	key_table_destroy(j->keys);
	free(j->events);
	free(j->numbers.items);
	free(j->stored.items);
	free(j->fired);
	free(j);
}

const struct event_format *judge_find_format(void *data, const char *system, const char *event)
{
	const struct judge_formats *f = data;
	const struct event_format *format = formats_find_name(f->formats, system, event);

	for (size_t i = 0; format && i < f->events->nr; i++) {
		const struct event *e = f->events->items[i];

		if (e->attr.type == PERF_TYPE_TRACEPOINT && e->attr.config == format->id)
			return format;
	}
	return NULL;
}

/* Refuse an event whose samples are not all firings on all CPUs. */
static struct error *judge_check_event(const struct monitor *m, const struct event *e)
{
	struct error *err = NULL;

	if (e->filter)
		err = error_new(EINVAL, "The recording has only those firings of %s that a filter "
				"accepted: %s",
				e->name, e->filter);
	else if (e->cgroup)
		err = error_new(EINVAL, "The recording has only those firings of %s that were in the cgroup "
				"%s", e->name, e->cgroup);
	else if (e->attr.freq || e->attr.sample_period > 1)
		err = error_new(EINVAL, "The recording has only some of the firings of %s", e->name);
	else if (e->attr.enable_on_exec && m->of_others)
		err = error_new(EINVAL, "The recording is of a command, so it lacks other tasks' "
				"firings about its tasks (%s)", e->name);
	return err ? error_hint(err, "The model %s needs all of them: ktrace record -a", m->name) : NULL;
}

/*
 * Find the recording's events for those of the monitor.  An event that is there twice counts once.
 */
static struct error *judge_find_events(struct judge *j, const struct event_list *events)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < events->nr; i++) {
		const struct event *e = events->items[i];
		uint32_t number = 0;

		for (size_t m = 0; m < j->monitor->events.nr; m++) {
			if (e->attr.type != PERF_TYPE_TRACEPOINT || !event_counts(events, e) ||
			    e->attr.config != j->monitor->events.items[m]->id || j->events[m])
				continue;
			j->events[m] = e;
			number = m + 1;
			j->skewed |= e->source != EVENT_SOURCE_DEVICE;
			err = judge_check_event(j->monitor, e);
		}
		if (!array_push(&j->numbers, number))
			return &error_no_memory;
	}
	return err;
}

/* The time of a CPU's last record; NULL: the number cannot be a CPU's, or memory is out. */
static uint64_t *judge_stored(struct judge *j, int32_t cpu)
{
	if (cpu < 0 || cpu >= JUDGE_CPUS_MAX)
		return NULL;
	return array_at(&j->stored, cpu, 0);
}

static void judge_note(struct judge *j, int32_t cpu, uint64_t time)
{
	uint64_t *stored = judge_stored(j, cpu);

	if (stored && *stored < time)
		*stored = time;
	if (!j->first || time < j->first)
		j->first = time;
	if (j->last < time)
		j->last = time;
}

/* The monitor's index of the record's event, plus 1; 0: the monitor does not use it. */
static uint32_t judge_number(const struct judge *j, const struct session_record *r)
{
	return r->event && r->event->index < j->numbers.nr ? j->numbers.items[r->event->index] : 0;
}

static struct error *judge_lose_all(struct judge *j, uint64_t since, bool tasks)
{
	bool done = key_table_lose(j->keys, KEY_ANY_CPU, since, j->last, tasks);

	j->missed = true;
	return done ? NULL : &error_no_memory;
}

static size_t judge_cells(const struct judge *j)
{
	return (size_t)j->nr_cpus * j->monitor->events.nr;
}

/*
 * Note that an event has fired.  Returns whether it is to be judged, as all events are enabled by
 * now or all firings are taken.
 */
static bool judge_settle(struct judge *j, uint32_t event, const struct machine_record *r)
{
	if (r->cpu >= 0 && (uint32_t)r->cpu < j->nr_cpus) {
		uint64_t *fired = &j->fired[(size_t)event * j->nr_cpus + r->cpu];

		j->nr_fired += !*fired && r->time;
		*fired = *fired > r->time ? *fired : r->time;
	}
	if (!j->settled) {
		j->settled = !j->skewed || r->time - j->first >= j->skew ||
			     (j->nr_cpus && j->nr_fired == judge_cells(j));
		j->settled_at = r->time;
		if (j->settled)
			key_table_trust(j->keys, r->time);
	}
	return j->settled || j->takes_all;
}

/* The time until when all events were enabled. */
static uint64_t judge_end(const struct judge *j)
{
	uint64_t end = UINT64_MAX, by_time = j->last > j->skew ? j->last - j->skew : 0;

	if (!j->skewed)
		return j->last;
	for (size_t i = 0; i < judge_cells(j); i++)
		if (end > j->fired[i])
			end = j->fired[i];
	return !j->nr_cpus || end < by_time ? by_time : end;
}

static struct error *judge_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct judge *j = container_of(consumer, struct judge, consumer);
	struct machine_record record = {
		.raw = r->sample.raw, .raw_size = r->sample.raw_size, .cpu = r->sample.cpu,
		.tid = r->sample.tid, .tgid = r->sample.pid, .time = r->record.time,
	};
	uint32_t number = judge_number(j, r);

	j->processes = r->processes;
	judge_note(j, record.cpu, record.time);
	j->missed |= number && !record.raw;
	if (!number || !record.raw)
		return NULL;
	/* A record that is too short is damaged: its key is unknown. */
	if (record.raw_size < j->monitor->events.items[number - 1]->record_size)
		return judge_lose_all(j, record.time - 1, false);
	if (!judge_settle(j, number - 1, &record))
		return NULL;
	record.swapped = r->format && r->format->nr_fields && r->format->fields[0].is_swapped;
	return key_table_take(j->keys, number - 1, &record) ? NULL : &error_no_memory;
}

/* Whether the loss can concern the monitor's events. */
static bool judge_is_touched(const struct judge *j, const struct session_record *r)
{
	if (r->loss.of_event)
		return judge_number(j, r);
	if (j->monitor->view.head->key == MACHINE_KEY_TASK)
		return true;
	for (size_t i = 0; i < j->monitor->events.nr; i++)
		if (!j->events[i] || j->events[i]->source != EVENT_SOURCE_DEVICE)
			return true;
	return false;
}

/*
 * The end of the time in which the lost firings may have happened: also before the latest time that
 * is already known.
 */
static uint64_t judge_lost_until(const struct judge *j, const struct session_record *r)
{
	uint64_t until = r->loss.of_event && r->loss.until ? r->loss.until : r->record.time;

	return until > j->last ? until : j->last;
}

static struct error *judge_lose(struct judge *j, const struct session_record *r)
{
	const struct body_lost *lost = body_of(r->record.header, struct body_lost);
	/*
	 * The module reports the time of the first lost firing itself; otherwise @since is the time
	 * of the record before the loss.
	 */
	uint64_t since = r->loss.since - (r->loss.of_event && r->loss.since);
	int32_t cpu = r->sample.cpu >= 0 ? r->sample.cpu : KEY_ANY_CPU;
	bool done;

	if (!lost)
		return NULL;
	j->placed += lost->lost;
	if (!judge_is_touched(j, r))
		return NULL;
	j->missed = true;
	done = key_table_lose(j->keys, cpu, since, judge_lost_until(j, r), !r->loss.of_event);
	return done ? NULL : &error_no_memory;
}

static struct error *judge_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct judge *j = container_of(consumer, struct judge, consumer);
	const struct perf_event_header *header = r->record.header;
	const struct body_lost_samples *samples = body_of(header, struct body_lost_samples);
	const struct body_task *task = body_of(header, struct body_task);
	bool done = true;

	switch (header->type) {
	case PERF_RECORD_LOST:
		return judge_lose(j, r);
	case PERF_RECORD_LOST_SAMPLES:
		j->counted += samples ? samples->lost : 0;
		break;
	case PERF_RECORD_FORK:
		done = !task || key_table_begin_task(j->keys, task->tid, r->record.time);
		break;
	case PERF_RECORD_EXIT:
		done = !task || key_table_end_task(j->keys, task->tid, r->record.time);
		break;
	}
	return done ? NULL : &error_no_memory;
}

/* Losses without the position of a LOST record came after all stored records of their ring. */
static bool judge_lose_rest(struct judge *j)
{
	bool done = true;

	j->missed |= j->counted > j->placed;
	for (size_t cpu = 0; done && j->counted > j->placed && cpu < j->stored.nr; cpu++)
		done = key_table_lose(j->keys, cpu, j->stored.items[cpu], j->last, true);
	return done;
}

static const char *judge_comm(void *data, int32_t tid)
{
	struct judge *j = data;

	return j->processes ? processes_comm(j->processes, processes_pid(j->processes, tid), tid) : "";
}

static struct error *judge_finish(struct session_consumer *consumer)
{
	struct judge *j = container_of(consumer, struct judge, consumer);

	bool done = judge_lose_rest(j) &&
		    key_table_finish(j->keys, j->takes_all ? j->last : judge_end(j));

	j->processes = NULL;
	return done ? NULL : &error_no_memory;
}

struct error *judge_create(const struct monitor *monitor, const struct event_list *events,
			   uint32_t nr_cpus, struct judge **ret)
{
	_cleanup_(judge) struct judge *j = calloc(1, sizeof(*j));
	struct error *err;

	if (!j)
		return &error_no_memory;
	j->monitor = monitor;
	j->skew = JUDGE_SKEW;
	j->consumer = (struct session_consumer){
		.sample = judge_sample, .other = judge_other, .finish = judge_finish,
	};
	j->nr_cpus = nr_cpus < JUDGE_CPUS_MAX ? nr_cpus : 0;
	j->events = calloc(monitor->events.nr, sizeof(*j->events));
	j->fired = calloc(judge_cells(j) + 1, sizeof(*j->fired));
	if (!j->events || !j->fired)
		return &error_no_memory;
	err = key_table_create(monitor, &j->keys);
	if (!err)
		key_table_name_tasks(j->keys, judge_comm, j);
	if (!err)
		err = judge_find_events(j, events);
	if (err)
		return err;
	*ret = take_ptr(j);
	return NULL;
}

void judge_take_all(struct judge *j, uint64_t skew)
{
	j->takes_all = true;
	j->skew = skew;
}

void judge_enabled(const struct judge *j, uint64_t *ret_from, uint64_t *ret_to)
{
	*ret_from = !j->skewed ? 0 : j->settled ? j->settled_at : UINT64_MAX;
	*ret_to = judge_end(j);
}

bool judge_has_missed(const struct judge *j)
{
	return j->missed;
}

static struct session_consumer *judge_consumer(struct judge *j)
{
	return &j->consumer;
}

static bool judge_has_row(const struct judge *j, const struct ledger_row *row)
{
	bool has = row->event == UINT32_MAX;

	for (size_t i = 0; i < j->monitor->events.nr; i++)
		has |= j->events[i] && j->events[i]->index == row->event;
	return has;
}

bool judge_knows_losses(const struct judge *j, const struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->nr; i++)
		if (judge_has_row(j, &ledger->items[i]) &&
		    ledger_row_lost(&ledger->items[i]) == LEDGER_NOT_KNOWN)
			return false;
	return true;
}

bool judge_leaves_out(const struct judge *j, const struct ledger *ledger)
{
	bool own_tasks = j->monitor->view.head->key == MACHINE_KEY_TASK && !j->monitor->of_others;

	for (size_t i = 0; i < ledger->nr && !own_tasks; i++)
		if (judge_has_row(j, &ledger->items[i]) && ledger->items[i].out_of_scope)
			return true;
	return false;
}

bool judge_is_complete(const struct judge *j, const struct ledger *ledger)
{
	return judge_knows_losses(j, ledger) && !judge_leaves_out(j, ledger);
}

struct error *judge_distrust(struct judge *j)
{
	return judge_lose_all(j, 0, true);
}

const struct event *judge_event(const struct judge *j, size_t number)
{
	return j->events[number];
}

struct key_table *judge_keys(const struct judge *j)
{
	return j->keys;
}

static struct error *judges_sample(struct session_consumer *consumer,
				   const struct session_record *r)
{
	struct judges *j = container_of(consumer, struct judges, consumer);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->list.nr; i++) {
		struct session_consumer *judge = judge_consumer(j->list.items[i].judge);

		err = judge->sample(judge, r);
	}
	return err;
}

static struct error *judges_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct judges *j = container_of(consumer, struct judges, consumer);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->list.nr; i++) {
		struct session_consumer *judge = judge_consumer(j->list.items[i].judge);

		err = judge->other(judge, r);
	}
	return err;
}

static struct error *judges_finish(struct session_consumer *consumer)
{
	struct judges *j = container_of(consumer, struct judges, consumer);
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->list.nr; i++) {
		struct session_consumer *judge = judge_consumer(j->list.items[i].judge);

		err = judge->finish(judge);
	}
	return err;
}

void judges_init(struct judges *j)
{
	*j = (struct judges){
		.consumer = {
			.sample = judges_sample, .other = judges_other, .finish = judges_finish,
		},
	};
}

void judges_deinit(struct judges *j)
{
	for (size_t i = 0; i < j->list.nr; i++) {
		judge_destroy(j->list.items[i].judge);
		monitor_destroy(j->list.items[i].monitor);
	}
	free(j->list.items);
}

struct error *judges_add(struct judges *j, const char *name, const struct automaton *automaton,
			 const struct binding *binding, const struct judges_source *source)
{
	struct judge_formats recorded = { source->events, source->formats };
	const struct monitor_formats formats = { judge_find_format, &recorded };
	_cleanup_(monitor) struct monitor *monitor = NULL;
	struct judge *judge = NULL;
	struct error *err = monitor_compile(name, automaton, binding, &formats, &monitor);

	if (!err)
		err = judge_create(monitor, source->events, source->nr_cpus, &judge);
	if (err)
		return err;
	if (!array_push(&j->list, ((struct judges_item){ monitor, judge }))) {
		judge_destroy(judge);
		return &error_no_memory;
	}
	take_ptr(monitor);
	return NULL;
}

void judges_drop_last(struct judges *j)
{
	struct judges_item *item = &j->list.items[--j->list.nr];

	judge_destroy(item->judge);
	monitor_destroy(item->monitor);
}

struct error *judges_distrust(struct judges *j, bool damaged, const struct ledger *ledger,
			      struct strbuf *told)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < j->list.nr; i++) {
		struct judges_item *item = &j->list.items[i];
		const char *between = told && told->len ? "\n" : "";

		if (damaged && told)
			strbuf_addf(told, "%sRecords are damaged or missing at the end, so %s does "
				    "not know the outcome of any key.",
				    between, item->monitor->name);
		if (!damaged && (!ledger || judge_is_complete(item->judge, ledger)))
			continue;
		if (!damaged && told)
			strbuf_addf(told, "%sThe recorder left out or lost firings of the events of %s, "
				    "and it is not known which, so no key is known.", between,
				    item->monitor->name);
		err = judge_distrust(item->judge);
	}
	return err;
}

DEFINE_COMPARISON(judges_compare, struct judges_violation,
		  array_order(x->violation->time, y->violation->time))

struct error *judges_violations(struct judges *j, struct judges_violation **ret, size_t *ret_nr)
{
	ARRAY_OF(struct judges_violation) rows = { 0 };

	for (size_t i = 0; i < j->list.nr; i++) {
		const struct key_violation *violations;
		size_t nr;

		violations = key_table_violations(judge_keys(j->list.items[i].judge), &nr);
		for (size_t v = 0; v < nr; v++) {
			if (array_push(&rows, ((struct judges_violation){
				j->list.items[i].monitor, &violations[v] })))
				continue;
			free(rows.items);
			return &error_no_memory;
		}
	}
	/* The violations of a single monitor are already sorted. */
	if (j->list.nr > 1)
		array_sort(&rows, judges_compare);
	*ret = rows.items;
	*ret_nr = rows.nr;
	return NULL;
}
