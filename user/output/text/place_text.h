/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints addresses as perf script does.  The texts of recent ones are kept: most addresses of
 * a recording repeat.
 */
#ifndef KTRACE_OUTPUT_TEXT_PLACE_TEXT_H
#define KTRACE_OUTPUT_TEXT_PLACE_TEXT_H

#include <stdint.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "session/callchain.h"
#include "session/machine.h"

struct place_text;

/* How parts of a place are printed, beside the fields of enum text_field that name these. */
enum {
	PLACE_TEXT_FULL_SOURCE	= 1 << 30,	/* source files with their folders */
	PLACE_TEXT_KERNEL_PATH	= 1 << 29,	/* the kernel and its modules by their files */
};

/*
 * @machine is borrowed; NULL: all places are unknown.  @inlines: functions that were inlined
 * at an unwound address become frames of their own.
 */
struct error *place_text_create(struct machine *machine, bool inlines, struct place_text **ret);
/* From here on, addresses are those of another machine. */
void place_text_set_machine(struct place_text *text, struct machine *machine);
void place_text_destroy(struct place_text *text);
DEFINE_CLEANUP_PTR(place_text, struct place_text, place_text_destroy)

/*
 * Append one frame of a call chain as a line, or as several if functions are inlined: "\t IP
 * SYMBOL+OFFSET (DSO)
 *
 * ", with the parts that @fields asks for: TEXT_IP, TEXT_SYM, TEXT_SYMOFF, TEXT_DSO, TEXT_SRCLINE and
 * PLACE_TEXT_*.
 */
void place_text_add_frame(struct place_text *text, struct strbuf *line, uint32_t fields,
			  const struct maps *maps, const struct frame *frame);

/*
 * Append " SYMBOL+OFFSET (DSO)
 *
 *   FILE:LINE" behind an address, likewise.
 */
void place_text_add_place(struct strbuf *line, uint32_t fields, const struct place *place);

#endif
