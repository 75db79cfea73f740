// SPDX-License-Identifier: GPL-2.0
#include "chain/callchain.h"

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#if defined(CONFIG_X86)
#include <asm/processor-flags.h>
#include <asm/unwind.h>
#elif defined(CONFIG_ARM64)
#include <asm/pointer_auth.h>
#endif

#include "chain/callchain_cache.h"
#include "compat/compat.h"

/*
 * The kernel's frames are unwound from the registers at the event, as in perf.  Where modules have
 * no such unwinder, or the registers are not known, we unwind our own stack and use the frames from
 * @ip on.
 */
#if defined(CONFIG_X86) && defined(CONFIG_STACKTRACE)

static notrace u32 collect_from(u64 *room, struct pt_regs *regs)
{
	struct unwind_state state;
	unsigned long at;
	u32 nr = 0;

	/* The registers of a tracepoint contain only an address and a stack pointer. */
	if (regs->flags & X86_EFLAGS_FIXED) {
		room[nr++] = instruction_pointer(regs);
		unwind_start(&state, current, regs, NULL);
	} else {
		unwind_start(&state, current, NULL, (void *)regs->sp);
	}
	for (; nr < KTRACE_CALLCHAIN_MAX_FRAMES && !unwind_done(&state);
	     unwind_next_frame(&state)) {
		at = unwind_get_return_address(&state);
		if (!at)
			break;
		room[nr++] = at;
	}
	return nr;
}

#else

static notrace u32 collect_from(u64 *room, struct pt_regs *regs)
{
	return 0;
}

#endif

#ifdef CONFIG_STACKTRACE

/* Returns the frames from @ip on; only @ip itself if the unwinder does not find it. */
static notrace u32 collect_below(u64 *room, unsigned long ip)
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

static notrace u32 collect_below(u64 *room, unsigned long ip)
{
	room[0] = ip;
	return 1;
}

#endif

static noinline notrace u32 unwind_kernel(u64 *room, unsigned long ip, struct pt_regs *regs)
{
	u32 nr = regs ? collect_from(room, regs) : 0;

	return nr ?: collect_below(room, ip);
}

#ifdef KTRACE_CALLCHAIN_HAS_CACHE

static noinline notrace void check_followed(const u64 *followed, u32 nr, unsigned long ip,
					    struct pt_regs *regs)
{
	u64 *unwound = ktrace_callchain_cache_check();

	if (unwound)
		ktrace_callchain_cache_compare(followed, nr,
					       unwind_kernel(unwound, ip, regs));
}

/* The cache stores the places of a chain relative to @sp. */
static __always_inline u32 collect_kernel(u64 *room, unsigned long ip, struct pt_regs *regs,
					  unsigned long sp)
{
	const struct ktrace_callchain_start start = {
		.sp = sp, .ip = ip, .above = regs ? regs->sp : 0,
	};
	u32 nr;

	/* The registers that an interrupt or a breakpoint has saved are not on the stack below. */
	if (regs && regs->flags & X86_EFLAGS_FIXED)
		return unwind_kernel(room, ip, regs);
	nr = ktrace_callchain_cache_follow(&start, room);
	if (likely(nr)) {
		if (unlikely(ktrace_callchain_check))
			check_followed(room, nr, ip, regs);
		return nr;
	}
	nr = unwind_kernel(room, ip, regs);
	ktrace_callchain_cache_learn(&start, room, nr);
	return nr;
}

#else

static __always_inline u32 collect_kernel(u64 *room, unsigned long ip, struct pt_regs *regs,
					  unsigned long sp)
{
	return unwind_kernel(room, ip, regs);
}

#endif

/* A function with frame pointers pushes these two words, on all machines that we know. */
struct user_frame {
	unsigned long next;
	unsigned long ip;
};

#ifdef CONFIG_X86_64
/* The same in a 32-bit task. */
struct compat_user_frame {
	u32 next;
	u32 ip;
};
#endif

#if defined(CONFIG_ARM64) && defined(CONFIG_COMPAT)
/* In 32-bit tasks of arm64 the frame pointer points behind this. */
struct compat_user_frame {
	u32 next;
	u32 sp;
	u32 ip;
};
#endif

/* Has the user's stack frames of a kind that we do not follow? */
static __always_inline bool has_other_frames(struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	/* Addresses in other segments have a base, which modules cannot find out. */
	return !user_64bit_mode(regs) &&
	       (!IS_ENABLED(CONFIG_IA32_EMULATION) || regs->cs != __USER32_CS ||
		regs->ss != __USER_DS);
#else
	return false;
#endif
}

#ifdef CONFIG_X86_64

/* @flags are those of an entry of a page table, of any level. */
static __always_inline bool is_users(unsigned long flags)
{
	return (flags & (_PAGE_PRESENT | _PAGE_USER)) == (_PAGE_PRESENT | _PAGE_USER);
}

