// SPDX-License-Identifier: GPL-2.0
#include "profile/histogram/histogram_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/event_format.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "profile/histogram/histogram.h"
#include "record/event.h"
#include "terminal/options.h"

/* Second names of keys come after all shown names: perf's, and the true name of perf's key pid. */
static const struct {
	const char *name;
	enum histogram_key key;
	bool hidden;
} key_names[] = {
	{ "comm", KEY_COMM, false }, { "dso", KEY_DSO, false }, { "sym", KEY_SYMBOL, false },
	{ "pid", KEY_PID, false }, { "cpu", KEY_CPU, false }, { "socket", KEY_SOCKET, false },
	{ "parent", KEY_PARENT, false }, { "srcline", KEY_SRCLINE, false },
	{ "srcfile", KEY_SRCFILE, false }, { "cgroup", KEY_CGROUP, false },
	{ "type", KEY_TYPE, false }, { "typeoff", KEY_TYPEOFF, false },
	{ "typecln", KEY_TYPECLN, false }, { "symoff", KEY_SYMOFF, false },
	{ "time", KEY_TIME, false }, { "trace", KEY_TRACE, false },
	{ "addr", KEY_ADDR, false }, { "symbol_size", KEY_SYMBOL_SIZE, false },
	{ "dso_size", KEY_DSO_SIZE, false }, { "code_page_size", KEY_CODE_PAGE_SIZE, false },
	{ "weight", KEY_WEIGHT, false }, { "local_weight", KEY_LOCAL_WEIGHT, false },
	{ "ins_lat", KEY_INS_LAT, false }, { "local_ins_lat", KEY_LOCAL_INS_LAT, false },
	{ "transaction", KEY_TRANSACTION, false }, { "waker", KEY_WAKER, false },
	{ "origin", KEY_ORIGIN, false }, { "task_state", KEY_TASK_STATE, false },
	{ "parallelism", KEY_PARALLELISM, false },
	{ "dso_from", KEY_DSO_FROM, false }, { "dso_to", KEY_DSO_TO, false },
	{ "symbol_from", KEY_SYMBOL_FROM, false }, { "symbol_to", KEY_SYMBOL_TO, false },
	{ "addr_from", KEY_ADDR_FROM, false }, { "addr_to", KEY_ADDR_TO, false },
	{ "srcline_from", KEY_SRCLINE_FROM, false }, { "srcline_to", KEY_SRCLINE_TO, false },
	{ "mispredict", KEY_MISPREDICT, false }, { "in_tx", KEY_IN_TX, false },
	{ "abort", KEY_ABORT, false }, { "cycles", KEY_CYCLES, false },
	{ "mem", KEY_MEM, false }, { "snoop", KEY_SNOOP, false }, { "tlb", KEY_TLB, false },
	{ "locked", KEY_LOCKED, false }, { "blocked", KEY_BLOCKED, false },
	{ "symbol_daddr", KEY_SYMBOL_DADDR, false }, { "dso_daddr", KEY_DSO_DADDR, false },
	{ "symbol_iaddr", KEY_SYMBOL_IADDR, false }, { "phys_daddr", KEY_PHYS_DADDR, false },
	{ "dcacheline", KEY_DCACHELINE, false }, { "data_page_size", KEY_DATA_PAGE_SIZE, false },
	{ "symbol", KEY_SYMBOL, true }, { "tid", KEY_PID, true },
};

/* Keys of perf that are refused, with the reason. */
static const struct {
	const char *name, *why;
} refused_keys[] = {
	{ "cgroup_id", "the numbers of namespaces are not kept; the key cgroup has the path" },
	{ "ipc_lbr", "no cycles of basic blocks are counted; 'perf report' does" },
	{ "ipc_null", "it is an empty column that perf adds by itself" },
	{ "p_stage_cyc", "only processors of other kinds store cycles of pipeline stages" },
	{ "local_p_stage_cyc", "only processors of other kinds store cycles of pipeline stages" },
	{ "overhead_guest_sys", "samples in guests are left out" },
	{ "overhead_guest_us", "samples in guests are left out" },
};

static const struct {
	const char *name;
	enum histogram_metric metric;
} metric_names[] = {
	{ "overhead", METRIC_OVERHEAD }, { "overhead_children", METRIC_CHILDREN },
	{ "overhead_sys", METRIC_SYS }, { "overhead_us", METRIC_USER },
	{ "sample", METRIC_SAMPLES }, { "period", METRIC_PERIOD },
	{ "latency", METRIC_LATENCY },
};

