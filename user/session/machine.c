// SPDX-License-Identifier: GPL-2.0
#include "session/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "record/body.h"
#include "record/registers.h"
#include "session/cgroups.h"
#include "session/dsos.h"
#include "session/kernel_maps.h"
#include "symbol/code.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/embedded.h"
#include "symbol/unwind.h"
#include "symbol/vdso.h"

/* This bit is set in the kernel's addresses. */
#define KERNEL_HALF	(1ULL << 63)

/* The number of binaries that the notice about missing symbols names. */
#define NAMED_BINARIES	3

struct machine {
	struct symbol_options options;	/* the pointers in it are borrowed */
	struct dsos dsos;
	struct kernel_maps kernel;
	struct cgroups cgroups;
	struct unwinder *unwinder;	/* created with the first stack */
	bool stacks_told;		/* the notice about 32-bit ones was printed */
	struct embedded *embedded;	/* the recording's data; NULL: none */
	bool embedded_tried;		/* it was decompressed, or is damaged */
	bool vdso_asked;		/* this machine's vDSO was compared with the recorded one */
	/* other hosts, whose recordings are read together with this one; owned */
	ARRAY_OF(struct machine *) hosts;
};

/*
 * Decompress the recording's data, once: it can be large, so that a pipe must not do it again for
 * each piece.
 */
static void unpack_embedded(struct machine *machine)
{
	const struct header *header = machine->dsos.header;
	struct error *err;

	if (!header->embedded_size || machine->embedded_tried)
		return;
	machine->embedded_tried = true;
	err = embedded_create(header->embedded, header->embedded_size, &machine->embedded);
	if (err)
		log_warning("%s: names come from the files on this machine.", err->message);
	error_free(err);
	machine->options.embedded = machine->embedded;
}

static bool is_root_folder(const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL);

	return real && !strcmp(real, "/");
}

struct error *machine_create(const struct header *header, const struct symbol_options *options,
			     struct machine **ret)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	struct error *err;

	if (!machine)
		return &error_no_memory;
	machine->options = *options;
	/* With the root folder, the paths are the same as without the option. */
	if (options->symfs && is_root_folder(options->symfs))
		machine->options.symfs = NULL;
	if (!options->vmlinux && !options->kallsyms)
		machine->options.kallsyms = header->kallsyms;
	machine->dsos.header = header;
	/* In a pipe, all pieces come before the first map. */
	if (!header->is_pipe)
		unpack_embedded(machine);
	err = kernel_maps_init(&machine->kernel, &machine->dsos, &machine->options);
	if (err) {
		machine_destroy(machine);
		return err;
	}
	*ret = machine;
	return NULL;
}

void machine_destroy(struct machine *machine)
{
	if (!machine)
		return;
	for (size_t i = 0; i < machine->hosts.nr; i++)
		machine_destroy(machine->hosts.items[i]);
	free(machine->hosts.items);
	kernel_maps_deinit(&machine->kernel);
	cgroups_deinit(&machine->cgroups);
	unwinder_destroy(machine->unwinder);
	dsos_deinit(&machine->dsos);
	embedded_destroy(machine->embedded);
	free(machine);
}

struct error *machine_add_host(struct machine *machine, const struct header *header,
			       const struct symbol_options *options, struct machine **ret)
{
	struct error *err = machine_create(header, options, ret);

	if (err || array_push(&machine->hosts, *ret))
		return err;
	machine_destroy(*ret);
	return &error_no_memory;
}

struct machine *machine_of_host(struct machine *machine, unsigned int host)
{
	return !host || host > machine->hosts.nr ? machine : machine->hosts.items[host - 1];
}

const char *map_name(const struct map *map)
{
	return map ? map->dso->name : "[unknown]";
}

const char *map_path(const struct map *map)
{
	const struct dso *dso = map ? map->dso : NULL;

	if (!dso || dso->kind < DSO_KERNEL)
		return map_name(map);
	if (dso->of_vmlinux && dso->symbol_path)
		return dso->symbol_path;
	return dso->path ? dso->path : dso->name;
}

const char *machine_cgroup(const struct machine *machine, uint64_t id)
{
	return cgroups_path(&machine->cgroups, id);
}

