/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace: per-CPU capture of kernel events
 * ========================================
 *
 * This header is the contract between ktrace.ko and user space, and the manual
 * of it.  The tool's only source for it is this file; there is no other copy.
 *
 * One open file of /dev/ktrace is one session: any number of events, on any
 * number of CPUs, through one file descriptor.  The life of a session:
 *
 *	fd = open("/dev/ktrace", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, KTRACE_IOC_INFO, &info);	what this module can do
 *	ioctl(fd, KTRACE_IOC_SETUP, &setup);	allocate one ring per CPU
 *	ioctl(fd, KTRACE_IOC_EVENT_ADD, &add);	once per event
 *	ioctl(fd, KTRACE_IOC_TASK_ADD, &task);	optional: only these tasks
 *	ioctl(fd, KTRACE_IOC_SCOPE_ADD, &scope); optional: only such tasks
 *	mmap(fd, KTRACE_MMAP_OFFSET(cpu, ...));	three regions per CPU
 *	ioctl(fd, KTRACE_IOC_START);
 *	poll(fd), KTRACE_IOC_MARK, read the rings, advance data_tail ...
 *	ioctl(fd, KTRACE_IOC_STOP);
 *	ioctl(fd, KTRACE_IOC_STATS, &stats);	the ledger, exact after STOP
 *	close(fd);				everything is undone
 *
 * Who may: CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace, at
 * open and again at every EVENT_ADD, from the initial pid namespace only
 * (EPERM otherwise).  A kernel locked down for tracefs or perf refuses with
 * EPERM as well.  Where kernel.perf_event_paranoid is above 2, it takes
 * CAP_SYS_ADMIN (EACCES), as for perf on kernels that know such a level.  EACCES
 * also where a security module does not let the caller trace (SELinux: the
 * permission `tracepoint` of the class perf_event).
 *
 * Structures.  Each begins with `size`, which the caller sets to sizeof() as
 * it was compiled.  A module that knows less than the caller accepts the call
 * as long as the bytes it does not know are zero (E2BIG otherwise); one that
 * knows more takes the missing bytes as zero and writes back only `size`
 * bytes.  The ioctl number is matched by its type and number only, so a
 * structure can grow.  Reserved members and unknown flag bits must be zero
 * (EINVAL).  Numbers are never reused.  All layouts are the same for 32-bit
 * and 64-bit user space; every 64-bit member is 8-aligned.
 *
 * Errors common to all calls: EFAULT bad pointer, EINVAL wrong size, unknown
 * bit or value out of range, ENOTTY unknown number, EBUSY wrong state of the
 * session (named at each call).
 */
#ifndef _UAPI_LINUX_KTRACE_H
#define _UAPI_LINUX_KTRACE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * ABI: the calls and the mapped pages.  The major number changes when an old
 * tool can no longer work, the minor one when something was added.
 * SCHEMA: the meaning of the records.  It changes when a decoder that knows
 * only the older number would misread a record.
 */
#define KTRACE_ABI_MAJOR	1
#define KTRACE_ABI_MINOR	4
#define KTRACE_SCHEMA		1

#define KTRACE_DEVICE		"/dev/ktrace"
#define KTRACE_IOC_MAGIC	0xF7

