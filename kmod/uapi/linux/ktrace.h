/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/**
 * DOC: ktrace, per-CPU capture of kernel events
 *
 * This header is the contract between ktrace.ko and user space, and its manual.
 * The tool is compiled against this file; there is no other copy.
 *
 * An open file of /dev/ktrace is a session.  A session captures any number of events, on any
 * number of CPUs, through one file descriptor.  The life of a session::
 *
 *	fd = open("/dev/ktrace", O_RDWR | O_CLOEXEC);
 *	ioctl(fd, KTRACE_IOC_INFO, &info);	versions and features of this module
 *	ioctl(fd, KTRACE_IOC_SETUP, &setup);	allocate one ring per CPU
 *	ioctl(fd, KTRACE_IOC_EVENT_ADD, &add);	once per event
 *	ioctl(fd, KTRACE_IOC_TASK_ADD, &task);	optional: record only this task
 *	ioctl(fd, KTRACE_IOC_COUNT_ADD, &count); optional: count by a key, store nothing
 *	ioctl(fd, KTRACE_IOC_SCOPE_ADD, &scope); optional: record only matching tasks
 *	ioctl(fd, KTRACE_IOC_MACHINE_ADD, &machine); optional: judge sequences of events
 *	mmap(fd, KTRACE_MMAP_OFFSET(cpu, ...));	three regions per CPU
 *	ioctl(fd, KTRACE_IOC_START);
 *	poll(fd), KTRACE_IOC_MARK, read the rings, advance data_tail ...
 *	ioctl(fd, KTRACE_IOC_STOP);
 *	ioctl(fd, KTRACE_IOC_STATS, &stats);	the ledger, exact after STOP
 *	close(fd);				everything is undone, unless KEEP was called
 *
 * Permission.  The caller needs CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace, and
 * has to be in the initial pid namespace (EPERM otherwise).  A kernel that is locked down for
 * tracefs or perf also refuses with EPERM.  Where kernel.perf_event_paranoid is above 2, the
 * caller needs CAP_SYS_ADMIN (EACCES otherwise), as for perf on kernels that have such a level.
 * A security module that does not let the caller trace refuses with EACCES (SELinux: the
 * permission `tracepoint` of the class perf_event).  All of this is checked at open and again at
 * every EVENT_ADD, KEEP and KEPT_OPEN.
 *
 * An argument of a function may make the kernel read its own memory (nr_loads), at any address.
 * EVENT_ADD therefore demands the rights that the kernel demands for BPF programs that read
 * kernel memory.  These are CAP_SYS_ADMIN, or CAP_PERFMON and CAP_BPF, and no lockdown that
 * forbids such reads (EPERM otherwise).
 *
 * Structures.  Each begins with `size`, which the caller sets to the sizeof() that it was
 * compiled with.  A module that knows a shorter structure accepts a longer one if the bytes that
 * it does not know are zero (E2BIG otherwise).  A module that knows a longer structure takes the
 * missing bytes as zero, and writes back only `size` bytes.  An ioctl is recognised by its type
 * and number only, so its structure can grow.  Reserved members and unknown flag bits must be
 * zero (EINVAL).  Numbers are never reused.  All layouts are the same for 32-bit and 64-bit user
 * space; every 64-bit member is 8-aligned.
 *
 * Errors.  Every ioctl can return: EFAULT, the pointer is bad; EINVAL, the size is wrong, a bit
 * is unknown, or a value is out of range; ENOTTY, the number is unknown; EBUSY, the session is in
 * the wrong state for this ioctl.  Each ioctl names the state that it needs.
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
 * ABI: the version of the ioctls and the mapped pages.  The major number changes when an old
 * tool can no longer work, the minor number when something was added.
 * SCHEMA: the version of the meaning of records.  It changes when a decoder that knows only the
 * older number would misread a record.
 */
#define KTRACE_ABI_MAJOR	1
#define KTRACE_ABI_MINOR	18
#define KTRACE_SCHEMA		1

#define KTRACE_DEVICE		"/dev/ktrace"
/*
 * The ioctls have the numbers 00 to 1F of the range 0xF7.  The kernel's ioctl-number.rst lists
 * no user of this range.
 */
#define KTRACE_IOC_MAGIC	0xF7

/**
 * DOC: Records
 *
 * A ring holds ordinary perf records.  Each begins with struct perf_event_header, its size is a
 * multiple of 8, and a reader of perf.data can read it.  There are two types.
 *
 * PERF_RECORD_SAMPLE, with the sample_type that EVENT_ADD was given::
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
 *	nr, ips[nr]	u64s	only with PERF_SAMPLE_CALLCHAIN: as perf's, with
 *				PERF_CONTEXT_KERNEL and _USER, and at most 127
 *				frames; the user's frames are found by frame pointers
 *	raw_size	u32	raw_size + 4 is a multiple of 8
 *	raw[raw_size]		the event's data as in its tracefs format file,
 *				padded with zeros; then the trailer
 *	abi, lr		u64 x 2	only with PERF_SAMPLE_REGS_USER, on arm64: as perf's
 *				for sample_regs_user = KTRACE_SAMPLE_REGS_USER
 *
 * The register `lr` is the user's link register, without a signature.  Readers find the caller of
 * a function without a frame by it.  A thread of the kernel has no user registers: both words are
 * 0, and perf skips the second one.
 *
 * The trailer consists of the common fields in the `fields` of EVENT_ADD.  Each has a slot of
 * KTRACE_FIELD_SLOT() bytes.  The slots are in the order of the fields' numbers, except that
 * KTRACE_FIELD_SEQ is last.  The last slot ends exactly where raw ends.  There is no trailer when
 * `fields` is 0.
 *
 * PERF_RECORD_LOST.  When samples of an event were lost on this CPU, one such record for each
 * reason is written directly before the event's next sample that could be stored::
 *
 *	header		8
 *	id		u64	the event
 *	lost		u64	number of lost samples
 *	reason		u64	enum ktrace_lost
 *	first, last	u64 x 2	time of the first and last one lost
 *	pid, tid	u32 x 2	} the sample_id of KTRACE_SAMPLE_TYPE;
 *	time		u64	} perf finds it from the record's end and
 *	cpu, 0		u32 x 2	} skips the members that it does not know
 *	id		u64	}
 *
 * Losses after an event's last stored sample are never placed in the ring; STATS reports them
 * (`unplaced`).
 *
 * Compact records (ABI 1.13) omit members that a reader can do without.  The sample_type of
 * EVENT_ADD chooses them.  All events of a session have the same sample_type, except for
 * PERF_SAMPLE_CALLCHAIN and _REGS_USER::
 *
 *	KTRACE_SAMPLE_TYPE		all of the above
 *	KTRACE_SAMPLE_TYPE_COMPACT	samples without ip, cpu and period, a sample_id without cpu
 *	KTRACE_SAMPLE_TYPE_ALONE	the same without id, also in the sample_id; one event only
 *
 * The number of the CPU is then in header.misc, at KTRACE_MISC_CPU_SHIFT.  perf does not read
 * these bits for these two types.  On machines with CPU numbers of KTRACE_MISC_CPUS or more,
 * EVENT_ADD refuses such records.  A compact sample has no period, so SAMPLE refuses its event.
 */
#define KTRACE_SAMPLE_TYPE						     \
	(1ULL << 16 /* PERF_SAMPLE_IDENTIFIER */ | 1ULL << 0 /* _IP */ |     \
	 1ULL << 1 /* _TID */ | 1ULL << 2 /* _TIME */ | 1ULL << 7 /* _CPU */ | \
	 1ULL << 8 /* _PERIOD */ | 1ULL << 10 /* _RAW */)

#define KTRACE_SAMPLE_TYPE_ALONE					     \
	(1ULL << 1 /* PERF_SAMPLE_TID */ | 1ULL << 2 /* _TIME */ | 1ULL << 10 /* _RAW */)
#define KTRACE_SAMPLE_TYPE_COMPACT					     \
	(KTRACE_SAMPLE_TYPE_ALONE | 1ULL << 16 /* PERF_SAMPLE_IDENTIFIER */)

/* The register in samples with PERF_SAMPLE_REGS_USER (ABI 1.14): arm64's link register. */
#define KTRACE_SAMPLE_REGS_USER		(1ULL << 30 /* PERF_REG_ARM64_LR */)

