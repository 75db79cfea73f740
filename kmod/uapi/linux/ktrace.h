/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace: per-CPU capture of kernel events
 * ========================================
 *
 * This header is the contract between ktrace.ko and user space, and its manual.
 * The tool is compiled against this file; there is no other copy.
 *
 * One open file of /dev/ktrace is one session: any number of events, on any
 * number of CPUs, through one file descriptor.  The life of a session:
 *
 *	fd = open("/dev/ktrace", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, KTRACE_IOC_INFO, &info);	what this module can do
 *	ioctl(fd, KTRACE_IOC_SETUP, &setup);	allocate one ring per CPU
 *	ioctl(fd, KTRACE_IOC_EVENT_ADD, &add);	once per event
 *	ioctl(fd, KTRACE_IOC_TASK_ADD, &task);	optional: only this task
 *	ioctl(fd, KTRACE_IOC_COUNT_ADD, &count); optional: count it by a key, store nothing
 *	ioctl(fd, KTRACE_IOC_SCOPE_ADD, &scope); optional: only tasks like this
 *	ioctl(fd, KTRACE_IOC_MACHINE_ADD, &machine); optional: judge sequences of its events
 *	mmap(fd, KTRACE_MMAP_OFFSET(cpu, ...));	three regions per CPU
 *	ioctl(fd, KTRACE_IOC_START);
 *	poll(fd), KTRACE_IOC_MARK, read the rings, advance data_tail ...
 *	ioctl(fd, KTRACE_IOC_STOP);
 *	ioctl(fd, KTRACE_IOC_STATS, &stats);	the ledger, exact after STOP
 *	close(fd);				everything is undone, unless KEEP was called
 *
 * Permission.  The caller needs CAP_PERFMON or CAP_SYS_ADMIN in the initial user
 * namespace, and has to be in the initial pid namespace (EPERM otherwise).  A
 * kernel that is locked down for tracefs or perf refuses with EPERM as well.  Where
 * kernel.perf_event_paranoid is above 2, the caller needs CAP_SYS_ADMIN (EACCES
 * otherwise), as for perf on kernels that have such a level.  A security module
 * that does not let the caller trace also refuses with EACCES (SELinux: the
 * permission `tracepoint` of the class perf_event).  All of this is checked at open
 * and again at every EVENT_ADD.  Arguments of functions for which memory of the kernel
 * is read (nr_loads) can lead anywhere, so EVENT_ADD takes them only from who may load
 * BPF programs that do this: with CAP_SYS_ADMIN, or CAP_PERFMON and CAP_BPF, and where
 * the kernel is not locked down for it (EPERM otherwise).
 *
 * Structures.  Each begins with `size`, which the caller sets to the sizeof() that
 * it was compiled with.  A module that knows a shorter structure accepts a longer
 * one as long as the bytes that it does not know are zero (E2BIG otherwise).  A
 * module that knows a longer structure takes the missing bytes as zero, and writes
 * back only `size` bytes.  An ioctl is recognised by its type and number only, so
 * its structure can grow.  Reserved members and unknown flag bits must be zero
 * (EINVAL).  Numbers are never reused.  All layouts are the same for 32-bit and
 * 64-bit user space; every 64-bit member is 8-aligned.
 *
 * Errors that every ioctl can return: EFAULT, the pointer is bad; EINVAL, the size
 * is wrong, a bit is unknown, or a value is out of range; ENOTTY, the number is
 * unknown; EBUSY, the session is in the wrong state for this ioctl (the state is
 * named at each one).
 */
#ifndef _UAPI_LINUX_KTRACE_H
#define _UAPI_LINUX_KTRACE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/math64.h>
#define KTRACE_DIV_U64(a, b) div64_u64(a, b)
#else
#define KTRACE_DIV_U64(a, b) ((a) / (b))
#endif

/*
 * ABI: the ioctls and the mapped pages.  The major number changes when an old
 * tool can no longer work, the minor one when something was added.
 * SCHEMA: the meaning of the records.  It changes when a decoder that knows
 * only the older number would misread a record.
 */
#define KTRACE_ABI_MAJOR	1
#define KTRACE_ABI_MINOR	17
#define KTRACE_SCHEMA		1

#define KTRACE_DEVICE		"/dev/ktrace"
/*
 * The ioctls have the numbers 00 to 1F of the range 0xF7, of which the kernel's
 * ioctl-number.rst knows no user.
 */
#define KTRACE_IOC_MAGIC	0xF7

/*
 * Records
 * -------
 * A ring holds ordinary perf records: each begins with struct perf_event_header, its
 * size is a multiple of 8, and a reader of perf.data can read it.  Two types occur.
 *
 * PERF_RECORD_SAMPLE, with the sample_type that EVENT_ADD was given:
 *
 *	header		8	misc: PERF_RECORD_MISC_KERNEL or _USER, by IP
 *	id		u64	the `id` that EVENT_ADD was given (IDENTIFIER)
 *	ip		u64	where the event fired
 *	pid, tid	u32 x 2	of the current task, in the initial pid namespace;
 *				both -1 once the task has been unhashed, as perf
 *	time		u64	ns of the session's clock; never decreases
 *				within one ring (where the clock is set back,
 *				it stands still)
 *	cpu, 0		u32 x 2
 *	period		u64	as perf: 1, or the event's __perf_count(); see SAMPLE
 *	nr, ips[nr]	u64s	only where EVENT_ADD asked for PERF_SAMPLE_CALLCHAIN:
 *				as perf's, with PERF_CONTEXT_KERNEL and _USER, and
 *				at most 127 frames; the user's frames are found by
 *				frame pointers
 *	raw_size	u32	raw_size + 4 is a multiple of 8
 *	raw[raw_size]		the event's data as in its tracefs format file,
 *				padded with zeros; then the trailer
 *	abi, lr		u64 x 2	only where EVENT_ADD asked for PERF_SAMPLE_REGS_USER, on arm64:
 *				as perf's for sample_regs_user = KTRACE_SAMPLE_REGS_USER: the
 *				user's link register, without a signature, by which readers find
 *				the caller of a function without a frame.  A thread of the kernel
 *				has no user's registers: both are 0, and perf skips the second one
 *
 * The trailer consists of the common fields that EVENT_ADD's `fields` asked for.  Each
 * has a slot of KTRACE_FIELD_SLOT() bytes.  The slots are in the order of the fields'
 * numbers, except that KTRACE_FIELD_SEQ is last.  The last slot ends exactly where raw
 * ends.  There is no trailer when `fields` is 0.
 *
 * PERF_RECORD_LOST.  When samples of an event were lost on this CPU, one such record for
 * each reason is written directly before the event's next sample that could be stored:
 *
 *	header		8
 *	id		u64	the event
 *	lost		u64	how many of its samples
 *	reason		u64	enum ktrace_lost
 *	first, last	u64 x 2	time of the first and last one lost
 *	pid, tid	u32 x 2	} the sample_id of KTRACE_SAMPLE_TYPE;
 *	time		u64	} perf finds it from the record's end and
 *	cpu, 0		u32 x 2	} skips what it does not know
 *	id		u64	}
 *
 * Losses after an event's last stored sample are never placed in the ring;
 * STATS reports them (`unplaced`).
 *
 * Compact records (ABI 1.13) leave out what a reader can do without.  EVENT_ADD asks for them by
 * its sample_type, which is the same for all events of a session, but for PERF_SAMPLE_CALLCHAIN and
 * _REGS_USER:
 *
 *  KTRACE_SAMPLE_TYPE		all of the above
 *  KTRACE_SAMPLE_TYPE_COMPACT	samples without ip, cpu and period, a sample_id without cpu
 *  KTRACE_SAMPLE_TYPE_ALONE	the same without id, also in the sample_id; the session's only event
 *
 * The number of the CPU is then in header.misc, at KTRACE_MISC_CPU_SHIFT, where perf looks for
 * nothing in these two types.  On machines with CPU numbers from KTRACE_MISC_CPUS on, EVENT_ADD
 * refuses such records.  A sample does not say for how many it stands, so SAMPLE refuses their
 * events.
 */
#define KTRACE_SAMPLE_TYPE						     \
	(1ULL << 16 /* PERF_SAMPLE_IDENTIFIER */ | 1ULL << 0 /* _IP */ |     \
	 1ULL << 1 /* _TID */ | 1ULL << 2 /* _TIME */ | 1ULL << 7 /* _CPU */ | \
	 1ULL << 8 /* _PERIOD */ | 1ULL << 10 /* _RAW */)

#define KTRACE_SAMPLE_TYPE_ALONE					     \
	(1ULL << 1 /* PERF_SAMPLE_TID */ | 1ULL << 2 /* _TIME */ | 1ULL << 10 /* _RAW */)
#define KTRACE_SAMPLE_TYPE_COMPACT					     \
	(KTRACE_SAMPLE_TYPE_ALONE | 1ULL << 16 /* PERF_SAMPLE_IDENTIFIER */)

/* The registers in samples with PERF_SAMPLE_REGS_USER (ABI 1.14): arm64's link register. */
#define KTRACE_SAMPLE_REGS_USER		(1ULL << 30 /* PERF_REG_ARM64_LR */)

/* Where header.misc of compact records has the number of the CPU; its bits, and how many fit. */
#define KTRACE_MISC_CPU_SHIFT		3
#define KTRACE_MISC_CPUS		2048

/*
 * Bytes before raw[] in a PERF_RECORD_SAMPLE without a call chain; bytes of a
 * PERF_RECORD_LOST.  Both are those of KTRACE_SAMPLE_TYPE.
 */
#define KTRACE_SAMPLE_RAW_OFFSET	60
#define KTRACE_LOST_SIZE		80

/* Bytes of the id in records of this sample_type, and of what compact ones leave out. */
static inline __u32 ktrace_sample_id_size(__u64 sample_type)
{
	return sample_type & 1ULL << 16 /* PERF_SAMPLE_IDENTIFIER */ ? 8 : 0;
}

static inline __u32 ktrace_sample_part_size(__u64 sample_type)
{
	return sample_type & 1ULL << 7 /* PERF_SAMPLE_CPU */ ? 8 : 0;
}

/* KTRACE_SAMPLE_RAW_OFFSET for this sample_type: 60, 36 or 28. */
static inline __u32 ktrace_sample_raw_offset(__u64 sample_type)
{
	return 28 + ktrace_sample_id_size(sample_type) + 3 * ktrace_sample_part_size(sample_type);
}

/* The offset of the time in a PERF_RECORD_SAMPLE: 32, 24 or 16. */
static inline __u32 ktrace_sample_time_offset(__u64 sample_type)
{
	return 16 + ktrace_sample_id_size(sample_type) + ktrace_sample_part_size(sample_type);
}

/* KTRACE_LOST_SIZE for this sample_type: 80, 72 or 64. */
static inline __u32 ktrace_lost_size(__u64 sample_type)
{
	return 64 + ktrace_sample_id_size(sample_type) + ktrace_sample_part_size(sample_type);
}

/*
 * The ids of a session's events start here, so that they never collide with perf's in a
 * file.
 */
#define KTRACE_ID_BASE			(1ULL << 62)

