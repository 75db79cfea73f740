/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a variable is at an address, by its DWARF location.
 */
#ifndef KTRACE_PROBE_LOCATION_H
#define KTRACE_PROBE_LOCATION_H

#include "probe/binary.h"
#include "probe/operand.h"
#include "probe/place.h"

enum probe_location {
	PROBE_LOCATION_KNOWN,
	PROBE_LOCATION_NONE,		/* optimized out at the address */
	PROBE_LOCATION_COMPUTED,	/* its value is computed from others, and not stored */
	PROBE_LOCATION_REGISTER,	/* in a register that the kernel cannot read, as %xmm0 */
	PROBE_LOCATION_OTHER,		/* in several parts, and other unusual locations */
};

enum probe_location probe_location_find(const struct probe_binary *binary,
					struct probe_place *place, Dwarf_Die *variable,
					struct operand *ret);

#endif