/* The present value of an entry of a page table: other CPUs change it meanwhile. */
#define entry_now(entry) data_race(READ_ONCE(*(entry)))

/*
 * Is there a page for the user at this address, in the current task's memory?  Reading an unmapped
 * address takes a page fault, which costs ten times as much as this check.  And the last frame
 * pointer of most stacks is not an address, because the function uses that register for other
 * values.  If another CPU unmaps the page after this check, reading still finds out.  Interrupts
 * are disabled so that other CPUs do not free the tables.
 */
static __always_inline bool has_page(unsigned long at)
{
	unsigned long flags;
	bool ret = false;
	pgd_t *pgd;
	p4d_t *p4d;
	pud_t *pud, pud_now;
	pmd_t *pmd, pmd_now;
	pte_t pte;

	raw_local_irq_save(flags);
	pgd = pgd_offset(current->mm, at);
	if (pgtable_l5_enabled() && !is_users(pgd_flags(entry_now(pgd))))
		goto out_restore;
	p4d = p4d_offset(pgd, at);
	if (!is_users(p4d_flags(entry_now(p4d))))
		goto out_restore;
	pud = pud_offset(p4d, at);
	pud_now = entry_now(pud);
	if (!is_users(pud_flags(pud_now)))
		goto out_restore;
	ret = pud_flags(pud_now) & _PAGE_PSE;
	if (ret)
		goto out_restore;
	pmd = pmd_offset(pud, at);
	pmd_now = entry_now(pmd);
	if (!is_users(pmd_flags(pmd_now)))
		goto out_restore;
	ret = pmd_flags(pmd_now) & _PAGE_PSE;
	if (ret)
		goto out_restore;
	pte = entry_now(pte_offset_kernel(pmd, at));
	ret = is_users(pte_flags(pte));
out_restore:
	raw_local_irq_restore(flags);
	return ret;
}

/*
 * Like nmi_uaccess_okay(), which modules cannot call.  Only an NMI can come in the middle of a
 * switch to other memory.
 */
static __always_inline bool has_memory(void)
{
	return read_cr3_pa() == __pa(current->mm->pgd);
}

static __always_inline bool read_frame(struct user_frame *frame, unsigned long at)
{
	const struct user_frame __user *from = (const struct user_frame __user *)at;

	if (!user_read_access_begin(from, sizeof(*from)))
		return false;
	unsafe_get_user(frame->next, &from->next, err_end);
	unsafe_get_user(frame->ip, &from->ip, err_end);
	user_read_access_end();
	return true;

err_end:
	user_read_access_end();
	return false;
}

static __always_inline bool read_compat_frame(struct user_frame *frame, unsigned long at)
{
	const struct compat_user_frame __user *from = (const struct compat_user_frame __user *)at;
	u32 next, ip;

	if (!user_read_access_begin(from, sizeof(*from)))
		return false;
	unsafe_get_user(next, &from->next, err_end);
	unsafe_get_user(ip, &from->ip, err_end);
	user_read_access_end();
	frame->next = next;
	frame->ip = ip;
	return true;

err_end:
	user_read_access_end();
	return false;
}

/* Do user addresses lead to the task's own memory now? */
static noinline notrace bool has_memory_in_nmi(unsigned long at)
{
	struct user_frame frame;

	return !copy_from_user_nmi(&frame, (const void __user *)at, sizeof(frame));
}

/* @compat is a constant. */
static __always_inline u32 __follow_frames(u64 *to, u32 max, unsigned long at, bool compat)
{
	/* No frame is in this page, since it would wrap around. */
	unsigned long page = PAGE_MASK;
	struct user_frame frame;
	u32 nr;

	if (unlikely(in_nmi() ? !has_memory_in_nmi(at) : !has_memory()))
		return 0;
	pagefault_disable();
	for (nr = 0; nr < max; nr++) {
		if ((at & PAGE_MASK) != page && !(at < TASK_SIZE_MAX && has_page(at)))
			break;
		page = at & PAGE_MASK;
		if (!(compat ? read_compat_frame(&frame, at) : read_frame(&frame, at)))
			break;
		to[nr] = frame.ip;
		at = frame.next;
	}
	pagefault_enable();
	return nr;
}

static noinline notrace u32 follow_compat_frames(u64 *to, u32 max, u32 at)
{
	return __follow_frames(to, max, at, true);
}

static __always_inline u32 follow_frames(u64 *to, u32 max, struct pt_regs *regs)
{
	if (unlikely(!user_64bit_mode(regs)))
		return follow_compat_frames(to, max, regs->bp);
	return __follow_frames(to, max, regs->bp, false);
}

#else

