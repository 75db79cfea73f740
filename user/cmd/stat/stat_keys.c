// SPDX-License-Identifier: GPL-2.0
#include "cmd/stat/stat_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cgroup.h"
#include "capture/choose.h"
#include "capture/counts.h"
#include "capture/task_events.h"
#include "cmd/event_words.h"
#include "cmd/stat/stat_recorded.h"
#include "cmd/stat/stat_stacks.h"
#include "counts/key_counts.h"
#include "counts/key_sample.h"
#include "lib/array.h"
#include "lib/interrupt.h"
#include "lib/log.h"
#include "record/common_number.h"
#include "table/stat/key_counts_text.h"

#define DEFAULT_MAX_KEYS	10240
#define MAX_MAX_KEYS		(1U << 20)

/* One event that is counted. */
struct stat_keyed {
	struct event *event;
	struct count_keys keys;
	struct key_counts counts;
	struct key_starts starts;	/* of recorded events, if this is a start */
	struct counts_ledger ledger;	/* likewise, where it is known */
	struct count_keys open;		/* how starts without an end are shown; borrowed parts */
	struct stat_chains chains;	/* of the module's table, if this event owns it */
	struct stat_keyed *chains_of;	/* whose table that is; NULL: the keys have no chains */
	struct stat_keys *all;
};

struct stat_keys {
	struct stat_command *command;
	struct stat_keyed *items;	/* by their index in the event list */
	size_t nr;
	struct stat_recorded *run;	/* the recording meanwhile; NULL: none; borrowed */
	bool by_module;			/* it counts, not we */
	struct stat_stacks stacks;
	struct cgroups cgroups;		/* if a key has their ids */
};

static void stat_keys_deinit(struct stat_keys *k)
{
	for (size_t i = 0; i < k->nr; i++) {
		key_counts_deinit(&k->items[i].counts);
		key_starts_deinit(&k->items[i].starts);
		stat_chains_deinit(&k->items[i].chains);
		count_keys_deinit(&k->items[i].keys);
	}
	free(k->items);
	stat_stacks_deinit(&k->stacks);
	cgroups_deinit(&k->cgroups);
}

DEFINE_CLEANUP(stat_keys, struct stat_keys, stat_keys_deinit)

/* ---- options ----------------------------------------------------------------------- */

static struct error *stat_keys_latency_error(const char *text)
{
	return error_hint(error_new(EINVAL, "--latency takes two tracepoints and at least one field "
				    "that both have in common, not '%s'", text),
			  "As in --latency irq:softirq_entry,irq:softirq_exit,cpu; where the field "
			  "has two names, sched:sched_waking,sched:sched_switch,pid=next_pid");
}

/*
 * The index of the event with this name, other than @not, which is added unless -e named it
 * already.
 */
static struct error *stat_keys_need_event(struct event_specs *specs, const char *name, size_t not,
					  size_t *ret)
{
	struct error *err;

	for (size_t i = 0; i < specs->nr; i++)
		if (i != not && !strcmp(specs->items[i].text, name)) {
			*ret = i;
			return NULL;
		}
	err = event_words_add(specs, name);
	if (!err && specs->nr != specs->last_first + 1)
		return error_new(EINVAL, "--latency takes one tracepoint, but '%s' names several",
				 name);
	*ret = specs->nr - 1;
	return err;
}

static struct error *stat_keys_parse_latency(struct stat_options *o)
{
	struct stat_key_options *k = &o->keys;
	char *start = strdup(k->latency), *end, *pair;
	struct error *err;

	free(k->latency_words);
	k->latency_words = start;
	if (!start)
		return &error_no_memory;
	end = strchr(start, ',');
	pair = end ? strchr(end + 1, ',') : NULL;
	if (!pair || !pair[1])
		return stat_keys_latency_error(k->latency);
	*end++ = '\0';
	*pair++ = '\0';
	k->pair = pair;
	err = stat_keys_need_event(&o->specs, start, SIZE_MAX, &k->start);
	if (!err)
		err = stat_keys_need_event(&o->specs, end, k->start, &k->end);
	/* The same event with the same field would begin and end at once. */
	if (!err && !strcmp(start, end) && !strchr(pair, '='))
		return stat_keys_latency_error(k->latency);
	return err;
}

