/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler's own statistics, /proc/schedstat, between two readings: for each CPU, and for each
 * domain in which it balances its load.
 */
#ifndef KTRACE_TABLE_SCHED_SCHED_STATS_H
#define KTRACE_TABLE_SCHED_SCHED_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/cpumap.h"
#include "lib/hash_table.h"
#include "record/body.h"
#include "record/header.h"
#include "session/session.h"

#define SCHED_STATS_FIRST	15	/* the known versions of /proc/schedstat */
#define SCHED_STATS_LAST	17

enum sched_stat_form {
	SCHED_STAT_PLAIN,
	SCHED_STAT_JIFFIES,	/* its text has the time from one to the next */
	SCHED_STAT_SHARE,	/* its text has the share in the counter @of */
	SCHED_STAT_SUCCESSES,	/* successful balancing: from the counters from @at on */
	SCHED_STAT_PULLED,	/* tasks pulled at each of these */
};

/* A counter, or a value derived from several. */
struct sched_stat_field {
	char name[32];		/* perf's: "busy_lb_count" */
	const char *category;	/* the heading above it; NULL: none */
	const char *describes;	/* description in words */
	enum sched_stat_form form;
	size_t at, of;		/* positions of values */
	size_t gained;		/* of SCHED_STAT_PULLED: position of the tasks pulled */
};

#define SCHED_STAT_FIELDS	64

/* The fields of a CPU, or of a domain, in perf's order; 0: the version is unknown. */
size_t sched_stat_fields(unsigned int version, bool domain, struct sched_stat_field *ret);

/* A CPU, or one of its domains. */
struct sched_stat_place {
	int32_t cpu;		/* -1: the average of all */
	int32_t domain;		/* -1: the CPU itself */
	const char *name, *cpus;	/* of the domain; NULL: unknown; borrowed */
	unsigned int readings;	/* 1: there was no second one */
	uint64_t values[BODY_SCHEDSTAT_COUNTS];	/* the difference, after two */
};

/* The value of a field; whole numbers except for SCHED_STAT_PULLED. */
double sched_stat_value(const struct sched_stat_place *place, const struct sched_stat_field *field);

/* Jiffies per event, or the percentage; false: the field has neither. */
bool sched_stat_relation(const struct sched_stat_place *place, const struct sched_stat_field *field,
			 uint64_t jiffies, double *ret);

/* All zero when empty; sched_stats_init() sets up the consumer. */
struct sched_stats {
	struct session_consumer consumer;
	const struct cpumap *wanted;	/* NULL: all CPUs */
	const struct header *header;	/* has the names of domains; NULL: no header */
	unsigned int version;		/* 0: nothing was read */
	uint64_t begin, end;		/* jiffies */
	/* CPUs as recorded, each before its domains */
	ARRAY_OF(struct sched_stat_place) places;
	struct hash_table index;	/* of places, until sched_stats_finish() */
	size_t next_told;		/* domains of the header come in the same order */
};

/* @wanted and @header are borrowed. */
void sched_stats_init(struct sched_stats *stats, const struct cpumap *wanted,
		      const struct header *header);
void sched_stats_deinit(struct sched_stats *stats);
DEFINE_CLEANUP(sched_stats, struct sched_stats, sched_stats_deinit)

/*
 * After the session: ENODATA if there were no two readings, ENOTSUP for an unknown version.  Puts
 * the averages of all CPUs, and of all domains of a number, in front.
 */
struct error *sched_stats_finish(struct sched_stats *stats);

/* The row of that CPU and domain; NULL: none. */
const struct sched_stat_place *sched_stats_find(const struct sched_stats *stats, int32_t cpu,
						int32_t domain);

#endif
