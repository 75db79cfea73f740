/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of flags and numbers among the arguments of system calls, as perf shortens them.
 */
#ifndef KTRACE_TABLE_TRACE_SYSCALL_NAMES_H
#define KTRACE_TABLE_TRACE_SYSCALL_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Flags in the order in which they are printed, or numbers. */
struct syscall_name {
	uint64_t value;
	const char *name;
};

struct syscall_names {
	const struct syscall_name *items;
	size_t nr;
};

extern const struct syscall_names
	syscall_names_open, syscall_names_open_arm, syscall_names_mode, syscall_names_prot,
	syscall_names_mmap, syscall_names_mremap, syscall_names_msg, syscall_names_clone,
	syscall_names_eventfd, syscall_names_pipe, syscall_names_random, syscall_names_flock,
	syscall_names_wait, syscall_names_at, syscall_names_faccessat,
	syscall_names_statx_mask, syscall_names_rename,
	syscall_names_sync_range, syscall_names_perf_open, syscall_names_mount,
	syscall_names_move_mount, syscall_names_fsmount, syscall_names_mount_attr,
	syscall_names_fspick, syscall_names_pkey, syscall_names_seccomp_flags;

extern const struct syscall_names
	syscall_names_signal, syscall_names_bpf, syscall_names_fsconfig, syscall_names_epoll,
	syscall_names_itimer, syscall_names_keyctl, syscall_names_whence, syscall_names_fcntl,
	syscall_names_rlimit, syscall_names_sighow, syscall_names_clock, syscall_names_family,
	syscall_names_ipproto, syscall_names_level, syscall_names_madvise, syscall_names_prctl,
	syscall_names_prctl_mm, syscall_names_arch_prctl, syscall_names_futex,
	syscall_names_policy, syscall_names_seccomp, syscall_names_sock_type,
	syscall_names_kcmp, syscall_names_lease, syscall_names_tty, syscall_names_perf_ioctl;

#endif