/*
 * The numbers of the common fields, KTRACE_FIELD_TGID, KTRACE_FIELD_COMM and so on.  A
 * number is a bit of EVENT_ADD's `fields`, and names an operand of a filter.
 * <linux/ktrace_fields.def> has a row for each field, with its meaning.
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

/* KTRACE_FIELD_NR_STORED: fields with a number below it can be stored in a trailer. */
enum ktrace_stored_field {
#define KTRACE_STORED_FIELD(number, NAME, name, type, sign, operand, help) KTRACE_STORED_##NAME,
#define KTRACE_FILTER_FIELD(number, NAME, name, type, sign, operand, help)
#include <linux/ktrace_fields.def>
#undef KTRACE_STORED_FIELD
#undef KTRACE_FILTER_FIELD
	KTRACE_FIELD_NR_STORED
};

/* Bytes of a field's slot in the trailer, by the type of the field. */
#define KTRACE_SLOT_NUMBER	8
#define KTRACE_SLOT_FLAGS	8
#define KTRACE_SLOT_TEXT	16
#define KTRACE_SLOT_COUNT	8

/*
 * Bytes of a field's slot in the trailer, and its width in filters.  0: there is no such
 * field.
 */
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

/**
 * enum ktrace_lost - why a sample could not be stored
 * @KTRACE_LOST_FULL: no room: use larger rings (-m) or a faster reader
 * @KTRACE_LOST_NESTED: an interrupted context, or a call that has not returned, held what this
 *                      one needed
 * @KTRACE_LOST_TOO_BIG: larger than the ring less 320 bytes, or than 64 KiB
 * @KTRACE_LOST_RECURSION: recording itself fired it, see below (ABI 1.4)
 * @KTRACE_LOST_NO_SLOT: counting: the table has no room for its key (ABI 1.5)
 * @KTRACE_LOST_NO_START: counting: an END without a START of its pair (ABI 1.5)
 * @KTRACE_LOST_NR: slots reserved in struct ktrace_stats
 */
enum ktrace_lost {
	KTRACE_LOST_FULL	= 0,
	KTRACE_LOST_NESTED	= 1,
	KTRACE_LOST_TOO_BIG	= 2,
	KTRACE_LOST_RECURSION	= 3,
	KTRACE_LOST_NO_SLOT	= 4,
	KTRACE_LOST_NO_START	= 5,
	KTRACE_LOST_NR		= 8,
};

/*
 * KTRACE_LOST_RECURSION: the event fired while a sample of any session was being made in
 * the same context (task, softirq, hardirq or NMI) of the same CPU.  So it was the making
 * of that sample that fired it.  For example, collecting a call chain whose user stack is
 * not in memory fires exceptions:page_fault_kernel.  The event's filter was not run.
 */

/**
 * enum ktrace_mmap_region - the three regions of a CPU
 * @KTRACE_MMAP_META: what the kernel writes
 * @KTRACE_MMAP_TAIL: what user space writes
 * @KTRACE_MMAP_DATA: the records
 *
 * Mapped pages
 * ------------
 * Each CPU has three regions.  Each is mapped by itself at KTRACE_MMAP_OFFSET():
 *
 *  KTRACE_MMAP_META	one page, read-only (EPERM for PROT_WRITE, now and by
 *			mprotect): struct ktrace_ring_meta, written by the kernel.
 *  KTRACE_MMAP_TAIL	one page, read-write: struct ktrace_ring_tail, the only
 *			memory that user space writes.  The kernel does not trust
 *			the number in it: a wrong one can only cause samples of
 *			this ring to be lost (and counted so).
 *  KTRACE_MMAP_DATA	the ring, `pages` pages as given to SETUP, read-only.
 *			Records may wrap at its end: map it twice in a row to
 *			read every record in one piece.
 *
 * A child of fork() has none of the mappings (unless MADV_DOFORK asks for it).
 *
 * To read, load-acquire meta->data_head.  The records are the bytes from data_tail up
 * to data_head, modulo the data size.  When they are no longer needed, store-release
 * the new data_tail.  Both numbers only grow.
 *
 * A ring that overwrites (KTRACE_SETUP_OVERWRITE) keeps its newest records.  Here the
 * kernel owns data_tail: before it overwrites the oldest records, it moves data_tail
 * behind them, always to the beginning of a record.  The page can only be mapped
 * read-only.  Such a ring can be read while records are being written:
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

/**
 * struct ktrace_ring_meta - what the kernel tells of a ring; KTRACE_MMAP_META
 * @size: bytes of this structure in use
 * @cpu: the CPU that writes the ring
 * @data_size: bytes, a power of two
 * @snapshot_head: data_head at the last SNAPSHOT (ABI 1.2)
 * @reserved: 0
 * @data_head: bytes ever written
 * @reserved2: 0
 *
 * Written by the kernel.  data_head, which changes all the time, has a cache line of its
 * own.
 */
struct ktrace_ring_meta {
	__u32 size;
	__u32 cpu;
	__aligned_u64 data_size;
	__aligned_u64 snapshot_head;
	__aligned_u64 reserved[5];
	__aligned_u64 data_head;
	__aligned_u64 reserved2[7];
};

/**
 * struct ktrace_ring_tail - how far a ring was read; KTRACE_MMAP_TAIL
 * @data_tail: bytes ever consumed
 *
 * Written by user space, unless the ring overwrites.
 */
struct ktrace_ring_tail {
	__aligned_u64 data_tail;
};

/**
 * struct ktrace_info - what the module is and what it can do; KTRACE_IOC_INFO
 * @size: of this structure, in bytes
 * @abi_major: out: KTRACE_ABI_MAJOR
 * @abi_minor: out
 * @schema: out: KTRACE_SCHEMA
 * @features: out: KTRACE_FEATURE_*
 * @fields: out: 1 << enum ktrace_field that can be stored
 * @nr_cpu_ids: out: CPU numbers are below this
 * @max_pages: out: the largest `pages` that SETUP accepts
 * @version: out: the module's version, NUL-terminated
 *
 * KTRACE_IOC_INFO: tell what the module is and what it can do. Works in any state.
 */
struct ktrace_info {
	__u32 size;
	__u32 abi_major;
	__u32 abi_minor;
	__u32 schema;
	__aligned_u64 features;
	__aligned_u64 fields;
	__u32 nr_cpu_ids;
	__u32 max_pages;
	char version[32];
};

#define KTRACE_FEATURE_COUNTER		(1ULL << 0)	/* events are captured by counter */
#define KTRACE_FEATURE_TEMPLATE		(1ULL << 1)	/* events are captured by template */
#define KTRACE_FEATURE_FILTER_JIT	(1ULL << 2)	/* filters run as machine code */
#define KTRACE_FEATURE_FUNCTION		(1ULL << 3)	/* functions are events (ABI 1.10) */
#define KTRACE_FEATURE_FUNCTION_ARGS	(1ULL << 4)	/* they have arguments (ABI 1.12) */
#define KTRACE_FEATURE_COMPACT		(1ULL << 5)	/* records can be compact (ABI 1.13) */
#define KTRACE_FEATURE_REGS_USER	(1ULL << 6)	/* samples can have registers (ABI 1.14) */
#define KTRACE_FEATURE_MACHINE		(1ULL << 7)	/* machines judge events (ABI 1.16) */
#define KTRACE_FEATURE_COUNT_CHAINS	(1ULL << 8)	/* keys can have chains (ABI 1.17) */

/**
 * struct ktrace_setup - the rings of a session; KTRACE_IOC_SETUP
 * @size: of this structure, in bytes
 * @flags: KTRACE_SETUP_*
 * @pages: per CPU, a power of two
 * @clockid: KTRACE_CLOCK_PERF or CLOCK_MONOTONIC, _RAW, BOOTTIME, REALTIME
 * @wakeup_bytes: poll() reports a ring that holds this much; 0: half of it
 * @cpus_bytes: size of the mask, a multiple of 8
 * @cpus: pointer: __u64 words, CPU n bit n % 64 of word n / 64; 0: all
 *
 * KTRACE_IOC_SETUP: allocate the rings.  Once per session (EBUSY).  Until then only INFO
 * and EVENT_PATH work; all other ioctls return EBUSY.  EINVAL: `pages` is no power of two
 * or above max_pages, the clock is unknown, `wakeup_bytes` is more than a ring holds, or
 * no CPU of the mask is online (with KTRACE_SETUP_HOTPLUG: present).  ENOMEM.  EPERM: the
 * caller may not lock so much memory.
 *
 * `pages` and 2 more for each CPU are locked memory by perf's rules, and so is what the
 * session gets later: events with their filters, the machine code of these and what
 * returns of functions take, tables of counts, tasks (2 MB), a description.  A user has
 * kernel.perf_event_mlock_kb for each CPU that is online, for perf's rings and all this
 * together.  What is beyond it counts for the RLIMIT_MEMLOCK of the process that called
 * SETUP, which does not limit a caller that has CAP_IPC_LOCK, nor any caller while
 * kernel.perf_event_paranoid is -1.  All of a session's memory is also charged to the
 * memory cgroup of the caller.
 *
 * A CPU that goes offline keeps its ring, its ledger and its part in the session: its
 * records can be read at any time, and when it comes back it goes on writing.  Template
 * probes miss no event on the way.  Counters are taken away from the CPU at some point
 * while it goes offline, and come back a few ms after it has come online; events that
 * fire in between are not seen at all (KTRACE_STATS_BOUNDED).
 */
struct ktrace_setup {
	__u32 size;
	__u32 flags;
	__u32 pages;
	__s32 clockid;
	__u32 wakeup_bytes;
	__u32 cpus_bytes;
	__aligned_u64 cpus;
};

/*
 * Also record the process that opened the session.  Without this flag that process is not
 * recorded, as long as it lives.  Interrupts that come while it runs are recorded in any
 * case.
 */
#define KTRACE_SETUP_TRACE_SELF	(1U << 0)
/* The rings keep the newest records instead of the oldest (ABI 1.2). */
#define KTRACE_SETUP_OVERWRITE	(1U << 1)
/*
 * CPUs of the mask that are present but offline get rings, too.  Their events are captured
 * from the moment when they come online (ABI 1.3).
 */
#define KTRACE_SETUP_HOTPLUG	(1U << 2)
#define KTRACE_SETUP_ALL \
	(KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_OVERWRITE | KTRACE_SETUP_HOTPLUG)

#define KTRACE_CLOCK_PERF	(-1)	/* local_clock(), the clock that perf uses without -k */

