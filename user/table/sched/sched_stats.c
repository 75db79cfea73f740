// SPDX-License-Identifier: GPL-2.0
#include "table/sched/sched_stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"

struct stat_word {
	const char *name, *describes;
	enum sched_stat_form form;
	size_t of;
};

static const struct stat_word stat_cpu_words[] = {
	{ "yld_count", "calls of sched_yield()", SCHED_STAT_PLAIN, 0 },
	{ "array_exp", "always 0 since Linux 2.6.23", SCHED_STAT_PLAIN, 0 },
	{ "sched_count", "calls of schedule()", SCHED_STAT_PLAIN, 0 },
	{ "sched_goidle", "schedule() found no task, so the CPU became idle", SCHED_STAT_SHARE, 2 },
	{ "ttwu_count", "tasks that were woken", SCHED_STAT_PLAIN, 0 },
	{ "ttwu_local", "tasks that were woken to run on this CPU", SCHED_STAT_SHARE, 4 },
	{ "rq_cpu_time", "time that tasks ran, ns", SCHED_STAT_PLAIN, 0 },
	{ "run_delay", "time that tasks waited for the CPU, ns", SCHED_STAT_SHARE, 6 },
	{ "pcount", "times that a task got the CPU", SCHED_STAT_PLAIN, 0 },
};

/* For each kind of balancing; lb_imbalance is one number before version 17, and then four. */
static const struct stat_word stat_balance_words[] = {
	{ "lb_count", "times that balancing was tried", SCHED_STAT_JIFFIES, 0 },
	{ "lb_balanced", "found nothing to balance", SCHED_STAT_JIFFIES, 0 },
	{ "lb_failed", "found work, and could move no task", SCHED_STAT_JIFFIES, 0 },
	{ "lb_imbalance", "sum of the differences in load", SCHED_STAT_PLAIN, 0 },
	{ "lb_imbalance_load", "sum of the differences in load", SCHED_STAT_PLAIN, 0 },
	{ "lb_imbalance_util", "sum of the differences in use", SCHED_STAT_PLAIN, 0 },
	{ "lb_imbalance_task", "sum of the differences in the number of tasks", SCHED_STAT_PLAIN,
	  0 },
	{ "lb_imbalance_misfit", "sum of the loads of tasks too large for their CPU",
	  SCHED_STAT_PLAIN, 0 },
	{ "lb_gained", "tasks that were pulled", SCHED_STAT_PLAIN, 0 },
	{ "lb_hot_gained", "tasks pulled although their cache was warm", SCHED_STAT_PLAIN, 0 },
	{ "lb_nobusyq", "no other CPU was busier", SCHED_STAT_JIFFIES, 0 },
	{ "lb_nobusyg", "no other group of CPUs was busier", SCHED_STAT_JIFFIES, 0 },
};

#define STAT_IMBALANCE	3	/* in stat_balance_words: the one, and behind it the four */
#define STAT_IMBALANCES	4

static const struct {
	const char *category;
	struct stat_word words[3];
} stat_other_words[] = {
	{ "active_load_balance()", {
		{ "alb_count", "times that a running task was to be moved", SCHED_STAT_PLAIN, 0 },
		{ "alb_failed", "it could not be moved", SCHED_STAT_PLAIN, 0 },
		{ "alb_pushed", "it was moved", SCHED_STAT_PLAIN, 0 } } },
	{ "sched_balance_exec()", {
		{ "sbe_count", "not used by the kernel", SCHED_STAT_PLAIN, 0 },
		{ "sbe_balanced", "not used by the kernel", SCHED_STAT_PLAIN, 0 },
		{ "sbe_pushed", "not used by the kernel", SCHED_STAT_PLAIN, 0 } } },
	{ "sched_balance_fork()", {
		{ "sbf_count", "not used by the kernel", SCHED_STAT_PLAIN, 0 },
		{ "sbf_balanced", "not used by the kernel", SCHED_STAT_PLAIN, 0 },
		{ "sbf_pushed", "not used by the kernel", SCHED_STAT_PLAIN, 0 } } },
	{ "Wakeup Info", {
		{ "ttwu_wake_remote", "woken tasks that had run on another CPU of the domain",
		  SCHED_STAT_PLAIN, 0 },
		{ "ttwu_move_affine", "of these, moved to the CPU of the waker", SCHED_STAT_PLAIN,
		  0 },
		{ "ttwu_move_balance", "of these, moved for balance", SCHED_STAT_PLAIN, 0 } } },
};