/* Compact records: the lowest bit of the CPU number in header.misc, and how many CPUs fit. */
#define KTRACE_MISC_CPU_SHIFT		3
#define KTRACE_MISC_CPUS		2048

/*
 * Bytes before raw[] in a PERF_RECORD_SAMPLE without a call chain; bytes of a
 * PERF_RECORD_LOST.  Both are for KTRACE_SAMPLE_TYPE.
 */
#define KTRACE_SAMPLE_RAW_OFFSET	60
#define KTRACE_LOST_SIZE		80

/**
 * ktrace_sample_id_size() - bytes of the id in records
 * @sample_type: of EVENT_ADD
 *
 * Return: 8, or 0 if the records have no id.
 */
static inline __u32 ktrace_sample_id_size(__u64 sample_type)
{
	return sample_type & 1ULL << 16 /* PERF_SAMPLE_IDENTIFIER */ ? 8 : 0;
}

/**
 * ktrace_sample_part_size() - bytes of each member that compact records omit
 * @sample_type: of EVENT_ADD
 *
 * Return: 8, or 0 if the records are compact.
 */
static inline __u32 ktrace_sample_part_size(__u64 sample_type)
{
	return sample_type & 1ULL << 7 /* PERF_SAMPLE_CPU */ ? 8 : 0;
}

/**
 * ktrace_sample_raw_offset() - KTRACE_SAMPLE_RAW_OFFSET for any sample_type
 * @sample_type: of EVENT_ADD
 *
 * Return: bytes before raw[] in a sample without a call chain: 60, 36 or 28.
 */
static inline __u32 ktrace_sample_raw_offset(__u64 sample_type)
{
	return 28 + ktrace_sample_id_size(sample_type) + 3 * ktrace_sample_part_size(sample_type);
}

/**
 * ktrace_sample_time_offset() - the offset of the time in a PERF_RECORD_SAMPLE
 * @sample_type: of EVENT_ADD
 *
 * Return: the offset in bytes: 32, 24 or 16.
 */
static inline __u32 ktrace_sample_time_offset(__u64 sample_type)
{
	return 16 + ktrace_sample_id_size(sample_type) + ktrace_sample_part_size(sample_type);
}

/**
 * ktrace_lost_size() - KTRACE_LOST_SIZE for any sample_type
 * @sample_type: of EVENT_ADD
 *
 * Return: the size in bytes: 80, 72 or 64.
 */
static inline __u32 ktrace_lost_size(__u64 sample_type)
{
	return 64 + ktrace_sample_id_size(sample_type) + ktrace_sample_part_size(sample_type);
}

/*
 * The ids of a session's events start here, so that they never collide with perf's ids in a
 * file.
 */
#define KTRACE_ID_BASE			(1ULL << 62)

/*
 * The numbers of the common fields: KTRACE_FIELD_TGID, KTRACE_FIELD_COMM and so on.  A number is
 * a bit of EVENT_ADD's `fields`, and names an operand of a filter.  <linux/ktrace_fields.def> has
 * a row for each field, with its meaning.
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

/* KTRACE_FIELD_NR_STORED: the fields with lower numbers can be stored in a trailer. */
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

/**
 * ktrace_field_slot() - bytes of a field's slot in the trailer, and its width in filters
 * @field: enum ktrace_field
 *
 * Return: the size in bytes, or 0 if there is no such field.
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
 * @KTRACE_LOST_NESTED: an interrupted context, or a call that has not returned, holds a resource
 *                      that this sample needs
 * @KTRACE_LOST_TOO_BIG: larger than the ring minus 320 bytes, or larger than 64 KiB
 * @KTRACE_LOST_RECURSION: recording itself fired it, see below (ABI 1.4)
 * @KTRACE_LOST_NO_SLOT: counting: the table has no room for its key (ABI 1.5)
 * @KTRACE_LOST_NO_START: counting: an END without a START of its pair (ABI 1.5)
 * @KTRACE_LOST_FROZEN: it fired while the session was frozen (ABI 1.18)
 * @KTRACE_LOST_NR: slots reserved in struct ktrace_stats
 *
 * KTRACE_LOST_RECURSION: the event fired while a sample of any session was being built in the
 * same context (task, softirq, hardirq or NMI) of the same CPU.  So building that sample fired
 * it.  For example, collecting a call chain whose user stack is not in memory fires
 * exceptions:page_fault_kernel.  The event's filter was not run.
 *
 * KTRACE_LOST_FROZEN: no PERF_RECORD_LOST reports these, and no filter was run, see "Actions of
 * machines".
 */
enum ktrace_lost {
	KTRACE_LOST_FULL	= 0,
	KTRACE_LOST_NESTED	= 1,
	KTRACE_LOST_TOO_BIG	= 2,
	KTRACE_LOST_RECURSION	= 3,
	KTRACE_LOST_NO_SLOT	= 4,
	KTRACE_LOST_NO_START	= 5,
	KTRACE_LOST_FROZEN	= 6,
	KTRACE_LOST_NR		= 8,
};

/**
 * enum ktrace_mmap_region - the three regions of a CPU
 * @KTRACE_MMAP_META: the page that the kernel writes
 * @KTRACE_MMAP_TAIL: the page that user space writes
 * @KTRACE_MMAP_DATA: the records
 *
 * Each CPU has three regions.  Each region is mapped separately, at KTRACE_MMAP_OFFSET()::
 *
 *	KTRACE_MMAP_META	one page, read-only (EPERM for PROT_WRITE, now and by
 *				mprotect): struct ktrace_ring_meta, written by the kernel.
 *	KTRACE_MMAP_TAIL	one page, read-write: struct ktrace_ring_tail, the only
 *				memory that user space writes.  The kernel does not trust
 *				the number in it: a wrong one can only cause samples of
 *				this ring to be lost (and counted so).
 *	KTRACE_MMAP_DATA	the ring, `pages` pages as given to SETUP, read-only.
 *				Records may wrap at its end: map it twice in a row to
 *				read every record in one piece.
 *
 * A child of fork() has none of the mappings, unless MADV_DOFORK requests it.
 *
 * To read, load-acquire meta->data_head.  The records are the bytes from data_tail up to
 * data_head, modulo the data size.  When they are no longer needed, store-release the new
 * data_tail.  Both numbers only grow.
 *
 * A ring that overwrites (KTRACE_SETUP_OVERWRITE) keeps its newest records.  Here the kernel
 * owns data_tail: before it overwrites the oldest records, it moves data_tail behind them,
 * always to the beginning of a record.  The page can only be mapped read-only.  Such a ring can
 * be read while records are being written::
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
 * struct ktrace_ring_meta - the kernel's state of a ring; KTRACE_MMAP_META
 * @size: bytes of this structure in use
 * @cpu: the CPU that writes the ring
 * @data_size: bytes, a power of two
 * @snapshot_head: data_head at the last SNAPSHOT (ABI 1.2)
 * @reserved: 0
 * @data_head: bytes ever written
 * @reserved2: 0
 *
 * The kernel writes it.  data_head changes all the time and has a cache line of its own.
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
 * User space writes it, unless the ring overwrites.
 */
struct ktrace_ring_tail {
	__aligned_u64 data_tail;
};