/* Whether a field of a string is meant that arguments of system calls point to. */
static bool stat_keys_name_strings(const struct stat_options *o)
{
	const struct stat_key_options *k = &o->keys;
	const char *const words[] = { k->by, k->hist, k->value, k->latency };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i] && strstr(words[i], "_val"))
			return true;
	return array_any(&o->specs, it, it->filter && strstr(it->filter, "_val"));
}

/* Whether a word of --by is a call chain. */
static bool stat_keys_name_stacks(const char *by)
{
	static const char *const words[] = { "kstack", "ustack", "start.kstack", "start.ustack" };

	for (const char *at = by; at && *at; at += *at == ',') {
		size_t len = strcspn(at, ",");

		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			if (len == strlen(words[i]) && !memcmp(at, words[i], len))
				return true;
		at += len;
	}
	return false;
}

static struct error *stat_keys_check_stacks(struct stat_options *o)
{
	struct stat_key_options *k = &o->keys;

	k->stacks = stat_keys_name_stacks(k->by);
	if (o->layout.form == STAT_FORM_FOLDED && !k->stacks)
		return error_hint(error_new(EINVAL, "--folded prints call chains, and --by names "
					    "none"),
				  "--by kstack,ustack counts by the chains of the kernel and of user "
				  "space");
	if (o->layout.form == STAT_FORM_FOLDED && (k->hist || o->interval_ms))
		return error_new(EINVAL, "Lines of --folded have no room for the steps of --hist and the "
				 "times of -I");
	return NULL;
}

struct error *stat_keys_finish_options(struct stat_options *o)
{
	struct stat_key_options *k = &o->keys;

	struct error *err = stat_keys_check_stacks(o);

	if (err)
		return err;
	o->counters.by_keys = k->by || k->hist || k->value || k->latency;
	if (!o->counters.by_keys)
		return !k->top && !k->max_keys ? NULL :
			error_new(EINVAL, "--top and --max-keys are for --by, --hist, --value and "
				  "--latency");
	if (o->record || o->runs != 1 || o->versus || o->nothing || o->details || o->cgroups ||
	    o->by != STAT_BY_ALL || o->layout.metric_only || o->raw)
		return error_hint(error_new(EINVAL, "--by, --hist, --value and --latency do not go "
					    "together with record, -r, -n, -d, -A, --per-*, "
					    "--for-each-cgroup, --metric-only, --no-scale and "
					    "--versus"),
				  "'--by cpu' counts each CPU by itself, '--by cgroup' each cgroup");
	if (o->begin_disabled || o->control.fd >= 0)
		return error_hint(error_new(EINVAL, "--by, --hist, --value and --latency count from the "
					    "beginning to the end, and do not go together with --control "
					    "and -D -1"),
				  "-D MS lets the counting begin later, and --timeout ends it");
	if (o->counters.only_user || o->counters.only_kernel)
		return error_new(EINVAL, "Tracepoints fire in the kernel, so --all-user and "
				 "--all-kernel do not choose among them");
	if (k->hist && k->latency)
		return error_new(EINVAL, "--latency prints a histogram already, so --hist adds "
				 "nothing");
	if (k->max_keys > MAX_MAX_KEYS)
		return error_new(EINVAL, "--max-keys can be %u at most, not %u", MAX_MAX_KEYS,
				 k->max_keys);
	if (!k->max_keys)
		k->max_keys = DEFAULT_MAX_KEYS;
	o->counters.user_strings = stat_keys_name_strings(o) && capture_can_strings(NULL);
	if (k->latency)
		return stat_keys_parse_latency(o);
	if (!o->specs.nr)
		return error_hint(error_new(EINVAL, "There is no event to count by fields"),
				  "Name a tracepoint with -e, as in -e sched:sched_switch --by "
				  "next_comm");
	return NULL;
}

