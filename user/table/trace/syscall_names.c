// SPDX-License-Identifier: GPL-2.0
#include "table/trace/syscall_names.h"

#include "lib/array.h"

#define SYSCALL_NAMES(which, ...) \
	static const struct syscall_name syscall_table_##which[] = { __VA_ARGS__ }; \
	const struct syscall_names syscall_names_##which = { \
		syscall_table_##which, ARRAY_SIZE(syscall_table_##which) \
	}

/* Flags.  A flag of several bits is listed before its single bits. */

SYSCALL_NAMES(open,
	{ 02, "RDWR" }, { 02000, "APPEND" }, { 020000, "ASYNC" }, { 02000000, "CLOEXEC" },
	{ 0100, "CREAT" }, { 040000, "DIRECT" }, { 0200000, "DIRECTORY" }, { 0200, "EXCL" },
	{ 0100000, "LARGEFILE" }, { 0400000, "NOFOLLOW" }, { 020000000, "TMPFILE" },
	{ 01000000, "NOATIME" }, { 0400, "NOCTTY" }, { 04000, "NONBLOCK" },
	{ 010000000, "PATH" }, { 04010000, "SYNC" }, { 010000, "DSYNC" }, { 01000, "TRUNC" },
	{ 01, "WRONLY" });

SYSCALL_NAMES(open_arm,
	{ 02, "RDWR" }, { 02000, "APPEND" }, { 020000, "ASYNC" }, { 02000000, "CLOEXEC" },
	{ 0100, "CREAT" }, { 0200000, "DIRECT" }, { 040000, "DIRECTORY" }, { 0200, "EXCL" },
	{ 0400000, "LARGEFILE" }, { 0100000, "NOFOLLOW" }, { 020000000, "TMPFILE" },
	{ 01000000, "NOATIME" }, { 0400, "NOCTTY" }, { 04000, "NONBLOCK" },
	{ 010000000, "PATH" }, { 04010000, "SYNC" }, { 010000, "DSYNC" }, { 01000, "TRUNC" },
	{ 01, "WRONLY" });

SYSCALL_NAMES(mode,
	{ 07777, "IALLUGO" }, { 0777, "IRWXUGO" }, { 0444, "IRUGO" }, { 0222, "IWUGO" },
	{ 0111, "IXUGO" }, { 0170000, "IFMT" }, { 0140000, "IFSOCK" }, { 0120000, "IFLNK" },
	{ 0100000, "IFREG" }, { 060000, "IFBLK" }, { 040000, "IFDIR" }, { 020000, "IFCHR" },
	{ 010000, "IFIFO" }, { 04000, "ISUID" }, { 02000, "ISGID" }, { 01000, "ISVTX" },
	{ 0700, "IRWXU" }, { 0400, "IRUSR" }, { 0200, "IWUSR" }, { 0100, "IXUSR" },
	{ 070, "IRWXG" }, { 040, "IRGRP" }, { 020, "IWGRP" }, { 010, "IXGRP" }, { 07, "IRWXO" },
	{ 04, "IROTH" }, { 02, "IWOTH" }, { 01, "IXOTH" });

SYSCALL_NAMES(prot,
	{ 0x1, "READ" }, { 0x2, "WRITE" }, { 0x4, "EXEC" }, { 0x8, "SEM" },
	{ 0x01000000, "GROWSDOWN" }, { 0x02000000, "GROWSUP" });

SYSCALL_NAMES(mmap,
	{ 0x1, "SHARED" }, { 0x2, "PRIVATE" }, { 0x10, "FIXED" }, { 0x20, "ANONYMOUS" },
	{ 0x40, "32BIT" }, { 0x100, "GROWSDOWN" }, { 0x800, "DENYWRITE" },
	{ 0x1000, "EXECUTABLE" }, { 0x2000, "LOCKED" }, { 0x4000, "NORESERVE" },
	{ 0x8000, "POPULATE" }, { 0x10000, "NONBLOCK" }, { 0x20000, "STACK" },
	{ 0x40000, "HUGETLB" }, { 0x80000, "SYNC" }, { 0x100000, "FIXED_NOREPLACE" },
	{ 0x4000000, "UNINITIALIZED" });

SYSCALL_NAMES(mremap,
	{ 1, "MAYMOVE" }, { 2, "FIXED" }, { 4, "DONTUNMAP" });

