// SPDX-License-Identifier: GPL-2.0
#include "callchain.h"

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#ifdef CONFIG_STACKTRACE

/* From @ip on; that alone where the unwinder does not find it. */
static notrace u32 collect_kernel(u64 *room, unsigned long ip)
{
	unsigned long *frames = (unsigned long *)room;
	u32 i, nr;

	BUILD_BUG_ON(sizeof(*frames) != sizeof(*room));

	nr = stack_trace_save(frames, KTRACE_CALLCHAIN_MAX_FRAMES + KTRACE_CALLCHAIN_MAX_OWN, 0);
	for (i = 0; i < nr && frames[i] != ip; i++)
		;
	if (i == nr) {
		room[0] = ip;
		return 1;
	}
	nr = min_t(u32, nr - i, KTRACE_CALLCHAIN_MAX_FRAMES);
	memmove(room, room + i, nr * sizeof(*room));
	return nr;
}

#else

static notrace u32 collect_kernel(u64 *room, unsigned long ip)
{
	room[0] = ip;
	return 1;
}

#endif

/* What a function that keeps frame pointers pushes, on every machine we know. */
struct user_frame {
	unsigned long next;
	unsigned long ip;
};

/* Of 32 bits. */
static __always_inline bool has_other_frames(struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	return !user_64bit_mode(regs);
#elif defined(CONFIG_ARM64)
	return compat_user_mode(regs);
#else
	return false;
#endif
}

/*
 * Not copy_from_user_nofault() where there is the other: it looks the destination up,
 * under a lock, which an NMI may not take, and does not know whether an NMI finds the
 * task's memory.
 */
static __always_inline bool read_frame(struct user_frame *frame, const void __user *at)
{
#ifdef CONFIG_X86
	return !copy_from_user_nmi(frame, at, sizeof(*frame));
#else
	return !copy_from_user_nofault(frame, at, sizeof(*frame));
#endif
}

static notrace u32 collect_user(u64 *to, u32 max, struct pt_regs *regs)
{
	unsigned long at = frame_pointer(regs);
	struct user_frame frame;
	u32 nr = 0;

	to[nr++] = instruction_pointer(regs);
	if (has_other_frames(regs))
		return nr;
	while (nr < max) {
		if (!read_frame(&frame, (const void __user *)at))
			break;
		to[nr++] = frame.ip;
		at = frame.next;
	}
	return nr;
}

notrace u32 ktrace_callchain_collect(u64 *room, unsigned long ip, bool user)
{
	u32 nr = 0, frames = 0;

	if (!user) {
		frames = collect_kernel(room + 1, ip);
		room[0] = PERF_CONTEXT_KERNEL;
		nr = 1 + frames;
	}
	if (!current->mm || current->flags & PF_KTHREAD ||
	    frames >= KTRACE_CALLCHAIN_MAX_FRAMES)
		return nr;
	room[nr++] = PERF_CONTEXT_USER;
	return nr + collect_user(room + nr, KTRACE_CALLCHAIN_MAX_FRAMES - frames,
				 task_pt_regs(current));
}
