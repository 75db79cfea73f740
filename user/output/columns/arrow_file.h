/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes samples in Arrow's format for files and streams.  In a file, the complete dictionaries
 * follow the rows, because many readers support only this order.  A reader of a stream needs the
 * words before the rows that use them.
 */
#ifndef KTRACE_OUTPUT_COLUMNS_ARROW_FILE_H
#define KTRACE_OUTPUT_COLUMNS_ARROW_FILE_H

#include "output/rendering.h"

struct error *arrow_file_open(const struct rendering_request *request, bool is_stream,
			      struct rendering **ret);

#endif