SYSCALL_NAMES(msg,
	{ 0x1, "OOB" }, { 0x2, "PEEK" }, { 0x4, "DONTROUTE" }, { 0x8, "CTRUNC" },
	{ 0x10, "PROBE" }, { 0x20, "TRUNC" }, { 0x40, "DONTWAIT" }, { 0x80, "EOR" },
	{ 0x100, "WAITALL" }, { 0x200, "FIN" }, { 0x400, "SYN" }, { 0x800, "CONFIRM" },
	{ 0x1000, "RST" }, { 0x2000, "ERRQUEUE" }, { 0x4000, "NOSIGNAL" }, { 0x8000, "MORE" },
	{ 0x10000, "WAITFORONE" }, { 0x20000, "SENDPAGE_NOTLAST" }, { 0x20000000, "FASTOPEN" },
	{ 0x40000000, "CMSG_CLOEXEC" });

SYSCALL_NAMES(clone,
	{ 0x100, "VM" }, { 0x200, "FS" }, { 0x400, "FILES" }, { 0x800, "SIGHAND" },
	{ 0x1000, "PIDFD" }, { 0x2000, "PTRACE" }, { 0x4000, "VFORK" }, { 0x8000, "PARENT" },
	{ 0x10000, "THREAD" }, { 0x20000, "NEWNS" }, { 0x40000, "SYSVSEM" },
	{ 0x80000, "SETTLS" }, { 0x100000, "PARENT_SETTID" }, { 0x200000, "CHILD_CLEARTID" },
	{ 0x400000, "DETACHED" }, { 0x800000, "UNTRACED" }, { 0x1000000, "CHILD_SETTID" },
	{ 0x2000000, "NEWCGROUP" }, { 0x4000000, "NEWUTS" }, { 0x8000000, "NEWIPC" },
	{ 0x10000000, "NEWUSER" }, { 0x20000000, "NEWPID" }, { 0x40000000, "NEWNET" },
	{ 0x80000000, "IO" }, { 0x100000000ULL, "CLEAR_SIGHAND" },
	{ 0x200000000ULL, "INTO_CGROUP" });

SYSCALL_NAMES(eventfd,
	{ 01, "SEMAPHORE" }, { 02000000, "CLOEXEC" }, { 04000, "NONBLOCK" });

SYSCALL_NAMES(pipe,
	{ 02000000, "CLOEXEC" }, { 04000, "NONBLOCK" });

SYSCALL_NAMES(random,
	{ 2, "RANDOM" }, { 1, "NONBLOCK" }, { 4, "INSECURE" });

SYSCALL_NAMES(flock,
	{ 1, "SH" }, { 2, "EX" }, { 4, "NB" }, { 8, "UN" }, { 192, "RW" }, { 32, "MAND" },
	{ 64, "READ" }, { 128, "WRITE" });

SYSCALL_NAMES(wait,
	{ 1, "NOHANG" }, { 2, "UNTRACED" }, { 4, "EXITED" }, { 8, "CONTINUED" },
	{ 0x1000000, "NOWAIT" }, { 0x20000000, "NOTHREAD" }, { 0x40000000, "ALL" },
	{ 0x80000000, "CLONE" });

SYSCALL_NAMES(at,
	{ 0x100, "SYMLINK_NOFOLLOW" }, { 0x200, "REMOVEDIR" }, { 0x400, "SYMLINK_FOLLOW" },
	{ 0x800, "NO_AUTOMOUNT" }, { 0x1000, "EMPTY_PATH" }, { 0x2000, "STATX_FORCE_SYNC" },
	{ 0x4000, "STATX_DONT_SYNC" });

/* The value of AT_REMOVEDIR is AT_EACCESS here. */
SYSCALL_NAMES(faccessat,
	{ 0x100, "SYMLINK_NOFOLLOW" }, { 0x200, "EACCESS" }, { 0x1000, "EMPTY_PATH" });

SYSCALL_NAMES(statx_mask,
	{ 0x1, "TYPE" }, { 0x2, "MODE" }, { 0x4, "NLINK" }, { 0x8, "UID" }, { 0x10, "GID" },
	{ 0x20, "ATIME" }, { 0x40, "MTIME" }, { 0x80, "CTIME" }, { 0x100, "INO" },
	{ 0x200, "SIZE" }, { 0x400, "BLOCKS" }, { 0x800, "BTIME" }, { 0x1000, "MNT_ID" },
	{ 0x2000, "DIOALIGN" }, { 0x4000, "MNT_ID_UNIQUE" }, { 0x8000, "SUBVOL" },
	{ 0x10000, "WRITE_ATOMIC" });

