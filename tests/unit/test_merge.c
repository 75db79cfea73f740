// SPDX-License-Identifier: GPL-2.0
/* Records in time order, from rings drained in rounds. */
#include <stdlib.h>

#include "record/event.h"
#include "session/merge.h"
#include "tap.h"

/* A made-up source, as the times and types of its records. */
struct entry {
	uint64_t time;
	uint32_t type;
	uint64_t mark;		/* of a FINISHED_ROUND; 0: perf's, without; of others: */
#define SETTLED	1
#define IN_SPAN	2
};

struct list_source {
	struct record_source source;
	const struct entry *entries;
	size_t nr, at;
	bool fails;		/* at the end */
	struct event event;
	struct {
		struct perf_event_header header;
		uint64_t number;
	} record;
};

static enum record_status list_next(struct record_source *source, struct record *ret,
				    struct error **err)
{
	struct list_source *s = container_of(source, struct list_source, source);
	const struct entry *entry = &s->entries[s->at];

	if (s->at == s->nr) {
		if (!s->fails)
			return RECORD_END;
		*err = error_new(0, "made up");
		return RECORD_FAILED;
	}
	s->record.header = (struct perf_event_header){ entry->type, 0, sizeof(s->record) };
	s->record.number = entry->type == RECORD_FINISHED_ROUND ? entry->mark : s->at;
	if (entry->type == RECORD_FINISHED_ROUND && !entry->mark)
		s->record.header.size = sizeof(s->record.header);
	*ret = (struct record){
		.header = &s->record.header, .event = &s->event, .time = entry->time,
		.offset = s->at,
		.settled = entry->type == PERF_RECORD_SAMPLE && entry->mark == SETTLED,
	};
	s->at++;
	return RECORD_OK;
}

/* A span of one sample; its number stands for the bytes. */
static bool list_next_span(struct record_source *source, struct sample_span *ret)
{
	struct list_source *s = container_of(source, struct list_source, source);
	const struct entry *entry = &s->entries[s->at];

	if (s->at == s->nr || entry->type != PERF_RECORD_SAMPLE || entry->mark != IN_SPAN)
		return false;
	*ret = (struct sample_span){ .nr = s->at++, .time = entry->time };
	return true;
}

static const struct record_source_ops list_ops = {
	.next = list_next,
	.next_span = list_next_span,
};

static struct list_source make_source(const struct entry *entries, size_t nr)
{
	return (struct list_source){
		.source.ops = &list_ops,
		.entries = entries,
		.nr = nr,
		.event.attr.sample_id_all = 1,
	};
}

/* The numbers that come out, "0 2 1", those of spans "[3]"; the text of the error at the end, if any. */
static void run(struct list_source *source, char *out, size_t size, uint64_t *inversions)
{
	struct sample_span span;
	struct merge *merge;
	struct record record;
	struct error *err = NULL;
	enum record_status status;
	size_t len = 0;

	*out = '\0';
	if (merge_create(&source->source, &merge))
		abort();
	merge_want_spans(merge, true);
	while ((status = record_source_next(merge_source(merge), &record, &err)) == RECORD_OK ||
	       status == RECORD_SPAN) {
		if (status == RECORD_OK) {
			len += snprintf(out + len, size - len, "%s%llu", len ? " " : "",
					(unsigned long long)((const uint64_t *)record.header)[1]);
			continue;
		}
		merge_take_span(merge, &span);
		len += snprintf(out + len, size - len, "%s[%zu]", len ? " " : "", span.nr);
	}
	if (err)
		snprintf(out + len, size - len, " %s", err->message);
	error_free(err);
	*inversions = merge_inversions(merge);
	merge_destroy(merge);
}

#define S PERF_RECORD_SAMPLE
#define ROUND { 0, RECORD_FINISHED_ROUND, 0 }

