/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A binary to probe: a program or library, a kernel module, or the kernel.  It has its symbols and,
 * if there is any, its debug information, which libdwfl also finds in separate files.
 */
#ifndef KTRACE_PROBE_BINARY_H
#define KTRACE_PROBE_BINARY_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "symbol/symbols.h"

enum probe_binary_kind {
	PROBE_PROGRAM,		/* user space: probed by uprobes */
	PROBE_MODULE,
	PROBE_KERNEL,
};

struct probe_binary_options {
	const char *program;	/* -x; NULL: the kernel or a module */
	const char *module;	/* -m: a name or the path of a .ko file */
	const char *vmlinux;	/* -k */
	unsigned int pid;	/* --target-ns: paths are in its namespace; 0: ours */
};

struct probe_binary {
	enum probe_binary_kind kind;
	char *path;		/* of a program: absolute; else of the file read, or NULL */
	char *module;		/* PROBE_MODULE: as in /sys/module */
	bool named;		/* the kernel or module was named as a file */
	bool offline;		/* not the running kernel's or loaded module's file */
	bool unloaded;		/* of a module: it is not loaded */
	Dwfl *dwfl;		/* NULL: there is no file, only data of the running kernel */
	Dwfl_Module *file;
	Dwarf *dwarf;		/* NULL: no debug information */
	Dwarf_Addr bias;	/* addresses of `file` minus those in `dwarf` */
	GElf_Ehdr header;
	bool is_go;		/* of a program */
	struct symbols go;	/* its functions, by offsets in the file, from Go's own tables */
};

/*
 * Open the binary of the options.  A kernel or module without a file is not an error: `dwfl` is
 * NULL then.
 */
struct error *probe_binary_open(const struct probe_binary_options *options,
				struct probe_binary *ret);
void probe_binary_close(struct probe_binary *binary);
DEFINE_CLEANUP(probe_binary, struct probe_binary, probe_binary_close)

/*
 * Convert an address of the debug information to the offset in the file, which the kernel uses for
 * programs; false: no part of the file is loaded there.
 */
bool probe_binary_offset(const struct probe_binary *binary, uint64_t address, uint64_t *ret);

/* The other way round: convert an offset in the file to an address of the debug information. */
bool probe_binary_address(const struct probe_binary *binary, uint64_t offset, uint64_t *ret);

/* The symbol that covers an address of the debug information, and its start. */
const char *probe_binary_symbol(const struct probe_binary *binary, uint64_t address,
				uint64_t *ret_start);

/*
 * Call @function for each symbol of a function, with its address in terms of the debug
 * information, until it returns false.
 */
typedef bool (*probe_symbol_fn)(void *context, const char *name, uint64_t address, uint64_t size);
void probe_binary_symbols(const struct probe_binary *binary, probe_symbol_fn function,
			  void *context);

/* Returns the error for a binary without debug information, with a next step. */
struct error *probe_binary_no_debug(const struct probe_binary *binary);

/* Add to @err where a missing function may be; @near: a similar name, or NULL. */
struct error *probe_binary_no_function(const struct probe_binary *binary, const char *function,
				       const char *near, struct error *err);

/* Its name in messages: "/usr/bin/ls", "module ext4", "the kernel"; valid while it is open. */
const char *probe_binary_title(const struct probe_binary *binary);

#endif