/* ---- keys --------------------------------------------------------------------------- */

/* "pid=next_pid,x" has the fields "pid,x" of the start and "next_pid,x" of the end. */
static struct error *stat_keys_split_pair(const char *pair, struct strbuf *start,
					  struct strbuf *end)
{
	for (const char *at = pair; *at; at += *at == ',') {
		size_t len = strcspn(at, ","), first = strcspn(at, ",=");

		if (start->len) {
			strbuf_addch(start, ',');
			strbuf_addch(end, ',');
		}
		strbuf_add(start, at, first);
		at += first < len ? first + 1 : 0;
		len -= first < len ? first + 1 : 0;
		strbuf_add(end, at, len);
		at += len;
	}
	return start->failed || end->failed ? &error_no_memory : NULL;
}

static struct error *stat_keys_set_latency(const struct stat_options *o, struct stat_keyed *keyed,
					   const struct event_format *format)
{
	_cleanup_(strbuf) struct strbuf start = STRBUF_INIT, end = STRBUF_INIT;
	bool is_end = keyed->event->index == o->keys.end;
	struct error *err = stat_keys_split_pair(o->keys.pair, &start, &end);

	if (err)
		return err;
	keyed->keys.role = is_end ? COUNT_END : COUNT_START;
	keyed->keys.start = o->keys.start;
	err = count_keys_add_pair(&keyed->keys, format, strbuf_str(is_end ? &end : &start));
	return err ? error_prefix(err, "--latency") : NULL;
}

static struct error *stat_keys_set(const struct stat_options *o, struct stat_keyed *keyed,
				   struct event_filters *formats)
{
	const struct stat_key_options *k = &o->keys;
	const struct event_format *format;
	const char *steps = k->latency ? "latency" : k->hist;
	const char *value = k->value ? k->value : steps;
	struct count_keys *keys = &keyed->keys;
	struct error *err = event_filters_format(formats, keyed->event, &format);

	/* There are many call chains, so sums are more useful than histograms. */
	if (k->latency && k->stacks)
		steps = NULL;

	keys->entries = k->max_keys;
	if (!err && k->latency)
		err = stat_keys_set_latency(o, keyed, format);
	if (err || keys->role == COUNT_START)
		return err;
	if (keys->role == COUNT_END) {
		struct stat_keyed *start = &keyed->all->items[o->keys.start];

		keys->start_keys = &start->keys;
		err = event_filters_format(formats, start->event, &keys->start_format);
	}
	if (!err && k->by)
		err = count_keys_add(keys, format, k->by);
	if (!err && steps)
		err = count_keys_add_steps(keys, format, steps);
	if (!err && value)
		err = count_keys_set_value(keys, format, value);
	return err;
}

/* Data kept with a start describes starts without an end: their age, or their value. */
static void stat_keys_set_open(struct stat_keyed *start, const struct stat_keyed *end)
{
	struct count_keys *open = &start->open;

	*open = start->keys;
	open->has_value = true;
	open->value.source.latency = true;
	/* The field that is kept for the value is the last one, and not part of the key. */
	if (end->keys.has_value && end->keys.value.source.of_start) {
		open->value.source = end->keys.value.source;
		open->value.is_signed = end->keys.value.is_signed;
		open->nr--;
	}
	start->counts.keys = open;
}

/* A start and its end share the module's table of chains, if the start has any. */
static void stat_keys_find_chains(struct stat_keys *k)
{
	for (size_t i = 0; i < k->nr; i++) {
		struct stat_keyed *keyed = &k->items[i];
		struct stat_keyed *start = &k->items[keyed->keys.start];
		bool is_end = keyed->keys.role == COUNT_END;

		if (is_end)
			stat_keys_set_open(start, keyed);
		if (!count_keys_have_chains(&keyed->keys))
			continue;
		keyed->chains_of = is_end && count_keys_have_chains(&start->keys) ? start : keyed;
	}
}