const char *machine_kernel_symbol(struct machine *machine, uint64_t address, uint64_t *start)
{
	const struct symbol *symbol;

	kernel_maps_load(&machine->kernel);
	symbol = symbols_find(&machine->kernel.source.symbols, address);
	if (!symbol)
		return NULL;
	*start = symbol->start;
	return symbol->name;
}

uint64_t machine_kernel_address(struct machine *machine, const char *name)
{
	const struct symbols *symbols = &machine->kernel.source.symbols;

	kernel_maps_load(&machine->kernel);
	for (size_t i = 0; i < symbols->nr; i++)
		if (!strcmp(symbols->items[i].name, name)) {
			symbols->items[i].asked = true;
			return symbols->items[i].start;
		}
	return 0;
}

/* A MMAP or MMAP2 of user space. */
struct user_map {
	struct map range;
	int32_t pid, tid;
	struct dso_key key;
};

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool is_anonymous(const struct user_map *m)
{
	const char *name = m->key.name;

	return !strcmp(name, "//anon") || has_prefix(name, "/dev/zero") ||
	       has_prefix(name, "/anon_hugepage") || m->range.flags & MAP_HUGETLB;
}

static bool is_no_file(const char *name)
{
	return has_prefix(name, "[stack") || has_prefix(name, "/SYSV") || !strcmp(name, "[heap]");
}

/*
 * Whether a compiler at run time uses the file to write its code through another map (W^X): it has
 * no name for opening it, or lost it when it was mapped.
 */
static bool is_compiled_code(const struct user_map *m)
{
	const char *name = m->key.name;

	return (m->range.prot & PROT_EXEC) && !m->key.id &&
	       (has_prefix(name, "/memfd:") || (has_prefix(name, "/dev/shm/") && access(name, F_OK)));
}

/* Whether a perf map names the code of such a file. */
static bool has_perf_map(struct machine *machine, char *path)
{
	const struct dso dso = { .kind = DSO_PERF_MAP, .name = path };

	unpack_embedded(machine);
	return embedded_find(machine->embedded, &dso) || !access(path, R_OK);
}

/*
 * The vDSO is part of the kernel.  If its build id is not recorded, but the recorded kernel is the
 * running one, it is the vDSO of this machine.
 */
static void identify_vdso(struct machine *machine, struct dso *dso)
{
	struct kernel_identity identity = {
		.header = machine->dsos.header, .id = machine->kernel.dso->id,
	};

	if (dso->id.size || machine->vdso_asked)
		return;
	machine->vdso_asked = true;
	if (!identity.id.size)
		identity.id = identity.header->kernel;
	if (kernel_is_this(&identity) && !vdso_build_id(&dso->id))
		dso->id.size = 0;
}

/* Remember a task that has mapped the binary, if the recording is of this machine. */
static struct error *note_task(struct machine *machine, struct dso *dso, const struct user_map *m)
{
	const struct header *header = machine->dsos.header;
	struct task_map map = { m->pid, m->range.start, m->range.end };

	if (!dso->of_here && (machine->options.symfs || !header_is_local(header)))
		return NULL;
	dso->of_here = true;
	dso->recorded = header->written && !header->is_pipe ? header->written : time(NULL);
	return dso_add_task(dso, &map) ? NULL : &error_no_memory;
}

static struct error *apply_user_map(struct machine *machine, struct processes *processes,
				    struct user_map *m)
{
	struct maps *maps = processes_maps_to_change(processes, m->pid, m->tid);
	enum dso_kind kind = DSO_FILE;
	struct map map = m->range;
	char perf_map[64];
	struct error *err;

