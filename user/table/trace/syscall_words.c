// SPDX-License-Identifier: GPL-2.0
#include "table/trace/syscall_words.h"

#include <asm/ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/escape.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "table/trace/syscall_names.h"

/* Numbers of the kernel that decide the format of other arguments. */
enum {
	WORD_AT_FDCWD = -100,
	WORD_O_CREAT = 0100,
	WORD_MAP_ANONYMOUS = 0x20,
	WORD_MREMAP_FIXED = 2,
	WORD_CLONE_SETTLS = 0x80000,
	WORD_CLONE_PARENT_SETTID = 0x100000,
	WORD_CLONE_CHILD_TIDS = 0x200000 | 0x1000000,
	WORD_FUTEX_PRIVATE = 128,
	WORD_FUTEX_REALTIME = 256,
	WORD_AF_INET = 2,
	WORD_AF_INET6 = 10,
	WORD_PR_SET_NAME = 15,
	WORD_PR_SET_MM = 35,
};

enum { F_DUPFD_ = 0, F_GETFD_, F_SETFD_, F_GETFL_, F_SETFL_, F_GETLK_, F_SETLK_, F_SETLKW_,
	F_SETOWN_, F_GETOWN_, F_SETSIG_, F_GETSIG_, F_SETOWN_EX_ = 15, F_GETOWN_EX_,
	F_OFD_GETLK_ = 36, F_OFD_SETLK_, F_OFD_SETLKW_, F_SETLEASE_ = 1024, F_GETLEASE_,
	F_DUPFD_CLOEXEC_ = 1030, F_GET_SEALS_ = 1034, F_GET_RW_HINT_, F_SET_RW_HINT_,
	F_GET_FILE_RW_HINT_, F_SET_FILE_RW_HINT_ };

/* The context of one value's text. */
struct word_context {
	struct syscall_words *words;
	struct strbuf *sb;
	struct processes *processes;
	int32_t pid;
	const uint64_t *args;		/* NULL: it is a field of another event */
	unsigned int index;		/* of the argument */
	unsigned int skip;		/* bits of arguments that are not used here */
	const struct syscall_names *names;
};

typedef void (*word_fn)(struct word_context *c, uint64_t value);

struct word {
	word_fn add;			/* NULL: by the type of the argument */
	const struct syscall_names *names;
	bool zero;			/* shown when it is 0, too */
};

enum { RETURNS_PID = 1, RETURNS_ADDRESS = 2, TIMES_OUT = 4 };

struct call_words {
	const char *name;
	struct word args[SYSCALL_ARGS];
	unsigned int result;
};

/* The format of one call. */
struct call_plan {
	const struct call_words *row;	/* NULL: there is none */
	struct word args[SYSCALL_ARGS];
};

struct syscall_words {
	struct syscalls *syscalls;
	struct descriptor_paths *paths;
	bool with_paths;
	const struct syscall_names *open;
	ARRAY_OF(struct call_plan *) plans;
};

/* ---- numbers ------------------------------------------------------------- */

static void word_add_hex(struct strbuf *sb, uint64_t value)
{
	if (value)
		strbuf_add(sb, "0x", 2);
	number_add_hex(sb, value, 0, ' ');
}

static void word_long(struct word_context *c, uint64_t value)
{
	number_add_signed(c->sb, (int64_t)value, 0, ' ');
}

static void word_int(struct word_context *c, uint64_t value)
{
	number_add_signed(c->sb, (int32_t)value, 0, ' ');
}

static void word_hex(struct word_context *c, uint64_t value)
{
	word_add_hex(c->sb, value);
}

static void word_pointer(struct word_context *c, uint64_t value)
{
	if (value)
		word_add_hex(c->sb, value);
	else
		strbuf_addstr(c->sb, "NULL");
}

/* ---- names and flags ----------------------------------------------------- */

static const char *word_name_find(const struct syscall_names *names, uint64_t value)
{
	for (size_t i = 0; i < names->nr; i++)
		if (names->items[i].value == value)
			return names->items[i].name;
	return NULL;
}

static void word_names(struct word_context *c, uint64_t value)
{
	const char *name = word_name_find(c->names, (uint32_t)value);

	if (name)
		strbuf_addstr(c->sb, name);
	else
		word_int(c, value);
}

