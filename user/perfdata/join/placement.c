// SPDX-License-Identifier: GPL-2.0
#include "perfdata/join/placement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "perfdata/join/traffic.h"
#include "perfdata/reader_state.h"

#define NSEC_PER_SEC 1000000000LL

/* Within a boot, clocks differ from the wall clock by a constant, except for corrections by NTP. */
#define SAME_BOOT_NS NSEC_PER_SEC

/* Up to so many clocks have a line of their own each in the notice. */
#define CLOCKS_TOLD 16

enum clock_way {
	NOT_PLACED = 0,
	IS_FIRST,
	BY_MESSAGES,
	BY_WALL_CLOCK,		/* that of another host */
	BY_OWN_HOST,		/* by another clock of its own host, and that host's wall clock */
};

/* The results of a comparison by messages, the most informative last. */
enum clock_verdict {
	NO_MESSAGES = 0,
	ONE_DIRECTION,
	CONTRADICTION,
};

/* A clock.  Recordings of one boot that were made with the same clock share it. */
struct placed_clock {
	struct reader *reader;		/* its first recording */
	size_t nr;			/* recordings */
	unsigned int host;
	enum clock_way way;
	struct clock_line line;		/* to the first clock */
	double error, drift_error;
	struct traffic traffic;
	uint64_t first, last;		/* of all its recordings; 0: not known */
	/* About the clock it was compared with: */
	const struct placed_clock *peer;
	enum clock_verdict verdict;
	size_t to, from;		/* messages */
	struct clock_bound conflict;
};

struct placing {
	struct placed_clock *clocks;
	size_t nr;
	const struct traffic_rules *rules;
	struct clock_bounds lower, upper;
};

/* ---- hosts and their clocks --------------------------------------------------- */

static bool texts_differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b);
}

static bool tells_wall_time(const struct header *header)
{
	return header->wall_time && header->clock_time;
}

static int64_t wall_offset(const struct header *header)
{
	return header->wall_time - header->clock_time;
}

static bool is_same_machine(const struct header *a, const struct header *b)
{
	return !texts_differ(a->hostname, b->hostname) &&
	       !texts_differ(a->os_release, b->os_release) && !texts_differ(a->arch, b->arch) &&
	       !(a->kernel.size && b->kernel.size && !build_id_equal(&a->kernel, &b->kernel));
}

static bool is_same_boot(const struct header *a, const struct header *b)
{
	int64_t apart = wall_offset(a) - wall_offset(b);

	if (!is_same_machine(a, b))
		return false;
	/* Different clocks do not distinguish boots, nor does perf's, which nobody adjusts. */
	if (a->clockid != b->clockid || a->clockid < 0 || !tells_wall_time(a) ||
	    !tells_wall_time(b))
		return true;
	return apart < SAME_BOOT_NS && apart > -SAME_BOOT_NS;
}

static const char *host_of(const struct header *header)
{
	return header->hostname && *header->hostname ? header->hostname : "an unknown host";
}

static struct error *no_wall_time(const struct reader *reader)
{
	return error_hint(error_new(ENODATA, "%s of %s does not relate its clock to the wall "
				    "clock, so it cannot be sorted together with the other "
				    "recordings",
				    reader->name, host_of(&reader->header)),
			  "Record it with '-k monotonic' of ktrace or perf, which stores that "
			  "relation; or record '-e sock:inet_sock_set_state' on all hosts, as "
			  "messages relate their clocks");
}

static void find_hosts(struct reader *const *readers, size_t nr, struct placement *ret)
{
	unsigned int hosts = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t same = 0;

		while (same < i && !is_same_boot(&readers[i]->header, &readers[same]->header))
			same++;
		ret[i].host = same < i ? ret[same].host : hosts++;
	}
}

static void include_recording(struct placed_clock *clock, const struct header *header)
{
	uint64_t first = header->first_sample_time, last = header->last_sample_time;

	if (!clock->nr++ || (first && clock->first && first < clock->first))
		clock->first = first;
	if (last > clock->last)
		clock->last = last;
}

/* Find the clock of a recording, or add it; there is room. */
static struct placed_clock *find_clock(struct placing *placing, struct reader *reader,
				       unsigned int host)
{
	struct placed_clock *clock = placing->clocks, *end = clock + placing->nr;

	while (clock < end && (clock->host != host ||
			       clock->reader->header.clockid != reader->header.clockid))
		clock++;
	if (clock == end) {
		placing->nr++;
		clock->reader = reader;
		clock->host = host;
	}
	return clock;
}