/**
 * struct ktrace_event_add - an event to capture; KTRACE_IOC_EVENT_ADD
 * @size: of this structure, in bytes
 * @flags: KTRACE_EVENT_*
 * @type: enum perf_type_id: PERF_TYPE_TRACEPOINT
 * @path: in: enum ktrace_path wanted; out: the one in use
 * @config: the tracefs id; of a function or violations: the common_type of its samples
 * @id: IDENTIFIER of its samples, >= KTRACE_ID_BASE
 * @sample_type: KTRACE_SAMPLE_TYPE [| PERF_SAMPLE_CALLCHAIN (ABI 1.3)], or _COMPACT or _ALONE of
 *	it (ABI 1.13); with KTRACE_FEATURE_REGS_USER, PERF_SAMPLE_REGS_USER besides _CALLCHAIN
 * @fields: 1 << enum ktrace_field to store
 * @filter: pointer: struct ktrace_filter_insn[filter_insns]; 0: no filter
 * @pool: pointer: the string pool of the filter, pool_bytes bytes
 * @filter_insns: instructions of the filter
 * @pool_bytes: bytes of the pool
 * @index: out: number of the event in this session, from 0
 * @user_strings: bits of arguments whose strings are stored, see below (ABI 1.8); 0: none
 * @name: pointer: "system:event", by which a template is found; 0: none
 * @address: of a function of the kernel, see below (ABI 1.10); 0: none
 * @args: pointer: struct ktrace_function_arg[nr_args] of the function (ABI 1.12); 0: none
 * @nr_args: how many; at most KTRACE_MAX_FUNCTION_ARGS
 * @reserved: 0
 *
 * KTRACE_IOC_EVENT_ADD: add one event on all CPUs of the session.  It is not captured
 * before START.  After SETUP and before the first START (EBUSY).  ENOENT: there is no such
 * event.  ENODEV: it exists, but cannot be captured by the path asked for.  EEXIST: `id` is
 * taken.  E2BIG: the session has KTRACE_MAX_EVENTS events.  EINVAL: also where the filter
 * was refused, or where the session has events with other records.  ERANGE: records are to be
 * compact, and the numbers of CPUs are too large for that.  ENOSPC: the filters of this event
 * would cost too much.  EOPNOTSUPP: no counter of a CPU counts what a field asks for.  EUSERS:
 * others have pinned all counters that could.  EBUSY: also while the session is kept.  ENOBUFS: the
 * caller may not lock so much memory, see SETUP.
 */
struct ktrace_event_add {
	__u32 size;
	__u32 flags;
	__u32 type;
	__u32 path;
	__aligned_u64 config;
	__aligned_u64 id;
	__aligned_u64 sample_type;
	__aligned_u64 fields;
	__aligned_u64 filter;
	__aligned_u64 pool;
	__u32 filter_insns;
	__u32 pool_bytes;
	__u32 index;
	__u32 user_strings;
	__aligned_u64 name;
	__aligned_u64 address;
	__aligned_u64 args;
	__u32 nr_args;
	__u32 reserved;
};

/*
 * Strings of system calls (ABI 1.8)
 * ---------------------------------
 * On kernels before 6.19, samples of syscalls:sys_enter_* have the addresses of strings alone.
 * With 1 << i in `user_strings`, for at most KTRACE_MAX_USER_STRINGS of the arguments, counted
 * from 0, the string that argument i points to is stored as well.  The raw data then has, behind
 * the last argument, four bytes for each of these arguments: where the string is in the raw data,
 * and in the upper half its size, as in a field of the type __data_loc char[].  The strings
 * follow.  This is how samples look since Linux 6.19, which stores them by itself.
 *
 * The size includes the NUL.  It is 0 if the string was not in memory, as samples are made
 * without waiting; an empty string has the size 1.  Of a string that is longer than
 * KTRACE_MAX_USER_STRING bytes, as many are stored, and "..." behind them.
 *
 * ENODEV: the event is none of these, the kernel stores strings by itself, or the call has no
 * such argument.
 */
#define KTRACE_MAX_USER_STRINGS	3
#define KTRACE_MAX_USER_STRING	165	/* bytes, without the NUL */

/*
 * Functions of the kernel (ABI 1.10)
 * ---------------------------------
 * With KTRACE_EVENT_FUNCTION, the event is that the function which begins at `address` is
 * entered, or, with KTRACE_EVENT_RETURN, too, that it returns.  All functions of a session are
 * enabled and disabled together, in the time that ftrace takes for one.  The raw data begins with
 * the common fields and goes on, aligned as an unsigned long is, as that of events of kprobes and
 * kretprobes, where ip and func are the address at which ftrace has its call:
 *
 *	unsigned long ip;
 *	unsigned long func, ret_ip; __u64 ret;
 *
 * ret is the value of the register in which functions return one.  Returns from functions that
 * run in an NMI, or while too many other calls of the session have not returned (512 for each of
 * the functions whose return is an event, at most 4096), are lost as KTRACE_LOST_NESTED.  So are,
 * once that is found out, those from functions that the kernel itself calls for each return, as it
 * does where it checks locks: their returns would lead to themselves.
 *
 * A function of a module that is unloaded is gone for good: calls of another one that gets its
 * address are not its calls.  START returns ENOENT when no function of a session is left.
 *
 * ENODEV: it is no function that may be traced, or this kernel has no such probes (INFO does not
 * have KTRACE_FEATURE_FUNCTION).  START returns EBUSY while sysctl kernel.ftrace_enabled is 0.
 *
 * With arguments (ABI 1.12, KTRACE_FEATURE_FUNCTION_ARGS), their values follow ip, or take the
 * place of ret, one behind the other without padding, as those of events of kprobes do.
 */

#define KTRACE_MAX_FUNCTION_ARGS	32
#define KTRACE_MAX_ARG_LOADS		5

/**
 * struct ktrace_function_arg - what is stored of a function that is entered or returns (ABI 1.12)
 * @reg: the register with which it begins, an enum perf_event_x86_regs of a general register
 * @size: bytes that are stored: 1, 2, 4 or 8
 * @nr_loads: how often memory of the kernel is read, which needs CAP_SYS_ADMIN, or CAP_PERFMON and
 *	CAP_BPF (EPERM); 0: the register is the value
 * @reserved: 0
 * @offsets: of each of these, what is added before to the register or to what was read last.
 *	Addresses are read, and at last @size bytes.  Where memory cannot be read, 0 is stored.
 */
struct ktrace_function_arg {
	__u8 reg;
	__u8 size;
	__u8 nr_loads;
	__u8 reserved;
	__s32 offsets[KTRACE_MAX_ARG_LOADS];
};

/*
 * Fields that are counted (ABI 1.11)
 * ----------------------------------
 * KTRACE_FIELD_CYCLES and _INSTRUCTIONS are what the counters of PERF_COUNT_HW_CPU_CYCLES and
 * _INSTRUCTIONS have advanced, in user space and the kernel, since the field was last read in the
 * same context of the session, for whichever of its events.  The context is the task in a session
 * that was limited to tasks (TASK_ADD) before START, and the CPU in any other.  A task has what
 * CPUs execute from the sched_switch to it up to that away from it, on all CPUs together, with the
 * interrupts in between.  A record is read for when its other fields have been filled in, so that
 * what its making takes falls half to it and half to the next one; a record that has interrupted
 * the making of another one has been read for first.
 *
 * The value is KTRACE_COUNT_UNKNOWN:
 *  - in the first record of the context since START;
 *  - after the CPU's counter stood still: the CPU was offline, and until some ms after it has come
 *    back; or perf has taken the counter away;
 *  - in an NMI that has interrupted the reading for another record.  What it would have had is in
 *    the next value;
 *  - where some thousands of tasks have stored values and are alive, for some of the others.
 * All other values are exact: the counters are pinned, so that none of them is an estimate.
 *
 * The counters run on all CPUs from EVENT_ADD until the session ends.  All sessions share them.
 */
#define KTRACE_COUNT_UNKNOWN	(~0ULL)

/* The size of the structure in ABI 1.0, and the smallest that is accepted. */
#define KTRACE_EVENT_ADD_SIZE_1_0	80

/*
 * Once a sample of the event has been stored, poll() reports POLLPRI until SNAPSHOT (ABI
 * 1.2).  EVENT_ADD also returns ENODEV where waking the poller would fire the event again,
 * as for irq_vectors:irq_work_exit.
 */
#define KTRACE_EVENT_TRIGGER	(1U << 0)
#define KTRACE_EVENT_FUNCTION	(1U << 1)	/* `address` is that of a function (ABI 1.10) */
#define KTRACE_EVENT_RETURN	(1U << 2)	/* it returns (ABI 1.10) */
/*
 * The event is that a machine finds a violation (ABI 1.16), see struct ktrace_violation.  It has
 * no filter, no common fields and no call chain; `config` is the common_type of its samples.
 */
#define KTRACE_EVENT_VIOLATION	(1U << 3)
#define KTRACE_EVENT_ALL \
	(KTRACE_EVENT_TRIGGER | KTRACE_EVENT_FUNCTION | KTRACE_EVENT_RETURN | \
	 KTRACE_EVENT_VIOLATION)

/**
 * enum ktrace_path - how an event is captured
 * @KTRACE_PATH_AUTO: by template where there is one, otherwise by counter
 * @KTRACE_PATH_COUNTER: kernel counter with our overflow handler
 * @KTRACE_PATH_TEMPLATE: typed probe built from the kernel's own headers
 * @KTRACE_PATH_FUNCTION: call of ftrace, for functions (ABI 1.10)
 * @KTRACE_PATH_MACHINE: what machines find (ABI 1.16)
 */
enum ktrace_path {
	KTRACE_PATH_AUTO	= 0,
	KTRACE_PATH_COUNTER	= 1,
	KTRACE_PATH_TEMPLATE	= 2,
	KTRACE_PATH_FUNCTION	= 3,
	KTRACE_PATH_MACHINE	= 4,
};

#define KTRACE_MAX_EVENTS	4096

/**
 * struct ktrace_event_path - how an event would be captured; KTRACE_IOC_EVENT_PATH
 * @size: of this structure, in bytes
 * @type: as in EVENT_ADD
 * @config: the tracefs id
 * @name: pointer: "system:event", NUL-terminated
 * @path: out: the path that KTRACE_PATH_AUTO tries first
 * @template_state: out: enum ktrace_template_state: why there is no template
 *
 * KTRACE_IOC_EVENT_PATH: tell by which path an event would be captured.  Works in any
 * state.  EINVAL: `name` is missing or is not of the form "system:event".
 */
struct ktrace_event_path {
	__u32 size;
	__u32 type;
	__aligned_u64 config;
	__aligned_u64 name;
	__u32 path;
	__u32 template_state;
};

/**
 * enum ktrace_template_state - why an event has no template
 * @KTRACE_TEMPLATE_READY: it has one
 * @KTRACE_TEMPLATE_NONE: no loaded module has one
 * @KTRACE_TEMPLATE_NO_MODULE: no module with templates is loaded
 * @KTRACE_TEMPLATE_LAYOUT: it was built for other fields
 * @KTRACE_TEMPLATE_PROTOTYPE: it was built for other arguments (ABI 1.4)
 * @KTRACE_TEMPLATE_UNCHECKED: no BTF to compare its arguments with (ABI 1.4)
 */
enum ktrace_template_state {
	KTRACE_TEMPLATE_READY		= 0,
	KTRACE_TEMPLATE_NONE		= 1,
	KTRACE_TEMPLATE_NO_MODULE	= 2,
	KTRACE_TEMPLATE_LAYOUT		= 3,
	KTRACE_TEMPLATE_PROTOTYPE	= 4,
	KTRACE_TEMPLATE_UNCHECKED	= 5,
};

