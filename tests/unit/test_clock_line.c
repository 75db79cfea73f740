// SPDX-License-Identifier: GPL-2.0
/* Clocks with a known offset and drift, and messages between them that take random times. */
#include "perfdata/join/clock_line.h"

#include <math.h>
#include <stdlib.h>

#include "lib/array.h"
#include "perfdata/join/traffic.h"
#include "tap.h"

#define MS 1000000ULL
#define START (5000 * MS)

/* The relation of the other clock to this one. */
struct made_clocks {
	int64_t offset;
	double drift;
};

static uint64_t other_time(const struct made_clocks *made, uint64_t time)
{
	return time + made->offset + (int64_t)(made->drift * (double)(int64_t)(time - START));
}

static uint64_t random_ns(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 16) % below;
}

/* Messages within @ns from START; the fastest take @least, the slowest @least + @spread. */
static void make_messages(const struct made_clocks *made, size_t nr, uint64_t ns, uint64_t least,
			  uint64_t spread, struct clock_bounds *lower, struct clock_bounds *upper)
{
	uint64_t state = 42;

	for (size_t i = 0; i < nr; i++) {
		uint64_t sent = START + random_ns(&state, ns);
		uint64_t took = least + random_ns(&state, spread);
		struct clock_bound bound = { .time = sent };
		bool done;

		if (i % 2) {
			bound.difference = other_time(made, sent + took) - sent;
			done = array_push(upper, bound);
		} else {
			bound.time = sent + took;
			bound.difference = other_time(made, sent) - bound.time;
			done = array_push(lower, bound);
		}
		if (!done)
			abort();
	}
}

static void free_bounds(struct clock_bounds *lower, struct clock_bounds *upper)
{
	free(lower->items);
	free(upper->items);
	*lower = *upper = (struct clock_bounds){ 0 };
}

static bool keeps_to(const struct clock_line *line, const struct clock_bounds *lower,
		     const struct clock_bounds *upper)
{
	for (size_t i = 0; i < lower->nr; i++)
		if ((int64_t)(clock_line_at(line, lower->items[i].time) - lower->items[i].time) <
		    lower->items[i].difference - 1)
			return false;
	for (size_t i = 0; i < upper->nr; i++)
		if ((int64_t)(clock_line_at(line, upper->items[i].time) - upper->items[i].time) >
		    upper->items[i].difference + 1)
			return false;
	return true;
}

