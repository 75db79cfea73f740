# SPDX-License-Identifier: GPL-2.0
"""Properties of system calls on a healthy kernel (record -a).

A thread may end in a call. A new one begins with the return from the clone() of its parent.
rt_sigreturn() returns to where the signal came, with the id of the call there."""

from ktrace.expect import Expectation, Has, Violation


class Calls(Expectation):
    """The return from a call has the id of the call that the thread made before it."""

    ENDS = (60, 231, 15)        # exit, exit_group, rt_sigreturn: no return, or elsewhere

    def __init__(self):
        super().__init__('every raw_syscalls:sys_exit is of the sys_enter before it in its thread',
                         'raw_syscalls:sys_enter', 'raw_syscalls:sys_exit')
        self.inside = {}

    def feed(self, event):
        before = self.inside.pop(event._tid, None)
        if not self.all_seen(event):
            return
        if event._event.endswith('enter'):
            self.inside[event._tid] = event
        if before is None or before.id in self.ENDS:
            return
        self.judged += 1
        if event._event.endswith('enter'):
            raise Violation('another call begins within this one', before, event)
        if event.id not in (before.id, -1):
            raise Violation(f'call {before.id} returns as {event.id}', before, event)

    def forget(self):
        self.inside.clear()


EXPECT = [
    Calls(),
    Has('raw_syscalls:sys_exit', 'a number or -1', lambda e: e.id >= -1, 'id', 'id >= -1'),
]