/**
 * struct ktrace_filter_insn - an instruction of a filter
 * @op: enum ktrace_filter_op
 * @src: enum ktrace_filter_src
 * @flags: KTRACE_FILTER_SIGNED, KTRACE_FILTER_SIGNED_OP
 * @reserved: 0
 * @jt: where it goes on if the comparison holds
 * @jf: where it goes on if not
 * @offset: of the operand, see @src
 * @width: of the operand, in bytes
 * @value: what the operand is compared with
 *
 * Filters
 * -------
 * A filter is a program of at most KTRACE_FILTER_MAX_INSNS instructions.  Each instruction
 * is one comparison, or a step of arithmetic.  Execution starts at instruction 0.  A
 * comparison that holds continues at `jt`, one that does not at `jf`.  A target is either the
 * index of an instruction, which has to be greater than that of the jumping one (jumps go
 * forward only), or KTRACE_FILTER_ACCEPT or _REJECT.
 *
 * `src` says what the operand is:
 *  RECORD	`width` bytes at `offset` of the event's raw data (see its format
 *		file); string operators take `width` as the array's size
 *  DATA_LOC	the dynamic array whose __data_loc word is at `offset`
 *  REL_LOC	the same for __rel_loc
 *  FIELD	the common field with the number `offset`; `width` is that of its slot
 *
 * Numeric operators (EQ LT GT BAND) load 1, 2, 4 or 8 bytes in native byte order and extend
 * them to 64 bits, with the sign where KTRACE_FILTER_SIGNED is set and with zeros otherwise.
 * The result is compared with `value`, signed or unsigned by the same flag.  BAND holds
 * when the two have any bit in common.  String operators compare the operand, up to its NUL
 * or end, with a text in the pool: its offset there is value >> 32, its length
 * value & 0xffffffff.  All other comparisons are made of these by exchanging jt and jf.
 *
 * The kernel refuses (EINVAL) a program that could jump backwards or past the end, that
 * could load from outside the raw data or the pool, or that has an instruction which
 * cannot be reached.  Where an event's raw data is too short for a load, the missing
 * bytes are zero.
 *
 * Arithmetic in filters (ABI 1.15)
 * --------------------------------
 * From KTRACE_FILTER_LOAD on, operators work with an accumulator of 64 bits, and with
 * KTRACE_FILTER_REGISTERS registers that hold what it held.  Two sources more are for these only:
 *  REGISTER	the register with the number `offset`; `width` is 8
 *  VALUE	`value` itself; `offset` is 0, and `width` is 8
 *
 * LOAD sets the accumulator to the operand, which is extended to 64 bits as above.  STORE sets
 * the register that is its operand to the accumulator.  ADD to SHR set the accumulator to what
 * ktrace_filter_calculate() says, which is C's result for 64 bits: it wraps around, and
 * division rounds towards zero.  A shift by 64 or more leaves 0, or -1 where a negative number
 * goes to the right with its sign.  These go on at `jt`, and have the same `jf`, except for DIV
 * and MOD: division by 0 has no result, leaves the accumulator as it is, and goes on at `jf`.
 *
 * ACC_EQ to ACC_BAND compare the accumulator with the operand.  KTRACE_FILTER_SIGNED_OP makes
 * DIV, MOD, SHR, ACC_LT and ACC_GT take both as signed; the others have no such flag.
 *
 * `value` is 0 where the source is not VALUE.  The kernel refuses (EINVAL) a program that could
 * read the accumulator or a register before it was set.
 *
 * Filters run where events fire, often with interrupts disabled, so the work that they may
 * ask for is limited (ABI 1.4).  ktrace_filter_cost() counts the bytes that one instruction
 * looks at in the worst case.  All instructions of all filters that all sessions have for one
 * event (the same type and config; of functions the same address, at the entry and at the return
 * together) may together cost KTRACE_FILTER_MAX_COST; EVENT_ADD refuses (ENOSPC) the filter that
 * exceeds it.
 */
struct ktrace_filter_insn {
	__u8 op;
	__u8 src;
	__u8 flags;
	__u8 reserved;
	__u16 jt;
	__u16 jf;
	__u32 offset;
	__u32 width;
	__aligned_u64 value;
};

/**
 * enum ktrace_filter_op - what an instruction of a filter compares
 * @KTRACE_FILTER_EQ: the operand is equal to the value
 * @KTRACE_FILTER_LT: it is less
 * @KTRACE_FILTER_GT: it is greater
 * @KTRACE_FILTER_BAND: they have a bit in common
 * @KTRACE_FILTER_STREQ: it is the text
 * @KTRACE_FILTER_GLOB: a pattern as ftrace knows it: * ? [a-z]
 * @KTRACE_FILTER_LOAD: sets the accumulator to the operand
 * @KTRACE_FILTER_STORE: sets a register to the accumulator
 * @KTRACE_FILTER_ADD: adds the operand to the accumulator
 * @KTRACE_FILTER_SUB: subtracts it
 * @KTRACE_FILTER_MUL: multiplies by it
 * @KTRACE_FILTER_DIV: divides by it
 * @KTRACE_FILTER_MOD: the remainder of that; its sign is the accumulator's
 * @KTRACE_FILTER_AND: the bits that are in both
 * @KTRACE_FILTER_OR: the bits that are in one of the two
 * @KTRACE_FILTER_XOR: the bits that are in only one
 * @KTRACE_FILTER_SHL: shifts to the left, by so many bits as an unsigned number
 * @KTRACE_FILTER_SHR: shifts to the right
 * @KTRACE_FILTER_ACC_EQ: the accumulator is equal to the operand
 * @KTRACE_FILTER_ACC_LT: it is less
 * @KTRACE_FILTER_ACC_GT: it is greater
 * @KTRACE_FILTER_ACC_BAND: they have a bit in common
 */
enum ktrace_filter_op {
	KTRACE_FILTER_EQ	= 1,
	KTRACE_FILTER_LT	= 2,
	KTRACE_FILTER_GT	= 3,
	KTRACE_FILTER_BAND	= 4,
	KTRACE_FILTER_STREQ	= 5,
	KTRACE_FILTER_GLOB	= 6,
	KTRACE_FILTER_LOAD	= 7,
	KTRACE_FILTER_STORE	= 8,
	KTRACE_FILTER_ADD	= 9,
	KTRACE_FILTER_SUB	= 10,
	KTRACE_FILTER_MUL	= 11,
	KTRACE_FILTER_DIV	= 12,
	KTRACE_FILTER_MOD	= 13,
	KTRACE_FILTER_AND	= 14,
	KTRACE_FILTER_OR	= 15,
	KTRACE_FILTER_XOR	= 16,
	KTRACE_FILTER_SHL	= 17,
	KTRACE_FILTER_SHR	= 18,
	KTRACE_FILTER_ACC_EQ	= 19,
	KTRACE_FILTER_ACC_LT	= 20,
	KTRACE_FILTER_ACC_GT	= 21,
	KTRACE_FILTER_ACC_BAND	= 22,
};

/**
 * enum ktrace_filter_src - where the operand of an instruction comes from
 * @KTRACE_FILTER_SRC_RECORD: the event's raw data
 * @KTRACE_FILTER_SRC_DATA_LOC: a dynamic array, by its __data_loc
 * @KTRACE_FILTER_SRC_REL_LOC: a dynamic array, by its __rel_loc
 * @KTRACE_FILTER_SRC_FIELD: a common field
 * @KTRACE_FILTER_SRC_REGISTER: a register
 * @KTRACE_FILTER_SRC_VALUE: the value of the instruction
 */
enum ktrace_filter_src {
	KTRACE_FILTER_SRC_RECORD	= 1,
	KTRACE_FILTER_SRC_DATA_LOC	= 2,
	KTRACE_FILTER_SRC_REL_LOC	= 3,
	KTRACE_FILTER_SRC_FIELD		= 4,
	KTRACE_FILTER_SRC_REGISTER	= 5,
	KTRACE_FILTER_SRC_VALUE		= 6,
};

#define KTRACE_FILTER_SIGNED	(1U << 0)
#define KTRACE_FILTER_SIGNED_OP	(1U << 1)

#define KTRACE_FILTER_ACCEPT	0xffff
#define KTRACE_FILTER_REJECT	0xfffe

#define KTRACE_FILTER_REGISTERS	7
#define KTRACE_FILTER_MAX_INSNS	512
#define KTRACE_FILTER_MAX_POOL	4096
#define KTRACE_FILTER_MAX_GLOB	256	/* bytes of one pattern */
#define KTRACE_FILTER_MAX_STRING 8192	/* bytes of a dynamic array that are looked at */
#define KTRACE_FILTER_MAX_COST	(1U << 20) /* of all filters of one event */

/* Does an operator compare texts?  All others take numbers. */
static inline int ktrace_filter_is_text(__u8 op)
{
	return op == KTRACE_FILTER_STREQ || op == KTRACE_FILTER_GLOB;
}

/* Can the operator be signed by KTRACE_FILTER_SIGNED_OP? */
static inline int ktrace_filter_can_be_signed(__u8 op)
{
	return op == KTRACE_FILTER_DIV || op == KTRACE_FILTER_MOD || op == KTRACE_FILTER_SHR ||
	       op == KTRACE_FILTER_ACC_LT || op == KTRACE_FILTER_ACC_GT;
}

/*
 * What a valid instruction costs at most.  A numeric comparison costs 1, and so does a step of
 * arithmetic, except for a division, which costs 16.  A comparison with a string costs 1
 * plus the bytes that it compares.  A match with a pattern costs 1 plus the pattern's
 * length, and two things come on top where the pattern has a '*' anywhere but at its end.
 * First, the end of the string has to be found, which costs the array's size.  Second, the
 * text between two '*' is tried at every position, which costs the array's size times the
 * longest such text.  In a pattern with '[' or a backslash, the whole pattern's length is
 * taken instead of the longest text.
 */
