// SPDX-License-Identifier: GPL-2.0
/* Templates of ktrace_test.ko's events, as any module can have them. */
#define KTRACE_TEMPLATES "ktrace_test_events.h"
#include <ktrace/templates.h>
