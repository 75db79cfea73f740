// SPDX-License-Identifier: GPL-2.0
#include "analysis/histogram_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/histogram.h"
#include "lib/array.h"

/* Second names of keys come after all shown names: perf's, and what perf's key pid really is. */
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

/* Find what a word means: a metric, or the position of a key + 1, which is added. */
static struct error *parse_column(struct histogram_options *options, const char *word,
				  uint8_t *ret)
{
	const char *slash = strchr(word, '/');
	size_t nr = strlen((const char *)options->keys), len, i;
	enum histogram_key key = KEY_FIELD;

	for (i = 0; i < ARRAY_SIZE(metric_names); i++)
		if (!strcmp(metric_names[i].name, word)) {
			*ret = metric_names[i].metric;
			return NULL;
		}
	for (i = 0; i < ARRAY_SIZE(refused_keys); i++)
		if (!strcmp(refused_keys[i].name, word))
			return error_new(EINVAL, "report has no key '%s': %s", word,
					 refused_keys[i].why);
	for (i = 0; i < ARRAY_SIZE(key_names); i++)
		if (!strcmp(key_names[i].name, word))
			key = key_names[i].key;
	len = slash ? (size_t)(slash - word) : strlen(word);
	if (key == KEY_FIELD &&
	    (len >= sizeof(options->fields[0].name) || (slash && strcmp(slash, "/raw"))))
		return error_hint(error_new(EINVAL, "report cannot sort by '%s'", word),
				  "The name of a field may have /raw behind it");
	for (i = 0; i < nr; i++)
		if (options->keys[i] == key &&
		    (key != KEY_FIELD || (!strncmp(options->fields[i].name, word, len) &&
					  !options->fields[i].name[len])))
			break;
	if (i == MAX_KEYS - 1)
		return error_new(EINVAL, "report takes at most %d keys", MAX_KEYS - 1);
	if (i == nr) {
		options->keys[i] = key;
		options->keys[i + 1] = 0;
		memset(&options->fields[i], 0, sizeof(options->fields[i]));
		if (key == KEY_FIELD) {
			memcpy(options->fields[i].name, word, len);
			options->fields[i].raw = slash;
		}
	}
	*ret = i + 1;
	return NULL;
}

static struct error *parse_columns(struct histogram_options *options, const char *text,
				   const char *option, uint8_t *ret)
{
	_cleanup_free_ char *copy = strdup(text);
	struct error *err = NULL;
	char *saved = NULL;
	size_t nr = 0;

	if (!copy)
		return &error_no_memory;
	for (char *word = strtok_r(copy, ",", &saved); word && !err;
	     word = strtok_r(NULL, ",", &saved)) {
		if (nr == MAX_COLUMNS / 2)
			return error_new(EINVAL, "report %s takes at most %d names", option,
					 MAX_COLUMNS / 2);
		err = parse_column(options, word, &ret[nr++]);
	}
	ret[nr] = 0;
	if (!err && !nr)
		err = error_hint(error_new(EINVAL, "report %s needs names", option),
				 "-s comm,dso,sym is the default");
	return err;
}

struct error *histogram_keys_parse(struct histogram_options *options, const char *text)
{
	uint8_t columns[MAX_COLUMNS];

	struct error *err;

	memset(options->keys, 0, sizeof(options->keys));
	err = parse_columns(options, text, "-s", columns);
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

/* Parse words and add their columns to those that are there. */
static struct error *histogram_add_words(struct histogram_options *options, const char *text,
			       const char *option, uint8_t *columns)
{
	uint8_t added[MAX_COLUMNS] = { 0 };
	struct error *err = parse_columns(options, text, option, added);

	if (!err)
		add_all_columns(columns, added);
	return err;
}

static void add_metrics(struct histogram_options *options, const struct histogram_words *words)
{
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
	struct error *err = NULL;

	const char *more = words->keys && *words->keys == '+' ? words->keys + 1 : NULL;
	bool adds_fields = words->fields && *words->fields == '+';

	memset(options->keys, 0, sizeof(options->keys));
	memset(options->columns, 0, sizeof(options->columns));
	memset(options->order, 0, sizeof(options->order));
	if (more || ((!words->fields || adds_fields) && !words->keys))
		err = histogram_add_words(options, words->defaults, "-s", keys);
	if (!err && (more || words->keys))
		err = histogram_add_words(options, more ? more : words->keys, "-s", keys);
	if (!err && words->added)
		err = histogram_add_words(options, words->added, "-s", keys);
	if (!err && words->fields)
		err = histogram_add_words(options, words->fields + adds_fields, "-F", fields);
	if (err)
		return err;
	for (size_t i = 0; words->raw && options->keys[i]; i++)
		options->fields[i].raw = true;
	if (!words->fields || adds_fields)
		add_metrics(options, words);
	add_all_columns(options->columns, fields);
	add_all_columns(options->columns, keys);
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
