/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine of a recording: its kernel and everything that is mapped, which gives addresses
 * their names, and its cgroups.  All names are those that perf would use.
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

/* An address and its name.  The pointers stay valid until the maps change. */
struct place {
	uint64_t ip;		/* in memory */
	uint64_t address;	/* in the binary, as it is looked up there */
	const struct map *map;	/* NULL: nothing is known to be mapped there */
	const struct symbol *symbol; /* NULL: unknown */
	uint64_t offset;	/* of ip in the symbol */
};

/*
 * @header and @options are borrowed.  Of a pipe, the header is filled while records are read.
 */
struct error *machine_create(const struct header *header, const struct symbol_options *options,
			     struct machine **ret);

/*
 * Add the machine of another host, whose recording is read together with this one's; as
 * machine_create().  *ret belongs to @machine.  Hosts are numbered from 1 in the order in
 * which they are added.
 */
struct error *machine_add_host(struct machine *machine, const struct header *header,
			       const struct symbol_options *options, struct machine **ret);

/* Returns the machine of a host by its number; 0: @machine itself. */
struct machine *machine_of_host(struct machine *machine, unsigned int host);

void machine_destroy(struct machine *machine);
DEFINE_CLEANUP_PTR(machine, struct machine, machine_destroy)

/* Take in MMAP, MMAP2, KSYMBOL and CGROUP; other records are ignored. */
struct error *machine_apply(struct machine *machine, struct processes *processes,
			    const struct record *record);

/*
 * Name @ip, an address in @mode (PERF_RECORD_MISC_KERNEL, _USER ...) of a process with @maps
 * (NULL: none).  Members that are not known stay NULL.
 */
void machine_find(struct machine *machine, const struct maps *maps, uint8_t mode, uint64_t ip,
		  struct place *ret);

/*
 * Name the address of data that code in @mode used: the kernel also uses addresses of user
 * space.
 */
void machine_find_data(struct machine *machine, const struct maps *maps, uint8_t mode,
		       uint64_t address, struct place *ret);

/*
 * Unwind the user stack that was copied with @sample.  Stores at most @max addresses,
 * innermost first, and returns how many.
 */
size_t machine_unwind(struct machine *machine, const struct maps *maps, const struct event *event,
		      const struct sample *sample, uint64_t *ips, size_t max);

/*
 * The address from which the function at @pc was called, if it is one of arm64 without a frame, and
 * the sample holds the link register alone (record -g); 0: it has a frame, or that is not known.
 */
uint64_t machine_leaf_caller(struct machine *machine, const struct maps *maps,
			     const struct event *event, const struct sample *sample, uint64_t pc);

/* The maps in which addresses of @mode are found; NULL: there are none. */
const struct maps *machine_maps(struct machine *machine, const struct maps *maps, uint8_t mode);

/* The path of a cgroup by its id; NULL: no record has told it.  It lives as long as @machine. */
const char *machine_cgroup(const struct machine *machine, uint64_t id);

/* Find the kernel symbol at @address, for %pS; NULL: none.  It lives as long as @machine. */
const char *machine_kernel_symbol(struct machine *machine, uint64_t address, uint64_t *start);

/* The address of the kernel symbol @name, or 0 without one; all symbols are looked through. */
uint64_t machine_kernel_address(struct machine *machine, const char *name);

/* The socket of a CPU of the machine that recorded; -1: it is not known. */
int32_t machine_socket(const struct machine *machine, int32_t cpu);

/* All binaries, by position from 0, first the kernel; NULL: there are no more. */
const struct dso *machine_dso(const struct machine *machine, size_t position);

/* The kernel's symbols as far as they were read, and the options with which they were. */
struct kernel;
const struct kernel *machine_kernel(const struct machine *machine);
const struct symbol_options *machine_symbol_options(const struct machine *machine);

/* Print one notice about binaries whose symbols were needed and not found. */
void machine_report(const struct machine *machine);

/*
 * Find the source of @place with dwarf_lines_find(); 0: none is known.  Strings live as long
 * as the machine.
 */
struct source_place;
size_t machine_sources(const struct place *place, struct source_place *places, size_t max);

/*
 * Read the code of the function @symbol in @dso, whose first byte was at @start in memory.
 * ENOENT: it is not here; the error says what is missing.
 */
struct code;
struct error *machine_code(struct machine *machine, const struct dso *dso,
			   const struct symbol *symbol, uint64_t start, struct code *ret);

/*
 * The virtual address in the binary, as objdump shows it; for the kernel, the address in
 * memory.
 */
uint64_t place_objdump_address(const struct place *place);

/*
 * The start or end of a place's symbol as perf counts it: from the start of the binary, except
 * in the kernel's own table.
 */
static inline uint64_t place_symbol_address(const struct place *place, uint64_t address)
{
	return place->map->dso->shared ? map_address(place->map, address) : address;
}

/* The name of a map's binary; as in perf, "[unknown]" for NULL. */
const char *map_name(const struct map *map);

/* The same, but for the kernel and its modules the path of the file, if it is known. */
const char *map_path(const struct map *map);

#endif
