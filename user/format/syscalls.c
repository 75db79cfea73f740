// SPDX-License-Identifier: GPL-2.0
#include "format/syscalls.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/array.h"
#include "terminal/options.h"

struct syscall_row {
	int16_t x86_64, generic;
	const char *name, *args;
};

static const struct syscall_row syscall_rows[] = {
#define SYSCALL(x86_64, generic, name, args) { x86_64, generic, #name, args },
#include "format/syscalls.def"
#undef SYSCALL
};

/* Below this, i386 has numbers of its own; from here on, they are the same on all machines. */
#define I386_ROWS	424

static const struct {
	int16_t number;
	const char *name;
	const char *like, *args;	/* NULL: the other member defines the arguments */
} i386_rows[] = {
#define I386(number, name, like) { number, #name, #like, NULL },
#define I386_OWN(number, name, args) { number, #name, NULL, args },
#include "format/syscalls_i386.def"
#include "terminal/word_list.h"
#undef I386_OWN
#undef I386
};

/* The names of the kernel's functions where they differ from those of the calls. */
static const struct {
	const char *alias, *name;
} syscall_aliases[] = {
	{ "newfstat", "fstat" }, { "newlstat", "lstat" }, { "newstat", "stat" },
	{ "newuname", "uname" }, { "sendfile64", "sendfile" }, { "umount", "umount2" },
	{ "pread", "pread64" }, { "pwrite", "pwrite64" }, { "fstatat", "newfstatat" },
};

/* strace's groups; a member that begins with '%' is another group. */
static const struct {
	const char *name, *calls;
} syscall_groups[] = {
	{ "desc", "read,write,readv,writev,pread64,pwrite64,preadv*,pwritev*,open,openat*,creat,"
	  "close,close_range,dup,dup2,dup3,fcntl,flock,fstat,newfstatat,statx,lseek,ioctl,mmap,"
	  "select,pselect6,poll,ppoll,epoll_*,eventfd*,signalfd*,timerfd_*,inotify_*,fanotify_*,"
	  "fsync,fdatasync,syncfs,sync_file_range*,ftruncate,fallocate,fadvise64,readahead,"
	  "getdents*,pipe,pipe2,splice,tee,vmsplice,sendfile,copy_file_range,fchmod*,fchown*,"
	  "fchdir,fstatfs,memfd_*,pidfd_*,userfaultfd,io_uring_*,perf_event_open,bpf,*at" },
	{ "file", "access,acct,chdir,chmod,chown,chroot,creat,execve,execveat,faccessat*,"
	  "fchmodat*,fchownat,file_getattr,file_setattr,futimesat,getcwd,getxattr*,"
	  "inotify_add_watch,lchown,lgetxattr,link,linkat,listxattr*,llistxattr,lremovexattr,"
	  "lsetxattr,lstat,mkdir,mkdirat,mknod,mknodat,mount,mount_setattr,move_mount,"
	  "name_to_handle_at,newfstatat,open,openat*,open_tree*,pivot_root,quotactl,readlink,"
	  "readlinkat,removexattr*,rename,renameat*,rmdir,setxattr*,stat,statfs,statx,swapoff,"
	  "swapon,symlink,symlinkat,truncate,umount2,unlink,unlinkat,uselib,utime,utimensat,"
	  "utimes,fspick,fanotify_mark" },
	{ "string", "access,acct,add_key,chdir,chmod,chown,chroot,creat,delete_module,execve*,"
	  "faccessat*,fchmodat*,fchownat,*xattr*,finit_module,futimesat,inotify_add_watch,"
	  "lchown,link,linkat,lstat,memfd_create,mkdir,mkdirat,mknod,mknodat,mq_*,mount,"
	  "name_to_handle_at,newfstatat,open,openat*,pivot_root,quotactl,readlink,readlinkat,"
	  "rename*,request_key,rmdir,stat,statfs,statx,swapoff,swapon,symlink,symlinkat,"
	  "truncate,umount2,unlink,unlinkat,utime,utimensat,utimes" },
	{ "process", "clone,clone3,fork,vfork,execve,execveat,exit,exit_group,wait4,waitid,kill,"
	  "tkill,tgkill,rt_sigqueueinfo,rt_tgsigqueueinfo,pidfd_*,unshare,arch_prctl" },
	{ "net", "%network" },
	{ "network", "socket,socketpair,bind,connect,listen,accept,accept4,getsockname,"
	  "getpeername,sendto,recvfrom,sendmsg,recvmsg,sendmmsg,recvmmsg,shutdown,getsockopt,"
	  "setsockopt,sendfile,getpmsg,putpmsg" },
	{ "signal", "rt_sig*,kill,tkill,tgkill,sigaltstack,pause,signalfd,signalfd4,"
	  "pidfd_send_signal,rt_tgsigqueueinfo" },
	{ "ipc", "msg*,sem*,shm*" },
	{ "memory", "brk,mmap,munmap,mremap,mprotect,pkey_mprotect,madvise,process_madvise,mlock*,"
	  "munlock*,mincore,msync,mbind,get_mempolicy,set_mempolicy*,migrate_pages,move_pages,"
	  "remap_file_pages,shmat,shmdt,swapon,swapoff,cachestat,mseal,map_shadow_stack,"
	  "io_setup,io_destroy,io_uring_register" },
	{ "creds", "get*id,set*id,setfs*,capget,capset,getgroups,setgroups,getresuid,getresgid,"
	  "prctl" },
	{ "clock", "clock_*,gettimeofday,settimeofday,adjtimex,time" },
	{ "stat", "stat" },
	{ "lstat", "lstat" },
	{ "fstat", "fstat,newfstatat,statx" },
	{ "statfs", "statfs" },
	{ "fstatfs", "fstatfs" },
	{ "pure", "getpid,gettid,getppid,getuid,geteuid,getgid,getegid,getpgrp" },
};

