/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts samples by the type of the object that their instruction accesses, and by the offset in
 * it.
 */
#ifndef KTRACE_PROFILE_DATA_TYPES_H
#define KTRACE_PROFILE_DATA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "profile/function_counts.h"
#include "session/machine.h"
#include "symbol/code/data_access.h"
#include "symbol/code/type_layout.h"
#include "symbol/disassembler.h"

/* Samples of one event at one offset of a type. */
struct data_place {
	uint64_t offset;
	size_t event;
	struct sample_count count;
};

struct data_type {
	const struct dso *dso;		/* NULL: the row is no type */
	char *name;			/* "struct node", "(unknown)"; owned */
	uint64_t size;
	struct type_layout *layout;	/* NULL: the row is no type */
	ARRAY_OF(struct data_place) places;	/* in no order */
};

/* The results for the samples of one kind of instruction. */
struct data_instruction {
	char *name;		/* "movq"; owned */
	uint64_t good, bad;	/* samples */
};

struct data_types {
	ARRAY_OF(struct data_type) types;	/* in the order of arrival */
	ARRAY_OF(struct data_instruction) instructions;	/* in the order of arrival */
	uint64_t reasons[DATA_ACCESS_NR];	/* samples */
};

/*
 * Attribute the samples of @counts; @symbol: only those of the function of this name; NULL: all.
 * The machine must live as long as the result.
 */
struct error *data_types_create(struct machine *machine, const struct function_counts *counts,
				size_t nr_events, const char *symbol,
				const struct disassembly_options *options,
				struct data_types **ret);
void data_types_destroy(struct data_types *types);
DEFINE_CLEANUP_PTR(data_types, struct data_types, data_types_destroy)

/* A type, with the sums of its samples' periods. */
struct ranked_type {
	const struct data_type *type;
	uint64_t period;	/* of the first of the ranked events */
	uint64_t all;		/* of all ranked events */
};

struct ranked_types {
	struct ranked_type *items;	/* in the order of the first event's period */
	size_t nr;
};

/* Rank the types with samples of @events.  The only possible error is lack of memory. */
struct error *data_types_rank(const struct data_types *types, const size_t *events,
			      size_t nr_events, struct ranked_types *ret);
void ranked_types_deinit(struct ranked_types *ranked);
DEFINE_CLEANUP(ranked_types, struct ranked_types, ranked_types_deinit)

/* The samples of @event in @size bytes from the offset @from on. */
struct sample_count data_type_count(const struct data_type *type, size_t event, uint64_t from,
				    uint64_t size);

/* All samples of @event in the type. */
struct sample_count data_type_total(const struct data_type *type, size_t event);

#endif
