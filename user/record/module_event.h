/* SPDX-License-Identifier: GPL-2.0 */
/* The ktrace module's description of an event that this process has not added to its session. */
#ifndef KTRACE_RECORD_MODULE_EVENT_H
#define KTRACE_RECORD_MODULE_EVENT_H

#include <stdint.h>

struct module_event {
	uint64_t config;	/* its id in tracefs */
	uint64_t id;		/* IDENTIFIER of its records */
	uint64_t sample_type;	/* PERF_SAMPLE_* */
	uint64_t fields;	/* common fields, 1 << enum common_field */
	uint32_t user_strings;	/* bits of the arguments whose strings are stored */
	const char *name;	/* "system:event"; NULL: not known; borrowed */
};

#endif
