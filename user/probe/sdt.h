/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Markers of programs for tracers (SystemTap's sys/sdt.h): their addresses, counts of users and
 * arguments are in notes of the ELF file.
 */
#ifndef KTRACE_PROBE_SDT_H
#define KTRACE_PROBE_SDT_H

#include "probe/binary.h"
#include "probe/definition.h"
#include "probe/event.h"

/*
 * Append an event for each location of the marker that the definition names, with perf's name
 * "sdt_PROVIDER:NAME".
 */
struct error *sdt_make(const struct probe_binary *binary,
		       const struct probe_definition *definition, struct probe_events *ret);

/*
 * Convert an argument "-4@%eax", "8@-8(%rbp)", "4@$5" of x86 to the kernel's form; false: it has
 * another form.
 */
struct strbuf;
bool sdt_argument(const char *text, struct strbuf *value, struct strbuf *type);

/* Call @function with "PROVIDER:NAME" for each marker. */
void sdt_list(const struct probe_binary *binary, void (*function)(void *, const char *),
	      void *context);

#endif
