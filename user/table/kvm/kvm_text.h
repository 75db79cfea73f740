/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of `ktrace kvm stat`, which is perf's.
 */
#ifndef KTRACE_TABLE_KVM_KVM_TEXT_H
#define KTRACE_TABLE_KVM_KVM_TEXT_H

#include "lib/strbuf.h"
#include "table/kvm/vm_events.h"
#include "table/print/table_print.h"

/* Add the table.  Text has @pids, the list of -p; NULL: all. */
void kvm_table_add(const struct vm_events *events, enum vm_event_key key, const char *pids,
		   const struct table_output *output, struct strbuf *out);

/* Add the key of a row: "HLT", "0xfee00000:W" ... */
void kvm_text_add_what(enum vm_event_class class, const struct vm_event_row *row,
		       struct strbuf *out);

#endif