SYSCALL_NAMES(rename,
	{ 1, "NOREPLACE" }, { 2, "EXCHANGE" }, { 4, "WHITEOUT" });

SYSCALL_NAMES(sync_range,
	{ 7, "WRITE_AND_WAIT" }, { 1, "WAIT_BEFORE" }, { 2, "WRITE" }, { 4, "WAIT_AFTER" });

SYSCALL_NAMES(perf_open,
	{ 1, "FD_NO_GROUP" }, { 2, "FD_OUTPUT" }, { 4, "PID_CGROUP" }, { 8, "FD_CLOEXEC" });

SYSCALL_NAMES(mount,
	{ 1, "RDONLY" }, { 2, "NOSUID" }, { 4, "NODEV" }, { 8, "NOEXEC" }, { 16, "SYNCHRONOUS" },
	{ 32, "REMOUNT" }, { 64, "MANDLOCK" }, { 128, "DIRSYNC" }, { 256, "NOSYMFOLLOW" },
	{ 1024, "NOATIME" }, { 2048, "NODIRATIME" }, { 4096, "BIND" }, { 8192, "MOVE" },
	{ 16384, "REC" }, { 32768, "SILENT" }, { 0x10000, "POSIXACL" },
	{ 0x20000, "UNBINDABLE" }, { 0x40000, "PRIVATE" }, { 0x80000, "SLAVE" },
	{ 0x100000, "SHARED" }, { 0x200000, "RELATIME" }, { 0x400000, "KERNMOUNT" },
	{ 0x800000, "I_VERSION" }, { 0x1000000, "STRICTATIME" }, { 0x2000000, "LAZYTIME" },
	{ 0x4000000, "SUBMOUNT" }, { 0x8000000, "NOREMOTELOCK" }, { 0x10000000, "NOSEC" },
	{ 0x20000000, "BORN" }, { 0x40000000, "ACTIVE" }, { 0x80000000, "NOUSER" });

SYSCALL_NAMES(move_mount,
	{ 1, "F_SYMLINKS" }, { 2, "F_AUTOMOUNTS" }, { 4, "F_EMPTY_PATH" },
	{ 0x10, "T_SYMLINKS" }, { 0x20, "T_AUTOMOUNTS" }, { 0x40, "T_EMPTY_PATH" },
	{ 0x100, "SET_GROUP" }, { 0x200, "BENEATH" });

SYSCALL_NAMES(fsmount,
	{ 1, "CLOEXEC" });

SYSCALL_NAMES(mount_attr,
	{ 1, "RDONLY" }, { 2, "NOSUID" }, { 4, "NODEV" }, { 8, "NOEXEC" }, { 0x10, "NOATIME" },
	{ 0x20, "STRICTATIME" }, { 0x80, "NODIRATIME" }, { 0x100000, "IDMAP" },
	{ 0x200000, "NOSYMFOLLOW" });

SYSCALL_NAMES(fspick,
	{ 1, "CLOEXEC" }, { 2, "SYMLINK_NOFOLLOW" }, { 4, "NO_AUTOMOUNT" }, { 8, "EMPTY_PATH" });

SYSCALL_NAMES(pkey,
	{ 1, "DISABLE_ACCESS" }, { 2, "DISABLE_WRITE" });

SYSCALL_NAMES(seccomp_flags,
	{ 1, "TSYNC" }, { 2, "LOG" }, { 4, "SPEC_ALLOW" }, { 8, "NEW_LISTENER" },
	{ 16, "TSYNC_ESRCH" }, { 32, "WAIT_KILLABLE_RECV" });

/* Numbers. */