/**
 * struct ktrace_info - versions and features of the module; KTRACE_IOC_INFO
 * @size: of this structure, in bytes
 * @abi_major: out: KTRACE_ABI_MAJOR
 * @abi_minor: out: KTRACE_ABI_MINOR
 * @schema: out: KTRACE_SCHEMA
 * @features: out: KTRACE_FEATURE_*
 * @fields: out: 1 << enum ktrace_field, for each field that can be stored
 * @nr_cpu_ids: out: CPU numbers are below this
 * @max_pages: out: the largest `pages` that SETUP accepts
 * @version: out: the module's version, NUL-terminated
 *
 * KTRACE_IOC_INFO reports the capabilities of the module.  It works in any state.
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
#define KTRACE_FEATURE_ACTIONS		(1ULL << 9)	/* violations have actions (ABI 1.18) */

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
 * KTRACE_IOC_SETUP allocates the rings, once per session (EBUSY).  Before it only INFO,
 * EVENT_PATH, KEPT_OPEN and KEPT_INFO work.
 *
 * EINVAL: `pages` is no power of two or above max_pages, the clock is unknown, `wakeup_bytes` is
 * more than a ring holds, or no CPU of the mask is online (with KTRACE_SETUP_HOTPLUG: present).
 * ENOMEM.  EPERM: the caller may not lock so much memory.  E2BIG: the user has
 * KTRACE_MAX_FREEZABLE sessions with KTRACE_SETUP_FREEZABLE.
 *
 * Memory.  `pages` and 2 more for each CPU are locked memory by perf's rules.  So is all memory
 * that the session gets later: events with their filters and machine code, the kernel's nodes for
 * returns of functions, tables of counts, tasks (2 MB), and a description.  Each user has
 * kernel.perf_event_mlock_kb for each online CPU, which perf's rings and all of this share.  The
 * excess counts for the RLIMIT_MEMLOCK of the process that called SETUP.  RLIMIT_MEMLOCK does not
 * limit a caller with CAP_IPC_LOCK, nor any caller while kernel.perf_event_paranoid is -1.  All
 * memory of a session is also charged to the memory cgroup of the caller.
 *
 * Hotplug.  A CPU that goes offline keeps its ring, its ledger and its part in the session.  Its
 * records can be read at any time, and it goes on writing when it comes back.  Template probes
 * miss no event meanwhile.  Counters are removed from the CPU at some point while it goes
 * offline, and come back a few ms after it has come online.  Events that fire in between are not
 * seen at all (KTRACE_STATS_BOUNDED).
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
 * Also record the process that opened the session.  Without this flag it is not recorded while
 * it lives.  Interrupts that come while it runs are recorded in any case.
 */
#define KTRACE_SETUP_TRACE_SELF	(1U << 0)
/* The rings keep the newest records instead of the oldest (ABI 1.2). */
#define KTRACE_SETUP_OVERWRITE	(1U << 1)
/*
 * CPUs of the mask that are present but offline get rings, too.  Their events are captured
 * from the moment when they come online (ABI 1.3).
 */
#define KTRACE_SETUP_HOTPLUG	(1U << 2)
/* Machines of the user who opened the session can freeze it (ABI 1.18). */
#define KTRACE_SETUP_FREEZABLE	(1U << 3)
#define KTRACE_SETUP_ALL \
	(KTRACE_SETUP_TRACE_SELF | KTRACE_SETUP_OVERWRITE | KTRACE_SETUP_HOTPLUG | \
	 KTRACE_SETUP_FREEZABLE)

#define KTRACE_MAX_FREEZABLE	16	/* sessions of a user */

#define KTRACE_CLOCK_PERF	(-1)	/* local_clock(), the clock that perf uses without -k */

/**
 * struct ktrace_event_add - an event to capture; KTRACE_IOC_EVENT_ADD
 * @size: of this structure, in bytes
 * @flags: KTRACE_EVENT_*
 * @type: enum perf_type_id: PERF_TYPE_TRACEPOINT
 * @path: in: enum ktrace_path wanted; out: the one in use
 * @config: the tracefs id; of a function or violations: the common_type of its samples
 * @id: IDENTIFIER of its samples, >= KTRACE_ID_BASE
 * @sample_type: KTRACE_SAMPLE_TYPE [| PERF_SAMPLE_CALLCHAIN (ABI 1.3)], or its _COMPACT or
 *	_ALONE variant (ABI 1.13); with KTRACE_FEATURE_REGS_USER, PERF_SAMPLE_REGS_USER may be
 *	added to _CALLCHAIN
 * @fields: 1 << enum ktrace_field, for each field to store
 * @filter: pointer: struct ktrace_filter_insn[filter_insns]; 0: no filter
 * @pool: pointer: the string pool of the filter, pool_bytes bytes
 * @filter_insns: instructions of the filter
 * @pool_bytes: bytes of the pool
 * @index: out: number of the event in this session, from 0
 * @user_strings: bits of arguments whose strings are stored, see below (ABI 1.8); 0: none
 * @name: pointer: "system:event", by which a template is found; 0: none
 * @address: of a function of the kernel, see below (ABI 1.10); 0: none
 * @args: pointer: struct ktrace_function_arg[nr_args] of the function (ABI 1.12); 0: none
 * @nr_args: number of arguments; at most KTRACE_MAX_FUNCTION_ARGS
 * @reserved: 0
 *
 * KTRACE_IOC_EVENT_ADD adds one event on all CPUs of the session.  Capture begins at START.  To
 * be called after SETUP and before the first START (EBUSY, also while the session is kept).
 *
 * ENOENT: there is no such event.  ENODEV: it exists, but the requested path cannot capture it.
 * EEXIST: `id` is used already.  E2BIG: the session has KTRACE_MAX_EVENTS events.  EINVAL: also
 * if the filter was refused, or the session has events with other records.  ERANGE: compact
 * records have no room for this machine's CPU numbers.  ENOSPC: the filters of this event would
 * cost too much.  EOPNOTSUPP: no counter of a CPU can count a requested field.  EUSERS: others
 * have pinned all counters that could.  ENOBUFS: the caller may not lock so much memory, see
 * SETUP.
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

/**
 * DOC: Strings of system calls
 *
 * Before Linux 6.19, samples of syscalls:sys_enter_* store only the addresses of strings.  With
 * 1 << i in `user_strings` (ABI 1.8), the string that argument i points to is stored as well.
 * Arguments count from 0, and at most KTRACE_MAX_USER_STRINGS can be chosen.  For each of them
 * the raw data has four more bytes behind the last argument.  Their lower half is the offset of
 * the string in the raw data, the upper half its size, as in a field of the type
 * __data_loc char[].  The strings follow.  Linux 6.19 and later store the same layout by
 * themselves.
 *
 * The size includes the NUL.  It is 0 if the string was not in memory, because a sample is built
 * without waiting; an empty string has the size 1.  A string longer than KTRACE_MAX_USER_STRING
 * bytes is cut to this length, and "..." is appended.
 *
 * ENODEV: the event is no such system call, the kernel stores strings by itself, or the call has
 * no such argument.
 */
#define KTRACE_MAX_USER_STRINGS	3
#define KTRACE_MAX_USER_STRING	165	/* bytes, without the NUL */

/**
 * DOC: Functions of the kernel
 *
 * With KTRACE_EVENT_FUNCTION (ABI 1.10), the event is the entry of the function that begins at
 * `address`.  With KTRACE_EVENT_RETURN as well, it is the function's return.  All functions of a
 * session are enabled and disabled together, in the time that ftrace takes for one.  The raw data
 * begins with the common fields.  Then comes, aligned like an unsigned long, the data of an event
 * of kprobes or kretprobes; ip and func are the address at which ftrace has its call::
 *
 *	unsigned long ip;
 *	unsigned long func, ret_ip; __u64 ret;
 *
 * ret is the value of the register in which functions return a value.  Some returns are lost as
 * KTRACE_LOST_NESTED: returns from functions that run in an NMI, and returns while too many other
 * calls of the session have not returned (512 for each function whose return is an event, at most
 * 4096).  The kernel itself calls some functions at each return, for example where it checks
 * locks.  Their returns would lead to themselves, so they are lost, too, once this is found out.
 *
 * The function of an unloaded module never fires again, even if another function gets its
 * address.  START returns ENOENT when no function of a session is left.
 *
 * ENODEV: it is no function that may be traced, or this kernel has no such probes (INFO lacks
 * KTRACE_FEATURE_FUNCTION).  START returns EBUSY while sysctl kernel.ftrace_enabled is 0.
 *
 * The values of arguments (ABI 1.12, KTRACE_FEATURE_FUNCTION_ARGS) follow ip, or replace ret.
 * They are stored one behind the other without padding, as in events of kprobes.
 */

#define KTRACE_MAX_FUNCTION_ARGS	32
#define KTRACE_MAX_ARG_LOADS		5

/**
 * struct ktrace_function_arg - a value to store at a function's entry or return (ABI 1.12)
 * @reg: the register to begin with, an enum perf_event_x86_regs of a general register
 * @size: bytes that are stored: 1, 2, 4 or 8
 * @nr_loads: how often memory of the kernel is read, which needs CAP_SYS_ADMIN, or CAP_PERFMON and
 *	CAP_BPF (EPERM); 0: the register is the value
 * @reserved: 0
 * @offsets: for each load, the number that is first added to the register or to the value of the
 *	load before.  All loads but the last read an address; the last one reads @size bytes.
 *	Memory that cannot be read gives 0.
 */