struct stat_fields {
	struct sched_stat_field *items;
	size_t nr, values;
};

static struct sched_stat_field *stat_add(struct stat_fields *fields, const char *kind,
					 const struct stat_word *word, const char *category)
{
	struct sched_stat_field *field = &fields->items[fields->nr++];

	*field = (struct sched_stat_field){
		.category = category, .describes = word->describes, .form = word->form,
		.of = word->of, .at = fields->values,
	};
	snprintf(field->name, sizeof(field->name), "%s%s%s", kind, *kind ? "_" : "", word->name);
	if (word->form < SCHED_STAT_SUCCESSES)
		fields->values++;
	return field;
}

static void stat_add_balance(struct stat_fields *fields, const char *kind, bool four)
{
	static const struct stat_word successes = {
		"lb_success_count", "times that tasks were moved", SCHED_STAT_SUCCESSES, 0,
	};
	static const struct stat_word pulled = {
		"lb_avg_pulled", "tasks that were moved each time", SCHED_STAT_PULLED, 0,
	};
	size_t first = fields->values, gained = 0;

	for (size_t i = 0; i < ARRAY_SIZE(stat_balance_words); i++) {
		if (four ? i == STAT_IMBALANCE :
		    i > STAT_IMBALANCE && i <= STAT_IMBALANCE + STAT_IMBALANCES)
			continue;
		if (!strcmp(stat_balance_words[i].name, "lb_gained"))
			gained = fields->values;
		stat_add(fields, kind, &stat_balance_words[i],
			 fields->values == first ? kind : NULL);
	}
	stat_add(fields, kind, &successes, NULL)->at = first;
	*stat_add(fields, kind, &pulled, NULL) = (struct sched_stat_field){
		.describes = pulled.describes, .form = SCHED_STAT_PULLED, .at = first,
		.gained = gained,
	};
	snprintf(fields->items[fields->nr - 1].name, sizeof(fields->items[0].name), "%s_%s", kind,
		 pulled.name);
}

size_t sched_stat_fields(unsigned int version, bool domain, struct sched_stat_field *ret)
{
	/* Linux 6.7 turned the first two around. */
	static const char *const kinds[2][3] = {
		{ "idle", "busy", "newidle" }, { "busy", "idle", "newidle" },
	};
	struct stat_fields fields = { .items = ret };

	if (version < SCHED_STATS_FIRST || version > SCHED_STATS_LAST)
		return 0;
	for (size_t i = 0; !domain && i < ARRAY_SIZE(stat_cpu_words); i++)
		stat_add(&fields, "", &stat_cpu_words[i], NULL);
	for (size_t i = 0; domain && i < ARRAY_SIZE(kinds[0]); i++)
		stat_add_balance(&fields, kinds[version >= 16][i], version >= 17);
	for (size_t i = 0; domain && i < ARRAY_SIZE(stat_other_words); i++)
		for (size_t k = 0; k < ARRAY_SIZE(stat_other_words[0].words); k++)
			stat_add(&fields, "", &stat_other_words[i].words[k],
				 k ? NULL : stat_other_words[i].category);
	return fields.nr;
}