SYSCALL_NAMES(signal,
	{ 1, "HUP" }, { 2, "INT" }, { 3, "QUIT" }, { 4, "ILL" }, { 5, "TRAP" }, { 6, "ABRT" },
	{ 7, "BUS" }, { 8, "FPE" }, { 9, "KILL" }, { 10, "USR1" }, { 11, "SEGV" },
	{ 12, "USR2" }, { 13, "PIPE" }, { 14, "ALRM" }, { 15, "TERM" }, { 16, "STKFLT" },
	{ 17, "CHLD" }, { 18, "CONT" }, { 19, "STOP" }, { 20, "TSTP" }, { 21, "TTIN" },
	{ 22, "TTOU" }, { 23, "URG" }, { 24, "XCPU" }, { 25, "XFSZ" }, { 26, "VTALRM" },
	{ 27, "PROF" }, { 28, "WINCH" }, { 29, "IO" }, { 30, "PWR" }, { 31, "SYS" });

SYSCALL_NAMES(bpf,
	{ 0, "MAP_CREATE" }, { 1, "MAP_LOOKUP_ELEM" }, { 2, "MAP_UPDATE_ELEM" },
	{ 3, "MAP_DELETE_ELEM" }, { 4, "MAP_GET_NEXT_KEY" }, { 5, "PROG_LOAD" },
	{ 6, "OBJ_PIN" }, { 7, "OBJ_GET" }, { 8, "PROG_ATTACH" }, { 9, "PROG_DETACH" },
	{ 10, "PROG_TEST_RUN" }, { 11, "PROG_GET_NEXT_ID" }, { 12, "MAP_GET_NEXT_ID" },
	{ 13, "PROG_GET_FD_BY_ID" }, { 14, "MAP_GET_FD_BY_ID" }, { 15, "OBJ_GET_INFO_BY_FD" },
	{ 16, "PROG_QUERY" }, { 17, "RAW_TRACEPOINT_OPEN" }, { 18, "BTF_LOAD" },
	{ 19, "BTF_GET_FD_BY_ID" }, { 20, "TASK_FD_QUERY" },
	{ 21, "MAP_LOOKUP_AND_DELETE_ELEM" }, { 22, "MAP_FREEZE" }, { 23, "BTF_GET_NEXT_ID" },
	{ 24, "MAP_LOOKUP_BATCH" }, { 25, "MAP_LOOKUP_AND_DELETE_BATCH" },
	{ 26, "MAP_UPDATE_BATCH" }, { 27, "MAP_DELETE_BATCH" }, { 28, "LINK_CREATE" },
	{ 29, "LINK_UPDATE" }, { 30, "LINK_GET_FD_BY_ID" }, { 31, "LINK_GET_NEXT_ID" },
	{ 32, "ENABLE_STATS" }, { 33, "ITER_CREATE" }, { 34, "LINK_DETACH" },
	{ 35, "PROG_BIND_MAP" }, { 36, "TOKEN_CREATE" });

SYSCALL_NAMES(fsconfig,
	{ 0, "SET_FLAG" }, { 1, "SET_STRING" }, { 2, "SET_BINARY" }, { 3, "SET_PATH" },
	{ 4, "SET_PATH_EMPTY" }, { 5, "SET_FD" }, { 6, "CMD_CREATE" }, { 7, "CMD_RECONFIGURE" },
	{ 8, "CMD_CREATE_EXCL" });

SYSCALL_NAMES(epoll,
	{ 1, "ADD" }, { 2, "DEL" }, { 3, "MOD" });

SYSCALL_NAMES(itimer,
	{ 0, "REAL" }, { 1, "VIRTUAL" }, { 2, "PROF" });

SYSCALL_NAMES(keyctl,
	{ 0, "GET_KEYRING_ID" }, { 1, "JOIN_SESSION_KEYRING" }, { 2, "UPDATE" }, { 3, "REVOKE" },
	{ 4, "CHOWN" }, { 5, "SETPERM" }, { 6, "DESCRIBE" }, { 7, "CLEAR" }, { 8, "LINK" },
	{ 9, "UNLINK" }, { 10, "SEARCH" }, { 11, "READ" }, { 12, "INSTANTIATE" },
	{ 13, "NEGATE" }, { 14, "SET_REQKEY_KEYRING" }, { 15, "SET_TIMEOUT" },
	{ 16, "ASSUME_AUTHORITY" }, { 17, "GET_SECURITY" }, { 18, "SESSION_TO_PARENT" },
	{ 19, "REJECT" }, { 20, "INSTANTIATE_IOV" }, { 21, "INVALIDATE" },
	{ 22, "GET_PERSISTENT" });

SYSCALL_NAMES(whence,
	{ 0, "SET" }, { 1, "CUR" }, { 2, "END" }, { 3, "DATA" }, { 4, "HOLE" });