struct ktrace_function_arg {
	__u8 reg;
	__u8 size;
	__u8 nr_loads;
	__u8 reserved;
	__s32 offsets[KTRACE_MAX_ARG_LOADS];
};

/**
 * DOC: Fields that are counted
 *
 * KTRACE_FIELD_CYCLES and _INSTRUCTIONS (ABI 1.11) hold how far the counters
 * PERF_COUNT_HW_CPU_CYCLES and _INSTRUCTIONS have advanced, in user space and the kernel.  They
 * count since the field was last read in the same context of the session, by any of its events.
 * The context is the task if TASK_ADD limited the session to tasks before START, and the
 * CPU otherwise.  A task's count covers the time from the sched_switch to it up to the switch
 * away from it, on all CPUs together, with the interrupts in between.
 *
 * The counter is read after the other fields of a record were filled in.  So about half of the
 * cost of a record is in its own value, and half in the next one.  If a record interrupts the
 * building of another record, its counter is read first.
 *
 * The value is KTRACE_COUNT_UNKNOWN:
 *
 *  - in the first record of the context since START;
 *  - after the CPU's counter stood still: the CPU was offline, or came back some ms ago, or perf
 *    has taken the counter away;
 *  - in an NMI that has interrupted the reading for another record.  Its count is then part of
 *    the next value;
 *  - for some tasks, while some thousands of living tasks have stored values.
 *
 * All other values are exact: the counters are pinned, so no value is an estimate.
 *
 * The counters run on all CPUs from EVENT_ADD until the session ends.  All sessions share them.
 */
#define KTRACE_COUNT_UNKNOWN	(~0ULL)

/* The size of the structure in ABI 1.0, the smallest size that is accepted. */
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
 * @KTRACE_PATH_MACHINE: violations that machines find (ABI 1.16)
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
 * KTRACE_IOC_EVENT_PATH reports the path by which an event would be captured.  It works in any
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
 * @jt: the next instruction if the comparison holds
 * @jf: the next instruction if it does not
 * @offset: of the operand, see @src
 * @width: of the operand, in bytes
 * @value: to compare the operand with
 *
 * A filter is a program of at most KTRACE_FILTER_MAX_INSNS instructions.  Each instruction is one
 * comparison, or a step of arithmetic.  Execution starts at instruction 0.  A comparison that
 * holds continues at `jt`, one that does not at `jf`.  A target is either the index of an
 * instruction, or KTRACE_FILTER_ACCEPT or _REJECT.  The index has to be greater than that of the
 * jumping instruction: jumps go forward only.
 *
 * `src` chooses the operand::
 *
 *	RECORD		`width` bytes at `offset` of the event's raw data (see its format
 *			file); string operators take `width` as the array's size
 *	DATA_LOC	the dynamic array whose __data_loc word is at `offset`
 *	REL_LOC		the same for __rel_loc
 *	FIELD		the common field with the number `offset`; `width` is that of its slot
 *
 * Numeric operators (EQ LT GT BAND) load 1, 2, 4 or 8 bytes in native byte order and extend them
 * to 64 bits, with the sign where KTRACE_FILTER_SIGNED is set and with zeros otherwise.  The
 * result is compared with `value`, signed or unsigned by the same flag.  BAND holds when the two
 * have any bit in common.  String operators compare the operand, up to its NUL or end, with a
 * text in the pool: its offset there is value >> 32, its length value & 0xffffffff.  All other
 * comparisons are built from these by exchanging jt and jf.
 *
 * The kernel refuses (EINVAL) a program that could jump backwards or past the end, that could
 * load from outside the raw data or the pool, or that has an unreachable instruction.  Where an
 * event's raw data is too short for a load, the missing bytes are zero.
 *
 * Arithmetic (ABI 1.15).  Operators from KTRACE_FILTER_LOAD on work with an accumulator of 64
 * bits, and with KTRACE_FILTER_REGISTERS registers that save its value.  They have two more
 * sources::
 *
 *	REGISTER	the register with the number `offset`; `width` is 8
 *	VALUE		`value` itself; `offset` is 0, and `width` is 8
 *
 * LOAD sets the accumulator to the operand, which is extended to 64 bits as above.  STORE sets
 * the register that is its operand to the accumulator.  ADD to SHR set the accumulator to the
 * result of ktrace_filter_calculate().  This is C's result for 64 bits: it wraps around, and
 * division rounds towards zero.  A shift by 64 or more leaves 0, or -1 where a negative number is
 * shifted to the right with its sign.  These instructions continue at `jt`, and their `jf` is the
 * same.  DIV and MOD are the exception: division by 0 has no result, leaves the accumulator
 * unchanged, and continues at `jf`.
 *
 * ACC_EQ to ACC_BAND compare the accumulator with the operand.  KTRACE_FILTER_SIGNED_OP makes
 * DIV, MOD, SHR, ACC_LT and ACC_GT take both as signed; other operators do not accept this flag.
 *
 * `value` is 0 where the source is not VALUE.  The kernel refuses (EINVAL) a program that could
 * read the accumulator or a register before it was set.
 *
 * Cost (ABI 1.4).  Filters run where events fire, often with interrupts disabled, so their work
 * is limited.  ktrace_filter_cost() counts the bytes that one instruction reads in the worst
 * case.  All instructions of all filters of all sessions for one event may together cost
 * KTRACE_FILTER_MAX_COST.  EVENT_ADD refuses (ENOSPC) a filter that exceeds it.  Events are the
 * same if type and config are equal; functions are the same if the address is equal, at the entry
 * and at the return together.
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
 * enum ktrace_filter_op - the operation of a filter's instruction
 * @KTRACE_FILTER_EQ: the operand is equal to the value
 * @KTRACE_FILTER_LT: the operand is less
 * @KTRACE_FILTER_GT: the operand is greater
 * @KTRACE_FILTER_BAND: the two have a bit in common
 * @KTRACE_FILTER_STREQ: the operand is equal to the text
 * @KTRACE_FILTER_GLOB: the operand matches a pattern of ftrace's kind: * ? [a-z]
 * @KTRACE_FILTER_LOAD: sets the accumulator to the operand
 * @KTRACE_FILTER_STORE: sets a register to the accumulator
 * @KTRACE_FILTER_ADD: adds the operand to the accumulator
 * @KTRACE_FILTER_SUB: subtracts the operand from the accumulator
 * @KTRACE_FILTER_MUL: multiplies the accumulator by the operand
 * @KTRACE_FILTER_DIV: divides the accumulator by the operand
 * @KTRACE_FILTER_MOD: the remainder of that division; its sign is the accumulator's
 * @KTRACE_FILTER_AND: the bits that are in both
 * @KTRACE_FILTER_OR: the bits that are in at least one of the two
 * @KTRACE_FILTER_XOR: the bits that are in exactly one
 * @KTRACE_FILTER_SHL: shifts to the left, by the operand as an unsigned number of bits
 * @KTRACE_FILTER_SHR: shifts to the right
 * @KTRACE_FILTER_ACC_EQ: the accumulator is equal to the operand
 * @KTRACE_FILTER_ACC_LT: the accumulator is less
 * @KTRACE_FILTER_ACC_GT: the accumulator is greater
 * @KTRACE_FILTER_ACC_BAND: the two have a bit in common
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
#define KTRACE_FILTER_MAX_STRING 8192	/* bytes of a dynamic array that are read */
#define KTRACE_FILTER_MAX_COST	(1U << 20) /* of all filters of one event */

/**
 * ktrace_filter_is_text() - does an operator compare texts?
 * @op: enum ktrace_filter_op
 *
 * Return: nonzero for texts, 0 for numbers.
 */
static inline int ktrace_filter_is_text(__u8 op)
{
	return op == KTRACE_FILTER_STREQ || op == KTRACE_FILTER_GLOB;
}

/**
 * ktrace_filter_can_be_signed() - can KTRACE_FILTER_SIGNED_OP be set for an operator?
 * @op: enum ktrace_filter_op
 *
 * Return: nonzero if it can.
 */
static inline int ktrace_filter_can_be_signed(__u8 op)
{
	return op == KTRACE_FILTER_DIV || op == KTRACE_FILTER_MOD || op == KTRACE_FILTER_SHR ||
	       op == KTRACE_FILTER_ACC_LT || op == KTRACE_FILTER_ACC_GT;
}