static void word_names_hex(struct word_context *c, uint64_t value)
{
	const char *name = word_name_find(c->names, (uint32_t)value);

	if (name)
		strbuf_addstr(c->sb, name);
	else
		word_add_hex(c->sb, (uint32_t)value);
}

static void word_add_flags(struct strbuf *sb, const struct syscall_names *names, uint64_t value,
			   const char *between)
{
	for (size_t i = 0; i < names->nr && value; i++) {
		const struct syscall_name *flag = &names->items[i];

		if ((value & flag->value) != flag->value)
			continue;
		strbuf_addstr(sb, between);
		strbuf_addstr(sb, flag->name);
		between = "|";
		value &= ~flag->value;
	}
	if (!value)
		return;
	strbuf_addstr(sb, between);
	word_add_hex(sb, value);
}

static void word_flags(struct word_context *c, uint64_t value)
{
	word_add_flags(c->sb, c->names, (uint32_t)value, "");
}

static void word_flags_long(struct word_context *c, uint64_t value)
{
	word_add_flags(c->sb, c->names, value, "");
}

static void word_add_open_flags(struct word_context *c, uint32_t flags)
{
	bool reads = !(flags & 3);

	if (reads)
		strbuf_addstr(c->sb, "RDONLY");
	if (flags)
		word_add_flags(c->sb, c->words->open, flags, reads ? "|" : "");
}

static void word_open_flags(struct word_context *c, uint64_t value)
{
	if (!(value & WORD_O_CREAT))
		c->skip |= 1u << (c->index + 1);
	word_add_open_flags(c, value);
}

static void word_access(struct word_context *c, uint64_t value)
{
	static const char letters[] = "XWR";

	for (int bit = 2; bit >= 0; bit--)
		if (value & (1u << bit))
			strbuf_addch(c->sb, letters[bit]);
	if ((uint32_t)value & ~7u) {
		strbuf_addch(c->sb, '|');
		word_add_hex(c->sb, (uint32_t)value & ~7u);
	}
}

static void word_mount_flags(struct word_context *c, uint64_t value)
{
	/* The upper half once had to hold a magic number, which is now ignored. */
	if ((value & 0xffff0000) == 0xc0ed0000)
		value &= 0xffff;
	word_add_flags(c->sb, &syscall_names_mount, value, "");
}

static void word_mount_attr(struct word_context *c, uint64_t value)
{
	word_add_flags(c->sb, &syscall_names_mount_attr, value, "");
	if (!(value & 0x70))
		strbuf_addstr(c->sb, "|RELATIME");
}

static void word_madvise(struct word_context *c, uint64_t value)
{
	const char *name = word_name_find(&syscall_names_madvise, (uint32_t)value);

	if (name) {
		strbuf_addstr(c->sb, "MADV_");
		strbuf_addstr(c->sb, name);
	} else {
		word_add_hex(c->sb, (uint32_t)value);
	}
}

static void word_mmap_flags(struct word_context *c, uint64_t value)
{
	/* Anonymous memory has no offset in a file. */
	if (value & WORD_MAP_ANONYMOUS)
		c->skip |= 1u << 4 | 1u << 5;
	word_add_flags(c->sb, &syscall_names_mmap, value, "");
}

static void word_mremap_flags(struct word_context *c, uint64_t value)
{
	if (!(value & WORD_MREMAP_FIXED))
		c->skip |= 1u << 5;
	word_add_flags(c->sb, &syscall_names_mremap, value, "");
}

static void word_clone_flags(struct word_context *c, uint64_t value)
{
	if (!(value & WORD_CLONE_PARENT_SETTID))
		c->skip |= 1u << 2;
	if (!(value & WORD_CLONE_CHILD_TIDS))
		c->skip |= 1u << 3;
	if (!(value & WORD_CLONE_SETTLS))
		c->skip |= 1u << 4;
	word_add_flags(c->sb, &syscall_names_clone, value, "");
}