void histogram_keys_add_names(struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(key_names); i++)
		if (!key_names[i].hidden)
			strbuf_addf(out, "%s%s", i ? ", " : "", key_names[i].name);
}

const char *histogram_key_name(enum histogram_key key)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(key_names) && key_names[i].key != key)
		i++;
	return key_names[i].name;
}

static bool is_known_key(const struct histogram_options *options, size_t position,
			 enum histogram_key key, const struct histogram_field *field)
{
	const struct histogram_field *known = &options->fields[position];

	return options->keys[position] == key &&
	       (key != KEY_FIELD || (!strcmp(known->name, field->name) &&
				     (!known->event || !field->event ||
				      known->event == field->event)));
}

/* A repeated column is not added again. */
static struct error *push_column(uint8_t *columns, uint8_t column, const char *option)
{
	size_t nr = strlen((const char *)columns);

	if (strchr((const char *)columns, column))
		return NULL;
	if (nr == MAX_COLUMNS / 2)
		return error_new(EINVAL, "report %s takes at most %d names", option,
				 MAX_COLUMNS / 2);
	columns[nr] = column;
	columns[nr + 1] = 0;
	return NULL;
}

/* The target and the context of parsing a list of names. */
struct column_list {
	struct histogram_options *options;
	const struct histogram_words *words;	/* NULL: the events are not known */
	const char *option;
	uint8_t *columns;			/* end with 0 */
};

/* Find or add a key, and show it. */
static struct error *add_shown_key(const struct column_list *list, enum histogram_key key,
				   const struct histogram_field *field)
{
	struct histogram_options *options = list->options;
	size_t nr = strlen((const char *)options->keys), i = 0;

	while (i < nr && !is_known_key(options, i, key, field))
		i++;
	if (i == MAX_KEYS - 1)
		return error_new(EINVAL, "report takes at most %d keys", MAX_KEYS - 1);
	if (i == nr) {
		options->keys[i] = key;
		options->keys[i + 1] = 0;
		options->fields[i] = *field;
	}
	/* A field of any event includes the field of a certain event. */
	if (!field->event)
		options->fields[i].event = 0;
	return push_column(list->columns, i + 1, list->option);
}

static struct error *add_field_key(const struct column_list *list, const char *name, size_t len,
				   const struct histogram_field *like)
{
	struct histogram_field field = *like;

	if (len >= sizeof(field.name))
		return error_new(EINVAL, "report cannot sort by '%s': it is too long", name);
	memcpy(field.name, name, len);
	return add_shown_key(list, KEY_FIELD, &field);
}

static const struct event_format *format_of(const struct column_list *list,
					    const struct event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT ?
		       formats_find(list->words->formats, event->attr.config) : NULL;
}

static struct error *add_fields_of(const struct column_list *list, const struct event *event,
				   const struct histogram_field *like)
{
	const struct event_format *format = format_of(list, event);
	struct error *err = NULL;

	if (!format)
		return NULL;
	for (size_t i = format->nr_common; i < format->nr_fields && !err; i++)
		err = add_field_key(list, format->fields[i].name, strlen(format->fields[i].name),
				    like);
	return err;
}

/* How well a name matches an event: as its whole name without the system, or as a part of it. */
enum name_fit {
	FITS_NOT,
	FITS_PART,
	FITS_NAME,
};

static enum name_fit fit_of(const struct event *event, const char *name)
{
	const char *colon = strchr(event->name, ':');

	if (!strcmp(event->name, name) || (colon && !strcmp(colon + 1, name)))
		return FITS_NAME;
	return *name && !strchr(name, ':') && strstr(event->name, name) ? FITS_PART : FITS_NOT;
}

/*
 * Find the event with a number, or the event that matches a name best.  *ret_nr is the number of
 * such events.
 */
static const struct event *find_named_event(const struct event_list *events, const char *name,
					    size_t *ret_nr)
{
	const struct event *found = NULL;
	enum name_fit best = FITS_PART;
	unsigned long long number;

	*ret_nr = 0;
	if (*name == '%') {
		*ret_nr = parse_u64(name + 1, &number) && number && number <= events->nr;
		return *ret_nr ? events->items[number - 1] : NULL;
	}
	for (size_t i = 0; i < events->nr; i++) {
		enum name_fit fit = fit_of(events->items[i], name);

		if (fit < best)
			continue;
		*ret_nr = fit > best ? 1 : *ret_nr + 1;
		best = fit;
		found = events->items[i];
	}
	return found;
}

