/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes samples in Arrow's format for files and streams.  In a file, the dictionaries follow the
 * rows, complete, because many readers know no others; what reads a stream needs the words in front
 * of the rows that have them.
 */
#ifndef KTRACE_OUTPUT_COLUMNS_ARROW_FILE_H
#define KTRACE_OUTPUT_COLUMNS_ARROW_FILE_H

#include "output/rendering.h"

struct error *arrow_file_open(const struct rendering_request *request, bool is_stream,
			      struct rendering **ret);

#endif