static void word_futex(struct word_context *c, uint64_t value)
{
	enum { TIMEOUT = 1 << 3, UADDR2 = 1 << 4, VAL3 = 1 << 5 };
	static const uint8_t skip[] = {
		VAL3 | UADDR2, VAL3 | UADDR2 | TIMEOUT, VAL3 | UADDR2 | TIMEOUT, VAL3 | TIMEOUT,
		TIMEOUT, 0, VAL3 | UADDR2 | TIMEOUT, VAL3 | UADDR2 | TIMEOUT, VAL3 | UADDR2, UADDR2,
		UADDR2, 0, TIMEOUT,
	};
	uint32_t op = value & ~(uint64_t)(WORD_FUTEX_PRIVATE | WORD_FUTEX_REALTIME);
	const char *name = word_name_find(&syscall_names_futex, op);

	if (op < ARRAY_SIZE(skip))
		c->skip |= skip[op];
	if (name)
		strbuf_addstr(c->sb, name);
	else
		word_add_hex(c->sb, op);
	if (value & WORD_FUTEX_PRIVATE)
		strbuf_addstr(c->sb, "|PRIVATE_FLAG");
	if (value & WORD_FUTEX_REALTIME)
		strbuf_addstr(c->sb, "|CLOCK_REALTIME");
}

static void word_futex_bits(struct word_context *c, uint64_t value)
{
	if ((uint32_t)value == UINT32_MAX)
		strbuf_addstr(c->sb, "MATCH_ANY");
	else
		word_add_hex(c->sb, (uint32_t)value);
}

static void word_policy(struct word_context *c, uint64_t value)
{
	const char *name = word_name_find(&syscall_names_policy, value & 0xff);
	uint32_t flags = value & ~(uint64_t)0xff;

	if (name)
		strbuf_addstr(c->sb, name);
	else
		word_add_hex(c->sb, value & 0xff);
	if (flags & 0x40000000)
		strbuf_addstr(c->sb, "|RESET_ON_FORK");
	if (flags & ~0x40000000u) {
		strbuf_addch(c->sb, '|');
		word_add_hex(c->sb, flags & ~0x40000000u);
	}
}

static void word_socket_type(struct word_context *c, uint64_t value)
{
	const char *name = word_name_find(&syscall_names_sock_type, value & 0xf);
	uint32_t flags = value & ~(uint64_t)0xf;

	if (name)
		strbuf_addstr(c->sb, name);
	else
		word_add_hex(c->sb, value & 0xf);
	if (flags)
		word_add_flags(c->sb, &syscall_names_pipe, flags, "|");
}

static void word_socket_protocol(struct word_context *c, uint64_t value)
{
	int32_t family = c->args[0];

	c->names = &syscall_names_ipproto;
	if (family == WORD_AF_INET || family == WORD_AF_INET6)
		word_names(c, value);
	else
		word_int(c, value);
}

static void word_ioctl(struct word_context *c, uint64_t value)
{
	uint32_t command = value;
	const struct syscall_names *names = NULL;
	const char *name;

	if (_IOC_TYPE(command) == 'T')
		names = &syscall_names_tty;
	else if (_IOC_TYPE(command) == '$')
		names = &syscall_names_perf_ioctl;
	name = names ? word_name_find(names, _IOC_NR(command)) : NULL;
	if (name) {
		strbuf_addf(c->sb, "%s%s", _IOC_TYPE(command) == '$' ? "PERF_" : "", name);
		return;
	}
	strbuf_addch(c->sb, '(');
	if (_IOC_DIR(command) == _IOC_NONE)
		strbuf_addstr(c->sb, "NONE");
	if (_IOC_DIR(command) & _IOC_READ)
		strbuf_addstr(c->sb, "READ");
	if (_IOC_DIR(command) & _IOC_WRITE)
		strbuf_addstr(c->sb, _IOC_DIR(command) & _IOC_READ ? "|WRITE" : "WRITE");
	strbuf_addf(c->sb, ", %#x, %#x, %#x)", _IOC_TYPE(command), _IOC_NR(command),
		    _IOC_SIZE(command));
}

static void word_prctl(struct word_context *c, uint64_t value)
{
	enum { ARG2 = 1 << 1, REST = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 };
	/* By option: GET_PDEATHSIG and so on, which have one argument or none. */
	static const uint8_t skip[] = {
		[1] = REST, [2] = ARG2 | REST, [3] = ARG2 | REST, [4] = REST,
		[WORD_PR_SET_NAME] = REST, [27] = ARG2 | REST, [28] = REST,
		[WORD_PR_SET_MM] = 1 << 3 | 1 << 4 | 1 << 5, [36] = REST, [37] = REST,
	};

	if (value < ARRAY_SIZE(skip))
		c->skip |= skip[value];
	c->names = &syscall_names_prctl;
	word_names(c, value);
}

