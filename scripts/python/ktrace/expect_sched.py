# SPDX-License-Identifier: GPL-2.0
"""Properties of the scheduler's events on a healthy kernel (record -a)."""

from ktrace.expect import alternate, chain, every, in_order

EXPECT = [
    in_order('sched:sched_switch'),
    chain('sched:sched_switch', 'next_pid', 'prev_pid', tasks=True),
    every('sched:sched_switch').has('two threads', lambda e: e.prev_pid != e.next_pid,
                                    'prev_pid != next_pid'),
    every('sched:sched_switch').has_values('next_prio', -1, 140),
    every('sched:sched_switch').has('the thread that ran before', lambda e: e.prev_pid == e._tid
                                    or e._tid == -1, 'prev_pid == tid || tid == -1'),
    # A thread that wakes itself holds no lock, so another thread can wake it at the same
    # time.
    alternate('sched:sched_waking', 'sched:sched_wakeup', same='pid',
              but=lambda e: e._tid == e.pid, but_condition='tid == pid', tasks=True),
]
