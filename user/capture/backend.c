// SPDX-License-Identifier: GPL-2.0
#include "capture/backend.h"

#include <stddef.h>

const struct capture_backend *const capture_backends[] = {
	&backend_perf,
	&backend_ktrace,
	&backend_fake,
	NULL,
};