static void word_prctl_2(struct word_context *c, uint64_t value)
{
	c->names = &syscall_names_prctl_mm;
	if (c->args[0] == WORD_PR_SET_MM)
		word_names(c, value);
	else if (c->args[0] == WORD_PR_SET_NAME)
		word_hex(c, value);
	else
		word_long(c, value);
}

static void word_prctl_3(struct word_context *c, uint64_t value)
{
	if (c->args[0] == WORD_PR_SET_MM)
		word_hex(c, value);
	else
		word_long(c, value);
}

/* ---- descriptors and tasks ----------------------------------------------- */

static void word_add_descriptor(struct word_context *c, int32_t pid, int32_t fd)
{
	const char *path = NULL;

	number_add_signed(c->sb, fd, 0, ' ');
	if (c->words->with_paths)
		path = descriptor_paths_get(c->words->paths, pid, fd);
	if (path) {
		size_t at = c->sb->len;

		strbuf_addf(c->sb, "<%s>", path);
		escape_controls(c->sb, at);
		escape_line_ends(c->sb, at);
	}
}

static void word_fd(struct word_context *c, uint64_t value)
{
	word_add_descriptor(c, c->pid, value);
}

static void word_fd_at(struct word_context *c, uint64_t value)
{
	if ((int32_t)value == WORD_AT_FDCWD)
		strbuf_addstr(c->sb, "CWD");
	else
		word_fd(c, value);
}

/* Append " (COMM)" if the recording has a task with this number. */
static void word_add_comm(struct strbuf *sb, struct processes *processes, int32_t pid)
{
	const char *comm = pid > 0 ? processes_comm(processes, pid, pid) : NULL;
	size_t at = sb->len;

	/* ":123" is the name of a task without a name. */
	if (!comm || comm[0] == ':')
		return;
	strbuf_addf(sb, " (%s)", comm);
	escape_controls(sb, at);
	escape_line_ends(sb, at);
}

static void word_pid(struct word_context *c, uint64_t value)
{
	word_int(c, value);
	word_add_comm(c->sb, c->processes, value);
}

static void word_kcmp_type(struct word_context *c, uint64_t value)
{
	if (value)
		c->skip |= 1u << 3 | 1u << 4;
	c->names = &syscall_names_kcmp;
	word_names(c, value);
}

static void word_kcmp_index(struct word_context *c, uint64_t value)
{
	if (c->args[2])
		word_long(c, value);
	else
		word_add_descriptor(c, c->args[c->index == 3 ? 0 : 1], value);
}

static void word_fcntl(struct word_context *c, uint64_t value)
{
	switch (value) {
	case F_GETFL_:
	case F_GETFD_:
	case F_GETOWN_:
	case F_GETLEASE_:
	case F_GET_SEALS_:
	case F_GETSIG_:
		c->skip |= 1u << 2;
	}
	c->names = &syscall_names_fcntl;
	word_names(c, value);
}

static void word_add_lease(struct word_context *c, uint64_t value)
{
	c->names = &syscall_names_lease;
	word_names(c, value);
}

static void word_fcntl_arg(struct word_context *c, uint64_t value)
{
	switch ((int32_t)c->args[1]) {
	case F_DUPFD_:
		word_fd(c, value);
		break;
	case F_SETFD_:
		strbuf_addstr(c->sb, value & 1 ? "CLOEXEC" : "0");
		break;
	case F_SETFL_:
		word_add_open_flags(c, value);
		break;
	case F_SETOWN_:
		word_pid(c, value);
		break;
	case F_SETLEASE_:
		word_add_lease(c, value);
		break;
	case F_SETLK_:
	case F_SETLKW_:
	case F_GETLK_:
	case F_OFD_SETLK_:
	case F_OFD_SETLKW_:
	case F_OFD_GETLK_:
	case F_GETOWN_EX_:
	case F_SETOWN_EX_:
	case F_GET_RW_HINT_:
	case F_SET_RW_HINT_:
	case F_GET_FILE_RW_HINT_:
	case F_SET_FILE_RW_HINT_:
		word_hex(c, value);
		break;
	default:
		word_long(c, value);
	}
}

