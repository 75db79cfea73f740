/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine of a recording: its kernel, its cgroups, and all mappings, which give addresses
 * names.  All names are the same as in perf.
 */
#ifndef KTRACE_SESSION_MACHINE_H
#define KTRACE_SESSION_MACHINE_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "record/header.h"
#include "record/record.h"
#include "record/sample.h"
#include "session/map.h"
#include "session/process.h"
#include "symbol/symbol_files.h"

struct machine;

/* An address and its name.  The pointers are valid until the maps change. */
struct place {
	uint64_t ip;		/* in memory */
	uint64_t address;	/* in the binary, in the form for look-ups there */
	const struct map *map;	/* NULL: no mapping is known there */
	const struct symbol *symbol; /* NULL: unknown */
	uint64_t offset;	/* of ip in the symbol */
};

/* @header and @options are borrowed.  For a pipe, the header is filled while records are read. */
struct error *machine_create(const struct header *header, const struct symbol_options *options,
			     struct machine **ret);

/*
 * Add the machine of another host, whose recording is read together with this one's; see
 * machine_create().  @machine owns *ret.  Hosts are numbered from 1 in the order of these calls.
 */
struct error *machine_add_host(struct machine *machine, const struct header *header,
			       const struct symbol_options *options, struct machine **ret);

/* Returns the machine of a host by its number; 0: @machine itself. */
struct machine *machine_of_host(struct machine *machine, unsigned int host);

void machine_destroy(struct machine *machine);
DEFINE_CLEANUP_PTR(machine, struct machine, machine_destroy)

/* Apply MMAP, MMAP2, KSYMBOL and CGROUP; other records are ignored. */
struct error *machine_apply(struct machine *machine, struct processes *processes,
			    const struct record *record);

/*
 * Name @ip, an address in @mode (PERF_RECORD_MISC_KERNEL, _USER ...) of a process with @maps (NULL:
 * none).  Unknown members are NULL.
 */
void machine_find(struct machine *machine, const struct maps *maps, uint8_t mode, uint64_t ip,
		  struct place *ret);

/* Name the address of data that code in @mode accessed: the kernel also accesses user space. */
void machine_find_data(struct machine *machine, const struct maps *maps, uint8_t mode,
		       uint64_t address, struct place *ret);

/*
 * Unwind the user stack that was copied with @sample.  Stores at most @max addresses, innermost
 * first, and returns their number.
 */
size_t machine_unwind(struct machine *machine, const struct maps *maps, const struct event *event,
		      const struct sample *sample, uint64_t *ips, size_t max);

/*
 * The caller of the function at @pc, if this is an arm64 function without a frame and the sample
 * has the link register alone (record -g).  0: it has a frame, or that is unknown.
 */
uint64_t machine_leaf_caller(struct machine *machine, const struct maps *maps,
			     const struct event *event, const struct sample *sample, uint64_t pc);

/* The maps for addresses of @mode; NULL: there are none. */
const struct maps *machine_maps(struct machine *machine, const struct maps *maps, uint8_t mode);

/* The path of a cgroup by its id; NULL: not recorded.  It lives as long as @machine. */
const char *machine_cgroup(const struct machine *machine, uint64_t id);

/* Find the kernel symbol at @address, for %pS; NULL: none.  It lives as long as @machine. */
const char *machine_kernel_symbol(struct machine *machine, uint64_t address, uint64_t *start);

/* The address of the kernel symbol @name, or 0 if there is none; searches all symbols. */
uint64_t machine_kernel_address(struct machine *machine, const char *name);

/* The socket of a CPU of the recorded machine; -1: unknown. */
int32_t machine_socket(const struct machine *machine, int32_t cpu);

/* The binary at @position, from 0 on; the first one is the kernel; NULL: the end. */
const struct dso *machine_dso(const struct machine *machine, size_t position);

/* The kernel's symbols that were read so far, and the options for reading them. */
struct kernel;
const struct kernel *machine_kernel(const struct machine *machine);
const struct symbol_options *machine_symbol_options(const struct machine *machine);

/* Print one notice about binaries whose symbols were needed and are missing. */
void machine_report(const struct machine *machine);

/*
 * Find the source of @place with dwarf_lines_find(); 0: unknown.  Strings live as long as the
 * machine.
 */
struct source_place;
size_t machine_sources(const struct place *place, struct source_place *places, size_t max);

/*
 * Append the source line of a place as perf's column "Source:Line" has it: "queue.c:17", or with
 * @full_path "/src/queue.c:17".  Unknown lines are "push+5", "libqueue.so[13f0]" or "??:0".
 */
void place_add_source(const struct place *place, bool full_path, struct strbuf *out);

/*
 * Read the code of the function @symbol in @dso, whose first byte was at @start in memory.  ENOENT:
 * it is not here; the error names the missing file.
 */
struct code;
struct error *machine_code(struct machine *machine, const struct dso *dso,
			   const struct symbol *symbol, uint64_t start, struct code *ret);

/* The virtual address in the binary, as objdump shows it; for the kernel, the address in memory. */
uint64_t place_objdump_address(const struct place *place);

/*
 * The start or end of a place's symbol in perf's form: relative to the start of the binary, except
 * for the kernel's own table.
 */
static inline uint64_t place_symbol_address(const struct place *place, uint64_t address)
{
	return place->map->dso->shared ? map_address(place->map, address) : address;
}

/* The name of a map's binary; as in perf, "[unknown]" for NULL. */
const char *map_name(const struct map *map);

/* As map_name(); of the kernel and its modules the path of the file, if it is known. */
const char *map_path(const struct map *map);

#endif