/* ---- by the wall clock ---------------------------------------------------------- */

static bool place_by_wall_clock(struct placed_clock *clock, const struct placed_clock *by,
				enum clock_way way)
{
	const struct header *header = &clock->reader->header, *base = &by->reader->header;
	struct clock_line line = { .from = header->clock_time };

	if (!tells_wall_time(header) || !tells_wall_time(base))
		return false;
	line.offset = wall_offset(header) - wall_offset(base);
	clock->line = clock_line_join(&line, &by->line);
	clock->error = by->error;
	clock->drift_error = by->drift_error;
	clock->peer = by;
	clock->way = way;
	return true;
}

/* The largest distance of a recording's clock pairs from the pair that is used, ns. */
static uint64_t spread_of_pairs(const struct reader *reader)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < reader->clocks.nr; i++) {
		const struct clock_pair *pair = &reader->clocks.items[i];
		uint64_t apart = pair->realtime - pair->trace - wall_offset(&reader->header);

		if (!pair->realtime || !pair->trace)
			continue;
		if (apart > INT64_MAX)
			apart = -apart;
		if (apart > ret)
			ret = apart;
	}
	return ret;
}

/* ---- by messages ---------------------------------------------------------------- */

static struct error *compare_traffic(struct placing *placing, const struct placed_clock *clock,
				     const struct placed_clock *with)
{
	placing->lower.nr = placing->upper.nr = 0;
	return traffic_compare(&clock->traffic, &with->traffic, &placing->lower, &placing->upper);
}

static void keep_verdict(struct placing *placing, struct placed_clock *clock,
			 const struct placed_clock *by, const struct clock_fit *fit)
{
	enum clock_verdict verdict = NO_MESSAGES;

	if (placing->lower.nr && placing->upper.nr)
		verdict = CONTRADICTION;
	else if (placing->lower.nr || placing->upper.nr)
		verdict = ONE_DIRECTION;
	if (clock->peer && clock->verdict >= verdict)
		return;
	clock->peer = by;
	clock->verdict = verdict;
	clock->to = placing->lower.nr;
	clock->from = placing->upper.nr;
	clock->conflict = fit->conflict;
}

static struct error *place_by_messages(struct placing *placing, struct placed_clock *clock,
				       const struct placed_clock *by)
{
	struct clock_fit fit = { .found = false };
	struct error *err = compare_traffic(placing, clock, by);

	if (!err && placing->lower.nr && placing->upper.nr)
		err = clock_line_fit(&placing->lower, &placing->upper, clock->first, clock->last,
				     &fit);
	if (err)
		return err;
	if (!fit.found) {
		keep_verdict(placing, clock, by, &fit);
		return NULL;
	}
	clock->line = clock_line_join(&fit.line, &by->line);
	clock->error = fit.error + by->error;
	clock->drift_error = fit.drift_error + by->drift_error;
	clock->peer = by;
	clock->to = placing->lower.nr;
	clock->from = placing->upper.nr;
	clock->way = BY_MESSAGES;
	return NULL;
}

/* Place a clock by the placed ones, without the wall clock of another host. */
static struct error *place_clock(struct placing *placing, struct placed_clock *clock)
{
	struct error *err = NULL;

	for (size_t i = 0; i < placing->nr && !clock->way; i++) {
		const struct placed_clock *by = &placing->clocks[i];

		if (by->way && by->host == clock->host)
			place_by_wall_clock(clock, by, BY_OWN_HOST);
	}
	for (size_t i = 0; !err && i < placing->nr && !clock->way; i++) {
		const struct placed_clock *by = &placing->clocks[i];

		if (by->way && by->host != clock->host)
			err = place_by_messages(placing, clock, by);
	}
	return err;
}

static struct error *no_such_events(const struct traffic_rules *rules)
{
	const struct traffic_rule *rule = &rules->items[0];

	return error_hint(error_new(ENOENT, "None of the recordings has events that '--match %s' names",
				    rule->given),
			  "'ktrace evlist' lists the events of a recording; record %s:%s where "
			  "messages are sent, and %s:%s where they are received", rule->send.system,
			  rule->send.event, rule->receive.system, rule->receive.event);
}

static struct error *collect_all(struct placing *placing, struct reader *const *readers, size_t nr,
				 const struct placement *places)
{
	unsigned int matched, any = 0;

	if (placing->rules->none)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		struct placed_clock *clock = find_clock(placing, readers[i], places[i].host);
		struct error *err;

		/* A pipe can be read only once. */
		if (readers[i]->is_stdin)
			continue;
		err = traffic_collect(&clock->traffic, readers[i]->name, placing->rules, &matched);
		if (err)
			return err;
		any |= matched;
	}
	return placing->rules->own && !any ? no_such_events(placing->rules) : NULL;
}