/*
 * Records
 * -------
 * A ring holds ordinary perf records (struct perf_event_header first, size a
 * multiple of 8), so whoever reads perf.data reads these.  Two types occur.
 *
 * PERF_RECORD_SAMPLE, with the sample_type given to EVENT_ADD:
 *
 *	header		8	misc: PERF_RECORD_MISC_KERNEL or _USER, by IP
 *	id		u64	the `id` given to EVENT_ADD (IDENTIFIER)
 *	ip		u64	where the event fired
 *	pid, tid	u32 x 2	of current, in the initial pid namespace; both
 *				-1 once the task has been unhashed, as perf
 *	time		u64	ns of the session's clock; never decreases
 *				within one ring (where the clock is set back,
 *				it stands still)
 *	cpu, 0		u32 x 2
 *	period		u64	as perf: 1, or the event's __perf_count(); see SAMPLE
 *	nr, ips[nr]	u64s	only where EVENT_ADD asked for PERF_SAMPLE_CALLCHAIN:
 *				as perf's, with PERF_CONTEXT_KERNEL and _USER, 127
 *				frames at most; the user's by frame pointers, of
 *				32-bit tasks the first one only
 *	raw_size	u32	size + 4 is a multiple of 8
 *	raw[raw_size]		the record as in the event's tracefs format
 *				file, zero-padded; then the trailer
 *
 * The trailer: the common fields asked for with EVENT_ADD's `fields`, each in a
 * slot of KTRACE_FIELD_SLOT() bytes, in the order of their numbers, but
 * KTRACE_FIELD_SEQ last.  The last slot ends exactly where raw ends.  Nothing when
 * `fields` is 0.
 *
 * PERF_RECORD_LOST, written before the first record of an event that could be
 * stored again after some of it were lost on this CPU:
 *
 *	header		8
 *	id		u64	the event
 *	lost		u64	how many of its records
 *	reason		u64	enum ktrace_lost
 *	first, last	u64 x 2	time of the first and last one lost
 *	pid, tid	u32 x 2	} the sample_id of KTRACE_SAMPLE_TYPE;
 *	time		u64	} perf finds it from the record's end and
 *	cpu, 0		u32 x 2	} skips what it does not know
 *	id		u64	}
 *
 * Losses after an event's last stored record are never placed in the ring;
 * STATS reports them (`unplaced`).
 */
#define KTRACE_SAMPLE_TYPE						     \
	(1ULL << 16 /* PERF_SAMPLE_IDENTIFIER */ | 1ULL << 0 /* _IP */ |     \
	 1ULL << 1 /* _TID */ | 1ULL << 2 /* _TIME */ | 1ULL << 7 /* _CPU */ | \
	 1ULL << 8 /* _PERIOD */ | 1ULL << 10 /* _RAW */)

/* Bytes before raw[] in a PERF_RECORD_SAMPLE without a call chain, and of a PERF_RECORD_LOST. */
#define KTRACE_SAMPLE_RAW_OFFSET	60
#define KTRACE_LOST_SIZE		80

/* Device event ids start here, so that they never meet perf's in a file. */
#define KTRACE_ID_BASE			(1ULL << 62)

/*
 * Synthesized common fields: bit numbers of EVENT_ADD's `fields`, operands of
 * filters.  KTRACE_FIELD_TGID, KTRACE_FIELD_COMM and so on; <linux/ktrace_fields.def>
 * has a row for each, with its meaning.
 */
enum ktrace_field {
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
	KTRACE_FIELD_##NAME = number,
#define KTRACE_FILTER_FIELD KTRACE_STORED_FIELD
#include <linux/ktrace_fields.def>
#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD
	KTRACE_FIELD_FIRST_FILTER = 32
};

/* How many can be stored: the numbers below it. */
enum ktrace_stored_field {
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) KTRACE_STORED_##NAME,
#define KTRACE_FILTER_FIELD(number, NAME, name, type, sign, operand, help)
#include <linux/ktrace_fields.def>
#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD
	KTRACE_FIELD_NR_STORED
};

/* Bytes of a field's slot in the trailer, by its type. */
#define KTRACE_SLOT_NUMBER	8
#define KTRACE_SLOT_FLAGS	8
#define KTRACE_SLOT_TEXT	16

/* Bytes of a field's slot in the trailer; in filters, its width.  0: there is no such field. */
static inline __u32 ktrace_field_slot(__u32 field)
{
	return
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) \
		field == number ? KTRACE_SLOT_##type :
#define KTRACE_FILTER_FIELD KTRACE_STORED_FIELD
#include <linux/ktrace_fields.def>
#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD
		0;
}
#define KTRACE_FIELD_SLOT(field)	ktrace_field_slot(field)

