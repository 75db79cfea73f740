# SPDX-License-Identifier: GPL-2.0
"""Properties of interrupts on a healthy kernel (record -a)."""

from ktrace.expect import alternate, every

EXPECT = [
    alternate('irq:irq_handler_entry', 'irq:irq_handler_exit', same=('_cpu', 'irq')),
    every('irq:irq_handler_entry').is_followed_by('irq:irq_handler_exit', same=('_cpu', 'irq'),
                                                  within='1 s'),
    alternate('irq:softirq_entry', 'irq:softirq_exit', same=('_cpu', 'vec')),
    every('irq:softirq_entry').is_followed_by('irq:softirq_exit', same=('_cpu', 'vec'),
                                              within='10 s'),
    every('irq:softirq_entry').has_values('vec', 0, 9),
]