SYSCALL_NAMES(fcntl,
	{ 0, "DUPFD" }, { 1, "GETFD" }, { 2, "SETFD" }, { 3, "GETFL" }, { 4, "SETFL" },
	{ 5, "GETLK" }, { 6, "SETLK" }, { 7, "SETLKW" }, { 8, "SETOWN" }, { 9, "GETOWN" },
	{ 10, "SETSIG" }, { 11, "GETSIG" }, { 12, "GETLK64" }, { 13, "SETLK64" },
	{ 14, "SETLKW64" }, { 15, "SETOWN_EX" }, { 16, "GETOWN_EX" }, { 17, "GETOWNER_UIDS" },
	{ 36, "OFD_GETLK" }, { 37, "OFD_SETLK" }, { 38, "OFD_SETLKW" }, { 1024, "SETLEASE" },
	{ 1025, "GETLEASE" }, { 1026, "NOTIFY" }, { 1029, "CANCELLK" },
	{ 1030, "DUPFD_CLOEXEC" }, { 1031, "SETPIPE_SZ" }, { 1032, "GETPIPE_SZ" },
	{ 1033, "ADD_SEALS" }, { 1034, "GET_SEALS" }, { 1035, "GET_RW_HINT" },
	{ 1036, "SET_RW_HINT" }, { 1037, "GET_FILE_RW_HINT" }, { 1038, "SET_FILE_RW_HINT" });

SYSCALL_NAMES(rlimit,
	{ 0, "CPU" }, { 1, "FSIZE" }, { 2, "DATA" }, { 3, "STACK" }, { 4, "CORE" }, { 5, "RSS" },
	{ 6, "NPROC" }, { 7, "NOFILE" }, { 8, "MEMLOCK" }, { 9, "AS" }, { 10, "LOCKS" },
	{ 11, "SIGPENDING" }, { 12, "MSGQUEUE" }, { 13, "NICE" }, { 14, "RTPRIO" },
	{ 15, "RTTIME" });

SYSCALL_NAMES(sighow,
	{ 0, "BLOCK" }, { 1, "UNBLOCK" }, { 2, "SETMASK" });

SYSCALL_NAMES(clock,
	{ 0, "REALTIME" }, { 1, "MONOTONIC" }, { 2, "PROCESS_CPUTIME_ID" },
	{ 3, "THREAD_CPUTIME_ID" }, { 4, "MONOTONIC_RAW" }, { 5, "REALTIME_COARSE" },
	{ 6, "MONOTONIC_COARSE" }, { 7, "BOOTTIME" }, { 8, "REALTIME_ALARM" },
	{ 9, "BOOTTIME_ALARM" }, { 10, "SGI_CYCLE" }, { 11, "TAI" });

SYSCALL_NAMES(family,
	{ 0, "UNSPEC" }, { 1, "LOCAL" }, { 2, "INET" }, { 3, "AX25" }, { 4, "IPX" },
	{ 5, "APPLETALK" }, { 6, "NETROM" }, { 7, "BRIDGE" }, { 8, "ATMPVC" }, { 9, "X25" },
	{ 10, "INET6" }, { 11, "ROSE" }, { 12, "DECnet" }, { 13, "NETBEUI" }, { 14, "SECURITY" },
	{ 15, "KEY" }, { 16, "NETLINK" }, { 17, "PACKET" }, { 18, "ASH" }, { 19, "ECONET" },
	{ 20, "ATMSVC" }, { 21, "RDS" }, { 22, "SNA" }, { 23, "IRDA" }, { 24, "PPPOX" },
	{ 25, "WANPIPE" }, { 26, "LLC" }, { 27, "IB" }, { 28, "MPLS" }, { 29, "CAN" },
	{ 30, "TIPC" }, { 31, "BLUETOOTH" }, { 32, "IUCV" }, { 33, "RXRPC" }, { 34, "ISDN" },
	{ 35, "PHONET" }, { 36, "IEEE802154" }, { 37, "CAIF" }, { 38, "ALG" }, { 39, "NFC" },
	{ 40, "VSOCK" }, { 41, "KCM" }, { 42, "QIPCRTR" }, { 43, "SMC" }, { 44, "XDP" },
	{ 45, "MCTP" });