/* ---- the calls ------------------------------------------------------------ */

#define NAMES(which)	{ word_names, &syscall_names_##which, true }
#define FLAGS(which)	{ word_flags, &syscall_names_##which, false }
#define WORD(which)	{ word_##which, NULL, false }

/* Calls without a row are printed by the types and names of their arguments. */
static const struct call_words call_rows[] = {
	{ "access", { [1] = WORD(access) }, 0 },
	{ "arch_prctl", { { word_names_hex, &syscall_names_arch_prctl, false },
			  WORD(pointer) }, 0 },
	{ "bind", { WORD(int), WORD(hex), WORD(int) }, 0 },
	{ "bpf", { NAMES(bpf) }, 0 },
	{ "brk", { WORD(pointer) }, RETURNS_ADDRESS },
	{ "clock_gettime", { NAMES(clock) }, 0 },
	{ "clone", { WORD(clone_flags), WORD(hex), WORD(hex), WORD(hex), WORD(hex) },
	  RETURNS_PID },
	{ "close", { WORD(fd) }, 0 },
	{ "connect", { WORD(int), WORD(hex), WORD(int) }, 0 },
	{ "epoll_ctl", { [1] = NAMES(epoll) }, 0 },
	{ "eventfd2", { [1] = FLAGS(eventfd) }, 0 },
	{ "faccessat", { WORD(fd_at), [2] = WORD(access) }, 0 },
	{ "faccessat2", { WORD(fd_at), [2] = WORD(access), [3] = FLAGS(faccessat) }, 0 },
	{ "fchmodat", { WORD(fd_at) }, 0 },
	{ "fchmodat2", { WORD(fd_at), [3] = FLAGS(at) }, 0 },
	{ "fchownat", { WORD(fd_at), [4] = FLAGS(at) }, 0 },
	{ "fcntl", { [1] = { word_fcntl, &syscall_names_fcntl, true }, [2] = WORD(fcntl_arg) },
	  0 },
	{ "flock", { [1] = FLAGS(flock) }, 0 },
	{ "fsconfig", { [1] = NAMES(fsconfig) }, 0 },
	{ "fsmount", { [1] = FLAGS(fsmount), [2] = WORD(mount_attr) }, 0 },
	{ "fspick", { WORD(fd_at), [2] = FLAGS(fspick) }, 0 },
	{ "futex", { [1] = WORD(futex), [5] = WORD(futex_bits) }, 0 },
	{ "futimesat", { WORD(fd_at) }, 0 },
	{ "getitimer", { NAMES(itimer) }, 0 },
	{ "getpgid", { WORD(pid) }, RETURNS_PID },
	{ "getpid", { { NULL, NULL, false } }, RETURNS_PID },
	{ "getppid", { { NULL, NULL, false } }, RETURNS_PID },
	{ "getrandom", { [2] = FLAGS(random) }, 0 },
	{ "getrlimit", { NAMES(rlimit) }, 0 },
	{ "getsockopt", { [1] = NAMES(level) }, 0 },
	{ "gettid", { { NULL, NULL, false } }, RETURNS_PID },
	{ "ioctl", { [1] = WORD(ioctl), [2] = WORD(hex) }, 0 },
	{ "kcmp", { WORD(pid), WORD(pid), WORD(kcmp_type), WORD(kcmp_index),
		    WORD(kcmp_index) }, 0 },
	{ "keyctl", { NAMES(keyctl) }, 0 },
	{ "kill", { [1] = { word_names_hex, &syscall_names_signal, false } }, 0 },
	{ "linkat", { WORD(fd_at), [2] = WORD(fd_at) }, 0 },
	{ "lseek", { [2] = NAMES(whence) }, 0 },
	{ "madvise", { WORD(hex), [2] = WORD(madvise) }, 0 },
	{ "mkdirat", { WORD(fd_at) }, 0 },
	{ "mknodat", { WORD(fd_at) }, 0 },
	{ "mmap", { [2] = { word_flags_long, &syscall_names_prot, false },
		    [3] = WORD(mmap_flags), [5] = WORD(hex) }, RETURNS_ADDRESS },
	{ "mount", { [0] = WORD(pointer), [3] = WORD(mount_flags) }, 0 },
	{ "move_mount", { WORD(fd_at), [2] = WORD(fd_at), [4] = FLAGS(move_mount) }, 0 },
	{ "mprotect", { WORD(hex), [2] = { word_flags_long, &syscall_names_prot, false } }, 0 },
	{ "mremap", { [3] = WORD(mremap_flags) }, RETURNS_ADDRESS },
	{ "name_to_handle_at", { WORD(fd_at) }, 0 },
	{ "newfstatat", { WORD(fd_at), [3] = FLAGS(at) }, 0 },
	{ "open", { [1] = WORD(open_flags) }, 0 },
	{ "open_by_handle_at", { WORD(fd_at), [2] = WORD(open_flags) }, 0 },
	{ "openat", { WORD(fd_at), [2] = WORD(open_flags) }, 0 },
	{ "perf_event_open", { [2] = WORD(int), [3] = WORD(fd), [4] = FLAGS(perf_open) }, 0 },
	{ "pipe2", { [1] = FLAGS(pipe) }, 0 },
	{ "pkey_alloc", { [1] = FLAGS(pkey) }, 0 },
	{ "pkey_free", { WORD(int) }, 0 },
	{ "pkey_mprotect", { WORD(hex), [2] = { word_flags_long, &syscall_names_prot, false },
			     [3] = WORD(int) }, 0 },
	{ "poll", { { NULL, NULL, false } }, TIMES_OUT },
	{ "ppoll", { { NULL, NULL, false } }, TIMES_OUT },
	{ "prctl", { WORD(prctl), WORD(prctl_2), WORD(prctl_3) }, 0 },
	{ "prlimit64", { [1] = NAMES(rlimit) }, 0 },
	{ "readlinkat", { WORD(fd_at) }, 0 },
	{ "recvfrom", { [3] = FLAGS(msg) }, 0 },
	{ "recvmmsg", { [3] = FLAGS(msg) }, 0 },
	{ "recvmsg", { [2] = FLAGS(msg) }, 0 },
	{ "renameat", { WORD(fd_at), [2] = WORD(fd_at) }, 0 },
	{ "renameat2", { WORD(fd_at), [2] = WORD(fd_at), [4] = FLAGS(rename) }, 0 },
	{ "rt_sigaction", { { word_names_hex, &syscall_names_signal, false } }, 0 },
	{ "rt_sigprocmask", { NAMES(sighow) }, 0 },
	{ "rt_sigqueueinfo", { [1] = { word_names_hex, &syscall_names_signal, false } }, 0 },
	{ "rt_tgsigqueueinfo", { [2] = { word_names_hex, &syscall_names_signal, false } }, 0 },
	{ "sched_setscheduler", { [1] = WORD(policy) }, 0 },
	{ "seccomp", { { word_names_hex, &syscall_names_seccomp, false },
		       FLAGS(seccomp_flags) }, 0 },
	{ "select", { { NULL, NULL, false } }, TIMES_OUT },
	{ "sendmmsg", { [3] = FLAGS(msg) }, 0 },
	{ "sendmsg", { [2] = FLAGS(msg) }, 0 },
	{ "sendto", { [3] = FLAGS(msg), [4] = WORD(hex) }, 0 },
	{ "set_tid_address", { { NULL, NULL, false } }, RETURNS_PID },
	{ "setitimer", { NAMES(itimer) }, 0 },
	{ "setrlimit", { NAMES(rlimit) }, 0 },
	{ "setsockopt", { [1] = NAMES(level) }, 0 },
	{ "socket", { NAMES(family), WORD(socket_type), WORD(socket_protocol) }, 0 },
	{ "socketpair", { NAMES(family), WORD(socket_type), WORD(socket_protocol) }, 0 },
	{ "statx", { WORD(fd_at), [2] = FLAGS(at), [3] = FLAGS(statx_mask) }, 0 },
	{ "symlinkat", { [1] = WORD(fd_at) }, 0 },
	{ "sync_file_range", { [3] = FLAGS(sync_range) }, 0 },
	{ "tgkill", { [2] = { word_names_hex, &syscall_names_signal, false } }, 0 },
	{ "tkill", { [1] = { word_names_hex, &syscall_names_signal, false } }, 0 },
	{ "unlinkat", { WORD(fd_at), [2] = FLAGS(at) }, 0 },
	{ "utimensat", { WORD(fd_at), [3] = FLAGS(at) }, 0 },
	{ "wait4", { [2] = FLAGS(wait) }, RETURNS_PID },
	{ "waitid", { [3] = FLAGS(wait) }, RETURNS_PID },
};