/* A return address in memory can carry a signature (pointer authentication). */
static __always_inline unsigned long strip_signature(unsigned long ip)
{
#ifdef CONFIG_ARM64
	return ptrauth_strip_user_insn_pac(ip);
#else
	return ip;
#endif
}

static __always_inline bool read_frame(struct user_frame *frame, unsigned long at)
{
#ifdef CONFIG_X86
	/*
	 * copy_from_user_nofault() looks the destination up under a lock, which an NMI may not
	 * take.  It does not check either whether an NMI sees the task's memory.
	 */
	return !copy_from_user_nmi(frame, (const void __user *)at, sizeof(*frame));
#else
	return !copy_from_user_nofault(frame, (const void __user *)at, sizeof(*frame));
#endif
}

/* On arm64, as for perf, frames are aligned. */
static __always_inline bool may_be_frame(unsigned long at)
{
	return !IS_ENABLED(CONFIG_ARM64) || IS_ALIGNED(at, sizeof(at));
}

/* On arm64, as for perf, a frame is above the frame of the function that it called. */
static __always_inline bool is_no_caller(u64 next, unsigned long at)
{
	return IS_ENABLED(CONFIG_ARM64) && next <= at;
}

#if defined(CONFIG_ARM64) && defined(CONFIG_COMPAT)
static noinline notrace u32 follow_compat_frames(u64 *to, u32 max, u32 at)
{
	struct compat_user_frame frame;
	u32 nr = 0;

	while (nr < max && IS_ALIGNED(at, sizeof(frame.next)) &&
	       !copy_from_user_nofault(&frame, compat_ptr(at) - sizeof(frame), sizeof(frame))) {
		to[nr++] = frame.ip;
		if (is_no_caller(frame.next, at))
			break;
		at = frame.next;
	}
	return nr;
}
#endif

static __always_inline u32 follow_frames(u64 *to, u32 max, struct pt_regs *regs)
{
	unsigned long at = frame_pointer(regs);
	struct user_frame frame;
	u32 nr = 0;

#if defined(CONFIG_ARM64) && defined(CONFIG_COMPAT)
	if (compat_user_mode(regs))
		return follow_compat_frames(to, max, regs->compat_fp);
#endif
	while (nr < max && may_be_frame(at) && read_frame(&frame, at)) {
		to[nr++] = strip_signature(frame.ip);
		if (is_no_caller(frame.next, at))
			break;
		at = frame.next;
	}
	return nr;
}

#endif

static notrace u32 collect_user(u64 *to, u32 max, struct pt_regs *regs)
{
	to[0] = instruction_pointer(regs);
	if (has_other_frames(regs) || max <= 1)
		return 1;
	return 1 + follow_frames(to + 1, max - 1, regs);
}

/* Threads of the kernel may borrow memory, but have no user registers on their stacks. */
static __always_inline bool has_user(void)
{
	return current->mm && !(current->flags & PF_KTHREAD);
}

#ifdef CONFIG_ARM64
notrace void ktrace_callchain_store_regs(u64 *to)
{
	struct pt_regs *regs = task_pt_regs(current);

	to[0] = PERF_SAMPLE_REGS_ABI_NONE;
	to[1] = 0;
	if (!has_user())
		return;
	if (compat_user_mode(regs)) {
		to[0] = PERF_SAMPLE_REGS_ABI_32;
		to[1] = regs->compat_lr;
	} else {
		to[0] = PERF_SAMPLE_REGS_ABI_64;
		to[1] = strip_signature(procedure_link_pointer(regs));
	}
}
#endif

notrace u32 ktrace_callchain_collect(u64 *room, unsigned long ip, bool user, struct pt_regs *regs,
				     unsigned long sp)
{
	u32 nr = 0, frames = 0;

	if (!user) {
		frames = collect_kernel(room + 1, ip, regs, sp);
		room[0] = PERF_CONTEXT_KERNEL;
		nr = 1 + frames;
	}
	if (!has_user() || frames >= KTRACE_CALLCHAIN_MAX_FRAMES)
		return nr;
	room[nr++] = PERF_CONTEXT_USER;
	return nr + collect_user(room + nr, KTRACE_CALLCHAIN_MAX_FRAMES - frames,
				 task_pt_regs(current));
}

notrace u32 ktrace_callchain_collect_kernel(u64 *room, unsigned long ip, struct pt_regs *regs,
					    unsigned long sp)
{
	return collect_kernel(room, ip, regs, sp);
}

notrace u32 ktrace_callchain_collect_user(u64 *room)
{
	if (!has_user())
		return 0;
	return collect_user(room, KTRACE_CALLCHAIN_MAX_FRAMES, task_pt_regs(current));
}

int ktrace_callchain_prepare(void)
{
	return ktrace_callchain_cache_prepare();
}

void ktrace_callchain_free(void)
{
	ktrace_callchain_cache_free();
}