SYSCALL_NAMES(ipproto,
	{ 0, "IP" }, { 1, "ICMP" }, { 2, "IGMP" }, { 4, "IPIP" }, { 6, "TCP" }, { 8, "EGP" },
	{ 12, "PUP" }, { 17, "UDP" }, { 22, "IDP" }, { 29, "TP" }, { 33, "DCCP" },
	{ 41, "IPV6" }, { 46, "RSVP" }, { 47, "GRE" }, { 50, "ESP" }, { 51, "AH" },
	{ 92, "MTP" }, { 94, "BEETPH" }, { 98, "ENCAP" }, { 103, "PIM" }, { 108, "COMP" },
	{ 115, "L2TP" }, { 132, "SCTP" }, { 136, "UDPLITE" }, { 137, "MPLS" },
	{ 143, "ETHERNET" }, { 255, "RAW" }, { 262, "MPTCP" });

SYSCALL_NAMES(level,
	{ 0, "IP" }, { 1, "SOCKET" }, { 6, "TCP" }, { 17, "UDP" }, { 41, "IPV6" },
	{ 58, "ICMPV6" }, { 132, "SCTP" }, { 136, "UDPLITE" }, { 255, "RAW" }, { 256, "IPX" },
	{ 257, "AX25" }, { 258, "ATALK" }, { 259, "NETROM" }, { 260, "ROSE" }, { 261, "DECNET" },
	{ 262, "X25" }, { 263, "PACKET" }, { 264, "ATM" }, { 265, "AAL" }, { 266, "IRDA" },
	{ 267, "NETBEUI" }, { 268, "LLC" }, { 269, "DCCP" }, { 270, "NETLINK" }, { 271, "TIPC" },
	{ 272, "RXRPC" }, { 273, "PPPOL2TP" }, { 274, "BLUETOOTH" }, { 275, "PNPIPE" },
	{ 276, "RDS" }, { 277, "IUCV" }, { 278, "CAIF" }, { 279, "ALG" }, { 280, "NFC" },
	{ 281, "KCM" }, { 282, "TLS" }, { 283, "XDP" }, { 284, "MPTCP" }, { 285, "MCTP" },
	{ 286, "SMC" });

SYSCALL_NAMES(madvise,
	{ 0, "NORMAL" }, { 1, "RANDOM" }, { 2, "SEQUENTIAL" }, { 3, "WILLNEED" },
	{ 4, "DONTNEED" }, { 8, "FREE" }, { 9, "REMOVE" }, { 10, "DONTFORK" }, { 11, "DOFORK" },
	{ 12, "MERGEABLE" }, { 13, "UNMERGEABLE" }, { 14, "HUGEPAGE" }, { 15, "NOHUGEPAGE" },
	{ 16, "DONTDUMP" }, { 17, "DODUMP" }, { 18, "WIPEONFORK" }, { 19, "KEEPONFORK" },
	{ 20, "COLD" }, { 21, "PAGEOUT" }, { 22, "POPULATE_READ" }, { 23, "POPULATE_WRITE" },
	{ 24, "DONTNEED_LOCKED" }, { 25, "COLLAPSE" }, { 100, "HWPOISON" },
	{ 101, "SOFT_OFFLINE" });

