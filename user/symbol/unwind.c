// SPDX-License-Identifier: GPL-2.0
#include "symbol/debuginfod.h"
#include "symbol/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hash.h"
#include "lib/hash_table.h"
#include "lib/library.h"
#include "symbol/elf/elf_expand.h"
#include "symbol/elf/elf_file.h"
#include "symbol/embedded.h"
#include "symbol/jit/python_trampoline.h"
#include "with/libdw.h"

/* The number of processes whose tables are kept. */
#define SPACES	16

/* The most binaries of a process: libdwfl goes through all of them for each new one. */
#define BINARIES_MAX	512

/* The most registers of a machine. */
#define REGISTERS_MAX	33

/* The number of maps of a process that are searched for a first binary. */
#define BINARIES_TRIED	64

/* The id of the only thread that we report to libdwfl. */
#define THREAD	1

struct space {
	uint64_t id;		/* 0: free */
	uint64_t used;		/* by the unwinder's clock */
	Dwfl *dwfl;		/* NULL: opened for the next chain */
	size_t nr;		/* binaries that it knows */
	bool attached;		/* libdwfl is ready to unwind */
};

/* A binary, opened once for all processes. */
struct image {
	const struct dso *dso;	/* NULL: trampolines of CPython */
	struct elf_file file;	/* elf NULL: there is none */
	char *copy;		/* embedded data; NULL: it is a file */
	uint64_t low, high;	/* virtual addresses of its segments */
};

struct unwinder {
	const struct symbol_options *options;
	struct space spaces[SPACES];
	uint64_t clock;
	ARRAY_OF(struct image *) images;
	struct hash_table image_table;	/* positions in images, by their dso */
	struct image trampolines;	/* for each page of trampolines; elf NULL: not open */

	/* The chain that is being unwound. */
	const struct unwind_space *told;
	struct space *space;
	bool stale;			/* libdwfl knows binaries that are no longer mapped */
	bool begun_anew;		/* the space was emptied because it was stale */
	const struct unwind_state *state;
	uint64_t stack_start;
	uint64_t *ips;
	size_t nr, max;
};

/* ---- binaries ---------------------------------------------------------------- */

void unwind_open(const struct dso *dso, const struct symbol_options *options, struct elf_file *ret)
{
	static const enum symbol_file kinds[] = { SYMBOL_FILE_CACHE, SYMBOL_FILE_ITSELF };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	int32_t pid;

	*ret = (struct elf_file){ .fd = -1 };
	if (dso->kind == DSO_VDSO) {
		dso_open_vdso(dso, ret);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && dso->kind == DSO_FILE; i++) {
		if (!symbol_file_path(kinds[i], options, dso->path, &dso->id, &path) ||
		    !elf_file_open(ret, path.data))
			continue;
		if (dso_owns(dso, ret, kinds[i]))
			return;
		elf_file_close(ret);
	}
	if (dso->kind == DSO_FILE && dso_find_live(dso, &path, &pid) &&
	    elf_file_open(ret, path.data))
		return;
	if (dso->kind == DSO_FILE &&
	    debuginfod_find(options->debuginfod, DEBUGINFOD_BINARY, &dso->id, dso->path, &path))
		elf_file_open(ret, path.data);
}

/* Take the tables that are embedded in the recording. */
static void open_embedded(struct image *image, const struct embedded_binary *binary)
{
	size_t size = binary->image.end - binary->image.p;

	image->copy = malloc(size + 1);
	if (!image->copy)
		return;
	memcpy(image->copy, binary->image.p, size);
	elf_file_open_memory(&image->file, image->copy, size);
}

static void open_image(struct image *image, const struct symbol_options *options)
{
	const struct embedded_binary *binary = embedded_find(options->embedded, image->dso);

	if (binary && binary->image.p == binary->image.end)
		binary = NULL;
	if (!binary || options->symfs)
		unwind_open(image->dso, options, &image->file);
	if (binary && !image->file.elf)
		open_embedded(image, binary);
	if (image->file.elf && elf_file_section(&image->file, ".debug_frame").scn)
		elf_file_expand(&image->file);
}

