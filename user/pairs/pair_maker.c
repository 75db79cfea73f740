// SPDX-License-Identifier: GPL-2.0
#include "pairs/pair_maker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/bytes.h"
#include "lib/strbuf.h"
#include "pairs/pair_match.h"
#include "record/body.h"
#include "record/common_number.h"
#include "spec/caret.h"
#include "spec/filter_expr.h"

/* The common part of a record: common_type, _flags, _preempt_count and _pid. */
#define COMMON_SIZE	8
/* Formats have a number of 16 bits; those of functions go down from its end. */
#define FIRST_NUMBER	50000
#define LAST_NUMBER	60000

/* A new sample. */
struct pair_sample {
	uint64_t start, end;
	size_t at;		/* in the bytes of all */
	size_t pair;
};

struct pair_loss {
	uint64_t since, until;
	const struct event *event;	/* NULL: any may have been lost */
};

struct pair {
	struct pair_match match;
	ARRAY_OF(struct filter_node *) values;
	struct strbuf name, format;
	struct pair_event event;
};

struct pair_maker {
	struct session_consumer consumer;
	ARRAY_OF(struct pair) pairs;
	ARRAY_OF(struct pair_sample) samples;
	ARRAY_OF(struct pair_loss) losses;
	ARRAY_OF(uint64_t) stored;	/* by CPU: the last record */
	struct strbuf bytes;
	uint64_t placed, counted;	/* losses by LOST records, and by records that count all */
	size_t next;
};

static void pair_deinit(struct pair *pair)
{
	for (size_t i = 0; i < pair->values.nr; i++)
		filter_destroy(pair->values.items[i]);
	free(pair->values.items);
	pair_match_deinit(&pair->match);
	strbuf_deinit(&pair->name);
	strbuf_deinit(&pair->format);
}
DEFINE_CLEANUP(pair, struct pair, pair_deinit)

void pair_maker_destroy(struct pair_maker *maker)
{
	if (!maker)
		return;
	for (size_t i = 0; i < maker->pairs.nr; i++)
		pair_deinit(&maker->pairs.items[i]);
	free(maker->pairs.items);
	free(maker->samples.items);
	free(maker->losses.items);
	free(maker->stored.items);
	strbuf_deinit(&maker->bytes);
	free(maker);
}

/* ---- events and formats ------------------------------------------------------------ */

static struct error *pair_check_value(const struct pair_spec *spec, const struct filter_node *value)
{
	struct error *err;

	if (value->kind == FILTER_FIELD)
		return pair_match_check_common(spec, value->common);
	if (value->kind != FILTER_ARITHMETIC)
		return NULL;
	err = pair_check_value(spec, value->left);
	return err ? err : pair_check_value(spec, value->right);
}

static struct error *pair_bind_value(struct pair *pair, const struct pair_value *value)
{
	const struct filter_side sides[] = {
		{ "start", pair->match.formats[SIDE_START] }, { "end", pair->match.formats[SIDE_END] },
	};
	struct filter_node *node;
	struct error *err;

	for (const struct pair_value *v = pair->match.spec->values.items; v < value; v++)
		if (!strcmp(v->name, value->name))
			return caret_error(pair->match.spec->text, value->pos, "'%s' stands here twice",
					   value->name);
	if (!strcmp(value->name, "lat") || !strncmp(value->name, "common_", 7))
		return caret_error(pair->match.spec->text, value->pos, "Each pair has a field '%s' already",
				   value->name);
	err = filter_parse_sides(value->text, sides, 2, &node);
	if (err)
		return err;
	if (!array_push(&pair->values, node)) {
		filter_destroy(node);
		return &error_no_memory;
	}
	return pair_check_value(pair->match.spec, node);
}

static void pair_add_field(struct pair *pair, const char *type, const char *name, size_t offset,
			   unsigned int size, bool is_signed)
{
	strbuf_addf(&pair->format, "\tfield:%s %s;\toffset:%zu;\tsize:%u;\tsigned:%d;\n", type, name,
		    offset, size, is_signed);
}