static inline __u64 ktrace_filter_cost(const struct ktrace_filter_insn *insn,
				       const char *pool)
{
	const char *pattern;
	__u64 len = insn->value & 0xffffffff, size = KTRACE_FILTER_MAX_STRING;
	__u64 run = 0, longest = 0, stars = 0, quoted = 0, i;

	if (insn->op == KTRACE_FILTER_DIV || insn->op == KTRACE_FILTER_MOD)
		return 16;
	if (!ktrace_filter_is_text(insn->op))
		return 1;
	pattern = pool + (insn->value >> 32);
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

/* Has ADD to SHR a result?  Divisions by 0 have none. */
static inline int ktrace_filter_has_result(__u8 op, __u64 operand)
{
	return operand || (op != KTRACE_FILTER_DIV && op != KTRACE_FILTER_MOD);
}

/* The result of ADD to SHR, of the accumulator @a and the operand @b.  It has to have one. */
static inline __u64 ktrace_filter_calculate(__u8 op, int is_signed, __u64 a, __u64 b)
{
	__u64 sign = is_signed ? 1ULL << 63 : 0;
	int negative = ((op == KTRACE_FILTER_DIV ? a ^ b : a) & sign) != 0;

	switch (op) {
	case KTRACE_FILTER_ADD:
		return a + b;
	case KTRACE_FILTER_SUB:
		return a - b;
	case KTRACE_FILTER_MUL:
		return a * b;
	case KTRACE_FILTER_AND:
		return a & b;
	case KTRACE_FILTER_OR:
		return a | b;
	case KTRACE_FILTER_XOR:
		return a ^ b;
	case KTRACE_FILTER_SHL:
		return b < 64 ? a << b : 0;
	case KTRACE_FILTER_SHR:
		a = negative ? ~a : a;
		a = b < 64 ? a >> b : 0;
		return negative ? ~a : a;
	}
	/* Magnitudes are divided: there are machines that refuse some divisions with signs. */
	a = a & sign ? -a : a;
	b = b & sign ? -b : b;
	a = op == KTRACE_FILTER_DIV ? KTRACE_DIV_U64(a, b) : a - KTRACE_DIV_U64(a, b) * b;
	return negative ? -a : a;
}

/**
 * struct ktrace_sample - which samples of an event are stored; KTRACE_IOC_SAMPLE
 * @size: of this structure, in bytes
 * @index: of EVENT_ADD
 * @every: one of so many on each CPU; 0: each; at most 2^31 - 1
 * @max_rate: per second and CPU, a tenth of it at once; 0: no limit
 *
 * KTRACE_IOC_SAMPLE (ABI 1.1): store only some of the samples of an event that pass scope
 * and filter.  After the event's EVENT_ADD and before the first START (EBUSY).  The
 * `period` of a stored sample is the sum of its own and of those that were left out before
 * it on that CPU, so the sum of all periods keeps its meaning.  STATS counts the samples
 * that were left out as `filtered`.  EINVAL: there is no such event, its records are compact, or
 * a number is out of range.
 */
struct ktrace_sample {
	__u32 size;
	__u32 index;
	__u32 every;
	__u32 max_rate;
};

/**
 * struct ktrace_count_part - a part of the key that an event is counted by
 * @src: enum ktrace_count_src; a value: 0 for none
 * @form: enum ktrace_count_form; a value: NUMBER
 * @flags: KTRACE_COUNT_SIGNED
 * @reserved: 0
 * @offset: of the part, see @src
 * @width: bytes
 * @reserved2: 0
 *
 * Counting
 * --------
 * KTRACE_IOC_COUNT_ADD (ABI 1.5): count an event by a key instead of storing its samples.
 * Each CPU has a table; an entry of it has a key, how often the event fired with this key
 * and, if there is a value, the sum and the extremes of the values.  Nothing of the event
 * goes into the ring.  Scope and filter decide as for samples.  In STATS `recorded` is how
 * many firings were counted, KTRACE_LOST_NO_SLOT how many were not because all entries of
 * the CPU's table were in use, so that the equation of STATS holds.
 *
 * After the event's EVENT_ADD and before the first START (EBUSY), once for each event
 * (EEXIST).  EINVAL: there is no such event, it is a trigger, has common fields, call chains
 * or a sampling; a part cannot be used so; the key, the pair or the tables are too large.
 * EPERM, ENOMEM: as for SETUP, because the tables are locked memory, too.  EBUSY: also while
 * the session is kept.
 *
 * A key consists of `nr_parts` parts, one behind the other, each of a multiple of 8 bytes.
 * `src` says where a part comes from:
 *  RECORD	`width` bytes at `offset` of the event's raw data (see its format file)
 *  DATA_LOC	the dynamic array whose __data_loc word is at `offset`
 *  REL_LOC	the same for __rel_loc
 *  FIELD	the common field with the number `offset`; `width` is that of its slot
 *  LATENCY	the time since the START of the pair, in ns of the session's clock; `offset`
 *		is 0 and `width` 8; only for an END
 *  KERNEL	the kernel's call chain where the event fired (ABI 1.17); `offset` is 0, `width` 8
 *  USER	the call chain of user space, likewise; kernel threads have none
 *  START	part number `offset` of the START, which is none of its pair, as it was when that
 *		fired; form, flags and width are the same there; only for an END (ABI 1.17)
 * `form` says what becomes of it:
 *  NUMBER	a number of 1, 2, 4 or 8 bytes, extended to 64 bits with zeros, or with its
 *		sign where KTRACE_COUNT_SIGNED is set; takes 8 bytes of the key
 *  LOG2	the same number n as a step of a histogram: 0 for n = 0, otherwise
 *		1 + floor(log2(n)); -1 for any negative number; takes 8 bytes
 *  TEXT	the bytes up to the first NUL, `width` of them at most, then zeros up to the
 *		next multiple of 8 of `width`
 *  CHAIN	the number of a chain, see struct ktrace_chain_read; 0 without one; takes 8 bytes
 * A dynamic array has the form TEXT.  Where the event's raw data is too short for a part, the
 * missing bytes are zero.
 *
 * Latencies.  An event with the role KTRACE_COUNT_START only remembers when it fired, under
 * the pair that its parts make, in a table of the session with room for `entries` of them.
 * An event with the role KTRACE_COUNT_END looks for the pair that its first `nr_pair` parts
 * make; they have the forms and widths of the parts of the START whose index is `start`.  It
 * takes the pair out of the table and counts by the other parts.  If there is no such pair,
 * it is counted as KTRACE_LOST_NO_START.  A START whose pair is in the table already takes
 * its place (`restarted`); one that finds no room is counted as KTRACE_LOST_NO_SLOT.  Where
 * the pair has KTRACE_FIELD_TID, the pairs of threads that have ended make room.  An NMI
 * that interrupted a context that was using the table is counted as KTRACE_LOST_NESTED.  If
 * the clocks of two CPUs differ by more than the latency, it is taken as 0.
 *
 * With an `nr_pair` of a START, only so many of its parts, the first ones, are the pair (ABI 1.17).
 * The others are kept with it, for parts of the END whose source is START, and for the value of the
 * END.  A START that fires again replaces these, too.
 *
 * Chains.  An event whose key has chains has a table of them with room for `entries`, if these
 * have KTRACE_COUNT_CHAIN_WORDS addresses on average; STARTs and their ENDs share it.  A chain
 * is found by its hash, but compared whole.  A firing whose chain finds no room is counted as
 * KTRACE_LOST_NO_SLOT.  What the chain of user space needs is said for KTRACE_EVENT_CALLCHAIN;
 * one that cannot be collected because of what it has interrupted counts as
 * KTRACE_LOST_NESTED.
 */
struct ktrace_count_part {
	__u8 src;
	__u8 form;
	__u8 flags;
	__u8 reserved;
	__u32 offset;
	__u32 width;
	__u32 reserved2;
};

/**
 * enum ktrace_count_src - where a part of a key comes from
 * @KTRACE_COUNT_SRC_RECORD: the event's raw data
 * @KTRACE_COUNT_SRC_DATA_LOC: a dynamic array, by its __data_loc
 * @KTRACE_COUNT_SRC_REL_LOC: a dynamic array, by its __rel_loc
 * @KTRACE_COUNT_SRC_FIELD: a common field
 * @KTRACE_COUNT_SRC_LATENCY: the time since the START of the pair
 * @KTRACE_COUNT_SRC_KERNEL: the kernel's call chain (ABI 1.17)
 * @KTRACE_COUNT_SRC_USER: that of user space (ABI 1.17)
 * @KTRACE_COUNT_SRC_START: a part of the START (ABI 1.17)
 */
enum ktrace_count_src {
	KTRACE_COUNT_SRC_RECORD		= 1,
	KTRACE_COUNT_SRC_DATA_LOC	= 2,
	KTRACE_COUNT_SRC_REL_LOC	= 3,
	KTRACE_COUNT_SRC_FIELD		= 4,
	KTRACE_COUNT_SRC_LATENCY	= 5,
	KTRACE_COUNT_SRC_KERNEL		= 6,
	KTRACE_COUNT_SRC_USER		= 7,
	KTRACE_COUNT_SRC_START		= 8,
};

/**
 * enum ktrace_count_form - what becomes of a part of a key
 * @KTRACE_COUNT_NUMBER: a number
 * @KTRACE_COUNT_LOG2: a step of a histogram
 * @KTRACE_COUNT_TEXT: a text
 * @KTRACE_COUNT_CHAIN: the number of a chain (ABI 1.17)
 */
enum ktrace_count_form {
	KTRACE_COUNT_NUMBER	= 1,
	KTRACE_COUNT_LOG2	= 2,
	KTRACE_COUNT_TEXT	= 3,
	KTRACE_COUNT_CHAIN	= 4,
};

#define KTRACE_COUNT_SIGNED	(1U << 0)

/**
 * enum ktrace_count_role - what a firing of a counted event means
 * @KTRACE_COUNT_EACH: count each firing
 * @KTRACE_COUNT_START: remember when it fired
 * @KTRACE_COUNT_END: count, with the time since START
 */
enum ktrace_count_role {
	KTRACE_COUNT_EACH	= 0,
	KTRACE_COUNT_START	= 1,
	KTRACE_COUNT_END	= 2,
};

#define KTRACE_COUNT_MAX_PARTS	8
#define KTRACE_COUNT_MAX_KEY	128		/* bytes */
#define KTRACE_COUNT_MAX_PAIR	32		/* bytes, at least 8 */
#define KTRACE_COUNT_MAX_ENTRIES (1U << 20)	/* at least 1 */
#define KTRACE_COUNT_CHAIN_WORDS 32

/**
 * struct ktrace_count_add - an event to count by a key; KTRACE_IOC_COUNT_ADD
 * @size: of this structure, in bytes
 * @index: of EVENT_ADD
 * @role: enum ktrace_count_role
 * @start: END: the index of its START; otherwise 0
 * @entries: at most so many keys on each CPU; START: pairs, about
 * @nr_pair: END: so many of the parts are the pair; START: likewise, 0: all; otherwise 0
 * @nr_parts: of the key
 * @key_bytes: out: bytes of each key; START: of all its parts
 * @parts: pointer: struct ktrace_count_part[nr_parts]
 * @value: summed up
 */
struct ktrace_count_add {
	__u32 size;
	__u32 index;
	__u32 role;
	__u32 start;
	__u32 entries;
	__u32 nr_pair;
	__u32 nr_parts;
	__u32 key_bytes;
	__aligned_u64 parts;
	struct ktrace_count_part value;
};

/**
 * struct ktrace_count_read - a request for counts; KTRACE_IOC_COUNT_READ
 * @size: of this structure, in bytes
 * @index: of EVENT_ADD
 * @cpu: whose entries
 * @nr: out: entries that were written
 * @entries: pointer: struct ktrace_count_entry, each with its key
 * @position: in and out: 0, then what the call before returned
 * @room: bytes at `entries`
 * @used: out: entries of the CPU's table that are in use; START: 0
 * @restarted: out, START: how many pairs were replaced before their END
 *
 * KTRACE_IOC_COUNT_READ (ABI 1.5): read the entries of one event on one CPU, a part of them
 * at a time.  After SETUP.  `position` is 0 at first and then what the call before returned,
 * until that is KTRACE_COUNT_READ_END.  While the session runs, the numbers are a recent
 * view, in which the count of an entry may be ahead of its sum; after STOP they are final.
 * A key may have more than one entry on a CPU, where a context interrupted the one that was
 * adding it: they have to be added up, as those of several CPUs.  EINVAL: there is no such
 * event or CPU in the session, the event is not counted, or `room` is less than an entry.
 *
 * Since ABI 1.17, the entries of a START are those that have had no END yet.  They are the same for
 * each CPU, as the session has one table of them; `count` is 1, the others are the ns since it
 * fired, and the key has all parts of the START.  `room` has to be KTRACE_COUNT_READ_STARTS
 * entries.
 */
struct ktrace_count_read {
	__u32 size;
	__u32 index;
	__u32 cpu;
	__u32 nr;
	__aligned_u64 entries;
	__aligned_u64 position;
	__u32 room;
	__u32 used;
	__aligned_u64 restarted;
};

#define KTRACE_COUNT_READ_END	(~0ULL)
#define KTRACE_COUNT_READ_STARTS 128

/**
 * struct ktrace_count_entry - a key and what was counted under it
 * @count: how often the event fired with this key
 * @sum: of the values, modulo 2^64; these are 0 without a value
 * @min: signed, if the value is
 * @max: likewise
 */
struct ktrace_count_entry {
	__aligned_u64 count;
	__aligned_u64 sum;
	__aligned_u64 min;
	__aligned_u64 max;
	/* Then come the key_bytes of the key. */
};

#define KTRACE_MACHINE_MAX_STATES	64
#define KTRACE_MACHINE_MAX_SOURCES	64
#define KTRACE_MACHINE_MAX_TRANSITIONS	1024
#define KTRACE_MACHINE_MAX_FILTERS	256
#define KTRACE_MACHINE_MAX_INSNS	4096
#define KTRACE_MACHINE_MAX_POOL		65536
#define KTRACE_MACHINE_MAX_PARTS	4
#define KTRACE_MACHINE_MAX_CLOCKS	4
#define KTRACE_MACHINE_MAX_KEYS		(1U << 24)
/* In place of a filter, a clock, a source. */
#define KTRACE_MACHINE_NO_FILTER	0xffff
#define KTRACE_MACHINE_NO_CLOCK		0xff
#define KTRACE_MACHINE_NO_SOURCE	(~0U)

/**
 * enum ktrace_machine_key - what has a state of its own
 * @KTRACE_MACHINE_KEY_NONE: there is one key
 * @KTRACE_MACHINE_KEY_CPU: each CPU
 * @KTRACE_MACHINE_KEY_TASK: each task, by its thread id; 0 is the idle task of the record's CPU
 * @KTRACE_MACHINE_KEY_FIELDS: the numbers that the parts of each source load
 */
enum ktrace_machine_key {
	KTRACE_MACHINE_KEY_NONE		= 0,
	KTRACE_MACHINE_KEY_CPU		= 1,
	KTRACE_MACHINE_KEY_TASK		= 2,
	KTRACE_MACHINE_KEY_FIELDS	= 3,
};

/**
 * enum ktrace_machine_start - how a source makes known a key that is unknown
 * @KTRACE_MACHINE_STARTS_NONE: not at all
 * @KTRACE_MACHINE_STARTS_AFTER: after the firing, the key is in the initial state
 * @KTRACE_MACHINE_STARTS_BEFORE: before the firing
 */
enum ktrace_machine_start {
	KTRACE_MACHINE_STARTS_NONE	= 0,
	KTRACE_MACHINE_STARTS_AFTER	= 1,
	KTRACE_MACHINE_STARTS_BEFORE	= 2,
};

/**
 * struct ktrace_machine - the head of a machine
 * @size: of all of it, in bytes
 * @nr_states: from 1 to KTRACE_MACHINE_MAX_STATES
 * @nr_sources: from 1 to KTRACE_MACHINE_MAX_SOURCES
 * @nr_transitions: at most KTRACE_MACHINE_MAX_TRANSITIONS
 * @nr_filters: at most KTRACE_MACHINE_MAX_FILTERS
 * @nr_insns: of all filters
 * @pool_bytes: of texts that filters compare with
 * @key: enum ktrace_machine_key
 * @nr_parts: of the key, in each source; 0 for KTRACE_MACHINE_KEY_NONE, 1 for _CPU and _TASK
 * @initial: a state
 * @nr_clocks: clocks of each key, at most KTRACE_MACHINE_MAX_CLOCKS
 * @max_keys: that live at once
 * @reserved: 0
 *
 * Machines
 * --------
 * A machine judges sequences of events (ABI 1.16).  For each key it has a state and clocks, which
 * firings move.  It is a table without pointers, which is verified as a whole:
 *
 *	struct ktrace_machine
 *	struct ktrace_machine_state		[nr_states]
 *	struct ktrace_machine_source		[nr_sources]
 *	struct ktrace_machine_transition	[nr_transitions]
 *	struct ktrace_machine_filter		[nr_filters]
 *	struct ktrace_filter_insn		[nr_insns]
 *	char					[pool_bytes]
 *
 * and zeros up to a multiple of 8 bytes, `size` in all.
 *
 * A source is one way in which a firing of an event matters.  When an event fires, its sources
 * are asked in their order; each whose filter accepts the record is applied to its key:
 *
 *  1. The key is found or made.  If there are max_keys that live, it stays unknown, and the
 *     firing is counted as one for which the table was full.
 *  2. If the time is not later than that of an earlier record that was applied to the key, the
 *     key becomes unknown (unordered), and this is all.  Sources of one record have one time.
 *  3. If the key is known and the time is at or behind its deadline, the deadline was missed:
 *     that is a violation at the deadline, without an event, and the key becomes unknown.
 *  4. If the key is unknown, `start` of the source decides: _NONE ends here; _AFTER makes the
 *     key known, in the state `initial` with no clock set, and ends here; _BEFORE does the same
 *     and goes on.  The limit of the initial state counts from that time.
 *  5. The first transition of the state and the source is taken whose filter accepts the record
 *     and whose clock is in [least, most], or was never set.  If there is none, that is a
 *     violation by this event, and the key becomes unknown.
 *  6. A transition sets the clocks of its mask to the time, and the state.  If the state changes
 *     or a clock was set, the deadline is computed anew: the clock of the state, or the time if
 *     that clock was never set, plus its limit; it is not before the time.  A state without a
 *     limit has no deadline.
 *
 * Where firings were lost, every key that one of them could have been of becomes unknown (lost).
 * A key that is a task ends when the task exits (PERF_RECORD_EXIT), and what fires in the name of
 * the number from then on is ignored until a task gets it again.  Task 0 is another task on each
 * CPU.  A deadline that passes without an event is found later, within the time that who runs the
 * machine promises; the violation has the deadline's time.
 */
struct ktrace_machine {
	__u32 size;
	__u16 nr_states;
	__u16 nr_sources;
	__u16 nr_transitions;
	__u16 nr_filters;
	__u32 nr_insns;
	__u32 pool_bytes;
	__u8 key;
	__u8 nr_parts;
	__u8 initial;
	__u8 nr_clocks;
	__u32 max_keys;
	__u32 reserved;
};

/**
 * struct ktrace_machine_state - a state
 * @limit: ns after which it has to be left; 0: it may last
 * @clock: from which the limit counts; KTRACE_MACHINE_NO_CLOCK without a limit
 * @reserved: 0
 */
struct ktrace_machine_state {
	__aligned_u64 limit;
	__u8 clock;
	__u8 reserved[7];
};

/**
 * struct ktrace_machine_part - a number of a key, as the operand of a filter's instruction
 * @offset: in the record, bytes; of _FIELD, enum ktrace_field
 * @src: KTRACE_FILTER_SRC_RECORD, or _FIELD for a common field
 * @width: of the number, bytes
 * @flags: KTRACE_FILTER_SIGNED
 * @reserved: 0
 */
struct ktrace_machine_part {
	__u32 offset;
	__u8 src;
	__u8 width;
	__u8 flags;
	__u8 reserved;
};

/**
 * struct ktrace_machine_source - what makes the machine move
 * @event: whose firing; a number that whoever loads the machine agrees on, as `index` of
 * EVENT_ADD
 * @filter: KTRACE_MACHINE_NO_FILTER: each firing
 * @start: enum ktrace_machine_start
 * @reserved: 0
 * @parts: of the key; those from nr_parts on are 0
 *
 * The numbers of events never fall from one source to the next.
 */
struct ktrace_machine_source {
	__u32 event;
	__u16 filter;
	__u8 start;
	__u8 reserved;
	struct ktrace_machine_part parts[KTRACE_MACHINE_MAX_PARTS];
};

/**
 * struct ktrace_machine_transition - from a state by a source to the next state
 * @state: that it leaves
 * @source: by which it is taken
 * @next: state that it leads to
 * @filter: on the record of the source; KTRACE_MACHINE_NO_FILTER: none
 * @clock: whose time since it was set, in ns, has to be in [least, most];
 *	KTRACE_MACHINE_NO_CLOCK: none
 * @resets: mask of clocks
 * @reserved: 0
 * @least: ns, of the clock
 * @most: ns, of the clock
 *
 * They ascend by state, then source; several of one pair are tried in their order.
 */
struct ktrace_machine_transition {
	__u16 state;
	__u16 source;
	__u16 next;
	__u16 filter;
	__u8 clock;
	__u8 resets;
	__u8 reserved[6];
	__aligned_u64 least;
	__aligned_u64 most;
};

/**
 * struct ktrace_machine_filter - a filter's program
 * @first: its first instruction; jumps count from there
 * @nr: instructions
 */
struct ktrace_machine_filter {
	__u32 first;
	__u32 nr;
};

/**
 * struct ktrace_machine_add - a machine to judge events with; KTRACE_IOC_MACHINE_ADD
 * @size: of this structure, in bytes
 * @flags: KTRACE_MACHINE_*
 * @program: pointer: struct ktrace_machine, and what belongs to it
 * @program_bytes: all of it
 * @violations: index of the event that tells violations; KTRACE_MACHINE_NO_SOURCE: none is told
 * @number: out: of the machine in this session, from 0
 * @reserved: 0
 *
 * KTRACE_IOC_MACHINE_ADD (ABI 1.16): from START on, judge firings by a machine, where they happen.
 * `event` of its sources is the index of an event, which EVENT_ADD returned.  After EVENT_ADD and
 * before the first START (EBUSY, also while the session is kept).  E2BIG: the session has
 * KTRACE_MAX_MACHINES machines.  EPERM, ENOMEM: as for SETUP, because the keys are locked memory,
 * too.  ENOSPC: the filters of an event, with those of its transitions, would cost too much; of one
 * firing, those of a machine cost what they do in the worst state.  ENODEV: the key is a task, and
 * this kernel does not tell when tasks end.  EINVAL: also where
 *
 *  - the program is not valid, or one of its common fields is not CPU, TID or TGID, or not 8 wide;
 *  - an event has a filter, a call chain, a sampling or counts, or is no event of its own;
 *  - firings of an event can be missed without being counted (KTRACE_STATS_BOUNDED);
 *  - the session leaves out firings: of its own process (see KTRACE_SETUP_TRACE_SELF), of CPUs
 *    that are present, by SCOPE_ADD, or, unless keys are the tasks that fire, by TASK_ADD.
 *    Later calls of these two fail likewise;
 *  - the session's clock is CLOCK_REALTIME.
 *
 * A machine judges with the time that is in the record.  What was lost because the ring was full
 * was judged all the same.  After any other loss (RECURSION, NESTED, TOO_BIG) all keys of the
 * machine are unknown until their next start, as they are at START.
 *
 * What is found is told when no earlier firing can follow: within KTRACE_MACHINE_ROUND ns and an
 * RCU grace period, and before STOP returns.  So is a deadline that passes without an event.  With
 * more than some 10,000 keys it takes longer, as looking at them takes at most a fiftieth of a CPU.
 */
struct ktrace_machine_add {
	__u32 size;
	__u32 flags;
	__aligned_u64 program;
	__u32 program_bytes;
	__u32 violations;
	__u32 number;
	__u32 reserved;
};

/*
 * Do not store the samples of the machine's events, only judge them; `recorded` of STATS counts
 * those that were judged.  An event of several machines is not stored if all of them say so.  Where
 * an event has one source in all machines, what its filter rejects is counted as `filtered`.
 */
#define KTRACE_MACHINE_ONLY	(1U << 0)

#define KTRACE_MAX_MACHINES	16
#define KTRACE_MACHINE_ROUND	20000000	/* ns */

/**
 * struct ktrace_machine_read - what a machine has found; KTRACE_IOC_MACHINE_READ
 * @size: of this structure, in bytes
 * @number: in: of MACHINE_ADD
 * @keys: out: all there were; the sum of the five that follow
 * @ok: out: judged, and nothing was missed since the first start
 * @violated: out
 * @not_started: out: the event that makes it known never came
 * @lost: out: a firing of it may have been missed
 * @unordered: out: firings of it came against the order of their times
 * @violations: out: of all keys
 * @refused: out: firings for whose keys was no room
 * @untold: out: violations that could not be kept until they were certain; their keys are lost
 * @losses: out: how often all keys became unknown
 *
 * KTRACE_IOC_MACHINE_READ (ABI 1.16): how the keys of a machine have fared.  After SETUP.  While
 * the session runs, the numbers are a recent view; after STOP they are final.  A task is one key,
 * and the next one of its number another one.  EINVAL: there is no such machine.
 */
struct ktrace_machine_read {
	__u32 size;
	__u32 number;
	__aligned_u64 keys;
	__aligned_u64 ok;
	__aligned_u64 violated;
	__aligned_u64 not_started;
	__aligned_u64 lost;
	__aligned_u64 unordered;
	__aligned_u64 violations;
	__aligned_u64 refused;
	__aligned_u64 untold;
	__aligned_u64 losses;
};

/**
 * struct ktrace_violation - the raw data of a violation, behind the common fields
 * @machine: number of MACHINE_ADD
 * @source: of the machine, by whose event; KTRACE_MACHINE_NO_SOURCE: a deadline was missed
 * @state: in which the key was
 * @reserved: 0
 * @when: the time of the event or the deadline, ns; the sample's own time is when it was told
 * @age: since the state was entered, ns
 * @key: its numbers; those that it does not have are 0.  The idle tasks have 0, and 1 plus their
 *	CPU in the second one
 *
 * It begins at the first multiple of 8 behind the common fields.
 */
struct ktrace_violation {
	__u32 machine;
	__u32 source;
	__u32 state;
	__u32 reserved;
	__aligned_u64 when;
	__aligned_u64 age;
	__aligned_u64 key[KTRACE_MACHINE_MAX_PARTS];
};

/**
 * struct ktrace_chain_read - a request for call chains; KTRACE_IOC_CHAIN_READ
 * @size: of this structure, in bytes
 * @index: of EVENT_ADD
 * @entries: pointer: struct ktrace_chain_entry, each with its addresses
 * @position: in and out: 0, then what the call before returned
 * @room: bytes at `entries`
 * @nr: out: chains that were written
 * @used: out: chains that the table has
 * @reserved: 0
 * @dropped: out: firings of the event that were not counted because their chain had no room
 *
 * KTRACE_IOC_CHAIN_READ (ABI 1.17): read the chains of the keys of an event, those that came
 * first at first.  None goes away, so that a later call with the `position` that the last one
 * returned gives those that have come since; `nr` is 0 if there are none.  A chain may come
 * twice, with two numbers.  After COUNT_READ, all chains in the keys that it gave are there.
 * EINVAL: the event's keys have no chains, the position is none that was returned, or `room` is
 * less than a chain.
 */
struct ktrace_chain_read {
	__u32 size;
	__u32 index;
	__aligned_u64 entries;
	__aligned_u64 position;
	__u32 room;
	__u32 nr;
	__u32 used;
	__u32 reserved;
	__aligned_u64 dropped;
};

/**
 * struct ktrace_chain_entry - a call chain
 * @number: in keys
 * @time: when it was stored, by the session's clock
 * @nr: of its addresses, the innermost first; at most KTRACE_COUNT_CHAIN_MAX
 * @tgid: of the process whose addresses these are; 0: the kernel's
 * @start_time: KTRACE_FIELD_START_TIME of this process; kernel: 0
 * @exec: a number that changes when the process executes another program; kernel: 0
 */
struct ktrace_chain_entry {
	__aligned_u64 number;
	__aligned_u64 time;
	__u32 nr;
	__u32 tgid;
	__aligned_u64 start_time;
	__aligned_u64 exec;
	/* Then come the addresses, as __u64. */
};

#define KTRACE_COUNT_CHAIN_MAX	127

/**
 * struct ktrace_task_add - a task to record; KTRACE_IOC_TASK_ADD
 * @size: of this structure, in bytes
 * @flags: KTRACE_TASK_*
 * @pid: thread id, in the initial pid namespace
 * @reserved: 0
 *
 * KTRACE_IOC_TASK_ADD: record only tasks that were added so (by default: all tasks).  After
 * SETUP, any number of times.  ESRCH: there is no such task.  EPERM, ENOMEM: as for SETUP,
 * for the first task.
 */
struct ktrace_task_add {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 reserved;
};

/*
 * Also record every task that this task makes from now on, or that the kernel makes for it
 * (the workers of io_uring, and from Linux 6.4 on those of vhost).
 */
#define KTRACE_TASK_INHERIT	(1U << 0)
#define KTRACE_TASK_ON_EXEC	(1U << 1)	/* record it only from its next exec on */
#define KTRACE_TASK_PROCESS	(1U << 2)	/* all threads of the process, not only this one */
#define KTRACE_TASK_ALL \
	(KTRACE_TASK_INHERIT | KTRACE_TASK_ON_EXEC | KTRACE_TASK_PROCESS)

/**
 * struct ktrace_scope_add - a condition for tasks to record; KTRACE_IOC_SCOPE_ADD
 * @size: of this structure, in bytes
 * @kind: enum ktrace_scope_kind
 * @cgroup: CGROUP: descriptor of its directory, not kept; else 0
 * @reserved: 0
 * @comm: COMM: the name, padded with zeros; else all zeros
 *
 * KTRACE_IOC_SCOPE_ADD (ABI 1.1): record only tasks that meet this condition at the moment
 * when an event fires (by default: all tasks).  After SETUP and before the first START
 * (EBUSY), up to KTRACE_SCOPE_MAX times for each kind (E2BIG).  Conditions of one kind are
 * alternatives.  A task has to meet one of each kind that was added, and has to be one of
 * TASK_ADD's if there are any.  EBADF: `cgroup` is no directory of the cgroup v2 hierarchy.
 * EOPNOTSUPP: the kernel has no cgroups.
 */
struct ktrace_scope_add {
	__u32 size;
	__u32 kind;
	__s32 cgroup;
	__u32 reserved;
	char comm[16];
};

/**
 * enum ktrace_scope_kind - the kinds of conditions for tasks
 * @KTRACE_SCOPE_COMM: the task has this name
 * @KTRACE_SCOPE_CGROUP: the task is in this cgroup, or in one below it
 */
enum ktrace_scope_kind {
	KTRACE_SCOPE_COMM	= 0,
	KTRACE_SCOPE_CGROUP	= 1,
};

#define KTRACE_SCOPE_MAX	8

/**
 * struct ktrace_stats - the ledger of an event on a CPU; KTRACE_IOC_STATS and SNAPSHOT_STATS
 * @size: of this structure, in bytes
 * @index: in: event
 * @cpu: in
 * @flags: out: KTRACE_STATS_*
 * @recorded: stored in the ring
 * @filtered: rejected by the filter, or left out by SAMPLE
 * @out_of_scope: fired in a task that is not recorded
 * @lost: by reason
 * @unplaced: those that no PERF_RECORD_LOST reports
 * @first_lost: times of the first and last unplaced one; 0: none
 * @last_lost: likewise
 *
 * KTRACE_IOC_STATS: the ledger of one event on one CPU.  After SETUP.  EINVAL: there is no
 * such event or CPU in the session.  While the session runs the numbers are a recent view;
 * after STOP they are final and
 *
 *	firings that the module saw =
 *		recorded + filtered + out_of_scope + sum(lost)
 *
 * where `recorded` is how many were counted if the event is (COUNT_ADD).
 *
 * For an event captured by counter, perf drops firings in its own recursion check before
 * the module sees them; then KTRACE_STATS_BOUNDED is set in `flags`.
 */
struct ktrace_stats {
	__u32 size;
	__u32 index;
	__u32 cpu;
	__u32 flags;
	__aligned_u64 recorded;
	__aligned_u64 filtered;
	__aligned_u64 out_of_scope;
	__aligned_u64 lost[KTRACE_LOST_NR];
	__aligned_u64 unplaced[KTRACE_LOST_NR];
	__aligned_u64 first_lost;
	__aligned_u64 last_lost;
};

#define KTRACE_STATS_BOUNDED	(1U << 0)	/* `recorded` is exact, but firings were missed */

/**
 * struct ktrace_snapshot - an instant of rings that are written; KTRACE_IOC_SNAPSHOT
 * @size: of this structure, in bytes
 * @reserved: 0
 * @time: out: ns, read before the first CPU's snapshot
 *
 * KTRACE_IOC_SNAPSHOT (ABI 1.2): note how far the rings and their ledgers have come, while
 * they are being written.  For each CPU, at one instant, the kernel sets snapshot_head and
 * keeps a copy of the ledger.  SNAPSHOT_STATS returns that copy as STATS returns the
 * ledger, but without `unplaced`.  Its `recorded` counts exactly the samples before
 * snapshot_head.  So of all samples that were ever stored,
 *
 *	recorded - (samples found from data_tail to snapshot_head)
 *
 * were overwritten.  SNAPSHOT also ends a POLLPRI.  After SETUP.  EINTR: a signal came.
 */
struct ktrace_snapshot {
	__u32 size;
	__u32 reserved;
	__aligned_u64 time;
};

/**
 * struct ktrace_mark - a time before which all is visible; KTRACE_IOC_MARK
 * @size: of this structure, in bytes
 * @reserved: 0
 * @time: out: ns
 *
 * KTRACE_IOC_MARK: the merge mark.  Reads the session's clock into `time`, then waits
 * until every record with an earlier time is visible in the rings (an RCU grace period:
 * tens of milliseconds, which a signal does not cut short).  A reader that then loads the
 * heads of all rings, and merges all records older than `time`, has them in order: no older
 * one can follow.
 */
struct ktrace_mark {
	__u32 size;
	__u32 reserved;
	__aligned_u64 time;
};

/**
 * struct ktrace_clock - the clocks at one instant; KTRACE_IOC_CLOCK
 * @size: of this structure, in bytes
 * @reserved: 0
 * @trace: out: ns
 * @monotonic: out: CLOCK_MONOTONIC, ns
 * @raw: out: CLOCK_MONOTONIC_RAW, ns
 * @boottime: out: CLOCK_BOOTTIME, ns
 * @realtime: out: CLOCK_REALTIME, ns
 *
 * KTRACE_IOC_CLOCK: read the session's clock and then, within a few hundred ns, the others.
 * After SETUP.
 */
struct ktrace_clock {
	__u32 size;
	__u32 reserved;
	__aligned_u64 trace;
	__aligned_u64 monotonic;
	__aligned_u64 raw;
	__aligned_u64 boottime;
	__aligned_u64 realtime;
};

/**
 * struct ktrace_describe - what is needed to read the records; KTRACE_IOC_DESCRIBE
 * @size: of this structure, in bytes
 * @bytes: at @data
 * @data: pointer
 * @reserved: 0
 *
 * KTRACE_IOC_DESCRIBE (ABI 1.6): keep a copy of what is needed to read this session's
 * records, such as the formats of its events, for those who find its rings without its
 * process: in the memory of a kernel that has died (<linux/ktrace_vmcore.h>).  The module
 * does not look at it; `ktrace` stores the beginning of a perf.data pipe.  After SETUP, once
 * (EEXIST), and not while the session is kept (EBUSY).  EINVAL: `bytes` is 0 or above
 * KTRACE_DESCRIBE_MAX.  EPERM, ENOMEM: as for SETUP, because the copy is locked memory, too.
 */
struct ktrace_describe {
	__u32 size;
	__u32 bytes;
	__aligned_u64 data;
	__aligned_u64 reserved;
};

#define KTRACE_DESCRIBE_MAX	(16U << 20)	/* bytes */

/* Bytes of the name of a kept session, with its NUL; how many there can be. */
#define KTRACE_KEEP_NAME	32
#define KTRACE_KEEP_MAX		64

/**
 * struct ktrace_keep - a name under which a session lives on; KTRACE_IOC_KEEP
 * @size: of this structure, in bytes
 * @reserved: 0
 * @name: letters, digits, '_', '-' and '.'; ends with a NUL
 *
 * KTRACE_IOC_KEEP (ABI 1.7): from here on the session does not end when its file is closed, but
 * only by KTRACE_IOC_FORGET.  It records as before, until its rings are full or, with
 * KTRACE_SETUP_OVERWRITE, for ever.  Its memory stays charged to the user, and the module cannot
 * be unloaded.  After SETUP, once (EBUSY).  EINVAL: such a name is not possible.  EEXIST: another
 * session has it.  ENOSPC: there are KTRACE_KEEP_MAX kept sessions.  EPERM: the session takes
 * more than kernel.perf_event_mlock_kb allows to the user, so that some of it counts for the
 * RLIMIT_MEMLOCK of a process that may end, and the caller lacks CAP_IPC_LOCK.  From then on
 * no event can be added, and nothing that would count so.
 */
struct ktrace_keep {
	__u32 size;
	__u32 reserved;
	char name[KTRACE_KEEP_NAME];
};

/**
 * struct ktrace_kept_open - which kept session to open; KTRACE_IOC_KEPT_OPEN
 * @size: of this structure, in bytes
 * @reserved: 0
 * @name: as KEEP got it
 *
 * KTRACE_IOC_KEPT_OPEN (ABI 1.7): returns a new file descriptor of a kept session, with
 * O_CLOEXEC, that takes every ioctl and mmap() as the one that called KEEP.  The rings go on
 * where the last reader has left `data_tail`.  The process becomes the one that the session does
 * not record, unless it has KTRACE_SETUP_TRACE_SELF.  The file that this ioctl is called on may
 * be of any session and stays as it is.  ENOENT: there is none of this name.  EBUSY: another
 * file of it is open, because rings have one reader.  EPERM: it was kept by another user, and
 * the caller lacks CAP_SYS_ADMIN.
 */
struct ktrace_kept_open {
	__u32 size;
	__u32 reserved;
	char name[KTRACE_KEEP_NAME];
};

/**
 * struct ktrace_kept_info - one of the kept sessions; KTRACE_IOC_KEPT_INFO
 * @size: of this structure, in bytes
 * @nth: which one, from 0, in the order in which they were kept
 * @name: out: as KEEP got it
 * @uid: out: of the user that kept it, in the initial user namespace
 * @flags: out: KTRACE_KEPT_*
 * @reader: out: the process that called KEEP or KEPT_OPEN, if its file is still open; else 0
 * @reserved: 0
 * @since: out: when KEEP was called, CLOCK_BOOTTIME in ns
 *
 * KTRACE_IOC_KEPT_INFO (ABI 1.7): lists the kept sessions, of all users.  It may be called on a
 * file of any session.  ENOENT: there are no more.
 */
struct ktrace_kept_info {
	__u32 size;
	__u32 nth;
	char name[KTRACE_KEEP_NAME];
	__u32 uid;
	__u32 flags;
	__s32 reader;
	__u32 reserved;
	__aligned_u64 since;
};

#define KTRACE_KEPT_RUNNING	(1U << 0)	/* between START and STOP */

/**
 * struct ktrace_recall - what a session was told; KTRACE_IOC_RECALL
 * @size: of this structure, in bytes
 * @flags: out: KTRACE_RECALL_*
 * @pages: out: of the data of each ring, as SETUP got it
 * @clockid: out: of SETUP
 * @nr_events: out: how many events were added; their indexes are 0 to nr_events - 1
 * @cpus_bytes: bytes of room at @cpus, a multiple of 8
 * @cpus: pointer to u64 words, which get the mask of CPUs that have a ring
 * @bytes: bytes of room at @data, 0: only tell the size; out: bytes of the description, 0: none
 * @reserved: 0
 * @data: pointer; gets what DESCRIBE has stored
 *
 * KTRACE_IOC_RECALL (ABI 1.7): everything that a reader needs who has not set up the session.
 * After SETUP.  ENOSPC: one of the rooms is too small.
 */
struct ktrace_recall {
	__u32 size;
	__u32 flags;
	__u32 pages;
	__s32 clockid;
	__u32 nr_events;
	__u32 cpus_bytes;
	__aligned_u64 cpus;
	__u32 bytes;
	__u32 reserved;
	__aligned_u64 data;
};

#define KTRACE_RECALL_RUNNING	(1U << 0)	/* between START and STOP */
#define KTRACE_RECALL_OVERWRITE	(1U << 1)	/* KTRACE_SETUP_OVERWRITE */

/**
 * struct ktrace_event_info - an event as the session has it; KTRACE_IOC_EVENT_INFO
 * @size: of this structure, in bytes
 * @index: in: of EVENT_ADD
 * @type: out: of EVENT_ADD
 * @path: out: of EVENT_ADD
 * @config: out: of EVENT_ADD
 * @id: out: of EVENT_ADD
 * @sample_type: out: of EVENT_ADD
 * @fields: out: of EVENT_ADD
 * @user_strings: out: of EVENT_ADD
 * @flags: out: KTRACE_EVENT_INFO_*
 *
 * KTRACE_IOC_EVENT_INFO (ABI 1.9): what a reader needs to know of an event that it has not added.
 * With the event's format, which tracefs has under the same `config`, that is enough to read its
 * records.  Sessions that the module itself has begun, when it was loaded, have no description
 * (RECALL) but this.  Their events have the ids from KTRACE_ID_BASE on.  After SETUP.  EINVAL:
 * there is no such event.
 */
struct ktrace_event_info {
	__u32 size;
	__u32 index;
	__u32 type;
	__u32 path;
	__aligned_u64 config;
	__aligned_u64 id;
	__aligned_u64 sample_type;
	__aligned_u64 fields;
	__u32 user_strings;
	__u32 flags;
};

#define KTRACE_EVENT_INFO_COUNTED	(1U << 0)	/* by COUNT_ADD: it has no records */

/*
 * KTRACE_IOC_START: from here on events are recorded, all from the same instant.
 * EBUSY: before SETUP, or while the session runs.  ENOMEM.  ENODEV: fields are counted for tasks,
 * and this kernel has no sched_switch.
 *
 * KTRACE_IOC_STOP: ends recording, and returns when no further record can appear.  START
 * may follow.  EBUSY: before SETUP.
 *
 * KTRACE_IOC_FORGET (ABI 1.7): the session is not kept any more: it ends when its last file is
 * closed.  Its name is free.  EINVAL: it is not kept.
 *
 * poll() reports POLLIN when a ring holds `wakeup_bytes` and, once the session is stopped,
 * when one holds anything; POLLPRI, also beside POLLIN, once a sample of a
 * KTRACE_EVENT_TRIGGER event has been stored; POLLERR before SETUP.
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
#define KTRACE_IOC_COUNT_ADD	_IOWR(KTRACE_IOC_MAGIC, 14, struct ktrace_count_add)
#define KTRACE_IOC_COUNT_READ	_IOWR(KTRACE_IOC_MAGIC, 15, struct ktrace_count_read)
#define KTRACE_IOC_DESCRIBE	_IOWR(KTRACE_IOC_MAGIC, 16, struct ktrace_describe)
#define KTRACE_IOC_KEEP		_IOWR(KTRACE_IOC_MAGIC, 17, struct ktrace_keep)
#define KTRACE_IOC_KEPT_OPEN	_IOWR(KTRACE_IOC_MAGIC, 18, struct ktrace_kept_open)
#define KTRACE_IOC_KEPT_INFO	_IOWR(KTRACE_IOC_MAGIC, 19, struct ktrace_kept_info)
#define KTRACE_IOC_RECALL	_IOWR(KTRACE_IOC_MAGIC, 20, struct ktrace_recall)
#define KTRACE_IOC_FORGET	_IO(KTRACE_IOC_MAGIC, 21)
#define KTRACE_IOC_EVENT_INFO	_IOWR(KTRACE_IOC_MAGIC, 22, struct ktrace_event_info)
#define KTRACE_IOC_MACHINE_ADD	_IOWR(KTRACE_IOC_MAGIC, 23, struct ktrace_machine_add)
#define KTRACE_IOC_MACHINE_READ	_IOWR(KTRACE_IOC_MAGIC, 24, struct ktrace_machine_read)
#define KTRACE_IOC_CHAIN_READ	_IOWR(KTRACE_IOC_MAGIC, 25, struct ktrace_chain_read)

#endif /* _UAPI_LINUX_KTRACE_H */