struct error *syscall_words_create(struct syscalls *syscalls, struct descriptor_paths *paths,
				   bool with_paths, struct syscall_words **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return &error_no_memory;
	(*ret)->syscalls = syscalls;
	(*ret)->paths = paths;
	(*ret)->with_paths = with_paths;
	(*ret)->open = syscalls_of_arm(syscalls) ? &syscall_names_open_arm : &syscall_names_open;
	return NULL;
}

void syscall_words_destroy(struct syscall_words *words)
{
	if (!words)
		return;
	array_free_each(&words->plans);
	free(words);
}

/* perf's rules. */
static struct word word_of_type(const char *type, const char *name)
{
	if (strchr(type, '*') || strstr(name, "addr"))
		return (struct word)WORD(pointer);
	if (!strcmp(type, "pid_t"))
		return (struct word)WORD(pid);
	if (!strcmp(type, "umode_t"))
		return (struct word)FLAGS(mode);
	if ((!strcmp(type, "int") || !strcmp(type, "unsigned int") || !strcmp(type, "long")) &&
	    text_ends_with(name, "fd"))
		return (struct word)WORD(fd);
	return (struct word)WORD(long);
}

static struct call_plan *call_plan_of(struct syscall_words *words, struct syscall_info *info)
{
	struct call_plan *plan = info->private;