	if (!maps)
		return &error_no_memory;
	snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", m->pid);
	if (is_anonymous(m) || is_no_file(m->key.name) ||
	    (is_compiled_code(m) && has_perf_map(machine, perf_map))) {
		kind = DSO_MEMORY;
		map.identity = true;
		if (m->range.prot & PROT_EXEC) {
			kind = DSO_PERF_MAP;
			m->key = (struct dso_key){ .name = perf_map };
		}
	} else if (has_prefix(m->key.name, "[vdso]")) {
		kind = DSO_VDSO;
		map.offset = 0;
		m->key = (struct dso_key){ .name = "[vdso]" };
	}
	err = dsos_find(&machine->dsos, kind, &m->key, m->key.name, &map.dso);
	if (!err && kind == DSO_VDSO)
		identify_vdso(machine, map.dso);
	if (!err && (kind == DSO_FILE || kind == DSO_PERF_MAP))
		err = note_task(machine, map.dso, m);
	return err ? err : maps_add(maps, &map);
}

/* Returns @name, which is in the record or NULL.  NULL: it does not end with a NUL. */
static const char *name_in(const struct perf_event_header *header, const char *name)
{
	return name && memchr(name, '\0', body_left(header, name)) ? name : NULL;
}

static struct error *apply_map(struct machine *machine, struct processes *processes,
			       const struct perf_event_header *header)
{
	const struct body_mmap *mmap = body_of(header, struct body_mmap);
	const struct body_mmap2 *mmap2 = body_of(header, struct body_mmap2);
	bool is_mmap2 = header->type == PERF_RECORD_MMAP2;
	const char *name = is_mmap2 ? name_in(header, mmap2 ? mmap2->filename : NULL) :
				      name_in(header, mmap ? mmap->filename : NULL);
	uint8_t mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct user_map m = { .key.name = name };
	struct build_id id = { .size = 0 };

	if (!name || mmap->addr + mmap->len < mmap->addr)
		return NULL;
	m.pid = mmap->pid;
	m.tid = mmap->tid;
	m.range = (struct map){ .start = mmap->addr, .end = mmap->addr + mmap->len,
				.offset = mmap->pgoff };
	m.range.prot = header->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC;
	if (is_mmap2) {
		m.range.prot = mmap2->prot;
		m.range.flags = mmap2->flags;
		if (!body_mmap2_has_build_id(header, mmap2)) {
			m.key.numbers.inode = mmap2->inode;
			m.key.numbers.device = (uint64_t)mmap2->major << 32 | mmap2->minor;
		} else {
			id.size = mmap2->build_id_size;
			memcpy(id.bytes, mmap2->build_id, id.size);
			m.key.id = &id;
		}
	}
	if (mode == PERF_RECORD_MISC_KERNEL)
		return kernel_maps_apply(&machine->kernel, &m.range, name, m.key.id);
	if (mode == PERF_RECORD_MISC_GUEST_KERNEL)
		return NULL;
	return apply_user_map(machine, processes, &m);
}

struct error *machine_apply(struct machine *machine, struct processes *processes,
			    const struct record *record)
{
	switch (record->header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		unpack_embedded(machine);
		return apply_map(machine, processes, record->header);
	case PERF_RECORD_KSYMBOL:
		return kernel_maps_apply_symbol(&machine->kernel, record->header);
	case PERF_RECORD_CGROUP:
		return cgroups_apply(&machine->cgroups, record->header);
	default:
		return NULL;
	}
}

const struct maps *machine_maps(struct machine *machine, const struct maps *maps, uint8_t mode)
{
	switch (mode) {
	case PERF_RECORD_MISC_KERNEL:
		kernel_maps_load(&machine->kernel);
		return machine->kernel.maps;
	case PERF_RECORD_MISC_USER:
		return maps;
	default:
		return NULL;
	}
}

void machine_find(struct machine *machine, const struct maps *maps, uint8_t mode, uint64_t ip,
		  struct place *ret)
{
	struct error *err;
	struct dso *dso;

	*ret = (struct place){ .ip = ip };
	maps = machine_maps(machine, maps, mode);
	if (maps)
		ret->map = maps_find(maps, ip);
	if (!ret->map)
		return;
	dso = ret->map->dso;
	err = dso_load(dso, &machine->options);
	if (err)
		log_warning("%s: the functions of %s have no names.", err->message, dso->name);
	error_free(err);
	ret->address = map_address(ret->map, ip) + dso->map_offset;
	/* The kernel's symbols have addresses in memory, for any map. */
	ret->symbol = dso_find(dso, dso->shared ? ip : ret->address);
	if (ret->symbol)
		ret->offset = (dso->shared ? ip : ret->address) - ret->symbol->start;
}