struct syscalls {
	struct syscall_info items[SYSCALL_NUMBERS];
	bool looked_at[SYSCALL_NUMBERS];
	const struct syscall_row *rows[SYSCALL_NUMBERS];	/* NULL: unknown */
	struct syscall_row small[I386_ROWS];
	ARRAY_OF(char *) texts;	/* the memory of the infos' texts */
	bool arm;
};

static const char *args_of_call(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(syscall_rows); i++)
		if (!strcmp(syscall_rows[i].name, name))
			return syscall_rows[i].args;
	return "";
}

/* The calls of 32-bit tasks. */
static void syscalls_add_i386(struct syscalls *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(i386_rows); i++) {
		struct syscall_row *row = &s->small[i386_rows[i].number];

		row->name = i386_rows[i].name;
		row->args = i386_rows[i].like ? args_of_call(i386_rows[i].like) :
						i386_rows[i].args;
		s->rows[SYSCALL_I386 + i386_rows[i].number] = row;
	}
	for (size_t i = I386_ROWS; i < SYSCALL_I386; i++)
		s->rows[SYSCALL_I386 + i] = s->rows[i];
}

struct error *syscalls_create(const char *arch, struct syscalls **ret)
{
	struct syscalls *s = calloc(1, sizeof(*s));
	struct utsname name;
	bool x86_64;

	if (!s)
		return &error_no_memory;
	if (!arch && !uname(&name))
		arch = name.machine;
	x86_64 = arch && (!strcmp(arch, "x86_64") || !strcmp(arch, "x86"));
	s->arm = arch && (!strcmp(arch, "aarch64") || !strncmp(arch, "arm", 3));
	for (size_t i = 0; i < ARRAY_SIZE(syscall_rows); i++) {
		const struct syscall_row *row = &syscall_rows[i];
		int16_t number = x86_64 ? row->x86_64 : row->generic;

		if (number >= 0)
			s->rows[number] = row;
	}
	if (x86_64)
		syscalls_add_i386(s);
	*ret = s;
	return NULL;
}