	if (plan)
		return plan;
	plan = calloc(1, sizeof(*plan));
	if (!plan || !array_push(&words->plans, plan)) {
		free(plan);
		return NULL;
	}
	info->private = plan;
	for (size_t i = 0; i < ARRAY_SIZE(call_rows) && !plan->row; i++)
		if (!strcmp(info->name, call_rows[i].name))
			plan->row = &call_rows[i];
	for (unsigned int i = 0; i < info->nr_args; i++) {
		if (plan->row && plan->row->args[i].add)
			plan->args[i] = plan->row->args[i];
		else
			plan->args[i] = word_of_type(info->args[i].type, info->args[i].name);
	}
	return plan;
}

static void word_add_text(struct strbuf *sb, const char *text, size_t len)
{
	size_t at = sb->len;

	strbuf_addch(sb, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		if (c == '"' || c == '\\')
			strbuf_addch(sb, '\\');
		if (c == '\n')
			strbuf_addstr(sb, "\\n");
		else if (c == '\t')
			strbuf_addstr(sb, "\\t");
		else
			strbuf_addch(sb, c);
	}
	strbuf_addch(sb, '"');
	escape_controls(sb, at);
}

void syscall_words_add_args(struct syscall_words *words, const struct syscall_call *call,
			    struct strbuf *sb)
{
	const struct call_plan *plan = call_plan_of(words, call->info);
	struct word_context c = {
		.words = words, .sb = sb, .processes = call->sample->processes,
		.pid = call->task->pid, .args = call->args,
	};
	bool any = false;

	if (!plan)
		return;
	for (c.index = 0; c.index < call->info->nr_args; c.index++) {
		const struct word *word = &plan->args[c.index];
		const struct syscall_text *text = call->texts ? &call->texts[c.index] : NULL;
		uint64_t value = call->args[c.index];

		if (c.skip & (1u << c.index) || (!value && !word->zero))
			continue;
		if (any)
			strbuf_add(sb, ", ", 2);
		any = true;
		strbuf_addstr(sb, call->info->args[c.index].name);
		strbuf_add(sb, ": ", 2);
		c.names = word->names;
		if (text && text->text)
			word_add_text(sb, text->text, text->len);
		else
			word->add(&c, value);
	}
}