void machine_find_data(struct machine *machine, const struct maps *maps, uint8_t mode,
		       uint64_t address, struct place *ret)
{
	bool is_host = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_USER;

	machine_find(machine, maps, mode, address, ret);
	if (!ret->map && is_host)
		machine_find(machine, maps, address & KERNEL_HALF ? PERF_RECORD_MISC_KERNEL :
								PERF_RECORD_MISC_USER,
			     address, ret);
}

int32_t machine_socket(const struct machine *machine, int32_t cpu)
{
	const struct header *header = machine->dsos.header;

	return cpu >= 0 && (size_t)cpu < header->sockets.nr ? header->sockets.items[cpu] : -1;
}

size_t machine_sources(const struct place *place, struct source_place *places, size_t max)
{
	return place->map ? dso_find_source(place->map->dso, place->address, places, max) : 0;
}

void place_add_source(const struct place *place, bool full_path, struct strbuf *out)
{
	struct source_place source;
	const char *slash;

	if (!place->map) {
		strbuf_addstr(out, "??:0");
	} else if (machine_sources(place, &source, 1) && source.file) {
		slash = full_path ? NULL : strrchr(source.file, '/');
		strbuf_addf(out, "%s:%u", slash ? slash + 1 : source.file, source.line);
	} else if (place->symbol) {
		strbuf_addf(out, "%s+%" PRIu64, place->symbol->name, place->offset);
	} else {
		strbuf_addf(out, "%s[%" PRIx64 "]", place->map->dso->short_name,
			    place_objdump_address(place));
	}
}

/* Read code of the kernel from the sections of @source; false: they do not contain it. */
static bool code_in_ranges(const struct kernel *source, uint64_t start, uint64_t size,
			   struct code *ret, struct error **ret_error)
{
	bool vmlinux = source->origin == KERNEL_VMLINUX;
	/* The path is from the machine where symbols were embedded: here it may be any file. */
	size_t nr = source->of_recording ? 0 : source->ranges.nr;

	for (size_t i = 0; i < nr; i++) {
		const struct kernel_range *range = &source->ranges.items[i];

		if (start < range->start || start >= range->end)
			continue;
		*ret_error = code_read_file(vmlinux ? source->path : "/proc/kcore",
					    range->offset + (start - range->start), size, ret);
		if (!*ret_error && source->debug_path)
			ret->lines = strdup(source->debug_path);
		return true;
	}
	return false;
}

/*
 * Read code of the kernel from the source of its symbols: its vmlinux, or the memory of the running
 * kernel, which also has modules and generated programs.  Missing code may be downloaded.
 */
static struct error *kernel_code(struct machine *machine, const struct dso *dso, uint64_t start,
				 uint64_t size, struct code *ret)
{
	struct error *err;

	if (code_in_ranges(&machine->kernel.source, start, size, ret, &err) ||
	    (dso->kind == DSO_KERNEL && !machine->options.no_vmlinux &&
	     code_in_ranges(kernel_maps_fetch(&machine->kernel), start, size, ret, &err)))
		return err;
	if (dso->kind == DSO_BPF)
		return error_hint(error_new(ENOENT, "The code of the BPF program is not in the "
					    "recording"),
				  "Root can read it on the machine that runs it while it is loaded, "
				  "if the kernel has /proc/kcore");
	return error_hint(error_new(ENOENT, "The code of %s is not here", dso->name),
			  "-k FILE names the kernel's vmlinux, which a debug package of the kernel "
			  "has; on the machine that was recorded root can read /proc/kcore instead");
}

struct error *machine_code(struct machine *machine, const struct dso *dso,
			   const struct symbol *symbol, uint64_t start, struct code *ret)
{
	const struct embedded_binary *embedded = embedded_find(machine->embedded, dso);
	uint64_t size = symbol->end - symbol->start;
	/* Below symfs, files come first: code and symbols have the same source. */
	bool is_first = !machine->options.symfs || dso->of_recording || dso->kind == DSO_BPF;
	struct error *err;

	if (embedded && is_first && embedded_code(machine->embedded, embedded, symbol->start, ret))
		return NULL;
	if (dso->kind == DSO_KERNEL || dso->kind == DSO_BPF || dso->shared)
		return kernel_code(machine, dso, start, size, ret);
	err = code_read_dso(dso, &machine->options, symbol->start, size, ret);
	if (!err || dso->kind != DSO_MODULE || !machine->kernel.source.ranges.nr)
		return err;
	error_free(err);
	return kernel_code(machine, dso, start, size, ret);
}