static void check(const struct entry *entries, size_t nr, const char *want,
		  uint64_t want_inversions, const char *name)
{
	struct list_source source = make_source(entries, nr);
	uint64_t inversions;
	char out[256];

	run(&source, out, sizeof(out), &inversions);
	is_str(out, want, name);
	if (inversions != want_inversions)
		ok(false, "%s: %llu inversions, not %llu", name, (unsigned long long)inversions,
		   (unsigned long long)want_inversions);
}

#define CHECK(want, inversions, name, ...) do {				\
	static const struct entry entries[] = { __VA_ARGS__ };		\
	check(entries, sizeof(entries) / sizeof(entries[0]), want, inversions, name); \
} while (0)

TEST(test_orders)
{
	CHECK("0 3 1 4 2", 0, "two rings", { 10, S, 0 }, { 30, S, 0 }, { 50, S, 0 }, { 20, S, 0 },
	      { 40, S, 0 });
	CHECK("0 1 2 3", 0, "equal times keep their order", { 5, S, 0 }, { 5, S, 0 }, { 5, S, 0 },
	      { 5, S, 0 });
	CHECK("2 1 0", 0, "backwards", { 3, S, 0 }, { 2, S, 0 }, { 1, S, 0 });
	CHECK("0 1 5 3 4 6", 0, "over a round", { 10, S, 0 }, { 20, S, 0 }, ROUND, { 22, S, 0 },
	      { 30, S, 0 }, { 21, S, 0 }, { 31, S, 0 }, ROUND, ROUND);
	CHECK("0 1 4", 1, "what comes two rounds late is an inversion", { 10, S, 0 },
	      { 20, S, 0 }, ROUND, ROUND, { 15, S, 0 });
	CHECK("0 2 1", 0, "perf holds one round back", { 10, S, 0 }, { 20, S, 0 }, { 15, S, 0 });
	CHECK("0 2 1 4", 0, "a mark frees what is older, and no more", { 10, S, 0 },
	      { 20, S, 0 }, { 12, S, 0 }, { 0, RECORD_FINISHED_ROUND, 13 }, { 30, S, 0 });
	CHECK("0 1 5 4", 0, "the rest is kept for what comes below it", { 10, S, 0 },
	      { 11, S, 0 }, { 0, RECORD_FINISHED_ROUND, 12 }, { 0, RECORD_FINISHED_ROUND, 12 },
	      { 20, S, 0 }, { 13, S, 0 });
	CHECK("1 2 0 3", 0, "records without a time go out at once", { 10, S, 0 },
	      { 0, PERF_RECORD_COMM, 0 }, { 0, PERF_RECORD_COMM, 0 }, { 20, S, 0 });
	CHECK("0 2 1 3", 0, "what is settled goes out when what is older has", { 10, S, 0 },
	      { 30, S, 0 }, { 20, S, SETTLED }, { 40, S, SETTLED });
	CHECK("0 1 2", 0, "equal times keep their order, settled or not", { 10, S, 0 },
	      { 10, S, SETTLED }, { 10, S, SETTLED });
	CHECK("0 [2] 1 [3] 4", 0, "so do spans", { 10, S, 0 }, { 30, S, 0 }, { 20, S, IN_SPAN },
	      { 35, S, IN_SPAN }, { 40, S, 0 });
	CHECK("[0] [1] 2", 0, "spans alone", { 10, S, IN_SPAN }, { 5, S, IN_SPAN },
	      { 7, S, SETTLED });
	check(NULL, 0, "", 0, "nothing");
}

TEST(test_failure)
{
	static const struct entry entries[] = { { 3, S, 0 }, { 1, S, 0 } };
	struct list_source source = make_source(entries, 2);
	uint64_t inversions;
	char out[64];

	source.fails = true;
	run(&source, out, sizeof(out), &inversions);
	is_str(out, "1 0 made up", "an error of the source is reported after the records before it");
	source = make_source(entries, 2);
	source.event.attr.sample_id_all = 0;
	run(&source, out, sizeof(out), &inversions);
	is_str(out, "0 1", "without sample_id_all the order is the file's, as with perf");
}