double sched_stat_value(const struct sched_stat_place *place, const struct sched_stat_field *field)
{
	const uint64_t *values = &place->values[field->at];
	double successes;

	if (field->form < SCHED_STAT_SUCCESSES)
		return values[0];
	successes = (double)values[0] - values[1] - values[2];
	if (field->form == SCHED_STAT_SUCCESSES)
		return successes;
	return successes > 0 ? place->values[field->gained] / successes : 0;
}

bool sched_stat_relation(const struct sched_stat_place *place, const struct sched_stat_field *field,
			 uint64_t jiffies, double *ret)
{
	uint64_t value = place->values[field->at], of = place->values[field->of];

	if (field->form == SCHED_STAT_JIFFIES)
		*ret = value ? (double)jiffies / value : 0;
	else if (field->form == SCHED_STAT_SHARE)
		*ret = of ? 100.0 * value / of : 0;
	else
		return false;
	return true;
}

const struct sched_stat_place *sched_stats_find(const struct sched_stats *stats, int32_t cpu,
						int32_t domain)
{
	return array_find(&stats->places, it, it->cpu == cpu && it->domain == domain);
}

static const struct header_sched_domain *stat_domain_of(struct sched_stats *stats, int32_t cpu,
							int32_t number)
{
	size_t nr = stats->header ? stats->header->sched_domains.nr : 0;

	for (size_t i = 0; i < nr; i++) {
		const struct header_sched_domain *domain;

		domain = &stats->header->sched_domains.items[(stats->next_told + i) % nr];
		if (domain->cpu != (uint32_t)cpu || domain->number != (uint32_t)number)
			continue;
		stats->next_told = (stats->next_told + i + 1) % nr;
		return domain;
	}
	return NULL;
}

static struct sched_stat_place *stat_place_of(const struct sched_stats *stats, uint64_t hash,
					      int32_t cpu, int32_t domain)
{
	hash_table_each(&stats->index, hash, n)
		if (stats->places.items[n].cpu == cpu && stats->places.items[n].domain == domain)
			return &stats->places.items[n];
	return NULL;
}

static struct error *stat_add_place(struct sched_stats *stats, uint64_t hash,
				    const struct sched_stat_place *place)
{
	const struct header_sched_domain *told = place->domain < 0 ? NULL :
		stat_domain_of(stats, place->cpu, place->domain);

	if (!array_push(&stats->places, *place) ||
	    !hash_table_add(&stats->index, hash, stats->places.nr - 1))
		return &error_no_memory;
	stats->places.items[stats->places.nr - 1].name = told ? told->name : NULL;
	stats->places.items[stats->places.nr - 1].cpus = told ? told->cpus : NULL;
	return NULL;
}

/* Counters wrap at their width. */
static struct error *stat_take(struct sched_stats *stats, int32_t cpu, int32_t domain,
			       const uint64_t *values, size_t nr, size_t nr_narrow)
{
	uint64_t hash = hash_key_join(hash_key_number(cpu), domain);
	struct sched_stat_place *place = stat_place_of(stats, hash, cpu, domain);

	if (!place) {
		struct sched_stat_place first = { .cpu = cpu, .domain = domain, .readings = 1 };

		memcpy(first.values, values, nr * sizeof(*values));
		return stat_add_place(stats, hash, &first);
	}
	if (place->readings++ != 1)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		place->values[i] = values[i] - place->values[i];
		if (i < nr_narrow)
			place->values[i] = (uint32_t)place->values[i];
	}
	return NULL;
}

static void stat_note(struct sched_stats *stats, unsigned int version, uint64_t jiffies)
{
	if (!stats->version) {
		stats->version = version;
		stats->begin = jiffies;
	}
	if (jiffies > stats->end)
		stats->end = jiffies;
}

static bool stat_is_wanted(const struct sched_stats *stats, uint32_t cpu)
{
	return cpu <= INT32_MAX && (!stats->wanted || cpumap_has(stats->wanted, cpu));
}

