// SPDX-License-Identifier: GPL-2.0
#include "profile/compare/comparison.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call_tree.h"
#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "terminal/options.h"

/* The initial number of samples per block; blocks grow with the recording. */
#define FIRST_BLOCK	64

/* No row: the samples are not selected. */
#define NO_ROW	SIZE_MAX

/* The row for all samples with these members.  A member that no row depends on is NULL or 0. */
struct known_row {
	size_t event, row;
	const char *comm;
	uint32_t place;		/* in the call tree */
	int32_t pid, cpu;	/* pid: of the thread */
};

struct comparison {
	struct session_consumer consumer;
	const struct comparison_options *options;
	size_t files, file;		/* file: the current one */
	bool others;			/* a file is not of a command alone */
	const struct event_list *list;	/* its events */
	struct call_tree *tree;		/* of this file */
	ARRAY_OF(struct comparison_event *) events;
	struct hash_table rows;		/* positions in the rows of any event */
	ARRAY_OF(struct known_row) known;	/* of this file */
	struct hash_table known_table;
	ARRAY_OF(size_t) positions;	/* by event of this file: position in events */
};

static const struct {
	const char *name;
	enum comparison_key key;
} comparison_key_names[] = {
	{ "comm", COMPARE_COMM }, { "dso", COMPARE_DSO }, { "symbol", COMPARE_SYMBOL },
	{ "sym", COMPARE_SYMBOL }, { "pid", COMPARE_PID }, { "cpu", COMPARE_CPU },
};

void comparison_keys_add_names(struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(comparison_key_names); i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", comparison_key_names[i].name);
}

static enum comparison_key find_key(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(comparison_key_names); i++)
		if (strlen(comparison_key_names[i].name) == len &&
		    !strncmp(comparison_key_names[i].name, name, len))
			return comparison_key_names[i].key;
	return 0;
}

struct error *comparison_keys_parse(struct comparison_options *options, const char *text)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	size_t nr = 0;

	for (const char *word = text; ; ) {
		size_t len = strcspn(word, ",");
		enum comparison_key key = find_key(word, len);

		if (!key) {
			comparison_keys_add_names(&names);
			return error_hint(error_new(EINVAL, "-s does not know '%.*s'", (int)len,
						    word), "The keys are %s", strbuf_str(&names));
		}
		if (!memchr(options->keys, key, nr))
			options->keys[nr++] = key;
		if (!word[len])
			break;
		word += len + 1;
	}
	options->keys[nr] = 0;
	return NULL;
}

void comparison_row_destroy(struct comparison_row *row, size_t files)
{
	if (!row)
		return;
	for (size_t i = 0; i < COMPARISON_KEYS_MAX; i++)
		free(row->texts[i]);
	for (size_t i = 0; row->cells && i < files; i++)
		free(row->cells[i].blocks);
	free(row->cells);
	free(row);
}

void comparison_destroy(struct comparison *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->events.nr; i++) {
		struct comparison_event *event = c->events.items[i];

		for (size_t k = 0; k < event->rows.nr; k++)
			comparison_row_destroy(event->rows.items[k], c->files);
		for (size_t k = 0; k < c->files; k++)
			free(event->files[k].name);
		free(event->rows.items);
		free(event->files);
		free(event->name);
		free(event);
	}
	free(c->events.items);
	free(c->known.items);
	free(c->positions.items);
	hash_table_deinit(&c->rows);
	hash_table_deinit(&c->known_table);
	call_tree_destroy(c->tree);
	free(c);
}

static struct error *count_compared(struct session_consumer *consumer,
				    const struct session_record *r);

struct error *comparison_create(const struct comparison_options *options, size_t files,
				struct comparison **ret)
{
	struct comparison *c = calloc(1, sizeof(*c));

	if (!c)
		return &error_no_memory;
	c->options = options;
	c->files = files;
	c->consumer.sample = count_compared;
	*ret = c;
	return NULL;
}

