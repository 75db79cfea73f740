// SPDX-License-Identifier: GPL-2.0
#include "probe/registers.h"

#include <elf.h>
#include <stddef.h>

#include "lib/array.h"

static const char *const registers_x86_64[] = {
	"%ax", "%dx", "%cx", "%bx", "%si", "%di", "%bp", "%sp",
	"%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15",
};

static const char *const registers_i386[] = {
	"%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di",
};

static const char *const registers_arm64[] = {
	"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7",
	"%x8", "%x9", "%x10", "%x11", "%x12", "%x13", "%x14", "%x15",
	"%x16", "%x17", "%x18", "%x19", "%x20", "%x21", "%x22", "%x23",
	"%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%lr", "%sp",
};

static const char *const arguments_x86_64[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };

const char *probe_register(unsigned int machine, unsigned int number)
{
	if (machine == EM_X86_64 && number < ARRAY_SIZE(registers_x86_64))
		return registers_x86_64[number];
	if (machine == EM_386 && number < ARRAY_SIZE(registers_i386))
		return registers_i386[number];
	if (machine == EM_AARCH64 && number < ARRAY_SIZE(registers_arm64))
		return registers_arm64[number];
	return NULL;
}

unsigned int probe_register_arguments(unsigned int machine)
{
	return machine == EM_X86_64 ? ARRAY_SIZE(arguments_x86_64) :
	       machine == EM_AARCH64 ? 8 : 0;
}

const char *probe_register_of_argument(unsigned int machine, unsigned int index)
{
	if (index >= probe_register_arguments(machine))
		return NULL;
	return machine == EM_X86_64 ? arguments_x86_64[index] : registers_arm64[index];
}

unsigned int probe_register_machine(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__aarch64__)
	return EM_AARCH64;
#else
	return EM_NONE;
#endif
}
