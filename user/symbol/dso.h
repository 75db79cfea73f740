/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One mapped binary and its symbols, which are read at the first look-up.  perf's columns call it
 * "DSO".
 */
#ifndef KTRACE_SYMBOL_DSO_H
#define KTRACE_SYMBOL_DSO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "lib/array.h"
#include "lib/build_id.h"
#include "symbol/symbol_files.h"
#include "symbol/symbols.h"
#include "symbol/task_files.h"

enum dso_kind {
	DSO_FILE,		/* an executable or a library */
	DSO_VDSO,
	DSO_PERF_MAP,		/* /tmp/perf-PID.map */
	DSO_MEMORY,		/* no file, so no symbols */
	DSO_KERNEL,		/* the kernel, or one section of its vmlinux */
	DSO_MODULE,
	DSO_BPF,		/* from a KSYMBOL record */
};

/* The reason for missing symbols. */
enum dso_state {
	DSO_UNREAD = 0,
	DSO_READ,
	DSO_MISSING,		/* no such file here */
	DSO_CHANGED,		/* the file here is not the one that ran */
	DSO_UNIDENTIFIED,	/* nothing proves which file it is */
	DSO_STRIPPED,		/* it has no symbols, and there are no debug files for it */
	DSO_UNTRUSTED,		/* a perf map that belongs to another user */
};

struct dso {
	char *name;		/* as perf shows it: a path, "[vdso]", "[ext4]"; owned */
	char *short_name;	/* of a path, its last part; owned */
	char *path;		/* of the file; NULL: it has none; owned */
	enum dso_kind kind;
	enum dso_state state;
	struct build_id id;
	struct file_numbers numbers;	/* of the mapped file; 0: unknown */
	/*
	 * The recording was made on this machine: the numbers distinguish files, and tasks may
	 * still have the binary mapped.
	 */
	bool of_here;
	time_t recorded;	/* with of_here: when the recording was written */
	ARRAY_OF(struct task_map) tasks;	/* the first tasks that mapped it */
	bool replaced;		/* there is no build id, and the path leads to another file now */
	/*
	 * 0: the recording gave the id.  Otherwise the id is that of the current local file, and
	 * this is the time of that file's last change.
	 */
	time_t assumed;
	struct symbols own;
	struct symbols *shared;	/* the kernel's table, for it and its modules; NULL: own */
	char *part;		/* our symbols of @shared are those with this `part`; owned */
	bool all_parts;		/* all symbols of @shared are ours */
	bool of_vmlinux;	/* @shared was read from a vmlinux */
	uint64_t text_offset;	/* of a file: virtual address minus offset of its .text */
	uint64_t map_offset;	/* of a module: offset in the file of its map */
	char *symbol_path;	/* the file with the symbols; NULL: @path; owned */
	enum symbol_file symbol_file;	/* of DSO_FILE: the kind of that file */
	uint64_t hits;		/* number of look-ups */
	bool of_recording;	/* the symbols are embedded in the recording */
	const struct embedded *embedded; /* of the recording; NULL: none, or not loaded */
	struct debuginfod *debuginfod;	/* NULL: no downloads, or not loaded; borrowed */
	struct dwarf_lines *lines; /* NULL: not read, or none */
	uid_t source_reader;	/* the owner of @lines: only source that he may read is shown */
	bool lines_tried;
};

/* @path may be NULL. */
struct error *dso_create(enum dso_kind kind, const char *name, const char *path,
			 struct dso **ret);
void dso_destroy(struct dso *dso);

/*
 * Returns "[ext4]" for "/lib/modules/.../ext4.ko.xz".  A name that is no path of a module is copied
 * unchanged.  free() it; NULL: out of memory.
 */
char *dso_module_name(const char *path);

/* Remember that a task has mapped it; returns false if memory is out. */
bool dso_add_task(struct dso *dso, const struct task_map *map);

/*
 * Whether an open file, which was found as one of @kind, belongs to the binary.  The build id
 * proves it.  Without a build id, the numbers of the mapped file can only disprove that the path
 * still leads there.
 */
struct elf_file;
bool dso_owns(const struct dso *dso, const struct elf_file *file, enum symbol_file kind);

/*
 * Find the binary's own file through a living task that has mapped it: a path and the task.  False:
 * no file is proved to be the binary.
 */
bool dso_find_live(const struct dso *dso, struct strbuf *ret_path, int32_t *ret_pid);

/*
 * Read the symbols, once.  Defects of the files are stored in `state`.  The only possible error is
 * lack of memory; then there are no symbols.
 */
struct error *dso_load(struct dso *dso, const struct symbol_options *options);

/*
 * Find the symbol at @address, which is an offset in the file for DSO_FILE and DSO_VDSO, and a
 * virtual address otherwise.  NULL: there is none, or the symbols are not loaded.
 */
const struct symbol *dso_find(struct dso *dso, uint64_t address);

/*
 * Find the source of @address by dwarf_lines_find(), in the file with the symbols.
 * @address is as in dso_find().  Returns 0 if the file has no DWARF, or none for the address.
 */
struct source_place;
size_t dso_find_source(struct dso *dso, uint64_t address, struct source_place *places,
		       size_t max);

/*
 * The DWARF of @path, which is read once for each binary; NULL: it has none.  The binary owns it.
 */
struct dwarf_lines *dso_lines(struct dso *dso, const char *path);

/*
 * The text of a source line, from the recording or else from a file; NULL: it is not here.  It
 * lives as long as @texts and the recording.
 */
struct source_texts;
const char *dso_source_line(const struct dso *dso, struct source_texts *texts, const char *path,
			    unsigned int line);

/*
 * The source of the symbols, such as "its debug link".  NULL: they are not from a file of the
 * binary but embedded, in the kernel's table or in a perf map.
 */
const char *dso_symbol_source(const struct dso *dso);

/*
 * perf's letter for the source of the symbols: 'k' for kallsyms, 'v' for vmlinux, 'd' for the
 * binary itself ...  '!': there are none.  Downloaded symbols have the letters of perf's cache.
 * Our own letter is 'e': they are embedded in the recording.
 */
char dso_symbol_origin(const struct dso *dso);

/* Open the vDSO of this process if its build id is that of @dso. */
bool dso_open_vdso(const struct dso *dso, struct elf_file *ret);

#endif