#define KTRACE_CONTEXT_SOFTIRQ	(1ULL << 0)
#define KTRACE_CONTEXT_HARDIRQ	(1ULL << 1)
#define KTRACE_CONTEXT_NMI	(1ULL << 2)
#define KTRACE_CONTEXT_IRQS_OFF	(1ULL << 3)

/* Why a record could not be stored. */
enum ktrace_lost {
	KTRACE_LOST_FULL	= 0,	/* no room: larger rings (-m) or a faster reader */
	KTRACE_LOST_NESTED	= 1,	/* more contexts nested on one CPU than the ring admits */
	KTRACE_LOST_TOO_BIG	= 2,	/* larger than the ring less 320 bytes, or than 64 KiB */
	KTRACE_LOST_RECURSION	= 3,	/* fired by recording itself: see below (ABI 1.4) */
	KTRACE_LOST_NR		= 8,	/* slots reserved in struct ktrace_stats */
};

/*
 * KTRACE_LOST_RECURSION: the event fired while a record of any session was being made in
 * the same context (task, softirq, hardirq or NMI) of the same CPU, so what made that
 * record has fired it: a call chain whose user stack is not in memory fires
 * exceptions:page_fault_kernel, for example.  Its filter has not seen it.
 */

/*
 * Mapped pages
 * ------------
 * Per CPU three regions, each mapped by itself at KTRACE_MMAP_OFFSET():
 *
 *  KTRACE_MMAP_META	one page, read-only (EPERM for PROT_WRITE, now and by
 *			mprotect): struct ktrace_ring_meta, written by the kernel.
 *  KTRACE_MMAP_TAIL	one page, read-write: struct ktrace_ring_tail, the only
 *			memory user space writes.  The kernel reads it as an
 *			untrusted number: a wrong one costs the writer records
 *			(they count as lost), nobody else anything.
 *  KTRACE_MMAP_DATA	the ring, `pages` pages as given to SETUP, read-only.
 *			Records may wrap at its end: map it twice in a row to
 *			read every record in one piece.
 *
 * A child of fork() has none of the mappings (unless MADV_DOFORK asks for it).
 *
 * Reading: head = load-acquire of meta->data_head; the records are the bytes
 * [data_tail, head) modulo the data size; when they are no longer needed,
 * store-release data_tail.  Both numbers only grow.
 *
 * A ring that overwrites (KTRACE_SETUP_OVERWRITE) keeps its newest records.  Its
 * data_tail is the kernel's: before it overwrites the oldest records, it moves
 * data_tail behind them, always to the beginning of a record.  The page can only
 * be mapped read-only.  Reading, while it is written on:
 *
 *	ioctl(KTRACE_IOC_SNAPSHOT); head = meta->snapshot_head
 *	from = load-acquire of data_tail; copy the bytes [from, head), if any
 *	read barrier; now = load of data_tail
 *	the copied records from max(from, now) on are whole
 */
enum ktrace_mmap_region {
	KTRACE_MMAP_META	= 0,
	KTRACE_MMAP_TAIL	= 1,
	KTRACE_MMAP_DATA	= 2,
};

#define KTRACE_MMAP_OFFSET(cpu, region) \
	((__u64)(cpu) << 32 | (__u64)(region) << 30)

/* Kernel to user; the words that change have a cache line of their own. */
struct ktrace_ring_meta {
	__u32 size;			/* bytes of this structure in use */
	__u32 cpu;
	__aligned_u64 data_size;	/* bytes, a power of two */
	__aligned_u64 snapshot_head;	/* data_head at the last SNAPSHOT (ABI 1.2) */
	__aligned_u64 reserved[5];
	__aligned_u64 data_head;	/* bytes ever written */
	__aligned_u64 reserved2[7];
};

/* User to kernel. */
struct ktrace_ring_tail {
	__aligned_u64 data_tail;	/* bytes ever consumed */
};

/*
 * KTRACE_IOC_INFO: what the module is and can do.  Any state.
 */