const char *syscall_words_errno(int number)
{
	/* Errors that only the kernel sees: such a call is restarted, or ends with EINTR. */
	static const struct {
		int number;
		const char *name;
	} restarts[] = {
		{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" }, { 514, "ERESTARTNOHAND" },
		{ 515, "ENOIOCTLCMD" }, { 516, "ERESTART_RESTARTBLOCK" },
	};
	const char *name = strerrorname_np(number);

	for (size_t i = 0; i < ARRAY_SIZE(restarts) && !name; i++)
		if (restarts[i].number == number)
			name = restarts[i].name;
	return name ? name : "(unknown)";
}

static void word_add_error(struct strbuf *sb, int number)
{
	const char *name = syscall_words_errno(number);
	char buf[64];

	strbuf_addf(sb, "-1 %s (%s)", name, !strncmp(name, "ERESTART", 8) ? "To be restarted" :
		    strerror_r(number, buf, sizeof(buf)));
}

/* The result of fcntl() depends on its command; false: it is a number. */
static bool word_add_fcntl_result(struct word_context *c, const struct syscall_call *call)
{
	switch (call->task->args[1]) {
	case F_GETFL_:
		word_add_open_flags(c, call->ret);
		return true;
	case F_GETFD_:
		strbuf_addstr(c->sb, call->ret & 1 ? "CLOEXEC" : "0");
		return true;
	case F_DUPFD_:
	case F_DUPFD_CLOEXEC_:
		word_fd(c, call->ret);
		return true;
	case F_GETOWN_:
		word_pid(c, call->ret);
		return true;
	case F_GETLEASE_:
		word_add_lease(c, call->ret);
		return true;
	}
	return false;
}

void syscall_words_add_result(struct syscall_words *words, const struct syscall_call *call,
			      struct strbuf *sb)
{
	const struct call_plan *plan = call_plan_of(words, call->info);
	unsigned int result = plan && plan->row ? plan->row->result : 0;
	struct word_context c = {
		.words = words, .sb = sb, .processes = call->sample->processes,
		.pid = call->task->pid,
	};

	if (call->ret < 0 && call->ret >= -4095) {
		word_add_error(sb, -call->ret);
		return;
	}
	if (!call->ret && result & TIMES_OUT) {
		strbuf_addstr(sb, "0 (Timeout)");
		return;
	}
	if (call->began && !strcmp(call->info->name, "fcntl") && word_add_fcntl_result(&c, call))
		return;
	if (result & RETURNS_ADDRESS) {
		word_add_hex(sb, call->ret);
		return;
	}
	number_add_signed(sb, call->ret, 0, ' ');
	if (result & RETURNS_PID)
		word_add_comm(sb, call->sample->processes, call->ret);
}

/* ---- other events --------------------------------------------------------- */

static void word_add_bytes(struct strbuf *sb, const unsigned char *bytes, size_t len)
{
	strbuf_addch(sb, '{');
	for (size_t i = 0; i < len; i++)
		strbuf_addf(sb, "%s%02x", i ? " " : "", bytes[i]);
	strbuf_addch(sb, '}');
}

void syscall_words_add_fields(struct syscall_words *words, const struct session_record *r,
			      struct strbuf *sb)
{
	struct word_context c = {
		.words = words, .sb = sb, .processes = r->processes, .pid = r->pid,
	};
	bool any = false;

	for (size_t i = r->format->nr_common; i < r->format->nr_fields; i++) {
		const struct field *field = &r->format->fields[i];
		bool number = field->kind == FIELD_INTEGER;
		uint64_t value = 0;
		struct word word;

		if (number)
			value = field_u64(field, r->sample.raw, r->sample.raw_size);
		if (number && !value)
			continue;
		strbuf_addf(sb, "%s%s: ", any ? ", " : "", field->name);
		any = true;
		if (number) {
			word = word_of_type(field->type, field->name);
			c.names = word.names;
			word.add(&c, value);
		} else {
			size_t len = 0;
			const char *bytes = field_bytes(field, r->sample.raw, r->sample.raw_size,
							&len);

			if (field->kind == FIELD_ARRAY || field->kind == FIELD_DYNAMIC_ARRAY ||
			    field->kind == FIELD_REL_ARRAY)
				word_add_bytes(sb, (const unsigned char *)bytes, bytes ? len : 0);
			else
				word_add_text(sb, bytes ? bytes : "", len);
		}
	}
}