static void measure_image(struct image *image)
{
	size_t nr = 0;

	image->low = UINT64_MAX;
	if (!image->file.elf || elf_getphdrnum(image->file.elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(image->file.elf, i, &segment) || segment.p_type != PT_LOAD)
			continue;
		/* libdwfl takes the bias from the first segment, by its alignment. */
		if (segment.p_vaddr < image->low)
			image->low = segment.p_align > 1 ? segment.p_vaddr & -segment.p_align :
							   segment.p_vaddr;
		if (segment.p_vaddr + segment.p_memsz > image->high)
			image->high = segment.p_vaddr + segment.p_memsz;
	}
}

static struct image *find_image(struct unwinder *unwinder, const struct dso *dso)
{
	uint64_t hash = hash_key_number((uintptr_t)dso);
	struct image *image;

	hash_table_each(&unwinder->image_table, hash, n) {
		image = unwinder->images.items[n];
		if (image->dso == dso)
			return image;
	}
	image = calloc(1, sizeof(*image));
	if (!image || !hash_table_add(&unwinder->image_table, hash, unwinder->images.nr) ||
	    !array_push(&unwinder->images, image)) {
		free(image);
		return NULL;
	}
	image->dso = dso;
	image->file.fd = -1;
	open_image(image, unwinder->options);
	measure_image(image);
	return image;
}

/*
 * Find the difference between the addresses of @map, which contains @address, and the virtual
 * addresses of @image.  False: no segment of @image is mapped there.  Segments may share a page of
 * the file, which is then mapped for each of them, so the address decides, not the map.
 */
static bool find_bias(const struct image *image, const struct unwind_map *map, uint64_t address,
		      uint64_t *ret)
{
	uint64_t offset = address - map->start + map->offset;
	size_t nr = 0;

	if (!image->file.elf || image->low >= image->high ||
	    elf_getphdrnum(image->file.elf, &nr))
		return false;
	if (!image->dso) {
		*ret = (address & -PYTHON_TRAMPOLINE_PAGE) - image->low;
		return true;
	}
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(image->file.elf, i, &segment) || segment.p_type != PT_LOAD ||
		    offset < segment.p_offset || offset - segment.p_offset >= segment.p_filesz)
			continue;
		*ret = address - (offset - segment.p_offset) - segment.p_vaddr;
		return true;
	}
	return false;
}

/* ---- callbacks of libdwfl ---------------------------------------------------- */

static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	struct image *image = *userdata;

	*elf = elf_begin(image->file.fd, ELF_C_READ, image->file.elf);
	return -1;
}

static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file_name, const char *link, GElf_Word crc, char **ret)
{
	/* .eh_frame is all we need. */
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
};

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return THREAD;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	*thread_arg = arg;
	return true;
}

/* Registers by perf's numbers. */
struct registers_of {
	uint16_t machine;	/* EM_* of the binaries */
	uint8_t word;		/* bytes */
	uint8_t counter, stack;
	uint8_t nr;		/* in DWARF's order; the last is the program counter */
	uint8_t order[REGISTERS_MAX];
};

static const struct registers_of *registers_of(const struct unwind_state *state)
{
	static const struct registers_of machines[] = {
		[UNWIND_X86_64] = { EM_X86_64, 8, 8, 7, 17, {
			0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 } },
		[UNWIND_I386] = { EM_386, 4, 8, 7, 9, { 0, 2, 3, 1, 7, 6, 4, 5, 8 } },
		[UNWIND_ARM64] = { EM_AARCH64, 8, 32, 31, 33, {
			0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
			20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 } },
	};

	return &machines[state->machine];
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *arg)
{
	const struct unwinder *unwinder = arg;
	const struct unwind_state *state = unwinder->state;
	uint64_t offset = address - unwinder->stack_start;
	uint8_t size = registers_of(state)->word;
	uint32_t half;

	if (offset + size < offset || offset + size > state->stack_size)
		return false;
	if (size == sizeof(half)) {
		memcpy(&half, (const char *)state->stack + offset, size);
		*ret = half;
	} else {
		memcpy(ret, (const char *)state->stack + offset, size);
	}
	return true;
}

