// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/spawn.h"
#include "lib/strbuf.h"
#include "symbol/disassembler.h"
#include "symbol/elf/elf_file.h"

#define NOT_FOUND	127	/* the exit status if the program does not exist */

/*
 * The program gets only the bytes, not their file.  So it works for code from memory, too, and
 * parses no data that could be damaged.
 */
struct objdump_run {
	int code, out, errors;
};

static void close_run(struct objdump_run *run)
{
	cleanup_close(&run->code);
	cleanup_close(&run->out);
	cleanup_close(&run->errors);
}
DEFINE_CLEANUP(objdump_run, struct objdump_run, close_run)

static struct error *open_run(const struct code *code, struct objdump_run *run)
{
	int failed;

	run->code = memfd_create("code", MFD_CLOEXEC);
	run->out = memfd_create("instructions", MFD_CLOEXEC);
	run->errors = memfd_create("errors", MFD_CLOEXEC);
	if (run->code < 0 || run->out < 0 || run->errors < 0)
		return error_errno(errno, "Cannot create a file in memory");
	failed = fd_write_all(run->code, code->bytes, code->size);
	return failed ? error_errno(-failed, "Cannot write a file in memory") : NULL;
}

static const char *objdump_machine(const struct code *code)
{
	static const struct { uint16_t machine; bool is_64; const char *name; } names[] = {
		{ EM_X86_64, true, "i386:x86-64" }, { EM_386, false, "i386" },
		{ EM_AARCH64, true, "aarch64" }, { EM_RISCV, true, "riscv:rv64" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].machine == code->machine && names[i].is_64 == code->is_64)
			return names[i].name;
	return NULL;
}

/* The error for a program that did not end with status 0. */
static struct error *objdump_failed(const char *program, int status, int errors)
{
	_cleanup_free_ char *text = NULL;
	struct error *err;

	if (status == NOT_FOUND)
		return error_hint(error_new(ENOENT, "The disassembler %s is not here", program),
				  "apt-get install binutils, or name another one with --objdump");
	err = fd_read_text(errors, &text);
	if (err)
		return err;
	text[strcspn(text, "\n")] = '\0';
	return error_hint(error_new(ENOENT, "%s cannot disassemble the code (%s)", program,
				    *text ? text : "it printed no message"),
			  "--objdump names a program for another machine, such as "
			  "aarch64-linux-gnu-objdump");
}

static struct error *run_objdump(const struct code *code,
				 const struct disassembly_options *options, char **ret)
{
	_cleanup_(objdump_run) struct objdump_run run = { -1, -1, -1 };
	const char *program = options->objdump ? options->objdump : "objdump";
	const char *machine = objdump_machine(code);
	char path[40], address[40];
	const char *argv[16] = {
		program, "-D", "-z", "-b", "binary", "--no-show-raw-insn", "-m", machine, address, path,
	};
	struct error *err;
	pid_t pid;
	int status;

	if (!machine)
		return error_new(ENOENT, "ktrace does not know how to disassemble for machine %u "
				 "of ELF", code->machine);
	err = open_run(code, &run);
	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", run.code);
	snprintf(address, sizeof(address), "--adjust-vma=%#" PRIx64, code->address);
	if (options->style) {
		argv[10] = "-M";
		argv[11] = options->style;
	}
	err = spawn(&(struct spawn){ .program = program, .argv = (char *const *)argv,
				     .out = run.out, .errors = run.errors, .dies_with_us = true,
				     .passed = (int[]){ run.code, 0 } }, &pid);
	if (err)
		return err;
	status = spawn_wait(pid);
	return status ? objdump_failed(program, status, run.errors) :
			fd_read_text(run.out, ret);
}

/* Whether the last operand of the instruction is its branch target. */
static bool is_branch(const char *text)
{
	static const char *const words[] = { "b", "bl", "cbz", "cbnz", "tbz", "tbnz" };
	size_t len = strcspn(text, " \t");

	if (!strncmp(text, "bnd ", 4) || !strncmp(text, "notrack ", 8))
		return is_branch(text + len + 1);
	if (*text == 'j' || !strncmp(text, "call", 4) || !strncmp(text, "loop", 4) ||
	    !strncmp(text, "b.", 2))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && !strncmp(text, words[i], len))
			return true;
	return false;
}

static bool is_hex(const char *text, uint64_t *ret)
{
	char *end;

	if (strncmp(text, "0x", 2))
		return false;
	*ret = strtoull(text, &end, 16);
	return !*end;
}

/* Find the address in an instruction, and remove objdump's remark about it. */
static void objdump_find_target(struct instruction *i)
{
	char *remark = strstr(i->text, "# 0x"), *last;
	size_t len;

	if (!remark)
		remark = strstr(i->text, "// #0x");
	if (remark && is_hex(strstr(remark, "0x"), &i->target))
		i->refers = true;
	if (remark)
		*remark = '\0';
	len = strlen(i->text);
	while (len && (i->text[len - 1] == ' ' || i->text[len - 1] == '\t'))
		i->text[--len] = '\0';
	last = strrchr(i->text, ' ');
	if (last && strrchr(last, ','))
		last = strrchr(last, ',');
	if (last && is_branch(i->text))
		i->branches = is_hex(last + 1, &i->target);
}

/* Read "  11f0:\txor    %eax,%eax"; false: it is no such line. */
static bool parse_line(const char *line, uint64_t *ret_address, const char **ret_text)
{
	char *end;

	*ret_address = strtoull(line, &end, 16);
	if (end == line || *end != ':' || end[1] != '\t')
		return false;
	*ret_text = end + 2;
	return true;
}

struct error *objdump_disassemble(const struct code *code,
				  const struct disassembly_options *options,
				  struct disassembly *ret)
{
	_cleanup_(disassembly) struct disassembly found = { .by = "objdump" };
	uint64_t last = code->address, end = code->address + code->size;
	_cleanup_free_ char *output = NULL;
	char *rest, *line;
	struct error *err;

	err = run_objdump(code, options, &output);
	if (err)
		return err;
	rest = output;
	while ((line = strsep(&rest, "\n"))) {
		uint64_t address;
		const char *text;

		if (!parse_line(line, &address, &text) || address < last || address >= end)
			continue;
		for (char *c = (char *)text; *c; c++)
			if (*c == '\t')
				*c = ' ';
		last = address;
		if (!disassembly_add(&found, address, 0, text))
			return &error_no_memory;
		objdump_find_target(&found.items[found.nr - 1]);
	}
	for (size_t i = 0; i < found.nr; i++)
		found.items[i].size = (i + 1 < found.nr ? found.items[i + 1].address : end) -
				      found.items[i].address;
	if (!found.nr)
		return error_new(ENOENT, "%s printed no instructions",
				 options->objdump ? options->objdump : "objdump");
	*ret = found;
	found = (struct disassembly){ .nr = 0 };
	return NULL;
}