uint64_t place_objdump_address(const struct place *place)
{
	if (!place->map || place->map->dso->kind >= DSO_KERNEL)
		return place->ip;
	return place->address + place->map->dso->text_offset;
}

/* Return the next map in the unwinder's form. */
static bool next_binary(const void *arg, uint64_t address, struct unwind_map *ret)
{
	const struct map *map = maps_next(arg, address);

	if (!map)
		return false;
	*ret = (struct unwind_map){ map->start, map->end, map->offset, map->dso };
	if (map->identity && map->dso->kind != DSO_PERF_MAP)
		ret->dso = NULL;
	return true;
}

static bool machine_is_arm64(const struct machine *machine)
{
	const char *arch = machine->dsos.header->arch;

	return arch && !strcmp(arch, "aarch64");
}

static size_t unwind_state(struct machine *machine, const struct maps *maps,
			   const struct unwind_state *state, uint64_t *ips, size_t max)
{
	struct unwind_space space = { .id = maps->id, .next = next_binary, .arg = maps };
	struct error *err = NULL;

	if (!machine->unwinder)
		err = unwinder_create(&machine->options, &machine->unwinder);
	error_free(err);
	return err ? 0 : unwinder_run(machine->unwinder, &space, state, ips, max);
}

size_t machine_unwind(struct machine *machine, const struct maps *maps, const struct event *event,
		      const struct sample *sample, uint64_t *ips, size_t max)
{
	struct unwind_state state = {
		.machine = machine_is_arm64(machine) ? UNWIND_ARM64 :
			   sample->user_abi == PERF_SAMPLE_REGS_ABI_32 ? UNWIND_I386 :
									 UNWIND_X86_64,
		.mask = event->attr.sample_regs_user,
		.registers = sample->user_regs,
		.stack = sample->user_stack,
		.stack_size = sample->user_stack_size,
	};

	if (state.machine == UNWIND_ARM64 && sample->user_abi == PERF_SAMPLE_REGS_ABI_32) {
		if (!machine->stacks_told)
			log_notice("The copied stacks of 32-bit tasks of arm64 cannot be unwound: "
				   "their call chains have no frames of user space.");
		machine->stacks_told = true;
		return 0;
	}
	if (!maps || sample->user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return 0;
	return unwind_state(machine, maps, &state, ips, max);
}

uint64_t machine_leaf_caller(struct machine *machine, const struct maps *maps,
			     const struct event *event, const struct sample *sample, uint64_t pc)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t registers[] = { sample->user_regs ? sample->user_regs[0] : 0, 0, pc };
	/* lr, sp (the base of the tables' offsets) and pc. */
	struct unwind_state state = {
		.machine = UNWIND_ARM64, .mask = 7ULL << REGISTER_ARM64_LR, .registers = registers,
	};
	uint64_t ips[2];

	if (attr->sample_regs_user != 1ULL << REGISTER_ARM64_LR || !maps ||
	    sample->user_abi != PERF_SAMPLE_REGS_ABI_64 || !machine_is_arm64(machine))
		return 0;
	return unwind_state(machine, maps, &state, ips, 2) == 2 ? ips[1] : 0;
}

const struct dso *machine_dso(const struct machine *machine, size_t position)
{
	if (!position)
		return machine->kernel.dso;
	return position <= machine->dsos.nr ? machine->dsos.items[position - 1].dso : NULL;
}

const struct kernel *machine_kernel(const struct machine *machine)
{
	return &machine->kernel.source;
}

const struct symbol_options *machine_symbol_options(const struct machine *machine)
{
	return &machine->options;
}