/* Add EVENT.FIELD or EVENT.*. */
static struct error *add_field_of_event(const struct column_list *list, const char *name,
					const char *field, size_t len, struct histogram_field *like)
{
	size_t nr;
	const struct event *event = find_named_event(list->words->events, name, &nr);
	_cleanup_free_ char *wanted = strndup(field, len);
	const struct event_format *format;

	if (!wanted)
		return &error_no_memory;
	if (nr != 1)
		return error_hint(error_new(EINVAL, "report cannot sort by '%s.%s'", name, wanted),
				  nr ? "Several events have '%s' in their names" :
				       "The recording has no event '%s'", name);
	format = format_of(list, event);
	if (!format || (strcmp(wanted, "*") && !event_format_field(format, wanted)))
		return error_hint(error_new(EINVAL, "report cannot sort by '%s.%s'", name, wanted),
				  format ? "The event '%s' has no field '%s'" :
					   "The event '%s' is no tracepoint, and has no field '%s'",
				  event->name, wanted);
	like->event = event->index + 1;
	return strcmp(wanted, "*") ? add_field_key(list, wanted, len, like) :
				     add_fields_of(list, event, like);
}

/* Parse [EVENT.]FIELD[/raw], EVENT.*[/raw] or trace_fields[/raw]. */
static struct error *parse_field_key(const struct column_list *list, const char *word)
{
	const char *slash = strchr(word, '/');
	size_t len = slash ? (size_t)(slash - word) : strlen(word);
	const char *dot = memrchr(word, '.', len);
	bool all = len == strlen("trace_fields") && !strncmp(word, "trace_fields", len);
	const struct event_list *events = list->words ? list->words->events : NULL;
	struct histogram_field like = { .raw = slash };
	_cleanup_free_ char *name = NULL;
	struct error *err = NULL;

	if (slash && strcmp(slash, "/raw"))
		return error_hint(error_new(EINVAL, "report cannot sort by '%s'", word),
				  "The name of a field may have /raw behind it");
	if (!dot && !all)
		return add_field_key(list, word, len, &like);
	if (!events)
		return error_hint(error_new(EINVAL, "report cannot sort by '%s'", word),
				  "The events are unknown before they come; FIELD alone is the "
				  "field of any event");
	for (size_t i = 0; all && i < events->nr && !err; i++)
		err = add_fields_of(list, events->items[i], &like);
	if (all)
		return err;
	name = strndup(word, dot - word);
	return name ? add_field_of_event(list, name, dot + 1, word + len - dot - 1, &like) :
		      &error_no_memory;
}

/* Find the metric or key that a keyword names, and show it. */
static struct error *parse_column(const struct column_list *list, const char *word)
{
	static const struct histogram_field none;

	for (size_t i = 0; i < ARRAY_SIZE(metric_names); i++)
		if (!strcmp(metric_names[i].name, word))
			return push_column(list->columns, metric_names[i].metric, list->option);
	for (size_t i = 0; i < ARRAY_SIZE(refused_keys); i++)
		if (!strcmp(refused_keys[i].name, word))
			return error_new(EINVAL, "report has no key '%s': %s", word,
					 refused_keys[i].why);
	for (size_t i = 0; i < ARRAY_SIZE(key_names); i++)
		if (!strcmp(key_names[i].name, word))
			return add_shown_key(list, key_names[i].key, &none);
	return parse_field_key(list, word);
}

static struct error *parse_columns(const struct column_list *list, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	struct error *err = NULL;
	char *saved = NULL;

	if (!copy)
		return &error_no_memory;
	list->columns[0] = 0;
	for (char *word = strtok_r(copy, ",", &saved); word && !err;
	     word = strtok_r(NULL, ",", &saved))
		err = parse_column(list, word);
	if (!err && !list->columns[0])
		err = error_hint(error_new(EINVAL, "report %s needs names", list->option),
				 "-s comm,dso,sym is the default");
	return err;
}

struct error *histogram_keys_parse(struct histogram_options *options, const char *text)
{
	uint8_t columns[MAX_COLUMNS];
	const struct column_list list = { options, NULL, "-s", columns };
	struct error *err;