struct ktrace_info {
	__u32 size;
	__u32 abi_major;	/* out: KTRACE_ABI_MAJOR */
	__u32 abi_minor;	/* out */
	__u32 schema;		/* out: KTRACE_SCHEMA */
	__aligned_u64 features;	/* out: KTRACE_FEATURE_* */
	__aligned_u64 fields;	/* out: 1 << enum ktrace_field that can be stored */
	__u32 nr_cpu_ids;	/* out: CPU numbers are below this */
	__u32 max_pages;	/* out: largest `pages` SETUP takes */
	char version[32];	/* out: the module's version, NUL-terminated */
};

#define KTRACE_FEATURE_COUNTER		(1ULL << 0)	/* counter path */
#define KTRACE_FEATURE_TEMPLATE		(1ULL << 1)	/* template probes */
#define KTRACE_FEATURE_FILTER_JIT	(1ULL << 2)	/* filters run as machine code */

/*
 * KTRACE_IOC_SETUP: allocate the rings.  Once per session, before anything
 * but INFO (EBUSY).  EINVAL: `pages` no power of two or above
 * max_pages, unknown clock, no CPU of the mask online (with
 * KTRACE_SETUP_HOTPLUG: present).  ENOMEM.  EPERM: the caller may not lock so much
 * memory.
 *
 * `pages` and 2 more for each CPU are locked memory by perf's rules: a user has
 * kernel.perf_event_mlock_kb for each CPU that is online, for the rings of perf and
 * these together; what is beyond it counts for the caller's RLIMIT_MEMLOCK, unless it
 * has CAP_IPC_LOCK or kernel.perf_event_paranoid is -1.  All of a session's memory is
 * charged to the memory cgroup of the caller.
 *
 * A CPU that goes offline keeps its ring, its numbers and its place in the session:
 * what it wrote can be read at any time, and when it comes back it writes on.
 * Template probes miss nothing of that.  Counters are taken away with the CPU, at
 * some point of its way down, and come back within ms of its coming online; what
 * fires in between is not seen by anybody (KTRACE_STATS_BOUNDED).
 */
struct ktrace_setup {
	__u32 size;
	__u32 flags;		/* KTRACE_SETUP_* */
	__u32 pages;		/* per CPU, a power of two */
	__s32 clockid;		/* KTRACE_CLOCK_PERF or CLOCK_MONOTONIC, _RAW, BOOTTIME, REALTIME */
	__u32 wakeup_bytes;	/* poll() reports a ring that holds this much; 0: half of it */
	__u32 cpus_bytes;	/* size of the mask, a multiple of 8 */
	__aligned_u64 cpus;	/* pointer: __u64 words, CPU n bit n % 64 of word n / 64; 0: all */
};

/*
 * Also record the process that opened the session.  Without it, that process
 * is left out, until it ends; what interrupts it is recorded in any case.
 */
#define KTRACE_SETUP_TRACE_SELF	(1U << 0)
/* The rings keep the newest records, not the oldest (ABI 1.2). */
#define KTRACE_SETUP_OVERWRITE	(1U << 1)
/*
 * CPUs of the mask that are present, though offline, have rings too, and are
 * captured from when they come online (ABI 1.3).
 */
#define KTRACE_SETUP_HOTPLUG	(1U << 2)
#define KTRACE_SETUP_ALL \
	(KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_OVERWRITE | KTRACE_SETUP_HOTPLUG)

#define KTRACE_CLOCK_PERF	(-1)	/* local_clock(): what perf uses without -k */

/*
 * KTRACE_IOC_EVENT_ADD: add one event on all CPUs of the session, stopped.
 * After SETUP, before the first START (EBUSY).  ENOENT: no such event.  ENODEV:
 * it exists but cannot be captured this way.  EEXIST: `id` is taken.  E2BIG:
 * too many events.  EINVAL: the filter was refused.  ENOSPC: the filters of this
 * event would cost too much.
 */
