/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The schema that an argument of the command line names.
 */
#ifndef KTRACE_CMD_SCRIPT_SCHEMA_SOURCE_H
#define KTRACE_CMD_SCRIPT_SCHEMA_SOURCE_H

#include "format/schema.h"
#include "perfdata/reader.h"

struct schema_source {
	struct schema schema;
	struct reader *reader;	/* of a recording; NULL otherwise */
};

/* Open the schema.  @word is "live" (this kernel), a recording, or a folder of format files. */
struct error *schema_source_open(const char *word, struct schema_source *ret);
void schema_source_close(struct schema_source *source);
DEFINE_CLEANUP(schema_source, struct schema_source, schema_source_close)

#endif