/* Numbers and the words of strings have 8 bytes each; the first one is the latency. */
static size_t pair_offset(size_t value)
{
	return COMMON_SIZE + 8 * (value + 1);
}

static void pair_make_format(struct pair *pair, uint64_t number)
{
	_cleanup_(strbuf) struct strbuf texts = STRBUF_INIT, args = STRBUF_INIT;
	const struct pair_spec *spec = pair->match.spec;

	strbuf_addf(&pair->format, "name: %s\nID: %" PRIu64 "\nformat:\n", spec->name, number);
	pair_add_field(pair, "unsigned short", "common_type", 0, 2, false);
	pair_add_field(pair, "unsigned char", "common_flags", 2, 1, false);
	pair_add_field(pair, "unsigned char", "common_preempt_count", 3, 1, false);
	pair_add_field(pair, "int", "common_pid", 4, 4, true);
	strbuf_addch(&pair->format, '\n');
	pair_add_field(pair, "u64", "lat", COMMON_SIZE, 8, false);
	for (size_t i = 0; i < pair->values.nr; i++) {
		const struct filter_node *value = pair->values.items[i];
		const char *name = spec->values.items[i].name;

		if (value->is_string) {
			pair_add_field(pair, "__data_loc char[]", name, pair_offset(i), 4, false);
			strbuf_addf(&texts, " %s=%%s", name);
			strbuf_addf(&args, ", __get_str(%s)", name);
		} else {
			bool is_signed = filter_value_is_signed(value);

			pair_add_field(pair, is_signed ? "s64" : "u64", name, pair_offset(i), 8,
				       is_signed);
			strbuf_addf(&texts, " %s=%%ll%c", name, is_signed ? 'd' : 'u');
			strbuf_addf(&args, ", REC->%s", name);
		}
	}
	strbuf_addf(&pair->format, "\nprint fmt: \"lat=%%llu%s\", REC->lat%s\n", strbuf_str(&texts),
		    strbuf_str(&args));
	pair->format.failed |= texts.failed || args.failed;
}

/* Numbers that nothing in the recording has: of a format, and an id of samples. */
static uint64_t pair_free_number(const struct pair_maker *maker, const struct formats *formats)
{
	uint64_t number = FIRST_NUMBER + maker->pairs.nr;

	while (number < LAST_NUMBER && formats_find(formats, number))
		number++;
	for (size_t i = 0; i < maker->pairs.nr; i++)
		if (maker->pairs.items[i].event.attr.config >= number)
			number = maker->pairs.items[i].event.attr.config + 1;
	return number;
}

static uint64_t pair_free_id(const struct pair_maker *maker, const struct event_list *events)
{
	uint64_t id = 0;

	for (size_t i = 0; i < events->nr; i++) {
		const struct event *event = events->items[i];

		for (size_t n = 0; n < event->nr_ids; n++)
			if (event->ids[n] < EVENT_DEVICE_IDS && id < event->ids[n])
				id = event->ids[n];
	}
	return id + 1 + maker->pairs.nr;
}

/*
 * The samples have the fixed fields of the recording's first event, so that the ids of all are
 * found in one way.
 */
static struct error *pair_make_attr(struct pair *pair, const struct event_list *events,
				    uint64_t number)
{
	const uint64_t fixed = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	const struct event *first = events->items[0];
	uint64_t type = first->attr.sample_type & fixed;

	if ((type & needed) != needed || first->id_offset < 0 || !first->nr_ids)
		return error_hint(error_new(EINVAL, "The samples of the recording do not name their event, task "
					    "and time, so no other samples can be put among them"),
				  "'ktrace record' with two events or more makes a recording that names them");
	if (type & PERF_SAMPLE_IDENTIFIER)
		type |= PERF_SAMPLE_CPU;
	pair->event.attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(pair->event.attr), .config = number,
		.sample_period = 1, .sample_type = type | PERF_SAMPLE_RAW,
		.sample_id_all = first->attr.sample_id_all,
	};
	return NULL;
}