struct ktrace_event_add {
	__u32 size;
	__u32 flags;		/* KTRACE_EVENT_* */
	__u32 type;		/* enum perf_type_id: PERF_TYPE_TRACEPOINT */
	__u32 path;		/* in: enum ktrace_path wanted; out: the one in use */
	__aligned_u64 config;	/* the tracefs id */
	__aligned_u64 id;	/* IDENTIFIER of its records, >= KTRACE_ID_BASE */
	__aligned_u64 sample_type; /* KTRACE_SAMPLE_TYPE, or with PERF_SAMPLE_CALLCHAIN (ABI 1.3) */
	__aligned_u64 fields;	/* 1 << enum ktrace_field to store */
	__aligned_u64 filter;	/* pointer: struct ktrace_filter_insn[filter_insns]; 0: no filter */
	__aligned_u64 pool;	/* pointer: the string pool of the filter, pool_bytes bytes */
	__u32 filter_insns;
	__u32 pool_bytes;
	__u32 index;		/* out: number of the event in this session, from 0 */
	__u32 reserved;
	__aligned_u64 name;	/* pointer: "system:event", which template probes go by; 0: none */
};

/* Its size in ABI 1.0, the smallest that is taken. */
#define KTRACE_EVENT_ADD_SIZE_1_0	80

/*
 * From when one of its records is stored, poll() reports POLLPRI, until SNAPSHOT (ABI 1.2).
 * ENODEV also where the wakeup would fire the event again, as irq_vectors:irq_work_exit says.
 */
#define KTRACE_EVENT_TRIGGER	(1U << 0)
#define KTRACE_EVENT_ALL	(KTRACE_EVENT_TRIGGER)

enum ktrace_path {
	KTRACE_PATH_AUTO	= 0,	/* by template where there is one, or else by counter */
	KTRACE_PATH_COUNTER	= 1,	/* kernel counter with our overflow handler */
	KTRACE_PATH_TEMPLATE	= 2,	/* typed probe built from the kernel's own headers */
};

#define KTRACE_MAX_EVENTS	4096

/*
 * KTRACE_IOC_EVENT_PATH: by which way an event would be captured.  Any state.
 * EINVAL: no name.
 */
struct ktrace_event_path {
	__u32 size;
	__u32 type;		/* as in EVENT_ADD */
	__aligned_u64 config;
	__aligned_u64 name;	/* pointer: "system:event", NUL-terminated */
	__u32 path;		/* out: what KTRACE_PATH_AUTO tries first */
	__u32 template_state;	/* out: enum ktrace_template_state: if not by template, why not */
};

enum ktrace_template_state {
	KTRACE_TEMPLATE_READY		= 0,
	KTRACE_TEMPLATE_NONE		= 1,	/* no module that was loaded has one */
	KTRACE_TEMPLATE_NO_MODULE	= 2,	/* no module with templates was loaded */
	KTRACE_TEMPLATE_LAYOUT		= 3,	/* it was made for other fields */
	KTRACE_TEMPLATE_PROTOTYPE	= 4,	/* it was made for other arguments (ABI 1.4) */
	KTRACE_TEMPLATE_UNCHECKED	= 5,	/* no BTF tells the event's arguments (ABI 1.4) */
};

/*
 * Filters
 * -------
 * A program of at most KTRACE_FILTER_MAX_INSNS instructions, each one
 * comparison.  Execution starts at instruction 0; a comparison that holds
 * continues at `jt`, one that does not at `jf`.  Targets are absolute,
 * greater than the instruction's own index (forward only), below
 * filter_insns, or KTRACE_FILTER_ACCEPT / _REJECT.
 *
 * The operand, by `src`:
 *  RECORD	`width` bytes at `offset` of the event's record (see its format
 *		file); string operators take `width` as the array's size
 *  DATA_LOC	the dynamic array whose __data_loc word is at `offset`
 *  REL_LOC	the same for __rel_loc
 *  FIELD	the common field with the number `offset`; `width` is its slot's
 *
 * Numeric operators (EQ LT GT BAND) load 1, 2, 4 or 8 bytes in native order,
 * extended to 64 bits by KTRACE_FILTER_SIGNED or with zeros, and compare with
 * `value`, signed or unsigned by the same flag.  BAND holds when any bit is
 * common.  String operators compare with the pool bytes [value >> 32, +(value
 * & 0xffffffff)), up to the operand's NUL or end.  The other comparisons are
 * these with jt and jf exchanged.
 *
 * The kernel refuses (EINVAL) a program that could jump backwards or past the
 * end, load outside the record or the pool, or that has an instruction no
 * path reaches.  What a load finds beyond a shorter record reads as zero.
 *
 * Filters run where events fire, often with interrupts disabled, so the work they
 * may ask for is limited (ABI 1.4).  ktrace_filter_cost() counts the bytes that one
 * instruction looks at in the worst case.  All instructions of all filters that a
 * session has for one event (of the same type and config) may together cost
 * KTRACE_FILTER_MAX_COST; EVENT_ADD refuses (ENOSPC) the filter that exceeds it.
 */
