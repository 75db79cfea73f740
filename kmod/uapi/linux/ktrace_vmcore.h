/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/**
 * DOC: The structures of ktrace.ko in the memory of a dead kernel
 *
 * `ktrace recover --vmcore` converts the data that this header describes into recordings.  A reader
 * needs nothing but physical memory: no page tables, no symbols and no debug information.  So any
 * format of dumps will do, of any architecture, if it has the kernel's own pages, which
 * makedumpfile -d 31 keeps.  All addresses are physical, and 0 is no address.  All numbers are in
 * the byte order of the machine.
 *
 * While the module is loaded there is one struct ktrace_vmcore_table, at the beginning of a page.
 * It is the only page that begins with KTRACE_VMCORE_TABLE and has its own address in `self`.  From
 * there, everything else is reached by chains of structures.  Each begins with the number of its
 * type and its size in bytes: structures grow at their end only, and a reader ignores bytes that it
 * does not know.  A structure is complete before its predecessor points to it, and nothing points
 * to it any more before it is freed.  So the chains are whole at every instant, wherever the kernel
 * stops::
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
 * struct ktrace_vmcore_table - the first structure, with the layout of counts
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
 * @nr_reasons: number of losses
 * @lost: offset in a loss
 * @unplaced: offset in a loss
 * @first: offset in a loss
 * @last: offset in a loss
 * @reserved: 0
 *
 * The counts of an event on a CPU are an internal structure of the module.  @counts_bytes and the
 * members behind it give the offsets of the numbers in it, in bytes.  There are @nr_reasons losses,
 * @loss_bytes apart.  @lost, @unplaced, @first and @last are offsets from the beginning of a loss.
 * All numbers have 8 bytes.
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

/* The types of structures. */
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
 * @next: the next ring
 * @cpu: the CPU that writes it
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
 * @next: the next event
 * @id: of EVENT_ADD
 * @index: of EVENT_ADD
 * @flags: KTRACE_STATS_*
 * @counts: struct ktrace_vmcore_list
 * @config: of EVENT_ADD
 * @sample_type: of EVENT_ADD
 * @fields: of EVENT_ADD
 * @user_strings: of EVENT_ADD
 * @reserved: 0
 * @name: "system:event" if EVENT_ADD had it, cut to this size; it ends with a NUL
 *
 * @counts has two addresses for each ring, in the order of the rings.  The first one is that of
 * the counts.  If the counts reach into the next page, the second one is the address of their
 * rest; otherwise it is 0.
 *
 * The members from @config on (ABI 1.11) suffice to read the records of a session without a
 * description, like those of KTRACE_IOC_EVENT_INFO.
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