static struct error *pair_bind(struct pair_maker *maker, struct pair *pair,
			       const struct event_list *events, const struct formats *formats)
{
	const struct pair_spec *spec = pair->match.spec;
	uint64_t number = pair_free_number(maker, formats);
	struct error *err;

	if (!spec->name)
		return error_hint(caret_error(spec->text, 0, "The event that is made has no name"),
				  "As in NAME=%s", spec->text);
	if (formats_find_name(formats, PAIR_SYSTEM, spec->name))
		return error_new(EEXIST, "The recording has an event " PAIR_SYSTEM ":%s already", spec->name);
	for (size_t i = 0; i < maker->pairs.nr; i++)
		if (!strcmp(maker->pairs.items[i].match.spec->name, spec->name))
			return error_new(EINVAL, "Two events are called '%s'", spec->name);
	err = pair_match_init(spec, events, formats, &pair->match);
	for (size_t i = 0; !err && i < spec->values.nr; i++)
		err = pair_bind_value(pair, &spec->values.items[i]);
	if (!err)
		err = pair_make_attr(pair, events, number);
	if (err)
		return err;
	strbuf_addf(&pair->name, PAIR_SYSTEM ":%s", spec->name);
	pair_make_format(pair, number);
	if (pair->name.failed || pair->format.failed)
		return &error_no_memory;
	pair->event.id = pair_free_id(maker, events);
	return NULL;
}

struct error *pair_maker_add(struct pair_maker *maker, const struct pair_spec *spec,
			     const struct event_list *events, const struct formats *formats)
{
	_cleanup_(pair) struct pair pair = {
		.match.spec = spec, .name = STRBUF_INIT, .format = STRBUF_INIT,
	};
	struct error *err = pair_bind(maker, &pair, events, formats);

	if (err)
		return err;
	if (!array_push(&maker->pairs, pair))
		return &error_no_memory;
	pair = (struct pair){ 0 };
	return NULL;
}

const struct pair_event *pair_maker_event(const struct pair_maker *maker, size_t index)
{
	struct pair *pair = index < maker->pairs.nr ? &maker->pairs.items[index] : NULL;

	if (!pair)
		return NULL;
	pair->event.name = strbuf_str(&pair->name);
	pair->event.format = strbuf_str(&pair->format);
	memcpy(pair->event.ends, pair->match.ends, sizeof(pair->event.ends));
	return &pair->event;
}

/* ---- starts ------------------------------------------------------------------------ */

/* ---- samples ----------------------------------------------------------------------- */

static uint64_t pair_load(void *data, const struct filter_node *field)
{
	const struct pair_side *side = ((const struct pair_side *const *)data)[field->side];

	if (field->is_time)
		return side->time;
	if (field->field)
		return field_u64(field->field, side->raw, side->raw_size);
	switch (field->common->number) {
	case COMMON_FIELD_CPU:
		return side->cpu;
	case COMMON_FIELD_TGID:
		return side->pid;
	default:
		return side->tid;
	}
}

/* Append a string to the fields of @raw, and write the word with its position at @at. */
static void pair_put_text(const struct filter_node *value, const struct pair_side *side, size_t at,
			  struct strbuf *raw)
{
	size_t len = strlen(side->comm);
	const char *text = side->comm;
	uint32_t word;

	if (value->field) {
		text = field_bytes(value->field, side->raw, side->raw_size, &len);
		len = text ? strnlen(text, len) : 0;
	}
	/* The word has 16 bits for position and length; a record is shorter anyway. */
	if (len > UINT16_MAX / 2)
		len = UINT16_MAX / 2;
	word = raw->len | (len + 1) << 16;
	strbuf_add(raw, text ? text : "", len);
	strbuf_addch(raw, '\0');
	if (!raw->failed)
		memcpy(raw->data + at, &word, sizeof(word));
}