struct session_consumer *comparison_consumer(struct comparison *c, size_t file,
					     const struct event_list *events)
{
	call_tree_destroy(c->tree);
	c->tree = NULL;
	c->file = file;
	c->list = events;
	c->known.nr = c->positions.nr = 0;
	hash_table_deinit(&c->known_table);
	return &c->consumer;
}

size_t comparison_nr(const struct comparison *comparison)
{
	return comparison->events.nr;
}

const struct comparison_event *comparison_event(const struct comparison *comparison,
						size_t position)
{
	return comparison->events.items[position];
}

static bool has_event_named(const struct event_list *list, const char *name)
{
	return array_any(list, it, !strcmp((*it)->name, name));
}

/* Whether the type and config of an event have the same meaning on every machine. */
static bool has_fixed_meaning(const struct event *event)
{
	uint32_t type = event->attr.type;

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_SOFTWARE ||
	       type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

/* Find an event of other files that counts the same, and has no partner of its own name here. */
static size_t find_like_event(const struct comparison *c, const struct event *event)
{
	for (size_t i = 0; i < c->events.nr && has_fixed_meaning(event); i++) {
		const struct comparison_event *other = c->events.items[i];

		if (other->type == event->attr.type && other->config == event->attr.config &&
		    !other->files[c->file].name && !has_event_named(c->list, other->name))
			return i;
	}
	return SIZE_MAX;
}

static size_t find_compared_event(const struct comparison *c, const struct event *event)
{
	for (size_t i = 0; i < c->events.nr; i++)
		if (!strcmp(c->events.items[i]->name, event->name))
			return i;
	return find_like_event(c, event);
}

static size_t add_compared_event(struct comparison *c, const struct event *like)
{
	struct comparison_event *event = calloc(1, sizeof(*event));

	if (!event)
		return SIZE_MAX;
	event->name = strdup(like->name);
	event->type = like->attr.type;
	event->config = like->attr.config;
	event->files = calloc(c->files, sizeof(*event->files));
	if (!event->name || !event->files || !array_push(&c->events, event)) {
		free(event->name);
		free(event->files);
		free(event);
		return SIZE_MAX;
	}
	for (size_t i = 0; i < c->files; i++)
		event->files[i].block_size = FIRST_BLOCK;
	return c->events.nr - 1;
}

/* Find or add the counterpart of this file's event; SIZE_MAX: out of memory. */
static size_t take_event(struct comparison *c, const struct event *event)
{
	size_t position = find_compared_event(c, event);
	struct comparison_file *file;

	if (position == SIZE_MAX)
		position = add_compared_event(c, event);
	if (position == SIZE_MAX)
		return SIZE_MAX;
	file = &c->events.items[position]->files[c->file];
	if (!file->name)
		file->name = strdup(event->name);
	return file->name ? position : SIZE_MAX;
}

/* The position of the sample's event; SIZE_MAX: out of memory. */
static size_t position_of(struct comparison *c, const struct event *event)
{
	if (!array_at(&c->positions, event->index, SIZE_MAX))
		return SIZE_MAX;
	if (c->positions.items[event->index] == SIZE_MAX)
		c->positions.items[event->index] = take_event(c, event);
	return c->positions.items[event->index];
}

static bool is_of_command(const struct event_list *list)
{
	return array_any(list, it, (*it)->attr.enable_on_exec);
}

bool comparison_is_of_commands(const struct comparison *comparison)
{
	return !comparison->others;
}

size_t comparison_files(const struct comparison *comparison)
{
	return comparison->files;
}

const struct comparison_options *comparison_options(const struct comparison *comparison)
{
	return comparison->options;
}

struct error *comparison_end_file(struct comparison *c)
{
	for (size_t i = 0; i < c->list->nr; i++)
		if (position_of(c, c->list->items[i]) == SIZE_MAX)
			return &error_no_memory;
	c->others |= !is_of_command(c->list);
	c->list = NULL;
	return NULL;
}

static char *key_text(enum comparison_key key, const struct call_place *place,
		      const struct session_record *r)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	uint8_t mode = r->sample.cpumode;

	switch (key) {
	case COMPARE_COMM:
		strbuf_addstr(&text, r->comm);
		break;
	case COMPARE_DSO:
		strbuf_addstr(&text, place->dso ? place->dso->short_name : "[unknown]");
		break;
	case COMPARE_SYMBOL:
		strbuf_addf(&text, "[%c] ", mode == PERF_RECORD_MISC_KERNEL ? 'k' :
			    mode == PERF_RECORD_MISC_USER ? '.' : 'H');
		if (place->symbol)
			strbuf_addstr(&text, place->symbol->name);
		else
			strbuf_addf(&text, "%#.16" PRIx64,
				    place->dso ? place->address : place->ip);
		break;
	case COMPARE_PID:
		strbuf_addf(&text, "%7d:%s", r->sample.tid, r->comm);
		break;
	case COMPARE_CPU:
		strbuf_addf(&text, "%.3d", r->sample.cpu);
		break;
	}
	return text.failed ? NULL : take_ptr(text.data);
}