/**
 * ktrace_filter_cost() - the highest cost of a valid instruction
 * @insn: the instruction
 * @pool: the string pool of its filter
 *
 * A numeric comparison costs 1, and so does a step of arithmetic, except for a division, which
 * costs 16.  A comparison with a string costs 1 plus the bytes that it compares.  A match with a
 * pattern costs 1 plus the pattern's length.  A '*' anywhere but at the pattern's end adds two
 * terms.  First, the end of the string has to be found, which costs the array's size.  Second,
 * the text between two '*' is tried at every position, which costs the array's size times the
 * longest such text.  In a pattern with '[' or a backslash, the length of the whole pattern
 * replaces that of the longest text.
 *
 * Return: the cost, which counts for KTRACE_FILTER_MAX_COST.
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

/**
 * ktrace_filter_has_result() - does a step of arithmetic have a result?
 * @op: KTRACE_FILTER_ADD to KTRACE_FILTER_SHR
 * @operand: the second operand
 *
 * Return: 0 for a division by 0, otherwise nonzero.
 */
static inline int ktrace_filter_has_result(__u8 op, __u64 operand)
{
	return operand || (op != KTRACE_FILTER_DIV && op != KTRACE_FILTER_MOD);
}

/**
 * ktrace_filter_calculate() - the result of a step of arithmetic
 * @op: KTRACE_FILTER_ADD to KTRACE_FILTER_SHR
 * @is_signed: KTRACE_FILTER_SIGNED_OP is set
 * @a: the accumulator
 * @b: the operand; ktrace_filter_has_result() has to hold for it
 *
 * Return: the new accumulator.
 */
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
	/* Divide magnitudes, because some machines refuse some signed divisions. */
	a = a & sign ? -a : a;
	b = b & sign ? -b : b;
	a = op == KTRACE_FILTER_DIV ? KTRACE_DIV_U64(a, b) : a - KTRACE_DIV_U64(a, b) * b;
	return negative ? -a : a;
}

/**
 * struct ktrace_sample - which samples of an event are stored; KTRACE_IOC_SAMPLE
 * @size: of this structure, in bytes
 * @index: of EVENT_ADD
 * @every: store one of this number on each CPU; 0: each; at most 2^31 - 1
 * @max_rate: per second and CPU, a tenth of it at once; 0: no limit
 *
 * KTRACE_IOC_SAMPLE (ABI 1.1) stores only some of the samples of an event that pass scope and
 * filter.  To be called after the event's EVENT_ADD and before the first START (EBUSY).  The
 * `period` of a stored sample is the sum of its own and the periods that were omitted before it
 * on that CPU, so the sum of all periods keeps its meaning.  STATS counts omitted samples as
 * `filtered`.  EINVAL: there is no such event, it is counted or judged, its records are compact,
 * or a number is out of range.
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
 * KTRACE_IOC_COUNT_ADD (ABI 1.5) counts an event by a key instead of storing its samples.  Each
 * CPU has a table.  An entry has a key, how often the event fired with this key and, if there is
 * a value, the sum and the extremes of the values.  The event writes nothing into the ring.
 * Scope and filter decide as for samples.  In STATS, `recorded` is the number of counted firings.
 * KTRACE_LOST_NO_SLOT is the number of firings that found all entries of the CPU's table in use.
 * So the equation of STATS holds.
 *
 * It is to be called after the event's EVENT_ADD and before the first START (EBUSY, also while
 * the session is kept), once for each event (EEXIST).  EINVAL: there is no such event, or it is a
 * trigger, is judged, or has common fields, call chains or a sampling; a part cannot be used so;
 * the key, the pair or the tables are too large.  EPERM, ENOMEM: as for SETUP, because the tables
 * are locked memory, too.
 *
 * A key consists of `nr_parts` parts, one behind the other, each of a multiple of 8 bytes.
 * `src` chooses a part::
 *
 *	RECORD		`width` bytes at `offset` of the event's raw data (see its format file)
 *	DATA_LOC	the dynamic array whose __data_loc word is at `offset`
 *	REL_LOC		the same for __rel_loc
 *	FIELD		the common field with the number `offset`; `width` is that of its slot
 *	LATENCY		the time since the START of the pair, in ns of the session's clock; `offset`
 *			is 0 and `width` 8; only for an END
 *	KERNEL		the kernel's call chain where the event fired (ABI 1.17); `offset` is 0,
 *			`width` 8
 *	USER		the call chain of user space, likewise; kernel threads have none
 *	START		part number `offset` of the START, with its value when that fired; it does
 *			not belong to the pair; form, flags and width are the same there; only for
 *			an END (ABI 1.17)
 *
 * `form` chooses how a part is stored::
 *
 *	NUMBER	a number of 1, 2, 4 or 8 bytes, extended to 64 bits with zeros, or with its
 *		sign where KTRACE_COUNT_SIGNED is set; takes 8 bytes of the key
 *	LOG2	the same number n as a step of a histogram: 0 for n = 0, otherwise
 *		1 + floor(log2(n)); -1 for any negative number; takes 8 bytes
 *	TEXT	the bytes up to the first NUL, at most `width` of them, then zeros up to the
 *		next multiple of 8 of `width`
 *	CHAIN	the number of a chain, see struct ktrace_chain_read; 0 without one; takes 8 bytes
 *
 * A dynamic array has the form TEXT.  Where the event's raw data is too short for a part, the
 * missing bytes are zero.
 *
 * Latencies.  An event with the role KTRACE_COUNT_START only stores when it fired.  Its parts
 * form the pair, by which a table of the session finds this time; the table has room for
 * `entries` pairs.  An event with the role KTRACE_COUNT_END finds the pair by its first `nr_pair`
 * parts.  These have the forms and widths of the parts of the START whose index is `start`.  END
 * removes the pair from the table and counts by its other parts.  Without such a pair, it is
 * counted as KTRACE_LOST_NO_START.  A START whose pair is in the table already replaces it
 * (`restarted`); one that finds no room is counted as KTRACE_LOST_NO_SLOT.  If the pair has
 * KTRACE_FIELD_TID, pairs of threads that have ended make room.  An NMI that interrupted a
 * context that was using the table is counted as KTRACE_LOST_NESTED.  If the clocks of two CPUs
 * differ by more than the latency, the latency is taken as 0.
 *
 * Parts of a START (ABI 1.17).  If `nr_pair` of a START is not 0, only its first `nr_pair` parts
 * form the pair.  The table stores the other parts with the pair, for parts of the END whose
 * source is START, and for the value of the END.  A START that fires again replaces these, too.
 *
 * Chains.  An event whose key has chains has a table of chains.  It has room for `entries` chains
 * with KTRACE_COUNT_CHAIN_WORDS addresses on average.  A START and its ENDs share one table.  A
 * chain is found by its hash, but compared whole.  A firing whose chain finds no room is counted
 * as KTRACE_LOST_NO_SLOT.  The chain of user space follows frame pointers, as in samples.  If it
 * cannot be collected because of the interrupted context, the firing counts as
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
 * @KTRACE_COUNT_SRC_USER: user space's call chain (ABI 1.17)
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
 * enum ktrace_count_form - how a part of a key is stored
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
 * enum ktrace_count_role - the meaning of a firing of a counted event
 * @KTRACE_COUNT_EACH: count each firing
 * @KTRACE_COUNT_START: store when it fired
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
 * @entries: the most keys on each CPU; START: about the most pairs
 * @nr_pair: END: the number of parts that form the pair; START: likewise, 0: all; otherwise 0
 * @nr_parts: number of the parts of the key
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
 * @cpu: the CPU whose table is read
 * @nr: out: entries that were written
 * @entries: pointer: struct ktrace_count_entry, each with its key
 * @position: in and out: 0, then the value that the previous call returned
 * @room: bytes at `entries`
 * @used: out: entries of the CPU's table that are in use; START: 0
 * @restarted: out, START: how many pairs were replaced before their END
 *
 * KTRACE_IOC_COUNT_READ (ABI 1.5) reads the entries of one event on one CPU, some at a time.  To
 * be called after SETUP.  `position` is 0 at first and then the value that the previous call
 * returned, until that is KTRACE_COUNT_READ_END.  While the session runs, the numbers are a
 * recent view, in which the count of an entry may be ahead of its sum; after STOP they are final.
 * A key may have more than one entry on a CPU, where a context interrupted the one that was
 * adding it.  Such entries have to be added up, like those of several CPUs.
 *
 * Since ABI 1.17, the entries of a START are the pairs that have had no END yet.  They are the
 * same for each CPU, because the session has one table of them.  `count` is 1, `sum`, `min` and
 * `max` are the ns since it fired, and the key has all parts of the START.  `room` has to hold
 * at least KTRACE_COUNT_READ_STARTS entries.
 *
 * EINVAL: there is no such event or CPU in the session, the event is not counted, or `room` is
 * too small for an entry.
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
 * struct ktrace_count_entry - a key and its counts
 * @count: how often the event fired with this key
 * @sum: of the values, modulo 2^64; sum, min and max are 0 without a value
 * @min: the smallest value; signed if the value is
 * @max: the largest value; signed if the value is
 */