void syscalls_destroy(struct syscalls *s)
{
	if (!s)
		return;
	array_free_each(&s->texts);
	free(s);
}

/* Keep a copy of a text; NULL: out of memory. */
static char *syscalls_keep(struct syscalls *s, const char *text)
{
	char *copy = strdup(text);

	if (copy && array_push(&s->texts, copy))
		return copy;
	free(copy);
	return NULL;
}

/* Split "int fd, const char * path" in place. */
static void syscall_split_args(char *text, struct syscall_info *info)
{
	char *save = NULL;

	for (char *arg = strtok_r(text, ",", &save); arg && info->nr_args < SYSCALL_ARGS;
	     arg = strtok_r(NULL, ",", &save)) {
		char *name;

		while (*arg == ' ')
			arg++;
		name = strrchr(arg, ' ');
		if (!name)
			continue;
		*name++ = '\0';
		info->args[info->nr_args++] = (struct syscall_arg){ arg, name };
	}
}

static void syscall_learn(struct syscalls *s, struct syscall_info *info)
{
	static const char *const numbered[] = { "arg1", "arg2", "arg3", "arg4", "arg5", "arg6" };
	const struct syscall_row *row = s->rows[info->number];
	char unknown[32];
	char *text;

	if (row) {
		info->known = true;
		info->name = row->name;
		text = syscalls_keep(s, row->args);
		if (text)
			syscall_split_args(text, info);
		return;
	}
	snprintf(unknown, sizeof(unknown), "syscall_%u", info->number % SYSCALL_I386);
	text = syscalls_keep(s, unknown);
	info->name = text ? text : "syscall";
	info->nr_args = SYSCALL_ARGS;
	for (size_t i = 0; i < SYSCALL_ARGS; i++)
		info->args[i] = (struct syscall_arg){ "void *", numbered[i] };
}

struct syscall_info *syscalls_at(struct syscalls *s, uint64_t number)
{
	struct syscall_info *info;

	if (number >= SYSCALL_NUMBERS)
		return NULL;
	info = &s->items[number];
	if (!s->looked_at[number]) {
		s->looked_at[number] = true;
		info->number = number;
		syscall_learn(s, info);
	}
	return info;
}

static bool syscalls_match_one(struct syscalls *s, const char *name, bool wanted[SYSCALL_NUMBERS])
{
	bool found = false;

	for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
		if (s->rows[i] && !fnmatch(name, s->rows[i]->name, 0))
			found = wanted[i] = true;
	return found;
}

bool syscalls_match(struct syscalls *s, const char *name, bool wanted[SYSCALL_NUMBERS])
{
	if (syscalls_match_one(s, name, wanted))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(syscall_aliases); i++)
		if (!strcmp(name, syscall_aliases[i].alias))
			return syscalls_match_one(s, syscall_aliases[i].name, wanted);
	return false;
}

bool syscalls_match_group(struct syscalls *s, const char *name, bool wanted[SYSCALL_NUMBERS])
{
	const char *calls;
	unsigned int row;
	_cleanup_free_ char *copy = NULL;
	char *save = NULL;

	name += *name == '%';
	row = word_find(WORDS(syscall_groups), name);
	if (row == WORD_NONE)
		return false;
	calls = syscall_groups[row].calls;
	if (*calls == '%')
		return syscalls_match_group(s, calls, wanted);
	copy = strdup(calls);
	if (!copy)
		return false;
	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save))
		syscalls_match_one(s, word, wanted);
	return true;
}

const char *syscalls_nearest(struct syscalls *s, const char *word)
{
	const char *near = NULL;

	if (*word == '%')
		return word_nearest(WORDS(syscall_groups), word + 1);
	for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
		if (s->rows[i])
			near = word_nearer(word, near, s->rows[i]->name);
	return near;
}

bool syscalls_of_arm(const struct syscalls *s)
{
	return s->arm;
}

bool syscalls_have_i386(const struct syscalls *s)
{
	return s->rows[SYSCALL_I386];
}
