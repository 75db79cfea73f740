/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What ktrace.ko keeps for whoever looks at the memory of a kernel that has died
 * ==============================================================================
 *
 * `ktrace recover --vmcore` makes recordings of what this header describes.  A reader
 * needs nothing but physical memory: no page tables, no symbols and no debug information,
 * so any format of dumps will do, of any architecture, as long as it has the kernel's own
 * pages (those that makedumpfile -d 31 keeps).  All addresses are physical, and 0 stands
 * for none.  All numbers are in the byte order of the machine.
 *
 * While the module is loaded there is one struct ktrace_vmcore_table, at the beginning of a
 * page.  It is the only page that begins with KTRACE_VMCORE_TABLE and has its own address in
 * `self`.  From there, everything else is reached by chains of structures.  Each begins with
 * the number that says what it is, and with its size in bytes: structures grow at their end
 * only, and a reader takes the bytes that it knows.  A structure is complete before the one
 * in front of it points to it, and nothing points to it any more before it is freed.  So the
 * chains are whole at every instant, wherever the kernel stops.
 *
 *	table -> session -> session -> ...
 *		 session: ring -> ring -> ...		one for each of its CPUs
 *			  event -> event -> ...
 *			  list -> list ...		the pages of its description
 *			ring: list -> list ...		the pages of its data
 *			event: list -> list ...		its counts, two addresses for each ring
 */
#ifndef _UAPI_LINUX_KTRACE_VMCORE_H
#define _UAPI_LINUX_KTRACE_VMCORE_H

#include <linux/types.h>

#define KTRACE_VMCORE_TABLE	"ktrace sessions"	/* 16 bytes, with its NUL */
#define KTRACE_VMCORE_VERSION	1	/* changes when an older reader would go wrong */

/**
 * struct ktrace_vmcore_table - where everything begins, and the layout of counts
 * @magic: KTRACE_VMCORE_TABLE
 * @self: the address of this page
 * @version: KTRACE_VMCORE_VERSION
 * @size: bytes of this structure in use
 * @page_size: bytes of a page
 * @schema: KTRACE_SCHEMA of <linux/ktrace.h>
 * @sessions: struct ktrace_vmcore_session, the newest one
 * @release: of the kernel, as uname -r prints it
 * @counts_bytes: at most a page
 * @recorded: offset in the counts
 * @filtered: offset in the counts
 * @out_of_scope: offset in the counts
 * @losses: offset of the first loss in the counts
 * @loss_bytes: from a loss to the next one
 * @nr_reasons: how many losses there are
 * @lost: offset in a loss
 * @unplaced: offset in a loss
 * @first: offset in a loss
 * @last: offset in a loss
 * @reserved: 0
 *
 * `counts` and what follows say where the numbers are in the counts of an event on a CPU,
 * which are a structure of the module's own: their offsets in bytes.  There are
 * `nr_reasons` losses, `loss_bytes` apart.  In each, the offsets of `lost` and so on are
 * those from its beginning.  All numbers have 8 bytes.
 */
struct ktrace_vmcore_table {
	char magic[16];
	__aligned_u64 self;
	__u32 version;
	__u32 size;
	__u32 page_size;
	__u32 schema;
	__aligned_u64 sessions;
	char release[64];
	__u32 counts_bytes;
	__u32 recorded, filtered, out_of_scope;
	__u32 losses, loss_bytes, nr_reasons;
	__u32 lost, unplaced, first, last;
	__u32 reserved;
};

/* Numbers that say what a structure is. */
#define KTRACE_VMCORE_SESSION	0x7353544bU
#define KTRACE_VMCORE_RING	0x6752544bU
#define KTRACE_VMCORE_EVENT	0x7645544bU
#define KTRACE_VMCORE_LIST	0x734c544bU

/**
 * struct ktrace_vmcore_session - a session of /dev/ktrace, from its SETUP on
 * @what: KTRACE_VMCORE_SESSION
 * @size: of this structure, in bytes
 * @next: an older session
 * @pid: the process that opened it
 * @clockid: of SETUP
 * @comm: the name of that process then
 * @rings: struct ktrace_vmcore_ring
 * @events: struct ktrace_vmcore_event, in the order of their index
 * @description: struct ktrace_vmcore_list: pages of KTRACE_IOC_DESCRIBE
 * @description_bytes: bytes of the description
 */
struct ktrace_vmcore_session {
	__u32 what;
	__u32 size;
	__aligned_u64 next;
	__s32 pid;
	__s32 clockid;
	char comm[16];
	__aligned_u64 rings;
	__aligned_u64 events;
	__aligned_u64 description;
	__aligned_u64 description_bytes;
};

/**
 * struct ktrace_vmcore_ring - the ring of a CPU
 * @what: KTRACE_VMCORE_RING
 * @size: of this structure, in bytes
 * @next: the next one of its kind
 * @cpu: that writes it
 * @overwrites: whether it keeps the newest records
 * @data_size: bytes, a power of two
 * @meta: struct ktrace_ring_meta of <linux/ktrace.h>
 * @tail: struct ktrace_ring_tail
 * @pages: struct ktrace_vmcore_list: the pages of the data
 */
struct ktrace_vmcore_ring {
	__u32 what;
	__u32 size;
	__aligned_u64 next;
	__u32 cpu;
	__u32 overwrites;
	__aligned_u64 data_size;
	__aligned_u64 meta;
	__aligned_u64 tail;
	__aligned_u64 pages;
};

/**
 * struct ktrace_vmcore_event - an event of a session
 * @what: KTRACE_VMCORE_EVENT
 * @size: of this structure, in bytes
 * @next: the next one of its kind
 * @id: of EVENT_ADD
 * @index: of EVENT_ADD
 * @flags: KTRACE_STATS_*
 * @counts: struct ktrace_vmcore_list
 * @config: of EVENT_ADD
 * @sample_type: of EVENT_ADD
 * @fields: of EVENT_ADD
 * @user_strings: of EVENT_ADD
 * @reserved: 0
 * @name: "system:event" if EVENT_ADD had it, as far as it fits; it ends with a NUL
 *
 * @config and what follows (ABI 1.11) are what the records of a session without a description can
 * be read by, as those of KTRACE_IOC_EVENT_INFO.
 *
 * @counts has two addresses for each ring, in the order of the
 * rings: where the counts begin, and where they go on if they reach into the next
 * page; 0 if they do not.
 */
struct ktrace_vmcore_event {
	__u32 what;
	__u32 size;
	__aligned_u64 next;
	__aligned_u64 id;
	__u32 index;
	__u32 flags;
	__aligned_u64 counts;
	__aligned_u64 config;
	__aligned_u64 sample_type;
	__aligned_u64 fields;
	__u32 user_strings;
	__u32 reserved;
	char name[128];
};

/**
 * struct ktrace_vmcore_list - a part of a list of addresses
 * @what: KTRACE_VMCORE_LIST
 * @nr: addresses in this part
 * @next: the next part
 * @address: physical addresses
 */
struct ktrace_vmcore_list {
	__u32 what;
	__u32 nr;
	__aligned_u64 next;
	__aligned_u64 address[];
};

#endif /* _UAPI_LINUX_KTRACE_VMCORE_H */