#define RINGS	7
#define ROUNDS	50
#define PER_RING 40

/* Random rings, drained with a mark as the recorder does. The order is exact at every pace. */
TEST(test_random)
{
	static struct entry entries[RINGS * ROUNDS * PER_RING + ROUNDS];
	uint64_t clock[RINGS] = { 0 }, mark = 0, last = 0, count = 0, inversions;
	struct list_source source;
	struct record record;
	struct error *err = NULL;
	struct merge *merge;
	bool ordered = true;
	size_t nr = 0;

	srandom(4711);
	for (int round = 0; round < ROUNDS; round++) {
		for (int ring = 0; ring < RINGS; ring++) {
			if (clock[ring] < mark)
				clock[ring] = mark;
			for (int i = random() % PER_RING; i > 0; i--) {
				clock[ring] += 1 + random() % 20;
				entries[nr++] = (struct entry){ clock[ring], S, 0 };
				count++;
			}
		}
		mark += 1 + random() % 500;
		entries[nr++] = (struct entry){ 0, RECORD_FINISHED_ROUND, mark };
	}
	source = make_source(entries, nr);
	if (merge_create(&source.source, &merge))
		abort();
	while (record_source_next(merge_source(merge), &record, &err) == RECORD_OK) {
		ordered &= record.time >= last;
		last = record.time;
		count--;
	}
	inversions = merge_inversions(merge);
	merge_destroy(merge);
	error_free(err);
	ok(ordered && !inversions, "seven rings in fifty rounds come out in order");
	is_u64(count, 0, "none is missing");
}

/* Records that wait for the end, one in each stretch of many that do not. */
TEST(test_few_that_wait)
{
	enum { STRETCHES = 400, RECORDS = 1500 };
	size_t nr = 0, most = 0, waiting = 0, count = 0;
	struct entry *entries = calloc(STRETCHES * (RECORDS + 2), sizeof(*entries));
	struct list_source source;
	struct record record;
	struct error *err = NULL;
	struct merge *merge;
	bool ordered = true;
	uint64_t last = 0;

	if (!entries)
		abort();
	for (uint64_t i = 0; i < STRETCHES; i++) {
		entries[nr++] = (struct entry){ (1ULL << 40) - i, S, 0 };
		for (uint64_t j = 0; j < RECORDS; j++)
			entries[nr++] = (struct entry){ i * RECORDS + j + 1, S, 0 };
		entries[nr++] = (struct entry){ 0, RECORD_FINISHED_ROUND, (i + 1) * RECORDS + 1 };
	}
	source = make_source(entries, nr);
	if (merge_create(&source.source, &merge))
		abort();
	while (record_source_next(merge_source(merge), &record, &err) == RECORD_OK) {
		ordered &= record.time >= last;
		last = record.time;
		waiting += last >= 1ULL << 39;
		count++;
		if (merge_memory(merge) > most)
			most = merge_memory(merge);
	}
	merge_destroy(merge);
	error_free(err);
	free(entries);
	ok(ordered && count == STRETCHES * (RECORDS + 1) && waiting == STRETCHES,
	   "400 records wait while 600,000 go by");
	ok(most < 8 << 20, "they do not keep the memory of those: %zu KiB", most >> 10);
}

/* A reader that stops in the middle leaves nothing behind; ASan looks. */
TEST(test_stop_early)
{
	static const struct entry entries[] = {
		{ 3, S, 0 }, { 1, S, 0 }, { 2, S, 0 }, { 9, S, 0 }, { 4, S, 0 },
	};
	struct list_source source = make_source(entries, 5);
	struct record record;
	struct error *err = NULL;
	struct merge *merge;

	if (merge_create(&source.source, &merge))
		abort();
	ok(record_source_next(merge_source(merge), &record, &err) == RECORD_OK &&
	   record.time == 1, "one record is taken");
	merge_destroy(merge);
	ok(true, "the records that were not taken are released");
}

TAP_MAIN