/* Only the module adds fields of strings to events, so without it the name is unknown. */
static struct error *stat_keys_explain(const struct stat_options *o, struct error *err)
{
	if (!err || err == &error_no_memory || !stat_keys_name_strings(o) ||
	    o->counters.user_strings)
		return err;
	return error_hint(err, "Strings that arguments of system calls point to, such as "
			  "__filename_val, are counted through the ktrace module alone; 'ktrace "
			  "doctor' shows how to get it");
}

static struct error *stat_keys_check_pair(const struct stat_keys *k)
{
	const struct stat_key_options *o = &k->command->options->keys;
	const struct count_keys *start, *end;
	bool same;

	if (!o->latency)
		return NULL;
	start = &k->items[o->start].keys;
	end = &k->items[o->end].keys;
	same = start->nr_pair == end->nr_pair;
	for (size_t i = 0; same && i < start->nr_pair; i++)
		same = start->parts[i].is_text == end->parts[i].is_text &&
		       start->parts[i].size == end->parts[i].size &&
		       start->parts[i].is_step == end->parts[i].is_step;
	return same ? NULL : error_new(EINVAL, "The fields of --latency have different types in %s "
				       "and in %s", k->items[o->start].event->name,
				       k->items[o->end].event->name);
}

static struct error *stat_keys_check_recorded(const struct stat_keyed *keyed)
{
	bool only_module = count_keys_have_chains(&keyed->keys) ||
			   count_keys_have_start(&keyed->keys);
	const char *missing = only_module ? NULL : key_sample_missing(&keyed->keys);

	if (only_module)
		return error_hint(error_new(ENOENT, "Only the ktrace module, which is not loaded, "
					    "counts by call chains and by fields of the start "
					    "event"),
				  "'ktrace doctor' shows how to load it; 'ktrace record -g' "
				  "records the call chains without it");
	return !missing ? NULL :
	       error_hint(error_new(ENOENT, "The ktrace module is not loaded, and perf_event does not "
				    "record the %s of tasks, by which %s is to be counted", missing,
				    keyed->event->name),
			  "Load the module ('ktrace doctor' shows how), or count by cpu, comm, "
			  "pid, tid or a field of the event");
}

static struct error *stat_keys_init(struct stat_command *c, struct stat_recorded *recorded,
				    struct stat_keys *k)
{
	struct plan *plan = recorded ? &recorded->run.plan : NULL;
	bool by_module = !recorded || recorded->by_module;
	struct event_list *events = plan ? &plan->events : &c->counters.events;
	struct event_filters *formats = plan ? &plan->filters : &c->counters.filters;
	const struct stat_options *o = c->options;
	struct error *err = NULL;

	k->command = c;
	k->run = recorded;
	k->by_module = by_module;
	k->items = calloc(events->nr + 1, sizeof(*k->items));
	if (!k->items)
		return &error_no_memory;
	for (size_t i = 0; !err && i < events->nr; i++) {
		struct stat_keyed *keyed = &k->items[i];

		/* The event that reports tasks is the last one, and is not counted. */
		if (task_events_is(events->items[i]))
			break;
		k->nr++;

		keyed->event = events->items[i];
		keyed->counts.keys = &keyed->keys;
		keyed->all = k;
		if (o->keys.latency && i != o->keys.start && i != o->keys.end)
			return error_hint(error_new(EINVAL, "--latency counts two events, and %s "
						    "is neither", keyed->event->name),
					  "Count it with another ktrace stat");
		if (by_module)
			keyed->event->count = &keyed->keys;
		err = stat_keys_explain(o, stat_keys_set(o, keyed, formats));
		if (!err && !by_module)
			err = stat_keys_check_recorded(keyed);
	}
	if (err)
		return err;
	stat_keys_find_chains(k);
	return stat_keys_check_pair(k);
}