static bool is_same_row(const struct comparison_row *a, const struct comparison_row *b)
{
	for (size_t i = 0; i < COMPARISON_KEYS_MAX; i++)
		if (!a->texts[i] != !b->texts[i] ||
		    (a->texts[i] && strcmp(a->texts[i], b->texts[i])))
			return false;
	return true;
}

/* Find or add the row with these keys; @row is consumed.  SIZE_MAX: out of memory. */
static size_t find_compared_row(struct comparison *c, size_t event, struct comparison_row *row)
{
	struct comparison_event *e = c->events.items[event];
	uint64_t hash = hash_key_number(event);

	for (size_t i = 0; i < COMPARISON_KEYS_MAX; i++)
		hash = hash_key_join(hash, row->texts[i] ? hash_key_text(row->texts[i]) : 0);
	hash_table_each(&c->rows, hash, position) {
		if (position < e->rows.nr && is_same_row(e->rows.items[position], row)) {
			comparison_row_destroy(row, c->files);
			return position;
		}
	}
	row->cells = calloc(c->files, sizeof(*row->cells));
	if (!row->cells || !array_push(&e->rows, row)) {
		comparison_row_destroy(row, c->files);
		return SIZE_MAX;
	}
	return hash_table_add(&c->rows, hash, e->rows.nr - 1) ? e->rows.nr - 1 : SIZE_MAX;
}

static bool is_compared(const struct comparison_options *o, const struct call_place *place,
			const char *comm)
{
	return (!o->comms || word_in_list(o->comms, comm)) &&
	       (!o->dsos || (place->dso && (word_in_list(o->dsos, place->dso->short_name) ||
					    word_in_list(o->dsos, place->dso->name)))) &&
	       (!o->symbols || (place->symbol && word_in_list(o->symbols, place->symbol->name)));
}

/* Find the row of a sample: NO_ROW if it gets none; *ret_failed: out of memory. */
static size_t make_row(struct comparison *c, const struct known_row *key,
		       const struct session_record *r, bool *ret_failed)
{
	const struct call_place *place = call_tree_place(c->tree, key->place);
	struct comparison_row *row;
	size_t position;

	if (!is_compared(c->options, place, r->comm))
		return NO_ROW;
	row = calloc(1, sizeof(*row));
	*ret_failed = !row;
	for (size_t i = 0; row && c->options->keys[i]; i++) {
		row->texts[i] = key_text(c->options->keys[i], place, r);
		*ret_failed |= !row->texts[i];
	}
	if (*ret_failed) {
		comparison_row_destroy(row, c->files);
		return NO_ROW;
	}
	position = find_compared_row(c, key->event, row);
	*ret_failed = position == SIZE_MAX;
	return position;
}