TEST(test_known_clocks)
{
	static const struct made_clocks clocks[] = {
		{ 0, 0 },
		{ 1234567890, 0 },
		{ -1234567890, 50e-6 },
		{ 1700000000LL * 1000000000LL, -200e-6 },
		{ -4000000000LL, -999e-6 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct clock_bounds lower = { 0 }, upper = { 0 };
		struct clock_fit fit = { .found = false };
		double worst = 0, drift;

		about("clocks with an offset of %lld ns and a drift of %g",
		      (long long)clocks[i].offset, clocks[i].drift);
		make_messages(&clocks[i], 2000, 10000 * MS, 20000, 500000, &lower, &upper);
		ok(!clock_line_fit(&lower, &upper, START, START + 10000 * MS, &fit) && fit.found,
		   "there is a line");
		for (uint64_t time = START; time <= START + 10000 * MS; time += 10 * MS) {
			uint64_t wanted = other_time(&clocks[i], time);
			int64_t apart = clock_line_at(&fit.line, time) - wanted;

			worst = fmax(worst, fabs((double)apart));
		}
		drift = fabs(fit.line.drift - clocks[i].drift);
		ok(worst <= fit.error + 2, "the times are as exact as the error says");
		ok(drift <= fit.drift_error, "the drift is as exact as its error says");
		ok(fit.error < 60000, "the error is near the time of the fastest messages");
		ok(keeps_to(&fit.line, &lower, &upper), "no message arrives before it is sent");
		free_bounds(&lower, &upper);
	}
}

TEST(test_few_messages)
{
	const struct made_clocks made = { 777, 0 };
	struct clock_bounds lower = { 0 }, upper = { 0 };
	struct clock_fit fit = { .found = false };

	about("a message each way");
	make_messages(&made, 2, 1, 1000, 1, &lower, &upper);
	ok(!clock_line_fit(&lower, &upper, 0, 0, &fit) && fit.found, "there is a line");
	ok(fabs((double)fit.line.offset - 777) <= fit.error + 1 && fit.error < 2100,
	   "the error is the time that they took");
	ok(!clock_line_fit(&lower, &upper, START, START + 10000 * MS, &fit) && fit.found &&
	   fit.error > 5 * MS && fit.error < 21 * MS,
	   "far from them the error is the possible drift of the clocks");
	free_bounds(&lower, &upper);
}

TEST(test_contradictions)
{
	const struct made_clocks made = { 1000000, 10e-6 };
	struct clock_bounds lower = { 0 }, upper = { 0 };
	struct clock_fit fit = { .found = false };
	int64_t kept;

	about("2000 messages");
	make_messages(&made, 2000, 10000 * MS, 20000, 500000, &lower, &upper);
	ok(!clock_line_fit(&lower, &upper, 0, 0, &fit) && fit.found, "there is a line");
	kept = upper.items[300].difference;
	upper.items[300].difference = other_time(&made, upper.items[300].time) -
				      upper.items[300].time - 500000;
	ok(!clock_line_fit(&lower, &upper, 0, 0, &fit) && !fit.found,
	   "one that arrives before it was sent leaves no line");
	ok(fit.conflict.time == upper.items[300].time, "that one is reported");
	upper.items[300].difference = kept;
	for (size_t i = 0; i < upper.nr; i++)
		if (upper.items[i].time > START + 5000 * MS)
			upper.items[i].difference += 30 * MS;
	for (size_t i = 0; i < lower.nr; i++)
		if (lower.items[i].time > START + 5000 * MS)
			lower.items[i].difference += 30 * MS;
	ok(!clock_line_fit(&lower, &upper, 0, 0, &fit) && !fit.found,
	   "a clock that was set leaves no line");
	free_bounds(&lower, &upper);
	about_nothing();
}

TEST(test_joined_lines)
{
	const struct clock_line a = { .from = START, .offset = 1000, .drift = 1e-4 };
	const struct clock_line b = { .from = START / 2, .offset = -77, .drift = -3e-5 };
	struct clock_line joined = clock_line_join(&a, &b);
	bool same = true, ordered = true;
	uint64_t last = 0;

	for (uint64_t time = START; time < START + 1000 * MS; time += 999983) {
		uint64_t want = clock_line_at(&b, clock_line_at(&a, time));

		same = same && llabs((long long)(clock_line_at(&joined, time) - want)) <= 1;
		ordered = ordered && clock_line_at(&joined, time) >= last;
		last = clock_line_at(&joined, time);
	}
	ok(same, "two lines that are joined give the same as one after the other");
	ok(ordered, "a line keeps the order of times");
}

/* ---- which messages count -------------------------------------------------------- */

static void add_end_of(struct traffic *traffic, uint64_t key, uint64_t time, bool received)
{
	struct traffic_end end = { .key = key, .time = time, .received = received };

	if (!array_push(traffic, end))
		abort();
}

TEST(test_compared_traffic)
{
	struct traffic own = { 0 }, other = { 0 };
	struct clock_bounds lower = { 0 }, upper = { 0 };

	about("messages of two recordings");
	add_end_of(&own, 1, 100, false);
	add_end_of(&other, 1, 250, true);
	add_end_of(&other, 2, 300, false);
	add_end_of(&own, 2, 130, true);
	/* Sent twice; sent and received in one recording; received only. */
	add_end_of(&own, 3, 400, false);
	add_end_of(&own, 3, 410, false);
	add_end_of(&other, 3, 420, true);
	add_end_of(&own, 4, 500, false);
	add_end_of(&own, 4, 510, true);
	add_end_of(&other, 5, 600, true);
	/* The same message, twice at each end. */
	add_end_of(&own, 6, 700, false);
	add_end_of(&own, 6, 701, true);
	add_end_of(&other, 6, 702, false);
	add_end_of(&other, 6, 703, true);
	ok(!traffic_compare(&own, &other, &lower, &upper), "they are compared");
	ok(upper.nr == 1 && upper.items[0].time == 100 && upper.items[0].difference == 150,
	   "one that was sent bounds from above");
	ok(lower.nr == 1 && lower.items[0].time == 130 && lower.items[0].difference == 170,
	   "one that was received bounds from below");
	traffic_deinit(&own);
	traffic_deinit(&other);
	free_bounds(&lower, &upper);
	about_nothing();
}

TEST(test_rules)
{
	static const char *const bad[] = {
		"", "x", "a:b(c)", "a:b(c)=", "a:b(c)=d", "a:b(c)=d:e", "a:b()=d:e()", "a:b(c)=d:e(c,f)",
		"ab(c)=d:e(c)", "a:(c)=d:e(c)", "a:b(x==y,c)=d:e(c)", "a:b(c!=,d)=d:e(d)", ":b(c)=d:e(c)",
		"a:b(x==1)=d:e(x==1)", "a:b(==1,c)=d:e(c)",
	};
	struct traffic_rules rules = { 0 };
	struct error *err;

	about("rules");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		err = traffic_rules_add(&rules, bad[i]);
		ok(err && err->hint, "'%s' is refused with a next step", bad[i]);
		error_free(err);
	}
	err = traffic_rules_add(&rules, "a:b(c,len==0x14,d!=e,f)=g:h(i,j)");
	ok(!err && rules.nr == 1 && rules.own && rules.items[0].send.nr == 4 &&
	   rules.items[0].send.items[1].number == 20 && rules.items[0].receive.nr == 2,
	   "conditions stand between fields");
	is_str(rules.items[0].send.items[2].other, "e", "a field is compared with another");
	ok(!traffic_rules_add(&rules, "none") && rules.none, "'none' looks for no messages");
	traffic_rules_deinit(&rules);
	ok(!traffic_rules_add_known(&rules) && rules.nr && !rules.own, "some rules are known");
	traffic_rules_deinit(&rules);
	about_nothing();
}

TAP_MAIN
