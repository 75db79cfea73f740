// SPDX-License-Identifier: GPL-2.0
/* Templates of events of ktrace_differ.ko that were not built again when it was changed. */
#define KTRACE_TEMPLATES "ktrace_stale.h"
#include <ktrace/templates.h>