/* Returns false if a value has no result. */
static bool pair_make_raw(const struct pair *pair, const struct pair_side *const *sides,
			  struct strbuf *raw)
{
	uint64_t lat = sides[SIDE_END]->time - sides[SIDE_START]->time, number;
	uint16_t type = pair->event.attr.config;
	int32_t tid = sides[SIDE_END]->tid;

	strbuf_add(raw, &type, sizeof(type));
	bytes_add_zeros(raw, sizeof(uint16_t));
	strbuf_add(raw, &tid, sizeof(tid));
	strbuf_add(raw, &lat, sizeof(lat));
	bytes_add_zeros(raw, 8 * pair->values.nr);
	for (size_t i = 0; !raw->failed && i < pair->values.nr; i++) {
		const struct filter_node *value = pair->values.items[i];
		size_t at = pair_offset(i);

		if (value->is_string) {
			pair_put_text(value, sides[value->side], at, raw);
			continue;
		}
		if (!filter_calculate(value, pair_load, (void *)sides, &number))
			return false;
		memcpy(raw->data + at, &number, sizeof(number));
	}
	return true;
}

static void pair_add_two(struct strbuf *to, uint32_t first, uint32_t second)
{
	bytes_add_u32(to, first);
	bytes_add_u32(to, second);
}

