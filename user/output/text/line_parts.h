/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of a line of text that text_line.c combines.  Each is a file of its own. */
#ifndef KTRACE_OUTPUT_TEXT_LINE_PARTS_H
#define KTRACE_OUTPUT_TEXT_LINE_PARTS_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/strbuf.h"
#include "record/event.h"
#include "record/sample.h"
#include "session/callchain.h"
#include "session/machine.h"
#include "session/session.h"

/*
 * Prints the output of a BPF program as perf script does: bytes in hexadecimal, and as text if they
 * are text.
 */

/* Append lines, beginning with a line feed; nothing for other events. */
void bpf_text_add(struct strbuf *out, const struct event *event, const struct sample *sample);

/*
 * Prints the branches of a sample as perf script does.
 */

/*
 * Append, for each branch, " FROM/TO/M/X/A/CYCLES/TYPE ": by @field (enum text_field) the two
 * are addresses (TEXT_BRSTACK), names (TEXT_BRSTACKSYM) or addresses in their binaries
 * (TEXT_BRSTACKOFF).  With @dso, the name of the binary follows each of them.
 */
void branch_text_add(struct strbuf *out, const struct session_record *r, uint32_t field, bool dso);

/*
 * Prints the instruction at an address as perf script does, " ilen: 3 insn: 48 89 e7", from its
 * binary.  Recent instructions are cached, because most addresses of a recording repeat.
 */
struct instruction_texts;

struct error *instruction_texts_create(struct instruction_texts **ret);
void instruction_texts_destroy(struct instruction_texts *texts);

/*
 * Append the parts TEXT_INSNLEN and TEXT_INSN that @fields (output/text/text_fields.h) has.  Code
 * that is not on this machine has the length 0.  ENOENT: there is no disassembler for this machine.
 */
struct error *instruction_texts_add(struct instruction_texts *texts, struct machine *machine,
				    const struct place *place, uint64_t fields,
				    struct strbuf *out);

/*
 * Prints addresses as perf script does.  The texts of recent ones are cached, because most
 * addresses of a recording repeat.
 */
struct place_text;

/* Further forms of a place, beside the fields of enum text_field. */
enum {
	PLACE_TEXT_FULL_SOURCE	= 1 << 30,	/* source files with their folders */
	PLACE_TEXT_KERNEL_PATH	= 1 << 29,	/* the kernel and its modules by their files */
};

/*
 * @machine is borrowed; NULL: all places are unknown.  @inlines: functions that were inlined
 * at an unwound address become frames of their own.
 */
struct error *place_text_create(struct machine *machine, bool inlines, struct place_text **ret);
/* All following addresses are those of another machine. */
void place_text_set_machine(struct place_text *text, struct machine *machine);
void place_text_destroy(struct place_text *text);

/*
 * Append one frame of a call chain as a line, or as several if functions are inlined: "\t IP
 * SYMBOL+OFFSET (DSO)\n", with the parts that @fields selects: TEXT_IP, TEXT_SYM, TEXT_SYMOFF,
 * TEXT_DSO, TEXT_SRCLINE and PLACE_TEXT_*.
 */
void place_text_add_frame(struct place_text *text, struct strbuf *line, uint32_t fields,
			  const struct maps *maps, const struct frame *frame);

/* Append " SYMBOL+OFFSET (DSO)\n  FILE:LINE" behind an address, likewise. */
void place_text_add_place(struct strbuf *line, uint32_t fields, const struct place *place);

/*
 * Prints the source line of a sample, "|12      \tx = y;", if it differs from that of the thread's
 * sample before, as perf script -F srccode does.
 */
struct source_lines;

struct error *source_lines_create(struct source_lines **ret);
void source_lines_destroy(struct source_lines *lines);
DEFINE_CLEANUP_PTR(source_lines, struct source_lines, source_lines_destroy)

/*
 * Append the line of @place and a line feed; nothing if it is unknown or was printed.  The machine
 * that found @place must live as long as @lines.
 */
struct error *source_lines_add(struct source_lines *lines, int32_t tid, const struct place *place,
			       struct strbuf *out);

#endif