/* Get a register by perf's number; false: it was not recorded. */
static bool get_register(const struct unwind_state *state, unsigned int number, uint64_t *ret)
{
	uint64_t bit = 1ULL << number;

	if (!(state->mask & bit))
		return false;
	*ret = state->registers[__builtin_popcountll(state->mask & (bit - 1))];
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct unwinder *unwinder = arg;
	const struct registers_of *of = registers_of(unwinder->state);
	Dwarf_Word words[REGISTERS_MAX] = { 0 };

	for (size_t i = 0; i < of->nr; i++)
		get_register(unwinder->state, of->order[i], &words[i]);
	dwfl_thread_state_register_pc(thread, words[of->nr - 1]);
	/* On x86 the program counter is one of DWARF's registers. */
	return dwfl_thread_state_registers(thread, 0, of->nr - (of->machine == EM_AARCH64), words);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* ---- processes --------------------------------------------------------------- */

/* The tables for @address in memory of a perf map; NULL: there are none. */
static struct image *jitted_image(struct unwinder *unwinder, struct dso *dso, uint64_t address)
{
	struct image *image = &unwinder->trampolines;

	if (dso_load(dso, unwinder->options) || !python_trampoline_is(dso_find(dso, address)))
		return NULL;
	if (!image->file.elf) {
		python_trampoline_open(&image->file);
		measure_image(image);
	}
	return image;
}

/* The binary that is mapped at @address; NULL: there is none for the machine of the chain. */
static struct image *mapped_image(struct unwinder *unwinder, const struct unwind_map *map,
				  uint64_t address)
{
	uint16_t machine = registers_of(unwinder->state)->machine;
	struct image *image = NULL;

	if (map->dso)
		image = map->dso->kind == DSO_PERF_MAP ?
			jitted_image(unwinder, map->dso, address) : find_image(unwinder, map->dso);

	return image && image->file.elf && image->file.header.e_machine == machine ? image : NULL;
}

/* Report a binary to libdwfl, when a chain first comes through it. */
static void report_map(struct space *space, const struct unwind_map *map, struct image *image,
		       uint64_t bias)
{
	Dwfl_Module *module;
	void **userdata;

	dwfl_report_begin_add(space->dwfl);
	module = dwfl_report_module(space->dwfl, map->dso->name, image->low + bias,
				    image->high + bias);
	dwfl_report_end(space->dwfl, NULL, NULL);
	if (!module)
		return;
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = image;
	space->nr++;
}

/* Whether @module, which libdwfl has at @address, is the binary of @map. */
static bool is_known_image(const struct image *image, const struct unwind_map *map,
			   uint64_t address, Dwfl_Module *module)
{
	Dwarf_Addr start = 0;
	void **userdata;
	uint64_t bias;

	dwfl_module_info(module, &userdata, &start, NULL, NULL, NULL, NULL, NULL);
	return image && *userdata == image && find_bias(image, map, address, &bias) &&
	       start == image->low + bias;
}

/*
 * Ensure that libdwfl knows the binary that is mapped at @pc.  Returns false if it knows an older
 * mapping there; then it has to start anew.
 */
static bool know_binary(struct unwinder *unwinder, uint64_t pc)
{
	struct space *space = unwinder->space;
	Dwfl_Module *module = dwfl_addrmodule(space->dwfl, pc);
	struct unwind_map map;
	struct image *image;
	uint64_t bias;

	/* There may be gaps between the segments of a binary. */
	if (!unwinder->told->next(unwinder->told->arg, pc, &map) || map.start > pc)
		return true;
	image = mapped_image(unwinder, &map, pc);
	if (!module) {
		if (image && find_bias(image, &map, pc, &bias))
			report_map(space, &map, image, bias);
		return true;
	}
	/* If binaries still overlap after a new start, they are kept. */
	if (unwinder->begun_anew || is_known_image(image, &map, pc, module))
		return true;
	unwinder->stale = true;
	return false;
}

/* Prepare libdwfl for unwinding, which needs at least one binary of the process. */
static bool attach(struct unwinder *unwinder)
{
	struct space *space = unwinder->space;
	struct unwind_map map = { .end = 0 };

	for (int i = 0; i < BINARIES_TRIED && !space->attached; i++) {
		struct image *image;

		if (!unwinder->told->next(unwinder->told->arg, map.end, &map))
			break;
		image = mapped_image(unwinder, &map, map.start);
		if (image)
			space->attached = dwfl_attach_state(space->dwfl, image->file.elf, THREAD,
							    &thread_callbacks, unwinder);
	}
	return space->attached;
}

static void close_space(struct space *space)
{
	if (space->dwfl)
		dwfl_end(space->dwfl);
	space->dwfl = NULL;
	space->nr = 0;
	space->attached = false;
}

/*
 * Whether a binary is mapped at @pc whose tables we do not have.  libdwfl would then follow
 * the frame pointer, which in most binaries is an ordinary register, and give wrong addresses.
 */
static bool lacks_tables(const struct unwinder *unwinder, uint64_t pc)
{
	struct unwind_map map;

	return !dwfl_addrmodule(unwinder->space->dwfl, pc) &&
	       unwinder->told->next(unwinder->told->arg, pc, &map) && map.start <= pc &&
	       map.dso && (map.dso->kind == DSO_FILE || map.dso->kind == DSO_VDSO);
}

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwinder *unwinder = arg;
	Dwarf_Addr pc, called_from;
	bool is_activation;

	if (!dwfl_frame_pc(frame, &pc, NULL) || !pc)
		return DWARF_CB_ABORT;
	called_from = unwinder->nr ? pc - 1 : pc;
	/* libdwfl leaves the frame by the tables of this binary, so it must know them. */
	if (!know_binary(unwinder, called_from))
		return DWARF_CB_ABORT;
	if (lacks_tables(unwinder, called_from)) {
		unwinder->ips[unwinder->nr++] = called_from;
		return DWARF_CB_ABORT;
	}
	/* This call unwinds the frame, so the tables must be known before. */
	if (!dwfl_frame_pc(frame, &pc, &is_activation))
		return DWARF_CB_ABORT;
	unwinder->ips[unwinder->nr++] = is_activation ? pc : pc - 1;
	return unwinder->nr == unwinder->max ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static struct space *find_space(struct unwinder *unwinder, uint64_t id)
{
	struct space *oldest = &unwinder->spaces[0];

	for (size_t i = 0; i < SPACES; i++) {
		struct space *space = &unwinder->spaces[i];

		if (space->id == id)
			return space;
		if (space->used < oldest->used)
			oldest = space;
	}
	/* The least recently used space makes room. */
	close_space(oldest);
	oldest->id = id;
	return oldest;
}

static bool open_space(struct space *space)
{
	if (space->nr >= BINARIES_MAX)
		close_space(space);
	if (!space->dwfl)
		space->dwfl = dwfl_begin(&callbacks);
	return space->dwfl;
}

struct error *unwinder_create(const struct symbol_options *options, struct unwinder **ret)
{
	library_notice(LIBRARY_DW);
	struct unwinder *unwinder = calloc(1, sizeof(*unwinder));

	if (!unwinder)
		return &error_no_memory;
	unwinder->options = options;
	unwinder->trampolines.file.fd = -1;
	*ret = unwinder;
	return NULL;
}

void unwinder_destroy(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	for (size_t i = 0; i < SPACES; i++)
		close_space(&unwinder->spaces[i]);
	for (size_t i = 0; i < unwinder->images.nr; i++) {
		elf_file_close(&unwinder->images.items[i]->file);
		free(unwinder->images.items[i]->copy);
		free(unwinder->images.items[i]);
	}
	free(unwinder->images.items);
	elf_file_close(&unwinder->trampolines.file);
	hash_table_deinit(&unwinder->image_table);
	free(unwinder);
}

/* Unwind once.  Returns false if libdwfl knew older mappings; the space has then been emptied. */
static bool run_unwinder(struct unwinder *unwinder, uint64_t pc)
{
	unwinder->nr = 0;
	unwinder->stale = false;
	if (!open_space(unwinder->space))
		return true;
	if (know_binary(unwinder, pc) && attach(unwinder))
		dwfl_getthread_frames(unwinder->space->dwfl, THREAD, take_frame, unwinder);
	if (unwinder->stale)
		close_space(unwinder->space);
	return !unwinder->stale;
}

size_t unwinder_run(struct unwinder *unwinder, const struct unwind_space *told,
		    const struct unwind_state *state, uint64_t *ips, size_t max)
{
	uint64_t pc;

	if (!max || !get_register(state, registers_of(state)->counter, &pc) ||
	    !get_register(state, registers_of(state)->stack, &unwinder->stack_start))
		return 0;
	unwinder->told = told;
	/* A process may change to another machine by exec. */
	unwinder->space = find_space(unwinder, told->id << 2 | state->machine);
	unwinder->space->used = ++unwinder->clock;
	unwinder->state = state;
	unwinder->ips = ips;
	unwinder->max = max;
	unwinder->begun_anew = false;
	if (!run_unwinder(unwinder, pc)) {
		unwinder->begun_anew = true;
		run_unwinder(unwinder, pc);
	}
	if (!unwinder->nr && pc)
		ips[unwinder->nr++] = pc;
	return unwinder->nr;
}