static struct error *stat_other(struct session_consumer *consumer, const struct session_record *r)
{
	struct sched_stats *stats = container_of(consumer, struct sched_stats, consumer);
	const struct perf_event_header *header = r->record.header;
	const struct body_schedstat_cpu *cpu = body_of(header, struct body_schedstat_cpu);
	const struct body_schedstat_domain *domain = body_of(header, struct body_schedstat_domain);
	uint64_t values[BODY_SCHEDSTAT_COUNTS] = { 0 };

	if (header->type == RECORD_SCHEDSTAT_CPU && cpu && stat_is_wanted(stats, cpu->cpu)) {
		stat_note(stats, cpu->version, cpu->jiffies);
		for (size_t i = 0; i < ARRAY_SIZE(cpu->counts); i++)
			values[i] = cpu->counts[i];
		memcpy(values + ARRAY_SIZE(cpu->counts), cpu->times, sizeof(cpu->times));
		return stat_take(stats, cpu->cpu, -1, values, ARRAY_SIZE(stat_cpu_words),
				 ARRAY_SIZE(cpu->counts));
	}
	if (header->type == RECORD_SCHEDSTAT_DOMAIN && domain &&
	    stat_is_wanted(stats, domain->cpu)) {
		size_t nr = body_items(header, domain->counts, BODY_SCHEDSTAT_COUNTS,
				       sizeof(domain->counts[0]));

		for (size_t i = 0; i < nr; i++)
			values[i] = domain->counts[i];
		return stat_take(stats, domain->cpu, domain->domain, values, nr, nr);
	}
	return NULL;
}

void sched_stats_init(struct sched_stats *stats, const struct cpumap *wanted,
		      const struct header *header)
{
	*stats = (struct sched_stats){
		.consumer.other = stat_other, .wanted = wanted, .header = header,
	};
}

void sched_stats_deinit(struct sched_stats *stats)
{
	free(stats->places.items);
	hash_table_deinit(&stats->index);
}

/* The average of the CPUs, or of the domains of a number; a number comes once. */
static struct error *stat_add_average(struct sched_stats *stats, struct sched_stats *ret,
				      int32_t domain)
{
	struct sched_stat_place sum = { .cpu = -1, .domain = domain, .readings = 2 };
	size_t nr = 0;

	for (size_t i = 0; i < stats->places.nr; i++) {
		const struct sched_stat_place *place = &stats->places.items[i];

		if (place->domain != domain)
			continue;
		sum.name = sum.name ? sum.name : place->name;
		nr++;
		for (size_t k = 0; k < BODY_SCHEDSTAT_COUNTS; k++)
			sum.values[k] += place->values[k];
	}
	for (size_t k = 0; k < BODY_SCHEDSTAT_COUNTS; k++)
		sum.values[k] /= nr;
	return array_push(&ret->places, sum) ? NULL : &error_no_memory;
}

struct error *sched_stats_finish(struct sched_stats *stats)
{
	struct sched_stats all = { 0 };
	struct error *err = NULL;

	if (!stats->places.nr || stats->places.items[0].readings < 2)
		return error_hint(error_new(ENODATA, "The recording has no two readings of "
					    "/proc/schedstat"),
				  "'ktrace sched stats record' records them");
	if (stats->version < SCHED_STATS_FIRST || stats->version > SCHED_STATS_LAST)
		return error_hint(error_new(ENOTSUP, "Version %u of /proc/schedstat is not known",
					    stats->version),
				  "Versions %d to %d are", SCHED_STATS_FIRST, SCHED_STATS_LAST);
	for (size_t i = 0; i < stats->places.nr && !err; i++) {
		int32_t domain = stats->places.items[i].domain;

		if (!array_find(&all.places, it, it->domain == domain))
			err = stat_add_average(stats, &all, domain);
	}
	for (size_t i = 0; i < stats->places.nr && !err; i++)
		if (!array_push(&all.places, stats->places.items[i]))
			err = &error_no_memory;
	free(stats->places.items);
	memcpy(&stats->places, &all.places, sizeof(stats->places));
	return err;
}