SYSCALL_NAMES(prctl,
	{ 1, "SET_PDEATHSIG" }, { 2, "GET_PDEATHSIG" }, { 3, "GET_DUMPABLE" },
	{ 4, "SET_DUMPABLE" }, { 5, "GET_UNALIGN" }, { 6, "SET_UNALIGN" }, { 7, "GET_KEEPCAPS" },
	{ 8, "SET_KEEPCAPS" }, { 9, "GET_FPEMU" }, { 10, "SET_FPEMU" }, { 11, "GET_FPEXC" },
	{ 12, "SET_FPEXC" }, { 13, "GET_TIMING" }, { 14, "SET_TIMING" }, { 15, "SET_NAME" },
	{ 16, "GET_NAME" }, { 19, "GET_ENDIAN" }, { 20, "SET_ENDIAN" }, { 21, "GET_SECCOMP" },
	{ 22, "SET_SECCOMP" }, { 23, "CAPBSET_READ" }, { 24, "CAPBSET_DROP" }, { 25, "GET_TSC" },
	{ 26, "SET_TSC" }, { 27, "GET_SECUREBITS" }, { 28, "SET_SECUREBITS" },
	{ 29, "SET_TIMERSLACK" }, { 30, "GET_TIMERSLACK" }, { 31, "TASK_PERF_EVENTS_DISABLE" },
	{ 32, "TASK_PERF_EVENTS_ENABLE" }, { 33, "MCE_KILL" }, { 34, "MCE_KILL_GET" },
	{ 35, "SET_MM" }, { 36, "SET_CHILD_SUBREAPER" }, { 37, "GET_CHILD_SUBREAPER" },
	{ 38, "SET_NO_NEW_PRIVS" }, { 39, "GET_NO_NEW_PRIVS" }, { 40, "GET_TID_ADDRESS" },
	{ 41, "SET_THP_DISABLE" }, { 42, "GET_THP_DISABLE" }, { 43, "MPX_ENABLE_MANAGEMENT" },
	{ 44, "MPX_DISABLE_MANAGEMENT" }, { 45, "SET_FP_MODE" }, { 46, "GET_FP_MODE" },
	{ 47, "CAP_AMBIENT" }, { 50, "SVE_SET_VL" }, { 51, "SVE_GET_VL" },
	{ 52, "GET_SPECULATION_CTRL" }, { 53, "SET_SPECULATION_CTRL" }, { 54, "PAC_RESET_KEYS" },
	{ 55, "SET_TAGGED_ADDR_CTRL" }, { 56, "GET_TAGGED_ADDR_CTRL" }, { 57, "SET_IO_FLUSHER" },
	{ 58, "GET_IO_FLUSHER" }, { 59, "SET_SYSCALL_USER_DISPATCH" },
	{ 60, "PAC_SET_ENABLED_KEYS" }, { 61, "PAC_GET_ENABLED_KEYS" }, { 62, "SCHED_CORE" },
	{ 63, "SME_SET_VL" }, { 64, "SME_GET_VL" });

SYSCALL_NAMES(prctl_mm,
	{ 1, "START_CODE" }, { 2, "END_CODE" }, { 3, "START_DATA" }, { 4, "END_DATA" },
	{ 5, "START_STACK" }, { 6, "START_BRK" }, { 7, "BRK" }, { 8, "ARG_START" },
	{ 9, "ARG_END" }, { 10, "ENV_START" }, { 11, "ENV_END" }, { 12, "AUXV" },
	{ 13, "EXE_FILE" }, { 14, "MAP" }, { 15, "MAP_SIZE" });

SYSCALL_NAMES(arch_prctl,
	{ 4097, "SET_GS" }, { 4098, "SET_FS" }, { 4099, "GET_FS" }, { 4100, "GET_GS" },
	{ 4113, "GET_CPUID" }, { 4114, "SET_CPUID" }, { 4129, "GET_XCOMP_SUPP" },
	{ 4130, "GET_XCOMP_PERM" }, { 4131, "REQ_XCOMP_PERM" }, { 4132, "GET_XCOMP_GUEST_PERM" },
	{ 4133, "REQ_XCOMP_GUEST_PERM" }, { 8193, "MAP_VDSO_X32" }, { 8194, "MAP_VDSO_32" },
	{ 8195, "MAP_VDSO_64" });

SYSCALL_NAMES(futex,
	{ 0, "WAIT" }, { 1, "WAKE" }, { 2, "FD" }, { 3, "REQUEUE" }, { 4, "CMP_REQUEUE" },
	{ 5, "WAKE_OP" }, { 6, "LOCK_PI" }, { 7, "UNLOCK_PI" }, { 8, "TRYLOCK_PI" },
	{ 9, "WAIT_BITSET" }, { 10, "WAKE_BITSET" }, { 11, "WAIT_REQUEUE_PI" },
	{ 12, "CMP_REQUEUE_PI" });

SYSCALL_NAMES(policy,
	{ 0, "NORMAL" }, { 1, "FIFO" }, { 2, "RR" }, { 3, "BATCH" }, { 4, "ISO" }, { 5, "IDLE" },
	{ 6, "DEADLINE" }, { 7, "EXT" });

SYSCALL_NAMES(seccomp,
	{ 0, "STRICT" }, { 1, "FILTER" }, { 2, "GET_ACTION_AVAIL" }, { 3, "GET_NOTIF_SIZES" });

