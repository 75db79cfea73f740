/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One binary that was mapped somewhere, and its symbols, which are read when the first one is
 * asked for.  perf's columns call it "DSO".
 */
#ifndef KTRACE_SYMBOL_DSO_H
#define KTRACE_SYMBOL_DSO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "lib/build_id.h"
#include "symbol/symbol_files.h"
#include "symbol/symbols.h"
#include "symbol/task_files.h"

enum dso_kind {
	DSO_FILE,		/* an executable or a library */
	DSO_VDSO,
	DSO_PERF_MAP,		/* /tmp/perf-PID.map */
	DSO_MEMORY,		/* not from a file, so without symbols */
	DSO_KERNEL,		/* the kernel, or one section of its vmlinux */
	DSO_MODULE,
	DSO_BPF,		/* from a KSYMBOL record */
};

/* Why there are no symbols. */
enum dso_state {
	DSO_UNREAD = 0,
	DSO_READ,
	DSO_MISSING,		/* no such file here */
	DSO_CHANGED,		/* the file here is not what ran */
	DSO_UNIDENTIFIED,	/* nothing tells whether it is */
	DSO_STRIPPED,		/* no symbols in it, nor debug files for it */
	DSO_UNTRUSTED,		/* a perf map that belongs to another user */
};

struct dso {
	char *name;		/* as perf shows it: a path, "[vdso]", "[ext4]"; owned */
	char *short_name;	/* of a path, its last part; owned */
	char *path;		/* of the file; NULL: it has none; owned */
	enum dso_kind kind;
	enum dso_state state;
	struct build_id id;
	struct file_numbers numbers;	/* of what was mapped; 0: not told */
	/*
	 * The recording was made on this machine: the numbers tell files apart, and tasks may still
	 * have the binary mapped.
	 */
	bool of_here;
	time_t recorded;	/* with of_here: when the recording was written */
	struct {
		struct task_map *items;		/* the first tasks that mapped it */
		size_t nr, alloc;
	} tasks;
	bool replaced;		/* there is no build id, and the path leads to another file now */
	/*
	 * 0: the recording gave the id.  Otherwise the id is that of the file as it is here
	 * now, and this is when that file last changed.
	 */
	time_t assumed;
	struct symbols own;
	struct symbols *shared;	/* the kernel's table, for it and its modules; NULL: own */
	char *part;		/* of @shared, the symbols whose `part` this is are ours; owned */
	bool all_parts;		/* all symbols of @shared are ours */
	bool of_vmlinux;	/* @shared was read from a vmlinux */
	uint64_t text_offset;	/* of a file: virtual address minus offset of its .text */
	uint64_t map_offset;	/* of a module: offset in the file of its map */
	char *symbol_path;	/* where the symbols came from; NULL: from @path; owned */
	enum symbol_file symbol_file;	/* of DSO_FILE, which file that is */
	uint64_t hits;		/* addresses that were looked up */
	bool of_recording;	/* the symbols are embedded in the recording */
	const struct embedded *embedded; /* of the recording; NULL: nothing is, or not loaded */
	struct debuginfod *debuginfod;	/* NULL: nothing is fetched, or not loaded; borrowed */
	struct dwarf_lines *lines; /* NULL: not read, or none */
	uid_t source_reader;	/* whom @lines can make us read source for: its owner */
	bool lines_tried;
};

/* @path may be NULL. */
struct error *dso_create(enum dso_kind kind, const char *name, const char *path,
			 struct dso **ret);
void dso_destroy(struct dso *dso);

/*
 * Give "[ext4]" for "/lib/modules/.../ext4.ko.xz"; anything but the path of a module is copied
 * as it is.  free() it; NULL: out of memory.
 */
char *dso_module_name(const char *path);

/* Remember that a task had it mapped; returns false if memory is out. */
bool dso_add_task(struct dso *dso, const struct task_map *map);

/*
 * Whether an open file, which was found as one of @kind, belongs to the binary.  The build id tells
 * it; without one, the numbers of what was mapped, which only deny that the path still leads there.
 */
struct elf_file;
bool dso_owns(const struct dso *dso, const struct elf_file *file, enum symbol_file kind);

/*
 * Find the binary's own file where a task that lives has it mapped: a path and the task.  False:
 * there is none that is proved to be it.
 */
bool dso_find_live(const struct dso *dso, struct strbuf *ret_path, int32_t *ret_pid);

/*
 * Read the symbols, once.  Whatever is wrong with the files is stored in `state`; the only
 * error is to be out of memory, and then there are none.
 */
struct error *dso_load(struct dso *dso, const struct symbol_options *options);

/*
 * Find the symbol at @address, which is an offset in the file for DSO_FILE and DSO_VDSO, and
 * an address otherwise.  NULL: there is none, or the symbols are not loaded.
 */
const struct symbol *dso_find(struct dso *dso, uint64_t address);

/*
 * Find the source of @address by dwarf_lines_find(), in the file that the symbols came from.
 * @address is as in dso_find().  Returns 0 if the file has no DWARF, or nothing about the
 * address.
 */
struct source_place;
size_t dso_find_source(struct dso *dso, uint64_t address, struct source_place *places,
		       size_t max);

/*
 * The DWARF of @path, which is read once for each binary; NULL: it has none.  It belongs to the
 * binary.
 */
struct dwarf_lines *dso_lines(struct dso *dso, const char *path);

/*
 * The text of a line of source, which may be embedded in the recording, or else lies in a file;
 * NULL: it is not here.  It lives as long as @texts and the recording.
 */
struct source_texts;
const char *dso_source_line(const struct dso *dso, struct source_texts *texts, const char *path,
			    unsigned int line);

/* Which source of files the symbols are from, such as "its debug link"; NULL: none was asked. */
const char *dso_symbol_source(const struct dso *dso);

/*
 * perf's letter for where the symbols came from: 'k' for kallsyms, 'v' for vmlinux, 'd' for the
 * file itself ... '!': there are none.  What was fetched has those of perf's cache.  Ours is 'e':
 * they are embedded in the recording.
 */
char dso_symbol_origin(const struct dso *dso);

/* Open the vDSO of this process if its build id says that it is the one of @dso. */
bool dso_open_vdso(const struct dso *dso, struct elf_file *ret);

#endif
