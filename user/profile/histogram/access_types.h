/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the objects that the instructions of functions access.  The disassembled code of recent
 * functions is kept, so that many addresses can be looked up, in any order.
 */
#ifndef KTRACE_PROFILE_HISTOGRAM_ACCESS_TYPES_H
#define KTRACE_PROFILE_HISTOGRAM_ACCESS_TYPES_H

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "session/machine.h"
#include "symbol/code/data_access.h"
#include "symbol/disassembler.h"

struct access_types;

/* The texts of @options must live as long as the result. */
struct error *access_types_create(const struct disassembly_options *options,
				  struct access_types **ret);
void access_types_destroy(struct access_types *types);
DEFINE_CLEANUP_PTR(access_types, struct access_types, access_types_destroy)

struct access_type {
	enum data_access access;
	struct object_place place;	/* of DATA_ACCESS_KNOWN */
	const char *instruction;	/* valid until the next call; NULL: none */
};

/*
 * Find the object that an instruction accesses.  The instruction is @offset bytes behind the start
 * of the function @symbol of @dso, which is at @start in memory of @machine.  A function without
 * code here is no error.  The machine must live as long as @types and the results.
 */
struct error *access_types_find(struct access_types *types, struct machine *machine,
				struct dso *dso, const struct symbol *symbol, uint64_t start,
				uint64_t offset, struct access_type *ret);

/* Append the name of the type.  Without a type it is "(stack operation)" or similar, as in perf. */
void access_type_add_name(struct access_type *type, struct strbuf *out);

#endif