/* Append a sample with the time and task of the end. */
static void pair_add_sample(const struct pair *pair, const struct session_record *r,
			    const struct strbuf *raw, struct strbuf *to)
{
	uint64_t type = pair->event.attr.sample_type;
	size_t begin = to->len;
	uint32_t size = ((raw->len + sizeof(size) + 7) & ~(size_t)7) - sizeof(size);
	struct perf_event_header header = {
		.type = PERF_RECORD_SAMPLE,
		.misc = r->record.header->misc & PERF_RECORD_MISC_CPUMODE_MASK,
	};

	strbuf_add(to, &header, sizeof(header));
	if (type & PERF_SAMPLE_IDENTIFIER)
		bytes_add_u64(to, pair->event.id);
	if (type & PERF_SAMPLE_IP)
		bytes_add_u64(to, r->sample.ip);
	pair_add_two(to, r->sample.pid, r->sample.tid);
	bytes_add_u64(to, r->sample.time);
	if (type & PERF_SAMPLE_ADDR)
		bytes_add_u64(to, 0);
	if (type & PERF_SAMPLE_ID)
		bytes_add_u64(to, pair->event.id);
	if (type & PERF_SAMPLE_STREAM_ID)
		bytes_add_u64(to, pair->event.id);
	if (type & PERF_SAMPLE_CPU)
		pair_add_two(to, r->sample.cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		bytes_add_u64(to, 1);
	bytes_add_u32(to, size);
	strbuf_add(to, raw->data, raw->len);
	bytes_add_zeros(to, size - raw->len);
	header.size = to->len - begin;
	if (!to->failed)
		memcpy(to->data + begin, &header, sizeof(header));
}

static struct error *pair_make(struct pair_maker *maker, struct pair *pair,
			       const struct pair_start *start, const struct session_record *r)
{
	_cleanup_(strbuf) struct strbuf raw = STRBUF_INIT;
	struct pair_sample sample = {
		.start = start->side.time, .end = r->sample.time, .at = maker->bytes.len,
		.pair = pair - maker->pairs.items,
	};
	struct pair_side end;
	const struct pair_side *const sides[] = { &start->side, &end };

	/* With equal times, either may have been first. */
	if (sample.end - sample.start <= pair->match.spec->longer && pair->match.spec->longer) {
		pair->event.counts.shorter++;
		return NULL;
	}
	pair_match_side(r, &end);
	if (!pair_make_raw(pair, sides, &raw)) {
		pair->event.counts.no_result++;
		return NULL;
	}
	if (raw.failed)
		return &error_no_memory;
	/* Records have 16 bits for their size. */
	if (raw.len > UINT16_MAX - 256)
		return error_new(E2BIG, "The strings of %s are too long for a record",
				 strbuf_str(&pair->name));
	pair_add_sample(pair, r, &raw, &maker->bytes);
	if (maker->bytes.failed || !array_push(&maker->samples, sample))
		return &error_no_memory;
	return NULL;
}

static struct error *pair_take_start(struct pair *pair, const struct session_record *r)
{
	struct pair_start *start = pair_match_find(&pair->match, r);

	if (!start)
		return &error_no_memory;
	pair->event.counts.again += start->open;
	return pair_match_begin(start, r);
}

static struct error *pair_take_end(struct pair_maker *maker, struct pair *pair,
				   const struct session_record *r)
{
	struct pair_start *start = pair_match_end(&pair->match, r);

	if (!start) {
		pair->event.counts.without_start++;
		return NULL;
	}
	return pair_make(maker, pair, start, r);
}

static struct error *pair_note_stored(struct pair_maker *maker, const struct session_record *r)
{
	size_t cpu = r->sample.cpu;

	if (r->sample.cpu < 0 || r->sample.cpu >= HEADER_CPUS_MAX)
		return NULL;
	if (!array_at(&maker->stored, cpu, 0))
		return &error_no_memory;
	if (maker->stored.items[cpu] < r->sample.time)
		maker->stored.items[cpu] = r->sample.time;
	return NULL;
}

/* Nobody knows whose a record was that is too short for its fields. */
static struct error *pair_lose_sample(struct pair_maker *maker, const struct session_record *r)
{
	struct pair_loss loss = {
		.since = r->sample.time - 1, .until = r->sample.time + 1, .event = r->event,
	};

	return array_push(&maker->losses, loss) ? NULL : &error_no_memory;
}

static struct error *pair_sample(struct session_consumer *consumer, const struct session_record *r)
{
	struct pair_maker *maker = container_of(consumer, struct pair_maker, consumer);
	struct error *err = pair_note_stored(maker, r);

	for (size_t i = 0; !err && i < maker->pairs.nr; i++) {
		struct pair *pair = &maker->pairs.items[i];

		if (pair_match_is_damaged(&pair->match, r)) {
			err = pair_lose_sample(maker, r);
			continue;
		}
		/* An event that is both ends one pair and begins the next. */
		if (r->event == pair->match.ends[SIDE_END])
			err = pair_take_end(maker, pair, r);
		if (!err && r->event == pair->match.ends[SIDE_START])
			err = pair_take_start(pair, r);
	}
	return err;
}

/* ---- losses ------------------------------------------------------------------------ */

static struct error *pair_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct pair_maker *maker = container_of(consumer, struct pair_maker, consumer);
	const struct body_lost_samples *all = body_of(r->record.header, struct body_lost_samples);
	const struct body_lost *lost = body_of(r->record.header, struct body_lost);
	struct pair_loss loss;

	if (r->record.header->type == PERF_RECORD_LOST_SAMPLES && all)
		maker->counted += all->lost;
	if (r->record.header->type != PERF_RECORD_LOST || !lost)
		return NULL;
	maker->placed += lost->lost;
	loss = (struct pair_loss){
		.since = r->loss.since, .until = r->loss.until,
		.event = r->loss.of_event ? r->event : NULL,
	};
	return array_push(&maker->losses, loss) ? NULL : &error_no_memory;
}

/* Losses without a known position came after all stored records of their ring. */
static struct error *pair_lose_rest(struct pair_maker *maker)
{
	struct pair_loss loss = { .since = UINT64_MAX, .until = UINT64_MAX };

