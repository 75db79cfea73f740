// SPDX-License-Identifier: GPL-2.0
/*
 * A request that a security module refuses to perf is refused here, too.  The security module is a
 * BPF program, if the kernel was booted with lsm=...,bpf.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <sys/mount.h>

#include "selftest.h"

#define TRACEPOINT	3	/* PERF_SECURITY_TRACEPOINT, which is in no header for programs */
#define NOT_SUPPORTED	524	/* ENOTSUPP, which is in none either */

static bool has_bpf_lsm(void)
{
	char text[256], *name;

	if (access("/sys/kernel/security/lsm", R_OK))
		mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	if (read_file("/sys/kernel/security/lsm", text, sizeof(text)) <= 0)
		return false;
	for (name = strtok(text, ",\n"); name; name = strtok(NULL, ",\n"))
		if (!strcmp(name, "bpf"))
			return true;
	return false;
}

/* How many bytes follow a type in BTF. */
static unsigned int size_behind(const struct btf_type *type)
{
	unsigned int nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return 12 * nr;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return 8 * nr;
	default:
		return 0;
	}
}

struct function {
	unsigned int id;		/* in the kernel's BTF; 0: there is none */
	unsigned int nr_args;
};

static char btf[32 << 20];

/* The value of an enumerator of the kernel; -1: there is none. */
static int find_enumerator(const char *name)
{
	const struct btf_header *header = (const void *)btf;
	const char *strings, *at, *end;

	if (read_file("/sys/kernel/btf/vmlinux", btf, sizeof(btf)) < (int)sizeof(*header))
		return -1;
	at = btf + header->hdr_len + header->type_off;
	end = at + header->type_len;
	strings = btf + header->hdr_len + header->str_off;
	while (at < end) {
		const struct btf_type *type = (const void *)at;
		const struct btf_enum *values = (const void *)(type + 1);
		unsigned int i;

		for (i = 0; BTF_INFO_KIND(type->info) == BTF_KIND_ENUM &&
		     i < BTF_INFO_VLEN(type->info); i++)
			if (!strcmp(strings + values[i].name_off, name))
				return values[i].val;
		at += sizeof(*type) + size_behind(type);
	}
	return -1;
}

static struct function find_function(const char *name)
{
	const struct btf_header *header = (const void *)btf;
	const char *strings, *types, *at, *end;
	struct function function = { 0 };
	unsigned int id, proto = 0;

	if (read_file("/sys/kernel/btf/vmlinux", btf, sizeof(btf)) < (int)sizeof(*header))
		return function;
	types = btf + header->hdr_len + header->type_off;
	end = types + header->type_len;
	strings = btf + header->hdr_len + header->str_off;
	for (id = 1, at = types; at < end && !function.id; id++) {
		const struct btf_type *type = (const void *)at;

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(strings + type->name_off, name)) {
			function.id = id;
			proto = type->type;
		}
		at += sizeof(*type) + size_behind(type);
	}
	for (id = 1, at = types; at < end && id <= proto; id++) {
		const struct btf_type *type = (const void *)at;

		function.nr_args = BTF_INFO_VLEN(type->info);
		at += sizeof(*type) + size_behind(type);
	}
	return function;
}

/*
 * Makes the security module refuse, as long as the returned descriptor is open, if this number is
 * asked for.  It is the last argument of the hook; some kernels have another one before it.
 */
static int refuse(const struct function *function, int what)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 1, .src_reg = 1,
		  .off = 8 * (function->nr_args - 1) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 1, .imm = what, .off = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = -EACCES },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_LSM,
		.expected_attach_type = BPF_LSM_MAC,
		.attach_btf_id = function->id,
		.insns = (uintptr_t)insns,
		.insn_cnt = ARRAY_SIZE(insns),
		.license = (uintptr_t)"GPL",
	};
	union bpf_attr attach = { };
	int fd;

	attach.raw_tracepoint.prog_fd = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	if ((int)attach.raw_tracepoint.prog_fd < 0)
		return -errno;
	fd = syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attach, sizeof(attach));
	fd = fd < 0 ? -errno : fd;
	close(attach.raw_tracepoint.prog_fd);
	return fd;
}

TEST(what_a_security_module_refuses_to_perf)
{
	struct ktrace_event_add add = event_add_init(event_id("sched/sched_switch"), 0);
	struct ktrace_setup setup = SETUP_INIT;
	struct function function;
	int fd, refusal;

	if (!has_bpf_lsm())
		SKIP(return, "security modules of BPF are not on: boot with lsm=...,bpf");
	function = find_function("bpf_lsm_perf_event_open");
	ASSERT_LT(0, function.id);
	ASSERT_LT(0, function.nr_args);
	fd = device_open(_metadata);
	ASSERT_EQ(0, CALL(fd, SETUP, &setup));

	refusal = refuse(&function, TRACEPOINT);
	if (refusal == -NOT_SUPPORTED)
		SKIP(return, "this kernel attaches no programs of BPF to hooks on this processor");
	ASSERT_LE(0, refusal);
	EXPECT_EQ(-1, open(KTRACE_DEVICE, O_RDWR | O_CLOEXEC));
	EXPECT_EQ(EACCES, errno);
	/* This concerns both paths, by template and by counter. */
	EXPECT_EQ(-EACCES, event_add(fd, "sched/sched_switch", &add));

	close(refusal);
	EXPECT_EQ(0, event_add(fd, "sched/sched_switch", &add));
	close(fd);
}

/* Where BPF may not read memory of the kernel, arguments of functions do not either. */
TEST(what_lockdown_refuses_to_bpf)
{
	struct ktrace_function_arg arg = { .reg = 5 /* PERF_REG_X86_DI */, .size = 8 };
	struct ktrace_event_add add = event_add_init(60000, 1);
	struct ktrace_setup setup = SETUP_INIT;
	struct ktrace_info info = INFO_INIT;
	struct function function;
	int fd, refusal, reading;

	if (!has_bpf_lsm())
		SKIP(return, "security modules of BPF are not on: boot with lsm=...,bpf");
	function = find_function("bpf_lsm_locked_down");
	ASSERT_LT(0, function.id);
	ASSERT_EQ(1, function.nr_args);
	reading = find_enumerator("LOCKDOWN_BPF_READ_KERNEL");
	ASSERT_LT(0, reading);
	fd = device_open(_metadata);
	ASSERT_EQ(0, CALL(fd, SETUP, &setup));
	ASSERT_EQ(0, CALL(fd, INFO, &info));
	if (!(info.features & KTRACE_FEATURE_FUNCTION_ARGS))
		SKIP(return, "this kernel has no probes of functions by ftrace");
	add.flags = KTRACE_EVENT_FUNCTION;
	add.address = address_of("__x64_sys_getpgid");
	add.args = (uintptr_t)&arg;
	add.nr_args = 1;

	arg.nr_loads = 1;
	refusal = refuse(&function, reading);
	if (refusal == -NOT_SUPPORTED)
		SKIP(return, "this kernel attaches no programs of BPF to hooks on this processor");
	ASSERT_LE(0, refusal);
	EXPECT_EQ(-EACCES, CALL(fd, EVENT_ADD, &add));
	arg.nr_loads = 0;
	EXPECT_EQ(0, CALL(fd, EVENT_ADD, &add)) {
		TH_LOG("registers are no memory");
	}
	close(refusal);
	arg.nr_loads = 1;
	add.id++;
	EXPECT_EQ(0, CALL(fd, EVENT_ADD, &add));
	close(fd);
}

TEST_HARNESS_MAIN
