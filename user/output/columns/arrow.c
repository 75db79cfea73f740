// SPDX-License-Identifier: GPL-2.0
/* Arrow's columns as a file that readers map into memory. */
#include "output/columns/arrow_file.h"

struct error *output_arrow_open(const struct rendering_request *request, struct rendering **ret)
{
	return arrow_file_open(request, false, ret);
}