SYSCALL_NAMES(sock_type,
	{ 1, "STREAM" }, { 2, "DGRAM" }, { 3, "RAW" }, { 4, "RDM" }, { 5, "SEQPACKET" },
	{ 6, "DCCP" }, { 10, "PACKET" });

SYSCALL_NAMES(kcmp,
	{ 0, "FILE" }, { 1, "VM" }, { 2, "FILES" }, { 3, "FS" }, { 4, "SIGHAND" }, { 5, "IO" },
	{ 6, "SYSVSEM" }, { 7, "EPOLL_TFD" });

SYSCALL_NAMES(lease,
	{ 0, "RDLCK" }, { 1, "WRLCK" }, { 2, "UNLCK" });

SYSCALL_NAMES(tty,
	{ 1, "TCGETS" }, { 2, "TCSETS" }, { 3, "TCSETSW" }, { 4, "TCSETSF" }, { 5, "TCGETA" },
	{ 6, "TCSETA" }, { 7, "TCSETAW" }, { 8, "TCSETAF" }, { 9, "TCSBRK" }, { 10, "TCXONC" },
	{ 11, "TCFLSH" }, { 12, "TIOCEXCL" }, { 13, "TIOCNXCL" }, { 14, "TIOCSCTTY" },
	{ 15, "TIOCGPGRP" }, { 16, "TIOCSPGRP" }, { 17, "TIOCOUTQ" }, { 18, "TIOCSTI" },
	{ 19, "TIOCGWINSZ" }, { 20, "TIOCSWINSZ" }, { 21, "TIOCMGET" }, { 22, "TIOCMBIS" },
	{ 23, "TIOCMBIC" }, { 24, "TIOCMSET" }, { 25, "TIOCGSOFTCAR" }, { 26, "TIOCSSOFTCAR" },
	{ 27, "FIONREAD" }, { 28, "TIOCLINUX" }, { 29, "TIOCCONS" }, { 30, "TIOCGSERIAL" },
	{ 31, "TIOCSSERIAL" }, { 32, "TIOCPKT" }, { 33, "FIONBIO" }, { 34, "TIOCNOTTY" },
	{ 35, "TIOCSETD" }, { 36, "TIOCGETD" }, { 37, "TCSBRKP" }, { 39, "TIOCSBRK" },
	{ 40, "TIOCCBRK" }, { 41, "TIOCGSID" }, { 42, "TCGETS2" }, { 43, "TCSETS2" },
	{ 44, "TCSETSW2" }, { 45, "TCSETSF2" }, { 46, "TIOCGRS485" }, { 47, "TIOCSRS485" },
	{ 48, "TIOCGPTN" }, { 49, "TIOCSPTLCK" }, { 50, "TIOCGDEV" }, { 51, "TCSETX" },
	{ 52, "TCSETXF" }, { 53, "TCSETXW" }, { 54, "TIOCSIG" }, { 55, "TIOCVHANGUP" },
	{ 56, "TIOCGPKT" }, { 57, "TIOCGPTLCK" }, { 64, "TIOCGEXCL" }, { 65, "TIOCGPTPEER" },
	{ 66, "TIOCGISO7816" }, { 67, "TIOCSISO7816" }, { 80, "FIONCLEX" }, { 81, "FIOCLEX" },
	{ 82, "FIOASYNC" }, { 83, "TIOCSERCONFIG" }, { 84, "TIOCSERGWILD" },
	{ 85, "TIOCSERSWILD" }, { 86, "TIOCGLCKTRMIOS" }, { 87, "TIOCSLCKTRMIOS" },
	{ 88, "TIOCSERGSTRUCT" }, { 89, "TIOCSERGETLSR" }, { 90, "TIOCSERGETMULTI" },
	{ 91, "TIOCSERSETMULTI" }, { 92, "TIOCMIWAIT" }, { 93, "TIOCGICOUNT" });

SYSCALL_NAMES(perf_ioctl,
	{ 0, "ENABLE" }, { 1, "DISABLE" }, { 2, "REFRESH" }, { 3, "RESET" }, { 4, "PERIOD" },
	{ 5, "SET_OUTPUT" }, { 6, "SET_FILTER" }, { 7, "ID" }, { 8, "SET_BPF" },
	{ 9, "PAUSE_OUTPUT" }, { 10, "QUERY_BPF" }, { 11, "MODIFY_ATTRIBUTES" });