static bool has_key(const struct comparison *c, enum comparison_key key)
{
	return strchr((const char *)c->options->keys, key);
}

/* The row of a sample.  Texts are compared only once for each place and task. */
static struct error *find_known_row(struct comparison *c, size_t event,
				    const struct session_record *r, size_t *ret)
{
	bool by_comm = has_key(c, COMPARE_COMM) || has_key(c, COMPARE_PID) || c->options->comms;
	struct known_row key = {
		.event = event, .comm = by_comm ? r->comm : NULL,
		.pid = has_key(c, COMPARE_PID) ? r->sample.tid : 0,
		.cpu = has_key(c, COMPARE_CPU) ? r->sample.cpu : 0,
	};
	bool failed = false;
	uint64_t hash;
	struct error *err;

	err = call_tree_find_place(c->tree, r->machine, r->maps, r->sample.cpumode, r->sample.ip,
				   &key.place);
	if (err)
		return err;
	hash = hash_key_join(hash_key_number((uint64_t)key.place << 32 | (uint32_t)key.pid),
			     (uintptr_t)key.comm);
	hash = hash_key_join(hash, event << 32 | (uint32_t)key.cpu);
	hash_table_each(&c->known_table, hash, n) {
		const struct known_row *k = &c->known.items[n];

		*ret = k->row;
		if (k->event == key.event && k->place == key.place && k->comm == key.comm &&
		    k->pid == key.pid && k->cpu == key.cpu)
			return NULL;
	}
	key.row = *ret = make_row(c, &key, r, &failed);
	if (failed || !hash_table_add(&c->known_table, hash, c->known.nr) ||
	    !array_push(&c->known, key))
		return &error_no_memory;
	return NULL;
}

static void join_pairs(double *blocks)
{
	for (size_t i = 0; i < COMPARISON_BLOCKS / 2; i++)
		blocks[i] = blocks[2 * i] + blocks[2 * i + 1];
	memset(blocks + COMPARISON_BLOCKS / 2, 0, COMPARISON_BLOCKS / 2 * sizeof(*blocks));
}

/* Double the size of each block. */
static void double_blocks(struct comparison *c, struct comparison_event *event)
{
	struct comparison_file *file = &event->files[c->file];

	join_pairs(file->periods);
	for (size_t i = 0; i < event->rows.nr; i++)
		if (event->rows.items[i]->cells[c->file].blocks)
			join_pairs(event->rows.items[i]->cells[c->file].blocks);
	file->blocks /= 2;
	file->block_size *= 2;
}

static struct error *count_compared(struct session_consumer *consumer,
				    const struct session_record *r)
{
	struct comparison *c = container_of(consumer, struct comparison, consumer);
	size_t position = position_of(c, r->event), row;
	struct comparison_event *event;
	struct comparison_cell *cell;
	struct comparison_file *file;
	struct error *err = NULL;

	if (position == SIZE_MAX)
		return &error_no_memory;
	if (!c->tree)
		err = call_tree_create(&c->tree);
	if (!err)
		err = find_known_row(c, position, r, &row);
	if (err)
		return err;
	event = c->events.items[position];
	file = &event->files[c->file];
	if (row == NO_ROW && c->options->relative)
		return NULL;
	file->samples++;
	file->period += r->sample.period;
	file->periods[file->blocks] += r->sample.period;
	if (row != NO_ROW) {
		cell = &event->rows.items[row]->cells[c->file];
		if (!cell->blocks)
			cell->blocks = calloc(COMPARISON_BLOCKS, sizeof(*cell->blocks));
		if (!cell->blocks)
			return &error_no_memory;
		cell->samples++;
		cell->period += r->sample.period;
		cell->blocks[file->blocks] += r->sample.period;
	}
	if (++file->in_block < file->block_size)
		return NULL;
	file->in_block = 0;
	if (++file->blocks == COMPARISON_BLOCKS)
		double_blocks(c, event);
	return NULL;
}
