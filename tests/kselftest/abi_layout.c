// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers of the uapi header, written down a second time: a change to one of them
 * breaks existing programs.  This is built for 64 and for 32 bits, and needs no module.
 */
#include <stddef.h>
#include <linux/ktrace.h>
#include <linux/ktrace_dump.h>
#include <linux/ktrace_vmcore.h>

#include "kselftest_harness.h"

#define SIZE(type, size)						\
	EXPECT_EQ((size_t)(size), sizeof(struct type)) {		\
		TH_LOG("sizeof(struct " #type ")");			\
	}

#define MEMBER(type, member, offset, size)				\
	EXPECT_EQ((size_t)(offset), offsetof(struct type, member)) {	\
		TH_LOG("offset of " #type "." #member);			\
	}								\
	EXPECT_EQ((size_t)(size), sizeof(((struct type *)0)->member)) {	\
		TH_LOG("size of " #type "." #member);			\
	}

#define VALUE(name, value)						\
	EXPECT_EQ((unsigned long long)(value), (unsigned long long)(name)) { \
		TH_LOG(#name);						\
	}

TEST(versions)
{
	VALUE(KTRACE_ABI_MAJOR, 1);
	VALUE(KTRACE_ABI_MINOR, 18);
	VALUE(KTRACE_SCHEMA, 1);
	EXPECT_STREQ("/dev/ktrace", KTRACE_DEVICE);
}

TEST(info)
{
	SIZE(ktrace_info, 72);
	MEMBER(ktrace_info, size, 0, 4);
	MEMBER(ktrace_info, abi_major, 4, 4);
	MEMBER(ktrace_info, abi_minor, 8, 4);
	MEMBER(ktrace_info, schema, 12, 4);
	MEMBER(ktrace_info, features, 16, 8);
	MEMBER(ktrace_info, fields, 24, 8);
	MEMBER(ktrace_info, nr_cpu_ids, 32, 4);
	MEMBER(ktrace_info, max_pages, 36, 4);
	MEMBER(ktrace_info, version, 40, 32);
	VALUE(KTRACE_FEATURE_COUNTER, 1);
	VALUE(KTRACE_FEATURE_TEMPLATE, 2);
	VALUE(KTRACE_FEATURE_FILTER_JIT, 4);
	VALUE(KTRACE_FEATURE_FUNCTION, 8);
	VALUE(KTRACE_FEATURE_FUNCTION_ARGS, 16);
	VALUE(KTRACE_FEATURE_COMPACT, 32);
	VALUE(KTRACE_FEATURE_REGS_USER, 64);
}

TEST(setup)
{
	SIZE(ktrace_setup, 32);
	MEMBER(ktrace_setup, size, 0, 4);
	MEMBER(ktrace_setup, flags, 4, 4);
	MEMBER(ktrace_setup, pages, 8, 4);
	MEMBER(ktrace_setup, clockid, 12, 4);
	MEMBER(ktrace_setup, wakeup_bytes, 16, 4);
	MEMBER(ktrace_setup, cpus_bytes, 20, 4);
	MEMBER(ktrace_setup, cpus, 24, 8);
	VALUE(KTRACE_SETUP_TRACE_SELF, 1);
	VALUE(KTRACE_SETUP_OVERWRITE, 2);
	VALUE(KTRACE_SETUP_HOTPLUG, 4);
	VALUE(KTRACE_SETUP_ALL, 15);
	EXPECT_EQ(-1, KTRACE_CLOCK_PERF);
}

TEST(event_add)
{
	SIZE(ktrace_event_add, 112);
	VALUE(KTRACE_EVENT_ADD_SIZE_1_0, 80);
	MEMBER(ktrace_event_add, size, 0, 4);
	MEMBER(ktrace_event_add, flags, 4, 4);
	MEMBER(ktrace_event_add, type, 8, 4);
	MEMBER(ktrace_event_add, path, 12, 4);
	MEMBER(ktrace_event_add, config, 16, 8);
	MEMBER(ktrace_event_add, id, 24, 8);
	MEMBER(ktrace_event_add, sample_type, 32, 8);
	MEMBER(ktrace_event_add, fields, 40, 8);
	MEMBER(ktrace_event_add, filter, 48, 8);
	MEMBER(ktrace_event_add, pool, 56, 8);
	MEMBER(ktrace_event_add, filter_insns, 64, 4);
	MEMBER(ktrace_event_add, pool_bytes, 68, 4);
	MEMBER(ktrace_event_add, index, 72, 4);
	MEMBER(ktrace_event_add, user_strings, 76, 4);
	MEMBER(ktrace_event_add, name, 80, 8);
	MEMBER(ktrace_event_add, address, 88, 8);
	MEMBER(ktrace_event_add, args, 96, 8);
	MEMBER(ktrace_event_add, nr_args, 104, 4);
	MEMBER(ktrace_event_add, reserved, 108, 4);
	VALUE(KTRACE_EVENT_TRIGGER, 1);
	VALUE(KTRACE_EVENT_FUNCTION, 2);
	VALUE(KTRACE_EVENT_RETURN, 4);
	VALUE(KTRACE_EVENT_ALL, 15);
	VALUE(KTRACE_PATH_AUTO, 0);
	VALUE(KTRACE_PATH_COUNTER, 1);
	VALUE(KTRACE_PATH_TEMPLATE, 2);
	VALUE(KTRACE_PATH_FUNCTION, 3);
	VALUE(KTRACE_MAX_EVENTS, 4096);
	VALUE(KTRACE_ID_BASE, 0x4000000000000000ULL);
}

TEST(function_arg)
{
	SIZE(ktrace_function_arg, 24);
	MEMBER(ktrace_function_arg, reg, 0, 1);
	MEMBER(ktrace_function_arg, size, 1, 1);
	MEMBER(ktrace_function_arg, nr_loads, 2, 1);
	MEMBER(ktrace_function_arg, reserved, 3, 1);
	MEMBER(ktrace_function_arg, offsets, 4, 20);
	VALUE(KTRACE_MAX_FUNCTION_ARGS, 32);
	VALUE(KTRACE_MAX_ARG_LOADS, 5);
}

TEST(event_path)
{
	SIZE(ktrace_event_path, 32);
	MEMBER(ktrace_event_path, size, 0, 4);
	MEMBER(ktrace_event_path, type, 4, 4);
	MEMBER(ktrace_event_path, config, 8, 8);
	MEMBER(ktrace_event_path, name, 16, 8);
	MEMBER(ktrace_event_path, path, 24, 4);
	MEMBER(ktrace_event_path, template_state, 28, 4);
	VALUE(KTRACE_TEMPLATE_READY, 0);
	VALUE(KTRACE_TEMPLATE_NONE, 1);
	VALUE(KTRACE_TEMPLATE_NO_MODULE, 2);
	VALUE(KTRACE_TEMPLATE_LAYOUT, 3);
	VALUE(KTRACE_TEMPLATE_PROTOTYPE, 4);
	VALUE(KTRACE_TEMPLATE_UNCHECKED, 5);
	VALUE(_IOC_NR(KTRACE_IOC_EVENT_PATH), 9);
}

TEST(filter)
{
	SIZE(ktrace_filter_insn, 24);
	MEMBER(ktrace_filter_insn, op, 0, 1);
	MEMBER(ktrace_filter_insn, src, 1, 1);
	MEMBER(ktrace_filter_insn, flags, 2, 1);
	MEMBER(ktrace_filter_insn, reserved, 3, 1);
	MEMBER(ktrace_filter_insn, jt, 4, 2);
	MEMBER(ktrace_filter_insn, jf, 6, 2);
	MEMBER(ktrace_filter_insn, offset, 8, 4);
	MEMBER(ktrace_filter_insn, width, 12, 4);
	MEMBER(ktrace_filter_insn, value, 16, 8);
	VALUE(KTRACE_FILTER_EQ, 1);
	VALUE(KTRACE_FILTER_LT, 2);
	VALUE(KTRACE_FILTER_GT, 3);
	VALUE(KTRACE_FILTER_BAND, 4);
	VALUE(KTRACE_FILTER_STREQ, 5);
	VALUE(KTRACE_FILTER_GLOB, 6);
	VALUE(KTRACE_FILTER_LOAD, 7);
	VALUE(KTRACE_FILTER_STORE, 8);
	VALUE(KTRACE_FILTER_ADD, 9);
	VALUE(KTRACE_FILTER_SUB, 10);
	VALUE(KTRACE_FILTER_MUL, 11);
	VALUE(KTRACE_FILTER_DIV, 12);
	VALUE(KTRACE_FILTER_MOD, 13);
	VALUE(KTRACE_FILTER_AND, 14);
	VALUE(KTRACE_FILTER_OR, 15);
	VALUE(KTRACE_FILTER_XOR, 16);
	VALUE(KTRACE_FILTER_SHL, 17);
	VALUE(KTRACE_FILTER_SHR, 18);
	VALUE(KTRACE_FILTER_ACC_EQ, 19);
	VALUE(KTRACE_FILTER_ACC_LT, 20);
	VALUE(KTRACE_FILTER_ACC_GT, 21);
	VALUE(KTRACE_FILTER_ACC_BAND, 22);
	VALUE(KTRACE_FILTER_SRC_RECORD, 1);
	VALUE(KTRACE_FILTER_SRC_DATA_LOC, 2);
	VALUE(KTRACE_FILTER_SRC_REL_LOC, 3);
	VALUE(KTRACE_FILTER_SRC_FIELD, 4);
	VALUE(KTRACE_FILTER_SRC_REGISTER, 5);
	VALUE(KTRACE_FILTER_SRC_VALUE, 6);
	VALUE(KTRACE_FILTER_SIGNED, 1);
	VALUE(KTRACE_FILTER_SIGNED_OP, 2);
	VALUE(KTRACE_FILTER_REGISTERS, 7);
	VALUE(KTRACE_FILTER_ACCEPT, 0xffff);
	VALUE(KTRACE_FILTER_REJECT, 0xfffe);
	VALUE(KTRACE_FILTER_MAX_INSNS, 512);
	VALUE(KTRACE_FILTER_MAX_POOL, 4096);
	VALUE(KTRACE_FILTER_MAX_GLOB, 256);
	VALUE(KTRACE_FILTER_MAX_STRING, 8192);
	VALUE(KTRACE_FILTER_MAX_COST, 1 << 20);
}

TEST(task_add)
{
	SIZE(ktrace_task_add, 16);
	MEMBER(ktrace_task_add, size, 0, 4);
	MEMBER(ktrace_task_add, flags, 4, 4);
	MEMBER(ktrace_task_add, pid, 8, 4);
	MEMBER(ktrace_task_add, reserved, 12, 4);
	VALUE(KTRACE_TASK_INHERIT, 1);
	VALUE(KTRACE_TASK_ON_EXEC, 2);
	VALUE(KTRACE_TASK_PROCESS, 4);
	VALUE(KTRACE_TASK_ALL, 7);
}

TEST(sample)
{
	SIZE(ktrace_sample, 16);
	MEMBER(ktrace_sample, size, 0, 4);
	MEMBER(ktrace_sample, index, 4, 4);
	MEMBER(ktrace_sample, every, 8, 4);
	MEMBER(ktrace_sample, max_rate, 12, 4);
	VALUE(_IOC_NR(KTRACE_IOC_SAMPLE), 11);
}

TEST(scope_add)
{
	SIZE(ktrace_scope_add, 32);
	MEMBER(ktrace_scope_add, size, 0, 4);
	MEMBER(ktrace_scope_add, kind, 4, 4);
	MEMBER(ktrace_scope_add, cgroup, 8, 4);
	MEMBER(ktrace_scope_add, reserved, 12, 4);
	MEMBER(ktrace_scope_add, comm, 16, 16);
	VALUE(KTRACE_SCOPE_COMM, 0);
	VALUE(KTRACE_SCOPE_CGROUP, 1);
	VALUE(KTRACE_SCOPE_MAX, 8);
	VALUE(_IOC_NR(KTRACE_IOC_SCOPE_ADD), 10);
}

TEST(stats)
{
	SIZE(ktrace_stats, 184);
	MEMBER(ktrace_stats, size, 0, 4);
	MEMBER(ktrace_stats, index, 4, 4);
	MEMBER(ktrace_stats, cpu, 8, 4);
	MEMBER(ktrace_stats, flags, 12, 4);
	MEMBER(ktrace_stats, recorded, 16, 8);
	MEMBER(ktrace_stats, filtered, 24, 8);
	MEMBER(ktrace_stats, out_of_scope, 32, 8);
	MEMBER(ktrace_stats, lost, 40, 64);
	MEMBER(ktrace_stats, unplaced, 104, 64);
	MEMBER(ktrace_stats, first_lost, 168, 8);
	MEMBER(ktrace_stats, last_lost, 176, 8);
	VALUE(KTRACE_STATS_BOUNDED, 1);
	VALUE(KTRACE_LOST_FULL, 0);
	VALUE(KTRACE_LOST_NESTED, 1);
	VALUE(KTRACE_LOST_TOO_BIG, 2);
	VALUE(KTRACE_LOST_RECURSION, 3);
	VALUE(KTRACE_LOST_NO_SLOT, 4);
	VALUE(KTRACE_LOST_NO_START, 5);
	VALUE(KTRACE_LOST_FROZEN, 6);
	VALUE(KTRACE_LOST_NR, 8);
}

TEST(counting)
{
	SIZE(ktrace_count_part, 16);
	MEMBER(ktrace_count_part, src, 0, 1);
	MEMBER(ktrace_count_part, form, 1, 1);
	MEMBER(ktrace_count_part, flags, 2, 1);
	MEMBER(ktrace_count_part, reserved, 3, 1);
	MEMBER(ktrace_count_part, offset, 4, 4);
	MEMBER(ktrace_count_part, width, 8, 4);
	MEMBER(ktrace_count_part, reserved2, 12, 4);
	SIZE(ktrace_count_add, 56);
	MEMBER(ktrace_count_add, size, 0, 4);
	MEMBER(ktrace_count_add, index, 4, 4);
	MEMBER(ktrace_count_add, role, 8, 4);
	MEMBER(ktrace_count_add, start, 12, 4);
	MEMBER(ktrace_count_add, entries, 16, 4);
	MEMBER(ktrace_count_add, nr_pair, 20, 4);
	MEMBER(ktrace_count_add, nr_parts, 24, 4);
	MEMBER(ktrace_count_add, key_bytes, 28, 4);
	MEMBER(ktrace_count_add, parts, 32, 8);
	MEMBER(ktrace_count_add, value, 40, 16);
	SIZE(ktrace_count_read, 48);
	MEMBER(ktrace_count_read, size, 0, 4);
	MEMBER(ktrace_count_read, index, 4, 4);
	MEMBER(ktrace_count_read, cpu, 8, 4);
	MEMBER(ktrace_count_read, nr, 12, 4);
	MEMBER(ktrace_count_read, entries, 16, 8);
	MEMBER(ktrace_count_read, position, 24, 8);
	MEMBER(ktrace_count_read, room, 32, 4);
	MEMBER(ktrace_count_read, used, 36, 4);
	MEMBER(ktrace_count_read, restarted, 40, 8);
	SIZE(ktrace_count_entry, 32);
	MEMBER(ktrace_count_entry, count, 0, 8);
	MEMBER(ktrace_count_entry, sum, 8, 8);
	MEMBER(ktrace_count_entry, min, 16, 8);
	MEMBER(ktrace_count_entry, max, 24, 8);
	SIZE(ktrace_chain_read, 48);
	MEMBER(ktrace_chain_read, size, 0, 4);
	MEMBER(ktrace_chain_read, index, 4, 4);
	MEMBER(ktrace_chain_read, entries, 8, 8);
	MEMBER(ktrace_chain_read, position, 16, 8);
	MEMBER(ktrace_chain_read, room, 24, 4);
	MEMBER(ktrace_chain_read, nr, 28, 4);
	MEMBER(ktrace_chain_read, used, 32, 4);
	MEMBER(ktrace_chain_read, reserved, 36, 4);
	MEMBER(ktrace_chain_read, dropped, 40, 8);
	SIZE(ktrace_chain_entry, 40);
	MEMBER(ktrace_chain_entry, number, 0, 8);
	MEMBER(ktrace_chain_entry, time, 8, 8);
	MEMBER(ktrace_chain_entry, nr, 16, 4);
	MEMBER(ktrace_chain_entry, tgid, 20, 4);
	MEMBER(ktrace_chain_entry, start_time, 24, 8);
	MEMBER(ktrace_chain_entry, exec, 32, 8);
	VALUE(KTRACE_COUNT_SRC_KERNEL, 6);
	VALUE(KTRACE_COUNT_SRC_USER, 7);
	VALUE(KTRACE_COUNT_SRC_START, 8);
	VALUE(KTRACE_COUNT_CHAIN, 4);
	VALUE(_IOC_NR(KTRACE_IOC_CHAIN_READ), 25);
	VALUE(KTRACE_COUNT_SRC_RECORD, 1);
	VALUE(KTRACE_COUNT_SRC_DATA_LOC, 2);
	VALUE(KTRACE_COUNT_SRC_REL_LOC, 3);
	VALUE(KTRACE_COUNT_SRC_FIELD, 4);
	VALUE(KTRACE_COUNT_SRC_LATENCY, 5);
	VALUE(KTRACE_COUNT_NUMBER, 1);
	VALUE(KTRACE_COUNT_LOG2, 2);
	VALUE(KTRACE_COUNT_TEXT, 3);
	VALUE(KTRACE_COUNT_SIGNED, 1);
	VALUE(KTRACE_COUNT_EACH, 0);
	VALUE(KTRACE_COUNT_START, 1);
	VALUE(KTRACE_COUNT_END, 2);
	VALUE(KTRACE_COUNT_MAX_PARTS, 8);
	VALUE(KTRACE_COUNT_MAX_KEY, 128);
	VALUE(KTRACE_COUNT_MAX_PAIR, 32);
	VALUE(KTRACE_COUNT_MAX_ENTRIES, 1048576);
	VALUE(KTRACE_COUNT_READ_END, 0xffffffffffffffffULL);
	VALUE(_IOC_NR(KTRACE_IOC_COUNT_ADD), 14);
	VALUE(_IOC_NR(KTRACE_IOC_COUNT_READ), 15);
}

TEST(describe)
{
	SIZE(ktrace_describe, 24);
	MEMBER(ktrace_describe, size, 0, 4);
	MEMBER(ktrace_describe, bytes, 4, 4);
	MEMBER(ktrace_describe, data, 8, 8);
	MEMBER(ktrace_describe, reserved, 16, 8);
	VALUE(KTRACE_DESCRIBE_MAX, 16777216);
	VALUE(_IOC_NR(KTRACE_IOC_DESCRIBE), 16);
}

TEST(kept)
{
	SIZE(ktrace_keep, 40);
	MEMBER(ktrace_keep, size, 0, 4);
	MEMBER(ktrace_keep, reserved, 4, 4);
	MEMBER(ktrace_keep, name, 8, 32);
	SIZE(ktrace_kept_open, 40);
	MEMBER(ktrace_kept_open, size, 0, 4);
	MEMBER(ktrace_kept_open, reserved, 4, 4);
	MEMBER(ktrace_kept_open, name, 8, 32);
	SIZE(ktrace_kept_info, 64);
	MEMBER(ktrace_kept_info, size, 0, 4);
	MEMBER(ktrace_kept_info, nth, 4, 4);
	MEMBER(ktrace_kept_info, name, 8, 32);
	MEMBER(ktrace_kept_info, uid, 40, 4);
	MEMBER(ktrace_kept_info, flags, 44, 4);
	MEMBER(ktrace_kept_info, reader, 48, 4);
	MEMBER(ktrace_kept_info, reserved, 52, 4);
	MEMBER(ktrace_kept_info, since, 56, 8);
	SIZE(ktrace_recall, 48);
	MEMBER(ktrace_recall, size, 0, 4);
	MEMBER(ktrace_recall, flags, 4, 4);
	MEMBER(ktrace_recall, pages, 8, 4);
	MEMBER(ktrace_recall, clockid, 12, 4);
	MEMBER(ktrace_recall, nr_events, 16, 4);
	MEMBER(ktrace_recall, cpus_bytes, 20, 4);
	MEMBER(ktrace_recall, cpus, 24, 8);
	MEMBER(ktrace_recall, bytes, 32, 4);
	MEMBER(ktrace_recall, reserved, 36, 4);
	MEMBER(ktrace_recall, data, 40, 8);
	VALUE(KTRACE_KEEP_NAME, 32);
	VALUE(KTRACE_KEEP_MAX, 64);
	VALUE(KTRACE_KEPT_RUNNING, 1);
	VALUE(KTRACE_RECALL_RUNNING, 1);
	VALUE(KTRACE_RECALL_OVERWRITE, 2);
	VALUE(_IOC_NR(KTRACE_IOC_KEEP), 17);
	VALUE(_IOC_NR(KTRACE_IOC_KEPT_OPEN), 18);
	VALUE(_IOC_NR(KTRACE_IOC_KEPT_INFO), 19);
	VALUE(_IOC_NR(KTRACE_IOC_RECALL), 20);
	VALUE(_IOC_NR(KTRACE_IOC_FORGET), 21);
	SIZE(ktrace_event_info, 56);
	MEMBER(ktrace_event_info, size, 0, 4);
	MEMBER(ktrace_event_info, index, 4, 4);
	MEMBER(ktrace_event_info, type, 8, 4);
	MEMBER(ktrace_event_info, path, 12, 4);
	MEMBER(ktrace_event_info, config, 16, 8);
	MEMBER(ktrace_event_info, id, 24, 8);
	MEMBER(ktrace_event_info, sample_type, 32, 8);
	MEMBER(ktrace_event_info, fields, 40, 8);
	MEMBER(ktrace_event_info, user_strings, 48, 4);
	MEMBER(ktrace_event_info, flags, 52, 4);
	VALUE(KTRACE_EVENT_INFO_COUNTED, 1);
	VALUE(_IOC_NR(KTRACE_IOC_EVENT_INFO), 22);
}

TEST(machines)
{
	SIZE(ktrace_machine, 32);
	MEMBER(ktrace_machine, size, 0, 4);
	MEMBER(ktrace_machine, nr_states, 4, 2);
	MEMBER(ktrace_machine, nr_sources, 6, 2);
	MEMBER(ktrace_machine, nr_transitions, 8, 2);
	MEMBER(ktrace_machine, nr_filters, 10, 2);
	MEMBER(ktrace_machine, nr_insns, 12, 4);
	MEMBER(ktrace_machine, pool_bytes, 16, 4);
	MEMBER(ktrace_machine, key, 20, 1);
	MEMBER(ktrace_machine, nr_parts, 21, 1);
	MEMBER(ktrace_machine, initial, 22, 1);
	MEMBER(ktrace_machine, nr_clocks, 23, 1);
	MEMBER(ktrace_machine, max_keys, 24, 4);
	MEMBER(ktrace_machine, reserved, 28, 4);
	SIZE(ktrace_machine_state, 16);
	MEMBER(ktrace_machine_state, limit, 0, 8);
	MEMBER(ktrace_machine_state, clock, 8, 1);
	MEMBER(ktrace_machine_state, reserved, 9, 7);
	SIZE(ktrace_machine_part, 8);
	MEMBER(ktrace_machine_part, offset, 0, 4);
	MEMBER(ktrace_machine_part, src, 4, 1);
	MEMBER(ktrace_machine_part, width, 5, 1);
	MEMBER(ktrace_machine_part, flags, 6, 1);
	MEMBER(ktrace_machine_part, reserved, 7, 1);
	SIZE(ktrace_machine_source, 40);
	MEMBER(ktrace_machine_source, event, 0, 4);
	MEMBER(ktrace_machine_source, filter, 4, 2);
	MEMBER(ktrace_machine_source, start, 6, 1);
	MEMBER(ktrace_machine_source, reserved, 7, 1);
	MEMBER(ktrace_machine_source, parts, 8, 32);
	SIZE(ktrace_machine_transition, 32);
	MEMBER(ktrace_machine_transition, state, 0, 2);
	MEMBER(ktrace_machine_transition, source, 2, 2);
	MEMBER(ktrace_machine_transition, next, 4, 2);
	MEMBER(ktrace_machine_transition, filter, 6, 2);
	MEMBER(ktrace_machine_transition, clock, 8, 1);
	MEMBER(ktrace_machine_transition, resets, 9, 1);
	MEMBER(ktrace_machine_transition, reserved, 10, 6);
	MEMBER(ktrace_machine_transition, least, 16, 8);
	MEMBER(ktrace_machine_transition, most, 24, 8);
	SIZE(ktrace_machine_filter, 8);
	MEMBER(ktrace_machine_filter, first, 0, 4);
	MEMBER(ktrace_machine_filter, nr, 4, 4);
	SIZE(ktrace_machine_add, 72);
	VALUE(KTRACE_MACHINE_ADD_SIZE_1_16, 32);
	MEMBER(ktrace_machine_add, size, 0, 4);
	MEMBER(ktrace_machine_add, flags, 4, 4);
	MEMBER(ktrace_machine_add, program, 8, 8);
	MEMBER(ktrace_machine_add, program_bytes, 16, 4);
	MEMBER(ktrace_machine_add, violations, 20, 4);
	MEMBER(ktrace_machine_add, number, 24, 4);
	MEMBER(ktrace_machine_add, actions, 28, 4);
	MEMBER(ktrace_machine_add, max_rate, 32, 4);
	MEMBER(ktrace_machine_add, reserved, 36, 4);
	MEMBER(ktrace_machine_add, name, 40, 32);
	SIZE(ktrace_machine_read, 120);
	VALUE(KTRACE_MACHINE_READ_SIZE_1_16, 88);
	MEMBER(ktrace_machine_read, size, 0, 4);
	MEMBER(ktrace_machine_read, number, 4, 4);
	MEMBER(ktrace_machine_read, keys, 8, 8);
	MEMBER(ktrace_machine_read, ok, 16, 8);
	MEMBER(ktrace_machine_read, violated, 24, 8);
	MEMBER(ktrace_machine_read, not_started, 32, 8);
	MEMBER(ktrace_machine_read, lost, 40, 8);
	MEMBER(ktrace_machine_read, unordered, 48, 8);
	MEMBER(ktrace_machine_read, violations, 56, 8);
	MEMBER(ktrace_machine_read, refused, 64, 8);
	MEMBER(ktrace_machine_read, untold, 72, 8);
	MEMBER(ktrace_machine_read, losses, 80, 8);
	MEMBER(ktrace_machine_read, froze, 88, 8);
	MEMBER(ktrace_machine_read, revoked, 96, 8);
	MEMBER(ktrace_machine_read, acted, 104, 8);
	MEMBER(ktrace_machine_read, withheld, 112, 8);
	SIZE(ktrace_violation, 64);
	MEMBER(ktrace_violation, machine, 0, 4);
	MEMBER(ktrace_violation, source, 4, 4);
	MEMBER(ktrace_violation, state, 8, 4);
	MEMBER(ktrace_violation, reserved, 12, 4);
	MEMBER(ktrace_violation, when, 16, 8);
	MEMBER(ktrace_violation, age, 24, 8);
	MEMBER(ktrace_violation, key, 32, 32);
	VALUE(KTRACE_EVENT_VIOLATION, 8);
	VALUE(KTRACE_PATH_MACHINE, 4);
	VALUE(KTRACE_FEATURE_MACHINE, 1 << 7);
	VALUE(KTRACE_MACHINE_ONLY, 1);
	VALUE(KTRACE_MACHINE_KEY_NONE, 0);
	VALUE(KTRACE_MACHINE_KEY_CPU, 1);
	VALUE(KTRACE_MACHINE_KEY_TASK, 2);
	VALUE(KTRACE_MACHINE_KEY_FIELDS, 3);
	VALUE(KTRACE_MACHINE_STARTS_NONE, 0);
	VALUE(KTRACE_MACHINE_STARTS_AFTER, 1);
	VALUE(KTRACE_MACHINE_STARTS_BEFORE, 2);
	VALUE(KTRACE_MACHINE_NO_FILTER, 0xffff);
	VALUE(KTRACE_MACHINE_NO_CLOCK, 0xff);
	VALUE(KTRACE_MACHINE_NO_SOURCE, 0xffffffff);
	VALUE(_IOC_NR(KTRACE_IOC_MACHINE_ADD), 23);
	VALUE(_IOC_NR(KTRACE_IOC_MACHINE_READ), 24);
}

TEST(actions)
{
	SIZE(ktrace_frozen, 16);
	MEMBER(ktrace_frozen, size, 0, 4);
	MEMBER(ktrace_frozen, reserved, 4, 4);
	MEMBER(ktrace_frozen, time, 8, 8);
	VALUE(KTRACE_FEATURE_ACTIONS, 1 << 9);
	VALUE(KTRACE_SETUP_FREEZABLE, 8);
	VALUE(KTRACE_MAX_FREEZABLE, 16);
	VALUE(KTRACE_ACTION_FREEZE, 1);
	VALUE(KTRACE_ACTION_WAKE, 2);
	VALUE(KTRACE_ACTION_PRINTK, 4);
	VALUE(KTRACE_ACTION_RATE, 10);
	VALUE(KTRACE_ACTION_MAX_RATE, 100);
	VALUE(KTRACE_MACHINE_NAME, 32);
	VALUE(_IOC_NR(KTRACE_IOC_FROZEN), 26);
}

/* Files with these outlive the kernel that wrote them. */
TEST(vmcore)
{
	EXPECT_STREQ("ktrace sessions", KTRACE_VMCORE_TABLE);
	VALUE(KTRACE_VMCORE_VERSION, 1);
	SIZE(ktrace_vmcore_table, 160);
	MEMBER(ktrace_vmcore_table, magic, 0, 16);
	MEMBER(ktrace_vmcore_table, self, 16, 8);
	MEMBER(ktrace_vmcore_table, version, 24, 4);
	MEMBER(ktrace_vmcore_table, size, 28, 4);
	MEMBER(ktrace_vmcore_table, page_size, 32, 4);
	MEMBER(ktrace_vmcore_table, schema, 36, 4);
	MEMBER(ktrace_vmcore_table, sessions, 40, 8);
	MEMBER(ktrace_vmcore_table, release, 48, 64);
	MEMBER(ktrace_vmcore_table, counts_bytes, 112, 4);
	MEMBER(ktrace_vmcore_table, recorded, 116, 4);
	MEMBER(ktrace_vmcore_table, filtered, 120, 4);
	MEMBER(ktrace_vmcore_table, out_of_scope, 124, 4);
	MEMBER(ktrace_vmcore_table, losses, 128, 4);
	MEMBER(ktrace_vmcore_table, loss_bytes, 132, 4);
	MEMBER(ktrace_vmcore_table, nr_reasons, 136, 4);
	MEMBER(ktrace_vmcore_table, lost, 140, 4);
	MEMBER(ktrace_vmcore_table, unplaced, 144, 4);
	MEMBER(ktrace_vmcore_table, first, 148, 4);
	MEMBER(ktrace_vmcore_table, last, 152, 4);
	MEMBER(ktrace_vmcore_table, reserved, 156, 4);
	VALUE(KTRACE_VMCORE_SESSION, 0x7353544b);
	VALUE(KTRACE_VMCORE_RING, 0x6752544b);
	VALUE(KTRACE_VMCORE_EVENT, 0x7645544b);
	VALUE(KTRACE_VMCORE_LIST, 0x734c544b);
	SIZE(ktrace_vmcore_session, 72);
	MEMBER(ktrace_vmcore_session, next, 8, 8);
	MEMBER(ktrace_vmcore_session, pid, 16, 4);
	MEMBER(ktrace_vmcore_session, clockid, 20, 4);
	MEMBER(ktrace_vmcore_session, comm, 24, 16);
	MEMBER(ktrace_vmcore_session, rings, 40, 8);
	MEMBER(ktrace_vmcore_session, events, 48, 8);
	MEMBER(ktrace_vmcore_session, description, 56, 8);
	MEMBER(ktrace_vmcore_session, description_bytes, 64, 8);
	SIZE(ktrace_vmcore_ring, 56);
	MEMBER(ktrace_vmcore_ring, next, 8, 8);
	MEMBER(ktrace_vmcore_ring, cpu, 16, 4);
	MEMBER(ktrace_vmcore_ring, overwrites, 20, 4);
	MEMBER(ktrace_vmcore_ring, data_size, 24, 8);
	MEMBER(ktrace_vmcore_ring, meta, 32, 8);
	MEMBER(ktrace_vmcore_ring, tail, 40, 8);
	MEMBER(ktrace_vmcore_ring, pages, 48, 8);
	SIZE(ktrace_vmcore_event, 200);
	MEMBER(ktrace_vmcore_event, next, 8, 8);
	MEMBER(ktrace_vmcore_event, id, 16, 8);
	MEMBER(ktrace_vmcore_event, index, 24, 4);
	MEMBER(ktrace_vmcore_event, flags, 28, 4);
	MEMBER(ktrace_vmcore_event, counts, 32, 8);
	MEMBER(ktrace_vmcore_event, config, 40, 8);
	MEMBER(ktrace_vmcore_event, sample_type, 48, 8);
	MEMBER(ktrace_vmcore_event, fields, 56, 8);
	MEMBER(ktrace_vmcore_event, user_strings, 64, 4);
	MEMBER(ktrace_vmcore_event, name, 72, 128);
	SIZE(ktrace_vmcore_list, 16);
	MEMBER(ktrace_vmcore_list, what, 0, 4);
	MEMBER(ktrace_vmcore_list, nr, 4, 4);
	MEMBER(ktrace_vmcore_list, next, 8, 8);
}

TEST(dump)
{
	EXPECT_STREQ("ktrace-dump: ", KTRACE_DUMP_PREFIX);
	VALUE(KTRACE_DUMP_VERSION, 1);
	VALUE(KTRACE_DUMP_BYTES, 384);
}

TEST(snapshot)
{
	SIZE(ktrace_snapshot, 16);
	MEMBER(ktrace_snapshot, size, 0, 4);
	MEMBER(ktrace_snapshot, reserved, 4, 4);
	MEMBER(ktrace_snapshot, time, 8, 8);
	VALUE(_IOC_NR(KTRACE_IOC_SNAPSHOT), 12);
	VALUE(_IOC_NR(KTRACE_IOC_SNAPSHOT_STATS), 13);
}

TEST(mark_and_clock)
{
	SIZE(ktrace_mark, 16);
	MEMBER(ktrace_mark, size, 0, 4);
	MEMBER(ktrace_mark, reserved, 4, 4);
	MEMBER(ktrace_mark, time, 8, 8);
	SIZE(ktrace_clock, 48);
	MEMBER(ktrace_clock, size, 0, 4);
	MEMBER(ktrace_clock, reserved, 4, 4);
	MEMBER(ktrace_clock, trace, 8, 8);
	MEMBER(ktrace_clock, monotonic, 16, 8);
	MEMBER(ktrace_clock, raw, 24, 8);
	MEMBER(ktrace_clock, boottime, 32, 8);
	MEMBER(ktrace_clock, realtime, 40, 8);
}

TEST(mapped_pages)
{
	SIZE(ktrace_ring_meta, 128);
	MEMBER(ktrace_ring_meta, size, 0, 4);
	MEMBER(ktrace_ring_meta, cpu, 4, 4);
	MEMBER(ktrace_ring_meta, data_size, 8, 8);
	MEMBER(ktrace_ring_meta, snapshot_head, 16, 8);
	MEMBER(ktrace_ring_meta, reserved, 24, 40);
	MEMBER(ktrace_ring_meta, data_head, 64, 8);
	MEMBER(ktrace_ring_meta, reserved2, 72, 56);
	SIZE(ktrace_ring_tail, 8);
	MEMBER(ktrace_ring_tail, data_tail, 0, 8);
	VALUE(KTRACE_MMAP_META, 0);
	VALUE(KTRACE_MMAP_TAIL, 1);
	VALUE(KTRACE_MMAP_DATA, 2);
	VALUE(KTRACE_MMAP_OFFSET(0, KTRACE_MMAP_TAIL), 0x40000000ULL);
	VALUE(KTRACE_MMAP_OFFSET(3, KTRACE_MMAP_DATA), 0x380000000ULL);
	VALUE(KTRACE_MMAP_OFFSET(8191, KTRACE_MMAP_META), 0x1fff00000000ULL);
}

TEST(records)
{
	VALUE(KTRACE_SAMPLE_TYPE, 0x10587);
	VALUE(KTRACE_SAMPLE_RAW_OFFSET, 60);
	VALUE(KTRACE_LOST_SIZE, 80);
	VALUE(KTRACE_SAMPLE_TYPE_COMPACT, 0x10406);
	VALUE(KTRACE_SAMPLE_TYPE_ALONE, 0x406);
	VALUE(KTRACE_SAMPLE_REGS_USER, 0x40000000);
	VALUE(KTRACE_MISC_CPU_SHIFT, 3);
	VALUE(KTRACE_MISC_CPUS, 2048);
	VALUE(ktrace_sample_raw_offset(KTRACE_SAMPLE_TYPE), KTRACE_SAMPLE_RAW_OFFSET);
	VALUE(ktrace_sample_raw_offset(KTRACE_SAMPLE_TYPE_COMPACT), 36);
	VALUE(ktrace_sample_raw_offset(KTRACE_SAMPLE_TYPE_ALONE), 28);
	VALUE(ktrace_sample_time_offset(KTRACE_SAMPLE_TYPE), 32);
	VALUE(ktrace_sample_time_offset(KTRACE_SAMPLE_TYPE_COMPACT), 24);
	VALUE(ktrace_sample_time_offset(KTRACE_SAMPLE_TYPE_ALONE), 16);
	VALUE(ktrace_lost_size(KTRACE_SAMPLE_TYPE), KTRACE_LOST_SIZE);
	VALUE(ktrace_lost_size(KTRACE_SAMPLE_TYPE_COMPACT), 72);
	VALUE(ktrace_lost_size(KTRACE_SAMPLE_TYPE_ALONE), 64);
}

TEST(common_fields)
{
	unsigned int field;

	VALUE(KTRACE_FIELD_TGID, 0);
	VALUE(KTRACE_FIELD_COMM, 1);
	VALUE(KTRACE_FIELD_PPID, 2);
	VALUE(KTRACE_FIELD_START_TIME, 3);
	VALUE(KTRACE_FIELD_UID, 4);
	VALUE(KTRACE_FIELD_CGROUP, 5);
	VALUE(KTRACE_FIELD_CONTEXT, 6);
	VALUE(KTRACE_FIELD_SEQ, 7);
	VALUE(KTRACE_FIELD_NICE, 8);
	VALUE(KTRACE_FIELD_PRIO, 9);
	VALUE(KTRACE_FIELD_VPID, 10);
	VALUE(KTRACE_FIELD_VTID, 11);
	VALUE(KTRACE_FIELD_PID_NS, 12);
	VALUE(KTRACE_FIELD_NET_NS, 13);
	VALUE(KTRACE_FIELD_USER_NS, 14);
	VALUE(KTRACE_FIELD_CYCLES, 15);
	VALUE(KTRACE_FIELD_INSTRUCTIONS, 16);
	VALUE(KTRACE_FIELD_STACK_DEPTH, 17);
	VALUE(KTRACE_FIELD_PREEMPT_COUNT, 18);
	VALUE(KTRACE_FIELD_MIGRATE_DISABLE, 19);
	VALUE(KTRACE_FIELD_NR_STORED, 20);
	VALUE(KTRACE_FIELD_CPU, 32);
	VALUE(KTRACE_FIELD_TID, 33);
	VALUE(KTRACE_COUNT_UNKNOWN, ~0ULL);
	VALUE(KTRACE_CONTEXT_SOFTIRQ, 1);
	VALUE(KTRACE_CONTEXT_HARDIRQ, 2);
	VALUE(KTRACE_CONTEXT_NMI, 4);
	VALUE(KTRACE_CONTEXT_IRQS_OFF, 8);
	for (field = 0; field < 64; field++)
		VALUE(KTRACE_FIELD_SLOT(field), field == 1 ? 16 :
		      field < 20 || field == 32 || field == 33 ? 8 : 0);
}

TEST(calls)
{
	VALUE(KTRACE_IOC_MAGIC, 0xf7);
	VALUE(KTRACE_IOC_INFO, 0xc048f700u);
	VALUE(KTRACE_IOC_SETUP, 0xc020f701u);
	VALUE(KTRACE_IOC_EVENT_ADD, 0xc070f702u);
	VALUE(KTRACE_IOC_TASK_ADD, 0xc010f703u);
	VALUE(KTRACE_IOC_START, 0xf704u);
	VALUE(KTRACE_IOC_STOP, 0xf705u);
	VALUE(KTRACE_IOC_STATS, 0xc0b8f706u);
	VALUE(KTRACE_IOC_MARK, 0xc010f707u);
	VALUE(KTRACE_IOC_CLOCK, 0xc030f708u);
	VALUE(KTRACE_IOC_SNAPSHOT, 0xc010f70cu);
	VALUE(KTRACE_IOC_SNAPSHOT_STATS, 0xc0b8f70du);
}

TEST_HARNESS_MAIN