struct ktrace_count_entry {
	__aligned_u64 count;
	__aligned_u64 sum;
	__aligned_u64 min;
	__aligned_u64 max;
	/* The key_bytes of the key follow. */
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
/* They mean that there is no filter, no clock, no source. */
#define KTRACE_MACHINE_NO_FILTER	0xffff
#define KTRACE_MACHINE_NO_CLOCK		0xff
#define KTRACE_MACHINE_NO_SOURCE	(~0U)

/**
 * enum ktrace_machine_key - the objects that have a state each
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
 * enum ktrace_machine_start - how a source makes an unknown key known
 * @KTRACE_MACHINE_STARTS_NONE: not at all
 * @KTRACE_MACHINE_STARTS_AFTER: after the firing, the key is in the initial state
 * @KTRACE_MACHINE_STARTS_BEFORE: before the firing, the key is in the initial state
 */
enum ktrace_machine_start {
	KTRACE_MACHINE_STARTS_NONE	= 0,
	KTRACE_MACHINE_STARTS_AFTER	= 1,
	KTRACE_MACHINE_STARTS_BEFORE	= 2,
};

/**
 * struct ktrace_machine - the head of a machine
 * @size: of the whole machine, in bytes
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
 * @max_keys: the most keys that live at once
 * @reserved: 0
 *
 * Machines.  A machine judges sequences of events (ABI 1.16).  For each key it has a state and
 * clocks, which firings change.  It is a table without pointers, which is verified as a whole::
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
 * A source is one way in which a firing of an event matters.  When an event fires, its sources are
 * tried in their order.  Each source whose filter accepts the record is applied to its key:
 *
 *  1. The key is found or created.  If max_keys keys live already, it stays unknown, and the
 *     firing is counted as refused.
 *  2. If the time is not later than that of an earlier record that was applied to the key, the
 *     key becomes unknown (unordered), and this is all.  Sources of one record have one time.
 *  3. If the key is known and the time is at or behind its deadline, the deadline was missed:
 *     that is a violation at the deadline, without an event, and the key becomes unknown.
 *  4. If the key is unknown, `start` of the source decides: _NONE ends here; _AFTER makes the
 *     key known, in the state `initial` with no clock set, and ends here; _BEFORE does the same
 *     and goes on.  The limit of the initial state counts from that time.
 *  5. Of the transitions of this state and source, the first one is taken whose filter accepts
 *     the record and whose clock is in [least, most], or was never set.  If there is none, that
 *     is a violation by this event, and the key becomes unknown.
 *  6. A transition sets the clocks of its mask to the time, and the state.  If the state changes
 *     or a clock was set, the deadline is computed anew: the clock of the state, or the time if
 *     that clock was never set, plus its limit; it is not before the time.  A state without a
 *     limit has no deadline.
 *
 * When firings were lost, every key that they may have concerned becomes unknown (lost).  A key
 * that is a task ends when the task exits (PERF_RECORD_EXIT).  From then on firings of its number
 * are ignored until a task gets the number again.  Task 0 is another task on each CPU.  A
 * deadline that passes without an event is found later (see MACHINE_ADD).  The violation has the
 * deadline's time.
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
 * @limit: ns after which it has to be left; 0: no limit
 * @clock: the clock from which the limit counts; KTRACE_MACHINE_NO_CLOCK without a limit
 * @reserved: 0
 */
struct ktrace_machine_state {
	__aligned_u64 limit;
	__u8 clock;
	__u8 reserved[7];
};

/**
 * struct ktrace_machine_part - a number of a key, like the operand of a filter's instruction
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
 * struct ktrace_machine_source - an event, under a condition, that can move the machine
 * @event: the number of the event: for MACHINE_ADD, `index` of EVENT_ADD
 * @filter: KTRACE_MACHINE_NO_FILTER: each firing
 * @start: enum ktrace_machine_start
 * @reserved: 0
 * @parts: of the key; those from nr_parts on are 0
 *
 * The numbers of events never decrease from one source to the next.
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
 * @state: the state that it leaves
 * @source: the source that triggers it
 * @next: the state that it leads to
 * @filter: on the record of the source; KTRACE_MACHINE_NO_FILTER: none
 * @clock: the clock whose time since it was set, in ns, has to be in [least, most];
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

#define KTRACE_MACHINE_NAME	32	/* bytes, with at least one zero */

/**
 * struct ktrace_machine_add - a machine to judge events with; KTRACE_IOC_MACHINE_ADD
 * @size: of this structure, in bytes
 * @flags: KTRACE_MACHINE_*
 * @program: pointer: struct ktrace_machine, with its tables
 * @program_bytes: bytes at @program
 * @violations: index of the event that reports violations; KTRACE_MACHINE_NO_SOURCE: none is
 *	reported
 * @number: out: of the machine in this session, from 0
 * @actions: KTRACE_ACTION_* (ABI 1.18)
 * @max_rate: the most violations in a second that wake or print; 0: 10; at most
 *	KTRACE_ACTION_MAX_RATE
 * @reserved: 0
 * @name: in messages of KTRACE_ACTION_PRINTK: as the name of KEEP, or all zeros
 *
 * KTRACE_IOC_MACHINE_ADD (ABI 1.16): from START on, a machine judges firings where they happen.
 * `event` of its sources is the index of an event, which EVENT_ADD returned.  To be called after
 * EVENT_ADD and before the first START (EBUSY, also while the session is kept).
 *
 * E2BIG: the session has KTRACE_MAX_MACHINES machines.  EPERM, ENOMEM: as for SETUP, because the
 * keys are locked memory, too.  ENOSPC: the filters of an event, with those of its transitions,
 * would cost too much; a machine's cost for one firing is that of its worst state.  ENODEV: the
 * key is a task, and this kernel does not report when tasks end.  EINVAL: also if
 *
 *  - the program is not valid, or one of its common fields is not CPU, TID or TGID, or not 8 wide;
 *  - an event has a filter, a call chain, a sampling or counts, or is itself a violation;
 *  - firings of an event can be missed without being counted (KTRACE_STATS_BOUNDED);
 *  - the session omits firings: of its own process (see KTRACE_SETUP_TRACE_SELF), of CPUs that
 *    are present, by SCOPE_ADD, or by TASK_ADD.  TASK_ADD is permitted if the keys are the tasks
 *    that fire.  Later calls of these two ioctls fail likewise;
 *  - the session's clock is CLOCK_REALTIME.
 *
 * A machine judges by the time in the record.  Firings that were lost because the ring was full
 * were judged all the same.  After any other loss (RECURSION, NESTED, TOO_BIG) all keys of the
 * machine are unknown until their next start, as they are at START.
 *
 * A verdict is reported when no earlier firing can follow: within KTRACE_MACHINE_ROUND ns and an
 * RCU grace period, and before STOP returns.  The same holds for a deadline that passes without
 * an event.  With more than some 10,000 keys it takes longer, because checking them may take at
 * most a fiftieth of a CPU.
 */
struct ktrace_machine_add {
	__u32 size;
	__u32 flags;
	__aligned_u64 program;
	__u32 program_bytes;
	__u32 violations;
	__u32 number;
	__u32 actions;
	__u32 max_rate;
	__u32 reserved;
	char name[KTRACE_MACHINE_NAME];
};

/* The size of the structure in ABI 1.16, the smallest size that is accepted. */
#define KTRACE_MACHINE_ADD_SIZE_1_16	32

/*
 * Do not store the samples of the machine's events, only judge them; `recorded` of STATS counts
 * the judged samples.  An event of several machines is not stored if all of them have this flag.
 * If an event has one source in all machines together, its filter's rejections are counted as
 * `filtered`.
 */
#define KTRACE_MACHINE_ONLY	(1U << 0)

#define KTRACE_MAX_MACHINES	16
#define KTRACE_MACHINE_ROUND	20000000	/* ns */

/**
 * DOC: Actions of machines
 *
 * A machine can act when it finds a violation (ABI 1.18, KTRACE_FEATURE_ACTIONS).
 *
 * KTRACE_ACTION_FREEZE freezes sessions: they record nothing more, so their rings keep the records
 * from before.  These are the running sessions with KTRACE_SETUP_FREEZABLE that the same user has
 * opened; the machine's own session is one of them only with this flag.  They freeze where the
 * violation is found, at once, in any context.  For a violation by an event, that is before the
 * event's probe returns.  For a deadline that passes without an event, see MACHINE_ADD.
 *
 * Firings of a frozen session are counted as KTRACE_LOST_FROZEN.  Its machines end at the time of
 * the freeze, as at a STOP.  Violations that they have found by then are stored all the same.
 * poll() reports POLLPRI until SNAPSHOT and, as after STOP, POLLIN when a ring holds anything.
 * FROZEN returns the time.  STOP and START begin anew.
 *
 * A violation that freezes is not certain yet.  If an earlier firing of another CPU then revokes
 * it, or a missed one makes it doubtful, it is counted as `revoked`, and the sessions stay frozen.
 *
 * The other actions follow once the violation is certain, in a task of the kernel or in STOP, and
 * never in a probe.  At most `max_rate` violations in a second have them; the rest is counted as
 * `withheld`.
 *
 * KTRACE_ACTION_WAKE wakes the reader of the machine's session: poll() reports POLLPRI until
 * SNAPSHOT, however little the rings hold.  This is so, too, if the violation found no room there.
 *
 * KTRACE_ACTION_PRINTK writes a line to the kernel's log, which names the machine and its key.
 * MACHINE_ADD returns EPERM if the caller lacks CAP_SYS_ADMIN.
 */
#define KTRACE_ACTION_FREEZE	(1U << 0)
#define KTRACE_ACTION_WAKE	(1U << 1)
#define KTRACE_ACTION_PRINTK	(1U << 2)
#define KTRACE_ACTION_ALL \
	(KTRACE_ACTION_FREEZE | KTRACE_ACTION_WAKE | KTRACE_ACTION_PRINTK)

#define KTRACE_ACTION_RATE	10	/* in a second, where max_rate is 0 */
#define KTRACE_ACTION_MAX_RATE	100

/**
 * struct ktrace_frozen - when a session was frozen; KTRACE_IOC_FROZEN
 * @size: of this structure, in bytes
 * @reserved: 0
 * @time: out: ns of the session's clock; 0: it was not frozen since START
 *
 * KTRACE_IOC_FROZEN (ABI 1.18) returns the time from which on nothing was recorded.  Firings up to
 * it are in the rings.  To be called after SETUP.
 */
struct ktrace_frozen {
	__u32 size;
	__u32 reserved;
	__aligned_u64 time;
};

/**
 * struct ktrace_machine_read - the verdicts of a machine; KTRACE_IOC_MACHINE_READ
 * @size: of this structure, in bytes
 * @number: in: of MACHINE_ADD
 * @keys: out: all keys there were; the sum of the next five members
 * @ok: out: keys that were judged, without a miss since their first start
 * @violated: out: keys with a violation
 * @not_started: out: keys whose starting event never came
 * @lost: out: keys that may have missed a firing
 * @unordered: out: keys whose firings came against the order of their times
 * @violations: out: of all keys
 * @refused: out: firings for whose keys there was no room
 * @untold: out: violations that could not be stored until they were certain; their keys are lost
 * @losses: out: how often all keys became unknown
 * @froze: out: sessions that its violations have frozen (ABI 1.18)
 * @revoked: out: violations that have frozen a session, and did not become certain (ABI 1.18)
 * @acted: out: violations that have woken the reader, or were printed (ABI 1.18)
 * @withheld: out: violations that did neither, because of max_rate (ABI 1.18)
 *
 * KTRACE_IOC_MACHINE_READ (ABI 1.16) counts the keys of a machine by their verdict.  To be called
 * after SETUP.  While the session runs, the numbers are a recent view; after STOP they are final.
 * A task is one key; the next task with the same number is another key.  EINVAL: there is no such
 * machine.
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
	__aligned_u64 froze;
	__aligned_u64 revoked;
	__aligned_u64 acted;
	__aligned_u64 withheld;
};

/* The size of the structure in ABI 1.16, the smallest size that is accepted. */
#define KTRACE_MACHINE_READ_SIZE_1_16	88

/**
 * struct ktrace_violation - the raw data of a violation, behind the common fields
 * @machine: number of MACHINE_ADD
 * @source: of the machine, whose event it was; KTRACE_MACHINE_NO_SOURCE: a deadline was missed
 * @state: of the key before
 * @reserved: 0
 * @when: the time of the event or the deadline, ns; the sample's own time is that of the report
 * @age: since the state was entered, ns
 * @key: its numbers; unused ones are 0.  The key of an idle task is 0, and 1 plus the CPU in the
 *	second number
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
 * @position: in and out: 0, then the value that the previous call returned
 * @room: bytes at `entries`
 * @nr: out: chains that were written
 * @used: out: chains in the table
 * @reserved: 0
 * @dropped: out: firings of the event that were not counted because their chain had no room
 *
 * KTRACE_IOC_CHAIN_READ (ABI 1.17) reads the chains of the keys of an event, the oldest first.
 * Chains are never removed.  A later call with the `position` of the previous one returns the
 * chains that have come since; `nr` is 0 if there are none.  A chain may come twice, with two
 * numbers.  A call after COUNT_READ finds all chains of the keys that COUNT_READ returned.
 *
 * EINVAL: the event's keys have no chains, the position was never returned, or `room` is less
 * than a chain.
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
 * @nr: number of its addresses, the innermost first; at most KTRACE_COUNT_CHAIN_MAX
 * @tgid: the process whose addresses these are; 0: the kernel's
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
	/* The addresses follow, as __u64. */
};

