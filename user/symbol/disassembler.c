// SPDX-License-Identifier: GPL-2.0
#include "symbol/disassembler.h"

#include <errno.h>
#include <string.h>

#include "lib/plugin.h"

typedef struct error *(*disassemble_fn)(const struct code *code,
					const struct disassembly_options *options,
					struct disassembly *ret);

static struct error *by_llvm(const struct code *code, const struct disassembly_options *options,
			     struct disassembly *ret)
{
	struct error *err;
	void *symbol;

	err = plugin_find("llvm", "llvm_disassemble", &symbol);
	return err ? err : ((disassemble_fn)symbol)(code, options, ret);
}

/* Whether only objdump supports the options. */
static bool needs_objdump(const struct disassembly_options *options)
{
	return options->objdump || (options->style && strcmp(options->style, "intel") &&
				    strcmp(options->style, "att"));
}

struct error *disassemble(const struct code *code, const struct disassembly_options *options,
			  struct disassembly *ret)
{
	_cleanup_error_ struct error *first = NULL;
	struct error *err;

	if (needs_objdump(options))
		return objdump_disassemble(code, options, ret);
	first = by_llvm(code, options, ret);
	if (!first || first == &error_no_memory)
		return take_ptr(first);
	err = objdump_disassemble(code, options, ret);
	if (!err || err->code != ENOENT)
		return err;
	return error_prefix(err, "%s", first->message);
}
