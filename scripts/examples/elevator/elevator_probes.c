// SPDX-License-Identifier: GPL-2.0
/* ktrace's templates for the events of elevator.ko. */
#define KTRACE_TEMPLATES "elevator_trace.h"
#include <ktrace/templates.h>