	memset(options->keys, 0, sizeof(options->keys));
	err = parse_columns(&list, text);
	for (const uint8_t *key = options->keys; !err && *key; key++)
		if (*key == KEY_PARENT || histogram_key_is_of_place(*key) ||
		    histogram_key_is_of_memory(*key) || histogram_key_is_of_branch(*key))
			err = error_hint(error_new(EINVAL, "'%s' is a key for recordings alone",
						   histogram_key_name(*key)),
					 "'ktrace report -s %s' takes it", histogram_key_name(*key));
	return err;
}

static void add_column(uint8_t *columns, uint8_t column)
{
	size_t nr = strlen((const char *)columns);

	if (nr + 1 < MAX_COLUMNS && !strchr((const char *)columns, column)) {
		columns[nr] = column;
		columns[nr + 1] = 0;
	}
}

static void add_all_columns(uint8_t *columns, const uint8_t *added)
{
	for (; *added; added++)
		add_column(columns, *added);
}

/* Parse a text of @words and add its columns to the existing ones. */
static struct error *histogram_add_words(struct histogram_options *options,
					 const struct histogram_words *words, const char *text,
					 const char *option, uint8_t *columns)
{
	uint8_t added[MAX_COLUMNS] = { 0 };
	const struct column_list list = { options, words, option, added };
	struct error *err = parse_columns(&list, text);

	if (!err)
		add_all_columns(columns, added);
	return err;
}

static void add_metrics(struct histogram_options *options, const struct histogram_words *words)
{
	if (words && words->latency)
		add_column(options->columns, METRIC_LATENCY);
	if (options->children)
		add_column(options->columns, METRIC_CHILDREN);
	add_column(options->columns, METRIC_OVERHEAD);
	if (words && words->cpu_use) {
		add_column(options->columns, METRIC_SYS);
		add_column(options->columns, METRIC_USER);
	}
	if (words && words->samples)
		add_column(options->columns, METRIC_SAMPLES);
	if (words && words->period)
		add_column(options->columns, METRIC_PERIOD);
}

struct error *histogram_columns_parse(struct histogram_options *options,
				      const struct histogram_words *words)
{
	uint8_t keys[MAX_COLUMNS] = { 0 }, fields[MAX_COLUMNS] = { 0 };
	struct histogram_words shown = *words;
	struct error *err = NULL;

	const char *more = words->keys && *words->keys == '+' ? words->keys + 1 : NULL;
	bool adds_fields = words->fields && *words->fields == '+';

	memset(options->keys, 0, sizeof(options->keys));
	memset(options->columns, 0, sizeof(options->columns));
	memset(options->order, 0, sizeof(options->order));
	if (more || ((!words->fields || adds_fields) && !words->keys))
		err = histogram_add_words(options, words, words->defaults, "-s", keys);
	if (!err && (more || words->keys))
		err = histogram_add_words(options, words, more ? more : words->keys, "-s", keys);
	if (!err && words->added)
		err = histogram_add_words(options, words, words->added, "-s", keys);
	if (!err && words->fields)
		err = histogram_add_words(options, words, words->fields + adds_fields, "-F", fields);
	if (err)
		return err;
	for (size_t i = 0; words->raw && options->keys[i]; i++)
		options->fields[i].raw = true;
	shown.latency |= strchr((const char *)keys, METRIC_LATENCY) != NULL;
	if (!words->fields || adds_fields)
		add_metrics(options, &shown);
	add_all_columns(options->columns, fields);
	add_all_columns(options->columns, keys);
	if (shown.latency)
		add_column(options->order, METRIC_LATENCY);
	if (!words->fields || adds_fields)
		return NULL;
	add_all_columns(options->order, keys);
	add_all_columns(options->order, fields);
	return NULL;
}

void histogram_columns_complete(struct histogram_options *options)
{
	if (options->columns[0])
		return;
	add_metrics(options, NULL);
	for (size_t i = 0; options->keys[i]; i++)
		add_column(options->columns, i + 1);
}

bool histogram_needs_switches(const struct histogram_options *options)
{
	return memchr(options->keys, KEY_PARALLELISM, sizeof(options->keys)) ||
	       memchr(options->columns, METRIC_LATENCY, sizeof(options->columns)) ||
	       memchr(options->order, METRIC_LATENCY, sizeof(options->order));
}
