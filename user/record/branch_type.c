// SPDX-License-Identifier: GPL-2.0
#include "record/branch_type.h"

#include "lib/array.h"

/* perf's names for PERF_BR_*, followed by those for PERF_BR_NEW_*. */
static const char *const type_names[] = {
	"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL",
	"COND_RET", "ERET", "IRQ", "SERROR", "NO_TX",
};
static const char *const new_type_names[] = {
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5",
};

const char *branch_type_name(unsigned int type, bool is_new)
{
	if (is_new)
		return type < ARRAY_SIZE(new_type_names) ? new_type_names[type] : "";
	return type < ARRAY_SIZE(type_names) ? type_names[type] : "";
}

const char *branch_type_of(unsigned int type, unsigned int new_type)
{
	return type < ARRAY_SIZE(type_names) ? branch_type_name(type, false) :
					       branch_type_name(new_type, true);
}