struct ktrace_filter_insn {
	__u8 op;		/* enum ktrace_filter_op */
	__u8 src;		/* enum ktrace_filter_src */
	__u8 flags;		/* KTRACE_FILTER_SIGNED */
	__u8 reserved;
	__u16 jt;
	__u16 jf;
	__u32 offset;
	__u32 width;
	__aligned_u64 value;
};

enum ktrace_filter_op {
	KTRACE_FILTER_EQ	= 1,
	KTRACE_FILTER_LT	= 2,
	KTRACE_FILTER_GT	= 3,
	KTRACE_FILTER_BAND	= 4,
	KTRACE_FILTER_STREQ	= 5,
	KTRACE_FILTER_GLOB	= 6,	/* ftrace's: * ? [a-z] */
};

enum ktrace_filter_src {
	KTRACE_FILTER_SRC_RECORD	= 1,
	KTRACE_FILTER_SRC_DATA_LOC	= 2,
	KTRACE_FILTER_SRC_REL_LOC	= 3,
	KTRACE_FILTER_SRC_FIELD		= 4,
};

#define KTRACE_FILTER_SIGNED	(1U << 0)

#define KTRACE_FILTER_ACCEPT	0xffff
#define KTRACE_FILTER_REJECT	0xfffe

#define KTRACE_FILTER_MAX_INSNS	512
#define KTRACE_FILTER_MAX_POOL	4096
#define KTRACE_FILTER_MAX_GLOB	256	/* bytes of one pattern */
#define KTRACE_FILTER_MAX_STRING 8192	/* bytes of a dynamic array that are looked at */
#define KTRACE_FILTER_MAX_COST	(1U << 20) /* of the filters of one event */

/*
 * What a valid instruction costs at most.  A comparison of numbers costs 1, one of
 * strings 1 and the bytes that it compares.  A pattern costs 1 and its length.  If it
 * has a '*' anywhere but at its end, the array's size is added: the end of the string
 * has to be found.  What stands between two '*' is tried at every place, so the
 * longest such run, in bytes, is multiplied by the array's size and added as well;
 * for a pattern with '[' or a backslash its length is taken instead of that run.
 */
static inline __u64 ktrace_filter_cost(const struct ktrace_filter_insn *insn,
					   const char *pool)
{
	const char *pattern = pool + (insn->value >> 32);
	__u64 len = insn->value & 0xffffffff, size = KTRACE_FILTER_MAX_STRING;
	__u64 run = 0, longest = 0, stars = 0, quoted = 0, i;

	if (insn->op != KTRACE_FILTER_STREQ && insn->op != KTRACE_FILTER_GLOB)
		return 1;
	if (insn->src == KTRACE_FILTER_SRC_RECORD || insn->src == KTRACE_FILTER_SRC_FIELD)
		size = insn->width;
	if (insn->op == KTRACE_FILTER_STREQ)
		return 1 + (len < size ? len : size);

	for (i = 0; i < len; i++) {
		quoted |= pattern[i] == '[' || pattern[i] == '\\';
		if (pattern[i] != '*') {
			run++;
			continue;
		}
		if (stars++ && run > longest)
			longest = run;
		run = 0;
	}
	if (!stars || (stars == 1 && !run && !quoted))
		return 1 + len;
	return 1 + len + size * (1 + (quoted ? len : longest));
}

