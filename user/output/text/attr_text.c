// SPDX-License-Identifier: GPL-2.0
#include "output/text/attr_text.h"

#include <stdint.h>

#include "lib/array.h"

struct printer {
	struct strbuf *out;
	const char *first, *before, *between;
};

struct bit_name {
	uint64_t bit;
	const char *name;
};

static const struct bit_name sample_bits[] = {
	{ PERF_SAMPLE_IP, "IP" }, { PERF_SAMPLE_TID, "TID" }, { PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" }, { PERF_SAMPLE_READ, "READ" },
	{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" }, { PERF_SAMPLE_ID, "ID" },
	{ PERF_SAMPLE_CPU, "CPU" }, { PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" }, { PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" }, { PERF_SAMPLE_REGS_USER, "REGS_USER" },
	{ PERF_SAMPLE_STACK_USER, "STACK_USER" }, { PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_REGS_INTR, "REGS_INTR" }, { PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PERF_SAMPLE_WEIGHT, "WEIGHT" }, { PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ PERF_SAMPLE_AUX, "AUX" }, { PERF_SAMPLE_CGROUP, "CGROUP" },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
};

static const struct bit_name read_bits[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PERF_FORMAT_ID, "ID" }, { PERF_FORMAT_GROUP, "GROUP" }, { PERF_FORMAT_LOST, "LOST" },
};

static const struct bit_name branch_bits[] = {
	{ PERF_SAMPLE_BRANCH_USER, "USER" }, { PERF_SAMPLE_BRANCH_KERNEL, "KERNEL" },
	{ PERF_SAMPLE_BRANCH_HV, "HV" }, { PERF_SAMPLE_BRANCH_ANY, "ANY" },
	{ PERF_SAMPLE_BRANCH_ANY_CALL, "ANY_CALL" },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, "ANY_RETURN" },
	{ PERF_SAMPLE_BRANCH_IND_CALL, "IND_CALL" },
	{ PERF_SAMPLE_BRANCH_ABORT_TX, "ABORT_TX" }, { PERF_SAMPLE_BRANCH_IN_TX, "IN_TX" },
	{ PERF_SAMPLE_BRANCH_NO_TX, "NO_TX" }, { PERF_SAMPLE_BRANCH_COND, "COND" },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, "CALL_STACK" },
	{ PERF_SAMPLE_BRANCH_IND_JUMP, "IND_JUMP" }, { PERF_SAMPLE_BRANCH_CALL, "CALL" },
	{ PERF_SAMPLE_BRANCH_NO_FLAGS, "NO_FLAGS" },
	{ PERF_SAMPLE_BRANCH_NO_CYCLES, "NO_CYCLES" },
	{ PERF_SAMPLE_BRANCH_TYPE_SAVE, "TYPE_SAVE" },
	{ PERF_SAMPLE_BRANCH_HW_INDEX, "HW_INDEX" },
};

static void attr_text_add_name(struct printer *p, const char *name)
{
	strbuf_addstr(p->out, p->first);
	p->first = p->before;
	strbuf_addstr(p->out, name);
	strbuf_addstr(p->out, p->between);
}

static void attr_text_add_number(struct printer *p, const char *name, uint64_t value)
{
	if (!value)
		return;
	attr_text_add_name(p, name);
	strbuf_addf(p->out, "%llu", (unsigned long long)value);
}

static void add_hex(struct printer *p, const char *name, uint64_t value)
{
	if (!value)
		return;
	attr_text_add_name(p, name);
	strbuf_addf(p->out, "%#llx", (unsigned long long)value);
}

static void add_bits(struct printer *p, const char *name, uint64_t value,
		     const struct bit_name *bits, size_t nr)
{
	bool any = false;

	if (!value)
		return;
	attr_text_add_name(p, name);
	for (size_t i = 0; i < nr; i++) {
		if (!(value & bits[i].bit))
			continue;
		strbuf_addf(p->out, "%s%s", any ? "|" : "", bits[i].name);
		any = true;
	}
}

void attr_text_add(struct strbuf *out, const struct perf_event_attr *attr,
		   const char *first, const char *before, const char *between)
{
	struct printer printer = { out, first, before, between }, *p = &printer;

#define NUMBER(member) attr_text_add_number(p, #member, attr->member)
	NUMBER(type);
	NUMBER(size);
	add_hex(p, "config", attr->config);
	attr_text_add_number(p, "{ sample_period, sample_freq }", attr->sample_period);
	add_bits(p, "sample_type", attr->sample_type, sample_bits, ARRAY_SIZE(sample_bits));
	add_bits(p, "read_format", attr->read_format, read_bits, ARRAY_SIZE(read_bits));
	NUMBER(disabled);
	NUMBER(inherit);
	NUMBER(pinned);
	NUMBER(exclusive);
	NUMBER(exclude_user);
	NUMBER(exclude_kernel);
	NUMBER(exclude_hv);
	NUMBER(exclude_idle);
	NUMBER(mmap);
	NUMBER(comm);
	NUMBER(freq);
	NUMBER(inherit_stat);
	NUMBER(enable_on_exec);
	NUMBER(task);
	NUMBER(watermark);
	NUMBER(precise_ip);
	NUMBER(mmap_data);
	NUMBER(sample_id_all);
	NUMBER(exclude_host);
	NUMBER(exclude_guest);
	NUMBER(exclude_callchain_kernel);
	NUMBER(exclude_callchain_user);
	NUMBER(mmap2);
	NUMBER(comm_exec);
	NUMBER(use_clockid);
	NUMBER(context_switch);
	NUMBER(write_backward);
	NUMBER(namespaces);
	NUMBER(ksymbol);
	NUMBER(bpf_event);
	NUMBER(aux_output);
	NUMBER(cgroup);
	NUMBER(text_poke);
	NUMBER(build_id);
	NUMBER(inherit_thread);
	NUMBER(remove_on_exec);
	NUMBER(sigtrap);
	attr_text_add_number(p, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	NUMBER(bp_type);
	add_hex(p, "{ bp_addr, config1 }", attr->bp_addr);
	add_hex(p, "{ bp_len, config2 }", attr->bp_len);
	add_bits(p, "branch_sample_type", attr->branch_sample_type, branch_bits,
		 ARRAY_SIZE(branch_bits));
	add_hex(p, "sample_regs_user", attr->sample_regs_user);
	NUMBER(sample_stack_user);
	if (attr->clockid) {
		attr_text_add_name(p, "clockid");
		strbuf_addf(out, "%d", attr->clockid);
	}
	add_hex(p, "sample_regs_intr", attr->sample_regs_intr);
	NUMBER(aux_watermark);
	NUMBER(sample_max_stack);
	NUMBER(aux_sample_size);
	NUMBER(sig_data);
#undef NUMBER
}