/* ---- counts -------------------------------------------------------------------------- */

/* The capture of the events that the module counts. */
static struct capture *stat_keys_capture(const struct stat_keys *k)
{
	const struct captures *captures;

	if (!k->run)
		return counts_capture(k->command->counters.counting);
	captures = &k->run->run.recorder.captures;
	for (size_t i = 0; i < captures->nr; i++)
		if (captures->items[i]->backend == counts_backend())
			return captures->items[i];
	return NULL;
}

/* The module's numbers of chains become those of stacks, which are equal if these are. */
static void stat_keys_name_chains(const struct stat_keyed *keyed, char *key)
{
	for (size_t i = keyed->keys.nr_pair; i < keyed->keys.nr; i++) {
		const struct count_part *part = &keyed->keys.parts[i];
		uint64_t number;

		if (!part->source.chain)
			continue;
		number = stat_stacks_find(&keyed->chains_of->chains, count_part_number(part, key));
		memcpy(key + part->offset, &number, sizeof(number));
	}
}

static struct error *stat_keys_add_entry(void *data, const struct counts_entry *entry)
{
	struct stat_keyed *keyed = data;
	const struct count_keys *keys = keyed->counts.keys;
	bool is_open = keys->role == COUNT_START;
	char key[COUNT_MAX_KEY];
	struct key_row row = {
		.key = key, .count = entry->count, .sum = entry->sum,
		.min = entry->min, .max = entry->max,
	};

	memcpy(key, (const char *)entry->key + (is_open ? keys->pair_bytes : 0), keys->key_bytes);
	if (is_open && keys->value.source.of_start) {
		const struct count_part *part = &keys->parts[keys->value.source.start_part];

		row.sum = row.min = row.max = count_part_number(part, key);
		memset(key + part->offset, 0, part->size);
	}
	if (keyed->chains_of)
		stat_keys_name_chains(keyed, key);
	return key_counts_add(&keyed->counts, &row);
}

/* Count a sample, where the module does not. */
static struct error *stat_keys_take_sample(void *data, const struct session_record *r)
{
	struct stat_keys *k = data;
	struct stat_keyed *keyed = r->event->index < k->nr ? &k->items[r->event->index] : NULL;
	struct counts_ledger *ledger = keyed ? &keyed->ledger : NULL;
	struct key_starts *starts;
	uint64_t latency = 0;
	bool again = false, done = false;
	struct error *err;

	if (!keyed)
		return NULL;
	if (keyed->keys.role == COUNT_START) {
		err = key_starts_put(&keyed->starts, &keyed->keys, r, &again, &done);
		ledger->restarted += again;
	} else {
		starts = &k->items[keyed->keys.start].starts;
		if (keyed->keys.role == COUNT_END &&
		    !key_starts_take(starts, &keyed->keys, r, &latency)) {
			ledger->no_start++;
			return NULL;
		}
		err = key_sample_count(&keyed->counts, r, latency, &done);
	}
	ledger->counted += done;
	ledger->no_slot += !done;
	return err;
}

static bool stat_keys_is_cgroup(const struct count_part *part)
{
	const struct common_field_info *common = part->source.common;

	return common && common->number == COMMON_FIELD_CGROUP && !part->is_step;
}

static bool stat_keys_have_cgroups(const struct stat_keys *k)
{
	for (size_t i = 0; i < k->nr; i++)
		for (size_t j = 0; j < k->items[i].keys.nr; j++)
			if (stat_keys_is_cgroup(&k->items[i].keys.parts[j]))
				return true;
	return false;
}

static struct error *stat_keys_add_cgroup(void *data, uint64_t id, const char *path)
{
	struct stat_keys *k = data;

	return cgroups_add(&k->cgroups, id, path, strlen(path));
}

