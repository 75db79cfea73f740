/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's names of registers in the arguments of probes. */
#ifndef KTRACE_PROBE_REGISTERS_H
#define KTRACE_PROBE_REGISTERS_H

#include <stdbool.h>

/*
 * The name of the register with the DWARF number @number on the ELF machine @machine: "%di".  NULL:
 * it has none, such as registers of floating-point numbers.
 */
const char *probe_register(unsigned int machine, unsigned int number);

/*
 * The register of argument @index, from 0, of a function by the calling convention, if it is an
 * integer or a pointer.  NULL: it is on the stack, or the machine is unknown.
 */
const char *probe_register_of_argument(unsigned int machine, unsigned int index);

/* The number of arguments in registers; 0: the machine is unknown. */
unsigned int probe_register_arguments(unsigned int machine);

/* The ELF machine of this computer. */
unsigned int probe_register_machine(void);

#endif