#define KTRACE_COUNT_CHAIN_MAX	127

/**
 * struct ktrace_task_add - a task to record; KTRACE_IOC_TASK_ADD
 * @size: of this structure, in bytes
 * @flags: KTRACE_TASK_*
 * @pid: thread id, in the initial pid namespace
 * @reserved: 0
 *
 * KTRACE_IOC_TASK_ADD limits the session to the tasks that were added (by default: all tasks).
 * It can be called any number of times after SETUP.  ESRCH: there is no such task.  EPERM, ENOMEM:
 * as for SETUP, for the first task.  EINVAL: also if a machine has to see all tasks.
 */
struct ktrace_task_add {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 reserved;
};

/*
 * Also record every task that this task creates from now on, or that the kernel creates for it
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
 * KTRACE_IOC_SCOPE_ADD (ABI 1.1) limits the session to tasks that meet this condition at the
 * moment when an event fires (by default: all tasks).  To be called after SETUP and before the
 * first START (EBUSY), up to KTRACE_SCOPE_MAX times for each kind (E2BIG).  Conditions of one
 * kind are alternatives.  A task has to meet one condition of each kind that was added, and has to
 * be a task of TASK_ADD if there are any.  EBADF: `cgroup` is no directory of the cgroup v2
 * hierarchy.  EOPNOTSUPP: the kernel has no cgroups.  EINVAL: also if the session has a machine.
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
 * @index: in: of EVENT_ADD
 * @cpu: in: number of the CPU
 * @flags: out: KTRACE_STATS_*
 * @recorded: out: stored in the ring; of a counted event: counted
 * @filtered: out: rejected by the filter, or omitted by SAMPLE
 * @out_of_scope: out: fired in a task that is not recorded
 * @lost: out: by reason
 * @unplaced: out: losses that no PERF_RECORD_LOST reports
 * @first_lost: out: time of the first unplaced loss; 0: none
 * @last_lost: out: time of the last unplaced loss; 0: none
 *
 * KTRACE_IOC_STATS returns the ledger of one event on one CPU.  To be called after SETUP.
 * EINVAL: there is no such event or CPU in the session.  While the session runs the numbers are a
 * recent view; after STOP they are final and::
 *
 *	firings that the module saw =
 *		recorded + filtered + out_of_scope + sum(lost)
 *
 * For an event captured by counter, perf drops firings in its own recursion check before the
 * module sees them; then KTRACE_STATS_BOUNDED is set in `flags`.
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
 * KTRACE_IOC_SNAPSHOT (ABI 1.2) stores the positions of the rings and their ledgers while the
 * rings are being written.  For each CPU, at one instant, the kernel sets snapshot_head and copies
 * the ledger.  SNAPSHOT_STATS returns that copy as STATS returns the ledger, but without
 * `unplaced`.  Its `recorded` counts exactly the samples before snapshot_head.  So of all samples
 * that were ever stored, this number was overwritten::
 *
 *	recorded - (samples found from data_tail to snapshot_head)
 *
 * SNAPSHOT also ends a POLLPRI.  To be called after SETUP.  EINTR: a signal came.
 */