/*
 * KTRACE_IOC_SAMPLE (ABI 1.1): of an event's records that pass scope and filter,
 * store only some.  After its EVENT_ADD, before the first START (EBUSY).
 * `period` of each one stored is the sum of those left out before it on that CPU
 * and its own, so that sums of periods keep their meaning; STATS counts those
 * left out as `filtered`.  EINVAL: no such event, or a number out of range.
 */
struct ktrace_sample {
	__u32 size;
	__u32 index;		/* of EVENT_ADD */
	__u32 every;		/* one of so many, on each CPU; 0: each; at most 2^31 - 1 */
	__u32 max_rate;		/* per second on each CPU, a tenth of it at once; 0: any number */
};

/*
 * KTRACE_IOC_TASK_ADD: record only these tasks (by default: all).  After
 * SETUP, any number of times.  ESRCH: no such task.
 */
struct ktrace_task_add {
	__u32 size;
	__u32 flags;		/* KTRACE_TASK_* */
	__s32 pid;		/* thread id, in the initial pid namespace */
	__u32 reserved;
};

/*
 * And every task that it makes from now on, or that the kernel makes for it (the workers of
 * io_uring, and of vhost from Linux 6.4 on).
 */
#define KTRACE_TASK_INHERIT	(1U << 0)
#define KTRACE_TASK_ON_EXEC	(1U << 1)	/* only from its next exec on */
#define KTRACE_TASK_PROCESS	(1U << 2)	/* all threads of the process, not one */
#define KTRACE_TASK_ALL \
	(KTRACE_TASK_INHERIT | KTRACE_TASK_ON_EXEC | KTRACE_TASK_PROCESS)

/*
 * KTRACE_IOC_SCOPE_ADD (ABI 1.1): record only tasks for which this is so at that
 * moment (by default: all).  After SETUP, before the first START (EBUSY), up to
 * KTRACE_SCOPE_MAX times for each kind (E2BIG).  Of one kind, any suffices;
 * kinds, and the tasks of TASK_ADD, each have to hold.  EBADF: `cgroup` is no
 * directory of the cgroup v2 hierarchy.  EOPNOTSUPP: the kernel has no cgroups.
 */
struct ktrace_scope_add {
	__u32 size;
	__u32 kind;		/* enum ktrace_scope_kind */
	__s32 cgroup;		/* CGROUP: descriptor of its directory, for this call; else 0 */
	__u32 reserved;
	char comm[16];		/* COMM: filled up with zeros; else all zeros */
};

enum ktrace_scope_kind {
	KTRACE_SCOPE_COMM	= 0,	/* has this name */
	KTRACE_SCOPE_CGROUP	= 1,	/* is in this cgroup, or in one below it */
};

#define KTRACE_SCOPE_MAX	8

/*
 * KTRACE_IOC_STATS: the ledger of one event on one CPU.  After SETUP.  While
 * the session runs the numbers are a recent view; after STOP they are final
 * and
 *
 *	occurrences the handler saw =
 *		recorded + filtered + out_of_scope + sum(lost)
 *
 * The counter path cannot see what perf's own recursion check drops before
 * the handler; KTRACE_STATS_BOUNDED is set in `flags` for it.
 */
struct ktrace_stats {
	__u32 size;
	__u32 index;		/* in: event */
	__u32 cpu;		/* in */
	__u32 flags;		/* out: KTRACE_STATS_* */
	__aligned_u64 recorded;	/* stored in the ring */
	__aligned_u64 filtered;	/* rejected by the filter, or left out by SAMPLE */
	__aligned_u64 out_of_scope; /* another task, or the recorder itself */
	__aligned_u64 lost[KTRACE_LOST_NR];	/* by reason */
	__aligned_u64 unplaced[KTRACE_LOST_NR];	/* of lost: no record in the ring tells of them */
	__aligned_u64 first_lost; /* time of the first and last unplaced; 0: none */
	__aligned_u64 last_lost;
};

#define KTRACE_STATS_BOUNDED	(1U << 0)	/* recorded is exact, occurrences a lower bound */