/* Read the current paths of cgroups.  Deleted ones keep their last path. */
static struct error *stat_keys_find_cgroups(struct stat_keys *k)
{
	struct error *err = NULL;

	if (cgroup_is_unified())
		err = cgroup_walk(stat_keys_add_cgroup, k);
	/* Where none are mounted, ids are all that can be printed. */
	if (err && err->code == ENOENT)
		error_free(take_ptr(err));
	return err;
}

/*
 * Name the cgroups of one part of the keys.  There can be thousands, so they are looked for only
 * when an id is new, and once; one that no cgroup has any more is its own name.
 */
static struct error *stat_keys_name_cgroups(struct stat_keys *k, const struct count_part *part,
					    const struct key_list *list)
{
	struct error *err = NULL;
	bool looked = false;
	char number[24];

	for (size_t i = 0; !err && i < list->nr; i++) {
		uint64_t id = count_part_number(part, list->rows[i].key);

		if (!looked && !cgroups_path(&k->cgroups, id)) {
			err = stat_keys_find_cgroups(k);
			looked = true;
		}
		snprintf(number, sizeof(number), "%" PRIu64, id);
		if (!err)
			err = stat_keys_add_cgroup(k, id, number);
	}
	return err;
}

static struct error *stat_keys_name_parts(struct stat_keys *k, const struct count_keys *keys,
					  const struct key_list *list)
{
	struct error *err = NULL;

	for (size_t i = keys->nr_pair; !err && i < keys->nr; i++)
		if (stat_keys_is_cgroup(&keys->parts[i]))
			err = stat_keys_name_cgroups(k, &keys->parts[i], list);
	return err;
}

/* Starts without an end are shown if a field is kept with them. */
static bool stat_keys_are_shown(const struct stat_keyed *keyed)
{
	return keyed->keys.role != COUNT_START || keyed->keys.nr > keyed->keys.nr_pair;
}

static struct error *stat_keys_read(struct stat_keys *k)
{
	struct error *err = NULL;

	if (!k->by_module)
		return NULL;
	for (size_t i = 0; !err && i < k->nr; i++) {
		struct stat_keyed *keyed = &k->items[i];

		if (!stat_keys_are_shown(keyed))
			continue;
		key_counts_clear(&keyed->counts);
		err = counts_backend()->read_counts(stat_keys_capture(k), keyed->event,
						    stat_keys_add_entry, keyed);
	}
	return err;
}

static struct error *stat_keys_print(struct stat_keys *k, const uint64_t *time, struct strbuf *out)
{
	const struct stat_options *o = k->command->options;
	struct key_layout layout = {
		.form = o->layout.form, .separator = o->layout.separator,
		.plain_digits = o->layout.plain_digits, .top = o->keys.top, .interval = time,
		.cgroups = &k->cgroups, .stacks = &k->stacks.names,
	};
	struct error *err = NULL;

	for (size_t i = 0; !err && i < k->nr; i++) {
		_cleanup_(key_list) struct key_list list = { 0 };
		struct stat_keyed *keyed = &k->items[i];

		if (!stat_keys_are_shown(keyed))
			continue;
		layout.chains = keyed->chains_of ? keyed->chains_of->chains.state.used : 0;
		layout.open = keyed->keys.role == COUNT_START;
		err = key_counts_sort(&keyed->counts, &list);
		if (!err)
			err = stat_keys_name_parts(k, &keyed->keys, &list);
		if (!err)
			key_counts_add_text(&layout, keyed->event->name, keyed->counts.keys, &list,
					    time, out);
	}
	return err;
}

static struct error *stat_keys_end_interval(void *data, uint64_t elapsed)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct stat_keys *k = data;
	struct error *err = stat_keys_read(k);

	if (!err && k->command->options->clear)
		strbuf_addstr(&text, "\33[H\33[2J");
	if (!err)
		err = stat_keys_print(k, &elapsed, &text);
	for (size_t i = 0; !err && i < k->nr; i++)
		err = key_counts_begin_interval(&k->items[i].counts);
	k->command->nr_intervals++;
	return err || k->command->options->quiet ? err : stat_command_write(k->command, &text);
}