struct ktrace_snapshot {
	__u32 size;
	__u32 reserved;
	__aligned_u64 time;
};

/**
 * struct ktrace_mark - a time before which all records are visible; KTRACE_IOC_MARK
 * @size: of this structure, in bytes
 * @reserved: 0
 * @time: out: ns
 *
 * KTRACE_IOC_MARK returns a mark for merging the rings.  It reads the session's clock into `time`,
 * then waits until every record with an earlier time is visible in the rings.  This takes an RCU
 * grace period: tens of milliseconds, which a signal does not cut short.  A reader that then loads
 * the heads of all rings, and merges all records older than `time`, has them in order: no older
 * record can follow.  To be called after SETUP.
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
 * @trace: out: the session's clock, ns
 * @monotonic: out: CLOCK_MONOTONIC, ns
 * @raw: out: CLOCK_MONOTONIC_RAW, ns
 * @boottime: out: CLOCK_BOOTTIME, ns
 * @realtime: out: CLOCK_REALTIME, ns
 *
 * KTRACE_IOC_CLOCK reads the session's clock and then, within a few hundred ns, the other clocks.
 * To be called after SETUP.
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
 * struct ktrace_describe - the data needed to read the records; KTRACE_IOC_DESCRIBE
 * @size: of this structure, in bytes
 * @bytes: at @data
 * @data: pointer
 * @reserved: 0
 *
 * KTRACE_IOC_DESCRIBE (ABI 1.6) stores a copy of the data that is needed to read this session's
 * records, such as the formats of its events.  It is for readers that find the rings without the
 * session's process: in the memory of a kernel that has died (<linux/ktrace_vmcore.h>).  The
 * module does not interpret it; `ktrace` stores the beginning of a perf.data pipe.  To be called
 * after SETUP, once (EEXIST), and not while the session is kept (EBUSY).  EINVAL: `bytes` is 0 or
 * above KTRACE_DESCRIBE_MAX.  EPERM, ENOMEM: as for SETUP, because the copy is locked memory, too.
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
 * @name: letters, digits, '_', '-' and '.'; does not begin with '-' or '.'; ends with a NUL and
 *	zeros
 *
 * KTRACE_IOC_KEEP (ABI 1.7): from now on the session does not end when its file is closed, but
 * only by KTRACE_IOC_FORGET.  It records as before, until its rings are full or, with
 * KTRACE_SETUP_OVERWRITE, for ever.  Its memory stays charged to the user, and the module cannot
 * be unloaded.  Afterwards no event can be added, and nothing that would count for the
 * RLIMIT_MEMLOCK of a process.  To be called after SETUP, once (EBUSY).
 *
 * EINVAL: the name is not valid.  EEXIST: another session has it.  ENOSPC: there are
 * KTRACE_KEEP_MAX kept sessions.  EPERM: the session takes more than kernel.perf_event_mlock_kb
 * allows to the user, so that some of it counts for the RLIMIT_MEMLOCK of a process that may end,
 * and the caller lacks CAP_IPC_LOCK; or the caller may not capture (see Permission).
 */
struct ktrace_keep {
	__u32 size;
	__u32 reserved;
	char name[KTRACE_KEEP_NAME];
};

/**
 * struct ktrace_kept_open - the kept session to open; KTRACE_IOC_KEPT_OPEN
 * @size: of this structure, in bytes
 * @reserved: 0
 * @name: of KEEP
 *
 * KTRACE_IOC_KEPT_OPEN (ABI 1.7) returns a new file descriptor of a kept session, with O_CLOEXEC.
 * It accepts every ioctl and mmap() like the file that called KEEP.  The rings continue at the
 * `data_tail` that the last reader left.  The calling process becomes the one that the session
 * does not record, unless it has KTRACE_SETUP_TRACE_SELF.  The ioctl may be called on a file of
 * any session, which it does not change.
 *
 * ENOENT: there is none of this name.  EBUSY: another file of it is open, because rings have one
 * reader.  EPERM: it was kept by another user, and the caller lacks CAP_SYS_ADMIN; or the caller
 * may not capture (see Permission).
 */
struct ktrace_kept_open {
	__u32 size;
	__u32 reserved;
	char name[KTRACE_KEEP_NAME];
};

/**
 * struct ktrace_kept_info - a kept session; KTRACE_IOC_KEPT_INFO
 * @size: of this structure, in bytes
 * @nth: its number, from 0, in the order in which sessions were kept
 * @name: out: of KEEP
 * @uid: out: of the user that kept it, in the initial user namespace
 * @flags: out: KTRACE_KEPT_*
 * @reader: out: the process that called KEEP or KEPT_OPEN, if its file is still open; else 0
 * @reserved: 0
 * @since: out: when KEEP was called, CLOCK_BOOTTIME in ns
 *
 * KTRACE_IOC_KEPT_INFO (ABI 1.7) lists the kept sessions of all users, one by one.  It may be
 * called on a file of any session.  ENOENT: there are no more.
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
 * struct ktrace_recall - how a session was set up; KTRACE_IOC_RECALL
 * @size: of this structure, in bytes
 * @flags: out: KTRACE_RECALL_*
 * @pages: out: of the data of each ring, as in SETUP
 * @clockid: out: of SETUP
 * @nr_events: out: number of events; their indexes are 0 to nr_events - 1
 * @cpus_bytes: bytes of room at @cpus, a multiple of 8
 * @cpus: pointer to u64 words, for the mask of CPUs that have a ring
 * @bytes: bytes of room at @data, 0: only the size is wanted; out: bytes of the description, 0:
 *	none
 * @reserved: 0
 * @data: pointer; for the description of DESCRIBE
 *
 * KTRACE_IOC_RECALL (ABI 1.7) returns everything that a reader needs that has not set up the
 * session.  To be called after SETUP.  ENOSPC: the room at @cpus or @data is too small.
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
 * struct ktrace_event_info - an event of the session; KTRACE_IOC_EVENT_INFO
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
 * KTRACE_IOC_EVENT_INFO (ABI 1.9) describes an event to a reader that has not added it.  This and
 * the event's format, which tracefs has under the same `config`, are enough to read its records.
 * Sessions that the module itself started, when it was loaded, have only this and no description
 * (RECALL).  Their events have the ids from KTRACE_ID_BASE on.  To be called after SETUP.
 * EINVAL: there is no such event.
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
 * KTRACE_IOC_START: from here on events are recorded, all from the same instant.  EBUSY: before
 * SETUP, while the session runs, or see "Functions of the kernel".  ENOMEM.  ENODEV: fields are
 * counted for tasks, and this kernel has no sched_switch.  ENOENT: see "Functions of the kernel".
 *
 * KTRACE_IOC_STOP ends recording, and returns when no further record can appear.  START may
 * follow.  EBUSY: before SETUP.
 *
 * KTRACE_IOC_FORGET (ABI 1.7): the session is not kept any more: it ends when its last file is
 * closed.  Its name is free.  EINVAL: it is not kept.
 *
 * poll() reports POLLIN when a ring holds `wakeup_bytes` and, once the session is stopped,
 * when one holds anything; POLLPRI, also beside POLLIN, once a sample of a
 * KTRACE_EVENT_TRIGGER event has been stored, a machine has woken the reader, or the session was
 * frozen; POLLERR before SETUP.
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
#define KTRACE_IOC_FROZEN	_IOWR(KTRACE_IOC_MAGIC, 26, struct ktrace_frozen)

#endif /* _UAPI_LINUX_KTRACE_H */
