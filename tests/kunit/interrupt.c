// SPDX-License-Identifier: GPL-2.0
#include "interrupt.h"

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/preempt.h>

static struct kunit_interrupts *current_irqs;

void kunit_interrupts_begin(struct kunit_interrupts *irqs)
{
	irqs->level = 0;
	irqs->points[0] = 0;
	irqs->points[1] = 0;
	irqs->came[0] = 0;
	irqs->came[1] = 0;
	current_irqs = irqs;
}

void kunit_interrupts_end(void)
{
	current_irqs = NULL;
}

static void interrupt(struct kunit_interrupts *irqs)
{
	const unsigned int context = irqs->level ? NMI_OFFSET : HARDIRQ_OFFSET;

	irqs->came[irqs->level++]++;
	__preempt_count_add(context);
	irqs->handler(irqs->data, irqs->level);
	__preempt_count_sub(context);
	irqs->level--;
}

void kunit_interrupt_point(void)
{
	struct kunit_interrupts *irqs = current_irqs;
	int point;

	if (!irqs || irqs->level == 2)
		return;
	point = irqs->points[irqs->level]++;
	if (irqs->level == 0 && (point == irqs->first || point == irqs->second))
		interrupt(irqs);
	else if (irqs->level == 1 && point == irqs->inner)
		interrupt(irqs);
}

static bool try(bool (*scenario)(struct kunit_interrupts *irqs), struct kunit_interrupts *irqs,
		int *tried)
{
	++*tried;
	if (scenario(irqs))
		return true;
	pr_err("with interrupts at barriers %d and %d, and in the interrupt at %d\n",
	       irqs->first, irqs->second, irqs->inner);
	return false;
}

bool kunit_interrupts_everywhere(bool (*scenario)(struct kunit_interrupts *irqs), int *tried)
{
	struct kunit_interrupts irqs = { .first = -1, .second = -1, .inner = -1 };

	*tried = 0;
	if (!try(scenario, &irqs, tried))
		return false;
	for (irqs.first = 0; irqs.first < irqs.points[0]; irqs.first++) {
		irqs.second = -1;
		irqs.inner = -1;
		do {
			if (!try(scenario, &irqs, tried))
				return false;
		} while (++irqs.inner < irqs.points[1]);

		irqs.inner = -1;
		for (irqs.second = irqs.first + 1; irqs.second < irqs.points[0]; irqs.second++)
			if (!try(scenario, &irqs, tried))
				return false;
	}
	return true;
}

MODULE_DESCRIPTION("KUnit suites of ktrace");
MODULE_LICENSE("GPL");