/* Report firings that were not counted, and the reason; nothing is left out silently. */
static void stat_keys_tell(const struct stat_keyed *keyed, const struct counts_ledger *all,
			   const struct counts_chains *chains)
{
	struct counts_ledger own = *all, *l = &own;
	const char *name = keyed->event->name;

	if (chains->dropped) {
		own.no_slot -= chains->dropped;
		log_warning("%s fired %" PRIu64 " times with call chains that did not fit beside "
			    "the %u in the table, so these are missing; --max-keys makes it larger "
			    "(it was %u).", name, chains->dropped, chains->used,
			    keyed->keys.entries);
	}
	if (l->no_slot && keyed->keys.role == COUNT_START)
		log_warning("%s fired %" PRIu64 " times while the table of starts was full, so these "
			    "latencies are missing; --max-keys makes it larger (it was %u).", name,
			    l->no_slot, keyed->keys.entries);
	else if (l->no_slot)
		log_warning("%s fired %" PRIu64 " times with keys that did not fit into the table, "
			    "so these are missing; --max-keys makes it larger (it was %u).", name,
			    l->no_slot, keyed->keys.entries);
	if (l->no_start)
		log_notice("%s fired %" PRIu64 " times without a recorded start, so these "
			   "latencies are missing; starts before counting began are unknown.",
			   name, l->no_start);
	if (l->restarted)
		log_notice("%s fired %" PRIu64 " times again before the end came; the latency is "
			   "counted from the last time.", name, l->restarted);
	if (l->other)
		log_warning("%s fired %" PRIu64 " times where it could not be counted, because "
			    "counting itself caused it or was interrupted.", name, l->other);
	if (l->bounded)
		log_notice("%s is counted by a kernel counter, which may drop firings that nobody "
			   "counts; 'ktrace list -v' shows why it has no template.", name);
}

static void stat_keys_tell_recorded(const struct stat_keys *k)
{
	static const struct counts_chains none;
	bool unknown;
	uint64_t lost = stat_recorded_lost(k->run, k->nr, &unknown);

	for (size_t i = 0; i < k->nr; i++)
		stat_keys_tell(&k->items[i], &k->items[i].ledger, &none);
	if (unknown)
		log_warning("The number of lost firings on CPUs that came online meanwhile is "
			    "unknown.");
	if (lost)
		log_warning("%" PRIu64 " firings were lost, because they came faster than they were "
			    "counted, so they are missing; the ktrace module counts all.", lost);
}

static struct error *stat_keys_ignore_chain(void *data, const struct counts_chain *chain)
{
	return NULL;
}

/* The number of chains in the table of an event, and of chains that did not fit. */
static struct error *stat_keys_count_chains(const struct stat_keys *k,
					    const struct stat_keyed *keyed,
					    struct counts_chains *ret)
{
	*ret = (struct counts_chains){ 0 };
	if (!keyed->chains_of)
		return NULL;
	ret->position = keyed->chains_of->chains.state.position;
	return counts_backend()->read_chains(stat_keys_capture(k), keyed->event, ret,
					     stat_keys_ignore_chain, NULL);
}

static struct error *stat_keys_tell_all(struct stat_keys *k)
{
	struct error *err = NULL;

	if (!k->by_module) {
		stat_keys_tell_recorded(k);
		return NULL;
	}
	for (size_t i = 0; !err && i < k->nr; i++) {
		struct counts_chains chains = { 0 };
		struct counts_ledger ledger;

		err = counts_backend()->read_counts_ledger(stat_keys_capture(k), k->items[i].event,
							   &ledger);
		if (!err)
			err = stat_keys_count_chains(k, &k->items[i], &chains);
		if (!err)
			stat_keys_tell(&k->items[i], &ledger, &chains);
	}
	return err;
}

