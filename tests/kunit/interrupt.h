/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts at chosen points of the code under test.
 *
 * What nests on a CPU can only get in between two memory accesses, and the code
 * says with barrier() where that matters.  Included before the code under test,
 * this makes each barrier() a place where a nested writer can run: the tests try
 * all of them, all pairs of them, and each with one that is interrupted itself.  The
 * count of contexts says that the outer one is a hardware interrupt, the inner one an NMI.
 */
#ifndef KTRACE_KUNIT_INTERRUPT_H
#define KTRACE_KUNIT_INTERRUPT_H

#include <linux/compiler.h>
#include <linux/types.h>

struct kunit_interrupts {
	/* At which barrier() of the code, counted from 0, a writer comes; -1: none. */
	int first, second;
	/* At which barrier() of such a writer yet another one does. */
	int inner;
	void (*handler)(void *data, int level);	/* 1, or 2 for the inner one */
	void *data;

	/* What came of it. */
	int points[2];			/* barrier()s passed outside and inside */
	int came[2];			/* writers of level 1 and 2 */
	int level;
};

/* Between both, on this CPU, with preemption disabled. */
void kunit_interrupts_begin(struct kunit_interrupts *irqs);
void kunit_interrupts_end(void);

void kunit_interrupt_point(void);

/*
 * For each choice of points: @scenario, which fills in handler and data, begins
 * and ends the interrupts, and says whether all went well.
 */
bool kunit_interrupts_everywhere(bool (*scenario)(struct kunit_interrupts *irqs), int *tried);

#endif

/* Also after <linux/compiler.h> was included once more. */
#ifdef KUNIT_INTERRUPT_BARRIERS
#undef barrier
#define barrier()						\
	do {							\
		__asm__ __volatile__("" : : : "memory");	\
		kunit_interrupt_point();			\
	} while (0)
#endif