/*
 * KTRACE_IOC_SNAPSHOT (ABI 1.2): where the rings and their ledgers are, while they
 * are written on.  For each CPU, at one instant, snapshot_head is set and the
 * ledger kept, for SNAPSHOT_STATS to give as STATS does, but with nothing
 * `unplaced`.  Its `recorded` counts the records before snapshot_head, neither more
 * nor less: of what was ever stored,
 *
 *	recorded - (records found from data_tail to snapshot_head)
 *
 * was overwritten.  Ends a POLLPRI.  After SETUP.  EINTR.
 */
struct ktrace_snapshot {
	__u32 size;
	__u32 reserved;
	__aligned_u64 time;	/* out: ns, before the first CPU's */
};

/*
 * KTRACE_IOC_MARK: the merge mark.  Reads the session's clock into `time`,
 * then waits until every record with an earlier time is visible in the rings
 * (a grace period: tens of milliseconds, which no signal ends).  Whoever reads all heads
 * after this call and merges what is older than `time` has lost no order.
 */
struct ktrace_mark {
	__u32 size;
	__u32 reserved;
	__aligned_u64 time;	/* out: ns */
};

/*
 * KTRACE_IOC_CLOCK: one reading of the session's clock and, within a few
 * hundred ns and always later, of the others.  After SETUP.
 */
struct ktrace_clock {
	__u32 size;
	__u32 reserved;
	__aligned_u64 trace;	/* out: ns */
	__aligned_u64 monotonic;
	__aligned_u64 raw;
	__aligned_u64 boottime;
	__aligned_u64 realtime;
};

/*
 * KTRACE_IOC_START: from here on events are recorded, all from the same instant.
 * EBUSY: no SETUP, or running.  KTRACE_IOC_STOP: returns when no record can
 * appear any more; START may follow.  EBUSY: no SETUP.
 *
 * poll() reports POLLIN when a ring holds `wakeup_bytes` and, once stopped, when
 * one holds anything; POLLPRI, also beside POLLIN, once a KTRACE_EVENT_TRIGGER has come;
 * POLLERR before SETUP.
 */
#define KTRACE_IOC_INFO		_IOWR(KTRACE_IOC_MAGIC, 0, struct ktrace_info)
#define KTRACE_IOC_SETUP	_IOWR(KTRACE_IOC_MAGIC, 1, struct ktrace_setup)
#define KTRACE_IOC_EVENT_ADD	_IOWR(KTRACE_IOC_MAGIC, 2, struct ktrace_event_add)
#define KTRACE_IOC_TASK_ADD	_IOWR(KTRACE_IOC_MAGIC, 3, struct ktrace_task_add)
#define KTRACE_IOC_START	_IO(KTRACE_IOC_MAGIC, 4)
#define KTRACE_IOC_STOP		_IO(KTRACE_IOC_MAGIC, 5)
#define KTRACE_IOC_STATS	_IOWR(KTRACE_IOC_MAGIC, 6, struct ktrace_stats)
#define KTRACE_IOC_MARK		_IOWR(KTRACE_IOC_MAGIC, 7, struct ktrace_mark)
#define KTRACE_IOC_CLOCK	_IOWR(KTRACE_IOC_MAGIC, 8, struct ktrace_clock)
#define KTRACE_IOC_EVENT_PATH	_IOWR(KTRACE_IOC_MAGIC, 9, struct ktrace_event_path)
#define KTRACE_IOC_SCOPE_ADD	_IOWR(KTRACE_IOC_MAGIC, 10, struct ktrace_scope_add)
#define KTRACE_IOC_SAMPLE	_IOWR(KTRACE_IOC_MAGIC, 11, struct ktrace_sample)
#define KTRACE_IOC_SNAPSHOT	_IOWR(KTRACE_IOC_MAGIC, 12, struct ktrace_snapshot)
#define KTRACE_IOC_SNAPSHOT_STATS _IOWR(KTRACE_IOC_MAGIC, 13, struct ktrace_stats)

#endif /* _UAPI_LINUX_KTRACE_H */
