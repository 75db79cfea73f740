// SPDX-License-Identifier: GPL-2.0
/* Arrow's columns as a stream that is read while it is written. */
#include "output/columns/arrow_file.h"

struct error *output_arrows_open(const struct rendering_request *request, struct rendering **ret)
{
	return arrow_file_open(request, true, ret);
}
