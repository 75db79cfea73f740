/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel calls registers in the arguments of probes.
 */
#ifndef KTRACE_PROBE_REGISTERS_H
#define KTRACE_PROBE_REGISTERS_H

#include <stdbool.h>

/*
 * The name of the register that DWARF numbers @number on the ELF machine @machine: "%di";
 * NULL: it has none, as those of floating-point numbers.
 */
const char *probe_register(unsigned int machine, unsigned int number);

/*
 * Where the calling convention puts argument @index, from 0, of a function, if it is an integer
 * or a pointer; NULL: on the stack, or the machine is not known.
 */
const char *probe_register_of_argument(unsigned int machine, unsigned int index);

/* The number of arguments in registers; 0: the machine is not known. */
unsigned int probe_register_arguments(unsigned int machine);

/* The ELF machine of this computer. */
unsigned int probe_register_machine(void);

#endif