static bool lacks_symbols(const struct dso *dso)
{
	return dso->hits && (((dso->kind == DSO_FILE || dso->kind == DSO_VDSO) &&
			      dso->state > DSO_READ) || dso->state == DSO_UNTRUSTED);
}

/*
 * Whether the names of @dso come from a file that may not be the one that ran.  A file has not
 * changed if this is the host of the recording and the file is older than the recording.
 */
static bool is_assumed_dso(const struct machine *machine, const struct dso *dso)
{
	const struct header *header = machine->dsos.header;

	return dso->hits && dso->kind == DSO_FILE && dso->state == DSO_READ && dso->assumed &&
	       !machine->options.symfs &&
	       !(header_is_local(header) && dso->assumed <= header->written);
}

/* Report names that come from files of this machine, if nothing proves that these files ran. */
static void report_assumed(const struct machine *machine)
{
	bool kernel = machine->kernel.source.assumed && machine->kernel.source.origin;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t nr = 0;

	if (kernel)
		strbuf_addstr(&text, "the kernel");
	for (size_t i = 0; i < machine->dsos.nr; i++) {
		const struct dso *dso = machine->dsos.items[i].dso;

		if (is_assumed_dso(machine, dso) && nr++ < NAMED_BINARIES)
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", dso->name);
	}
	if ((!kernel && !nr) || text.failed)
		return;
	if (nr > NAMED_BINARIES)
		strbuf_addf(&text, " and %zu more", nr - NAMED_BINARIES);
	log_notice("The recording has no build ids of: %s. The names of their functions come from "
		   "the files on this machine, and are wrong if those differ.", text.data);
}

/* Report the sources of names, for -v. */
static void report_builds(const struct machine *machine)
{
	char id[BUILD_ID_TEXT];

	for (size_t i = 0; i < machine->dsos.nr; i++) {
		const struct dso *dso = machine->dsos.items[i].dso;
		const char *source = dso_symbol_source(dso);
		char origin = dso_symbol_origin(dso);
		const char *where = NULL;

		if (!dso->hits)
			continue;
		build_id_text(&dso->id, id);
		if (origin == '!')
			where = "";
		else if (origin == 'e')
			where = "the recording";
		else if (dso->symbol_path || dso->symbol_file == SYMBOL_FILE_ITSELF)
			where = dso->symbol_path ? dso->symbol_path : dso->path ? dso->path :
				origin == 'k' ? "kallsyms" : "memory";
		if (!where) {
			where = source ? source : "memory";
			source = NULL;
		}
		log_debug("%s: %s%s, %s%s%s%s%s", dso->name,
			  dso->id.size ? "build id " : "no build id", dso->id.size ? id : "",
			  *where ? "symbols from " : "no symbols", where,
			  *where && source ? " (" : "", *where && source ? source : "",
			  *where && source ? ")" : "");
	}
}

void machine_report(const struct machine *machine)
{
	static const char *const states[] = {
		[DSO_MISSING] = "not here", [DSO_CHANGED] = "changed since",
		[DSO_UNIDENTIFIED] = "its build id is not recorded",
		[DSO_STRIPPED] = "no symbols in it",
		[DSO_UNTRUSTED] = "it belongs to another user and is not trusted",
	};
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < machine->hosts.nr; i++)
		machine_report(machine->hosts.items[i]);
	report_builds(machine);
	report_assumed(machine);
	for (size_t i = 0; i < machine->dsos.nr; i++) {
		const struct dso *dso = machine->dsos.items[i].dso;

		if (lacks_symbols(dso) && nr++ < NAMED_BINARIES)
			strbuf_addf(&text, "%s%s (%s)", text.len ? ", " : "", dso->name,
				    dso->kind == DSO_VDSO && dso->state == DSO_CHANGED ?
				    "that of another kernel" : states[dso->state]);
	}
	if (!nr || text.failed)
		return;
	if (nr > NAMED_BINARIES)
		strbuf_addf(&text, " and %zu more", nr - NAMED_BINARIES);
	log_notice("Addresses in %s have no names. Copies of binaries and debug files are found by "
		   "build id in ~/.debug and /usr/lib/debug/.build-id; --symfs DIR looks below "
		   "another folder.", text.data);
}