static struct error *stat_keys_print_whole(struct stat_keys *k)
{
	struct stat_command *c = k->command;
	struct stat_series elapsed = { 0 };
	const struct stat_footer footer = { .elapsed = &elapsed, .nothing_above = true };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;

	if (c->options->quiet)
		return NULL;
	stat_series_add(&elapsed, c->run.elapsed);
	if (c->options->layout.form == STAT_FORM_TEXT)
		stat_command_add_title(c, &text);
	for (size_t i = 0; i < k->nr; i++)
		k->items[i].counts.nr_before = 0;
	err = stat_keys_print(k, NULL, &text);
	if (!err && c->options->layout.form == STAT_FORM_TEXT)
		stat_text_add_footer(&footer, &text);
	return err ? err : stat_command_write(c, &text);
}

static struct error *stat_keys_record(void *data)
{
	struct stat_keys *k = data;

	return stat_recorded_run(k->run);
}

static struct error *stat_keys_read_chains(void *data)
{
	struct stat_keys *k = data;
	struct error *err = NULL;

	k->stacks.session = &k->run->run.session;
	for (size_t i = 0; !err && i < k->nr; i++) {
		struct stat_keyed *keyed = &k->items[i];

		if (keyed->chains_of == keyed)
			err = stat_stacks_read(&k->stacks, stat_keys_capture(k), keyed->event,
					       &keyed->chains);
	}
	return err;
}

static struct error *stat_keys_before(void *data, uint64_t time)
{
	struct stat_keys *k = data;

	return stat_stacks_name(&k->stacks, time);
}

static struct error *stat_keys_count(struct stat_keys *k)
{
	struct stat_command *c = k->command;
	const struct stat_options *o = c->options;

	c->run = (struct counters_run){
		.command = { .argv = o->command },
		.delay_ms = o->delay_ms, .interval_ms = o->interval_ms,
		.nr_intervals = o->nr_intervals, .timeout_ms = o->timeout_ms,
		.interval = stat_keys_end_interval, .data = k,
	};
	if (!k->run)
		return stat_command_count(c, NULL, NULL);
	k->run->sample = stat_keys_take_sample;
	k->run->interval = stat_keys_end_interval;
	k->run->read = stat_keys_read_chains;
	k->run->before = stat_keys_before;
	k->run->data = k;
	if (k->by_module)
		return stat_command_count(c, stat_keys_record, k);
	log_notice("The ktrace module is not loaded. So perf_event records each firing, and ktrace "
		   "counts it, which costs several times as much; 'ktrace doctor' shows how to "
		   "load the module.");
	return stat_command_count(c, stat_keys_record, k);
}

struct error *stat_keys_run(struct stat_command *c, bool is_recorded)
{
	const struct stat_options *o = c->options;
	_cleanup_(stat_recorded) struct stat_recorded recorded = { 0 };
	_cleanup_(stat_keys) struct stat_keys k = { 0 };
	bool by_module = is_recorded && !stat_recorded_is_needed();
	struct error *err = is_recorded ? stat_recorded_init(c, by_module, &recorded) : NULL;

	if (!err)
		err = stat_keys_init(c, is_recorded ? &recorded : NULL, &k);
	/* Those of now may be gone when their counts are printed. */
	if (!err && stat_keys_have_cgroups(&k))
		err = stat_keys_find_cgroups(&k);
	if (!err)
		err = stat_keys_count(&k);
	if (err)
		return err;
	if (o->command && !c->run.limited)
		c->status = workload_status(&c->run.workload);
	if (!o->interval_ms || o->summary)
		err = stat_keys_read(&k);
	else if (!o->nr_intervals || c->nr_intervals < o->nr_intervals)
		err = stat_keys_end_interval(&k, c->run.elapsed);
	if (!err && (!o->interval_ms || o->summary))
		err = stat_keys_print_whole(&k);
	return err ? err : stat_keys_tell_all(&k);
}
