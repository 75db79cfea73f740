/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts at chosen points of the code under test.
 *
 * A context that interrupts another one on its CPU can only get in between two memory
 * accesses, and the code has a barrier() wherever that matters.  Included before the code
 * under test, this header makes each barrier() a point where a nested writer can run.  The
 * tests try all points, all pairs of them, and each with a nested writer that is
 * interrupted itself.  The preempt count says that the outer one is a hardware interrupt
 * and the inner one an NMI.
 */
#ifndef KTRACE_KUNIT_INTERRUPT_H
#define KTRACE_KUNIT_INTERRUPT_H

#include <linux/compiler.h>
#include <linux/types.h>

struct kunit_interrupts {
	/* At which barrier() of the code, counted from 0, a writer interrupts; -1: none. */
	int first, second;
	/* At which barrier() of that writer yet another one interrupts. */
	int inner;
	void (*handler)(void *data, int level);	/* 1, or 2 for the inner one */
	void *data;

	/* The results. */
	int points[2];			/* barrier()s passed outside and inside */
	int came[2];			/* writers that ran at level 1 and 2 */
	int level;
};

/* Interrupts come between these two calls, on this CPU, with preemption disabled. */
void kunit_interrupts_begin(struct kunit_interrupts *irqs);
void kunit_interrupts_end(void);

void kunit_interrupt_point(void);

/*
 * Runs @scenario for each choice of points.  It fills in handler and data, begins and ends
 * the interrupts, and returns whether all went well.
 */
bool kunit_interrupts_everywhere(bool (*scenario)(struct kunit_interrupts *irqs), int *tried);

#endif

/* This applies also where <linux/compiler.h> was included once more. */
#ifdef KUNIT_INTERRUPT_BARRIERS
#undef barrier
#define barrier()						\
	do {							\
		__asm__ __volatile__("" : : : "memory");	\
		kunit_interrupt_point();			\
	} while (0)
#endif