/* ---- notices --------------------------------------------------------------------- */

static void add_clock_name(struct strbuf *text, const struct placed_clock *clock)
{
	strbuf_addf(text, "%s", clock->reader->name);
	if (clock->nr > 1)
		strbuf_addf(text, " and %zu more", clock->nr - 1);
	strbuf_addf(text, " of %s", host_of(&clock->reader->header));
}

static void add_offset(struct strbuf *text, int64_t offset)
{
	uint64_t size = offset < 0 ? -(uint64_t)offset : (uint64_t)offset;

	strbuf_addf(text, "%c%" PRIu64 ".%09" PRIu64 " s", offset < 0 ? '-' : '+',
		    (uint64_t)(size / NSEC_PER_SEC), (uint64_t)(size % NSEC_PER_SEC));
}

static struct error *contradiction(const struct placed_clock *clock)
{
	return error_new(EDOM, "The messages between %s and %s contradict each other: with any "
			 "setting of their clocks, the message that is sent or received at %" PRIu64
			 ".%09" PRIu64 " s of %s arrives before it is sent",
			 clock->peer->reader->name, clock->reader->name,
			 (uint64_t)(clock->conflict.time / NSEC_PER_SEC),
			 (uint64_t)(clock->conflict.time % NSEC_PER_SEC), clock->reader->name);
}

/* Add the reason why messages were not enough to place the clock. */
static void add_verdict(struct strbuf *text, const struct placing *placing,
			const struct placed_clock *clock)
{
	if (placing->rules->none)
		return;
	if (clock->verdict == ONE_DIRECTION)
		strbuf_addf(text, ". Of the messages between it and %s, %zu go to it and %zu come "
			    "from it; only messages in both directions allow a better estimate",
			    clock->peer->reader->name, clock->to, clock->from);
	else
		strbuf_addf(text, ". No messages between it and other hosts are known, which would "
			    "allow a better estimate (--match)");
}

static void tell_of_messages(const struct placed_clock *clock)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	add_clock_name(&text, clock);
	strbuf_addf(&text, ": ");
	add_offset(&text, clock->line.offset);
	strbuf_addf(&text, " +- %.3f us, drift %+.3f +- %.3f ppm, by %zu messages to it and %zu from "
		    "it", clock->error / 1e3, clock->line.drift * 1e6, clock->drift_error * 1e6,
		    clock->to, clock->from);
	if (clock->peer->way != IS_FIRST)
		strbuf_addf(&text, ", with %s", clock->peer->reader->name);
	if (text.data)
		log_notice("Clock of %s.", text.data);
}

static void tell_of_wall_clock(const struct placing *placing, const struct placed_clock *clock)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	uint64_t spread = spread_of_pairs(clock->reader) + spread_of_pairs(clock->peer->reader);

	add_clock_name(&text, clock);
	strbuf_addf(&text, ": ");
	add_offset(&text, clock->line.offset);
	strbuf_addf(&text, " by the wall clocks of both hosts");
	if (clock->reader->clocks.nr > 1)
		strbuf_addf(&text, "; their clock pairs agree to %.3f us", (double)spread / 1e3);
	add_verdict(&text, placing, clock);
	if (text.data)
		log_notice("Clock of %s.", text.data);
}

/* Warn where messages prove that the wall clocks are wrong. */
static struct error *check_order(struct placing *placing, const struct placed_clock *clock)
{
	const struct placed_clock *first = &placing->clocks[0];
	struct error *err = compare_traffic(placing, clock, first);
	int64_t most = 0;
	size_t nr = 0;

	for (size_t i = 0; !err && i < placing->lower.nr + placing->upper.nr; i++) {
		bool is_lower = i < placing->lower.nr;
		const struct clock_bound *bound = is_lower ? &placing->lower.items[i] :
			&placing->upper.items[i - placing->lower.nr];
		uint64_t added = clock_line_at(&clock->line, bound->time) - bound->time;
		int64_t early = is_lower ? (uint64_t)bound->difference - added :
					   added - (uint64_t)bound->difference;

		nr += early > 0;
		most = early > most ? early : most;
	}
	if (nr)
		log_warning("By the wall clocks, %zu of %zu messages between %s and %s arrive before "
			    "they are sent, up to %.3f us: at least one of the two clocks is wrong.",
			    nr, placing->lower.nr + placing->upper.nr, first->reader->name,
			    clock->reader->name, (double)most / 1e3);
	return err;
}