	if (maker->counted <= maker->placed)
		return NULL;
	for (size_t i = 0; i < maker->stored.nr; i++)
		if (maker->stored.items[i] && loss.since > maker->stored.items[i])
			loss.since = maker->stored.items[i];
	return array_push(&maker->losses, loss) ? NULL : &error_no_memory;
}

DEFINE_COMPARISON(pair_compare_losses, struct pair_loss, array_order(x->since, y->since))
DEFINE_COMPARISON(pair_compare_samples, struct pair_sample,
		  array_order(x->end, y->end) ?: array_order(x->at, y->at))

/* The losses that may concern one of the pair's events, each with the latest end until then. */
struct pair_losses { struct pair_loss *items; size_t nr, alloc; };

static struct error *pair_find_losses(const struct pair_maker *maker, const struct pair *pair,
				      struct pair_losses *ret)
{
	for (size_t i = 0; i < maker->losses.nr; i++) {
		struct pair_loss loss = maker->losses.items[i];

		if (loss.event && loss.event != pair->match.ends[SIDE_START] &&
		    loss.event != pair->match.ends[SIDE_END])
			continue;
		if (ret->nr && loss.until < ret->items[ret->nr - 1].until)
			loss.until = ret->items[ret->nr - 1].until;
		if (!array_push(ret, loss))
			return &error_no_memory;
	}
	return NULL;
}

/* Whether something may have been lost between the ends of a pair. */
static bool pair_is_unknown(const struct pair_losses *losses, const struct pair_sample *sample)
{
	/* Of the losses that began before the end, the last one has the latest of their ends. */
	size_t nr = array_count_while(losses->nr, i, losses->items[i].since < sample->end);

	return nr && losses->items[nr - 1].until > sample->start;
}

static struct error *pair_settle(struct pair_maker *maker, size_t index)
{
	struct pair *pair = &maker->pairs.items[index];
	struct pair_losses losses = { 0 };
	struct error *err = pair_find_losses(maker, pair, &losses);
	size_t kept = 0;

	for (size_t i = 0; !err && i < maker->samples.nr; i++) {
		const struct pair_sample *sample = &maker->samples.items[i];
		bool is_unknown = sample->pair == index && pair_is_unknown(&losses, sample);

		pair->event.counts.unknown += is_unknown;
		pair->event.counts.made += sample->pair == index && !is_unknown;
		if (!is_unknown)
			maker->samples.items[kept++] = *sample;
	}
	if (!err)
		maker->samples.nr = kept;
	for (size_t i = 0; i < pair->match.starts.nr; i++)
		pair->event.counts.open += pair->match.starts.items[i].open;
	free(losses.items);
	return err;
}

static struct error *pair_finish(struct session_consumer *consumer)
{
	struct pair_maker *maker = container_of(consumer, struct pair_maker, consumer);
	struct error *err = pair_lose_rest(maker);

	array_sort(&maker->losses, pair_compare_losses);
	for (size_t i = 0; !err && i < maker->pairs.nr; i++)
		err = pair_settle(maker, i);
	array_sort(&maker->samples, pair_compare_samples);
	return err;
}

struct session_consumer *pair_maker_consumer(struct pair_maker *maker)
{
	return &maker->consumer;
}

const struct perf_event_header *pair_maker_next(struct pair_maker *maker, uint64_t time)
{
	const struct pair_sample *sample = &maker->samples.items[maker->next];

	if (maker->next == maker->samples.nr || sample->end > time)
		return NULL;
	maker->next++;
	return (const void *)(maker->bytes.data + sample->at);
}

struct error *pair_maker_create(struct pair_maker **ret)
{
	struct pair_maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		return &error_no_memory;
	maker->bytes = (struct strbuf)STRBUF_INIT;
	maker->consumer = (struct session_consumer){
		.sample = pair_sample, .other = pair_other, .finish = pair_finish,
	};
	*ret = maker;
	return NULL;
}
