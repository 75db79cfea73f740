/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints the instruction at a place as perf script does, " ilen: 3 insn: 48 89 e7", from the
 * binary that holds it.  Recent instructions are kept: most addresses of a recording repeat.
 */
#ifndef KTRACE_OUTPUT_TEXT_INSTRUCTION_TEXT_H
#define KTRACE_OUTPUT_TEXT_INSTRUCTION_TEXT_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "session/machine.h"

struct instruction_texts;

struct error *instruction_texts_create(struct instruction_texts **ret);
void instruction_texts_destroy(struct instruction_texts *texts);
DEFINE_CLEANUP_PTR(instruction_texts, struct instruction_texts, instruction_texts_destroy)

/*
 * Append TEXT_INSNLEN and TEXT_INSN, as far as @fields (output/text/text_fields.h) has them.  Code
 * that is not here has the length 0.  ENOENT: there is no disassembler for this machine.
 */
struct error *instruction_texts_add(struct instruction_texts *texts, struct machine *machine,
				    const struct place *place, uint64_t fields,
				    struct strbuf *out);

#endif