/* ---- the whole ------------------------------------------------------------------- */

static struct error *place_rest_by_wall_clock(struct placing *placing)
{
	struct placed_clock *first = &placing->clocks[0];

	for (size_t i = 0; i < placing->nr; i++) {
		struct placed_clock *clock = &placing->clocks[i];
		struct error *err = NULL;

		if (clock->way)
			continue;
		if (clock->verdict == CONTRADICTION)
			err = contradiction(clock);
		if (err && (placing->rules->own || !tells_wall_time(&first->reader->header) ||
			    !tells_wall_time(&clock->reader->header)))
			return error_hint(err, "A clock was set meanwhile, or these are not "
					  "messages; --match names the events of messages, and "
					  "'--match none' uses the wall clocks");
		if (err)
			log_warning("%s. Their wall clocks are used instead.", err->message);
		error_free(err);
		if (!tells_wall_time(&first->reader->header))
			return no_wall_time(first->reader);
		if (!place_by_wall_clock(clock, first, clock->host ? BY_WALL_CLOCK : BY_OWN_HOST))
			return no_wall_time(clock->reader);
	}
	return NULL;
}

static struct error *place_all(struct placing *placing)
{
	struct error *err = NULL;
	bool more = true;

	placing->clocks[0].way = IS_FIRST;
	while (!err && more) {
		more = false;
		for (size_t i = 1; !err && i < placing->nr; i++) {
			struct placed_clock *clock = &placing->clocks[i];

			if (clock->way)
				continue;
			err = place_clock(placing, clock);
			more = more || clock->way;
		}
	}
	return err ? err : place_rest_by_wall_clock(placing);
}

static struct error *tell_all(struct placing *placing, unsigned int hosts)
{
	size_t told = 0, by_wall = 0;
	struct error *err = NULL;

	for (size_t i = 0; i < placing->nr; i++)
		by_wall += placing->clocks[i].way == BY_WALL_CLOCK;
	if (by_wall)
		log_notice("The recordings are of %u hosts or boots; the times of %zu are sorted "
			   "by the wall clocks of their hosts, which may disagree.",
			   hosts, by_wall + 1);
	for (size_t i = 0; !err && i < placing->nr; i++) {
		const struct placed_clock *clock = &placing->clocks[i];
		bool is_told = clock->way == BY_MESSAGES || clock->way == BY_WALL_CLOCK;

		if (clock->way == BY_WALL_CLOCK)
			err = check_order(placing, clock);
		if (!is_told || ++told > CLOCKS_TOLD)
			continue;
		if (clock->way == BY_MESSAGES)
			tell_of_messages(clock);
		else
			tell_of_wall_clock(placing, clock);
	}
	if (told > CLOCKS_TOLD)
		log_notice("%zu more clocks were placed like these.", told - CLOCKS_TOLD);
	return err;
}

static struct error *place_hosts(struct placing *placing, struct reader *const *readers, size_t nr,
				 struct placement *ret)
{
	unsigned int hosts = 1;
	struct error *err = NULL;

	for (size_t i = 0; i < nr; i++) {
		struct placed_clock *clock = find_clock(placing, readers[i], ret[i].host);

		include_recording(clock, &readers[i]->header);
		hosts = ret[i].host < hosts ? hosts : ret[i].host + 1;
	}
	if (hosts > 1)
		err = collect_all(placing, readers, nr, ret);
	if (!err)
		err = place_all(placing);
	if (!err && hosts > 1)
		err = tell_all(placing, hosts);
	for (size_t i = 0; !err && i < nr; i++)
		ret[i].clock = find_clock(placing, readers[i], ret[i].host)->line;
	return err;
}

struct error *placement_find(struct reader *const *readers, size_t nr,
			     const struct traffic_rules *rules, struct placement *ret)
{
	struct traffic_rules known = { 0 };
	struct placing placing = { .rules = rules ? rules : &known };
	struct error *err = rules ? NULL : traffic_rules_add_known(&known);

	find_hosts(readers, nr, ret);
	placing.clocks = calloc(nr, sizeof(*placing.clocks));
	if (!placing.clocks && !err)
		err = &error_no_memory;
	if (!err)
		err = place_hosts(&placing, readers, nr, ret);
	for (size_t i = 0; i < placing.nr; i++)
		traffic_deinit(&placing.clocks[i].traffic);
	free(placing.lower.items);
	free(placing.upper.items);
	free(placing.clocks);
	traffic_rules_deinit(&known);
	return err;
}
