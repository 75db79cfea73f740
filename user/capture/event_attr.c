// SPDX-License-Identifier: GPL-2.0
#include "capture/event_attr.h"

#include <linux/ktrace.h>
#include <string.h>

#include "capture/feature.h"

static uint64_t event_attr_read_format(const struct event_attr_options *options)
{
	uint64_t format = PERF_FORMAT_ID;

	if (feature_perf(FEATURE_PERF_LOST))
		format |= PERF_FORMAT_LOST;
	if (options->read_group)
		format |= PERF_FORMAT_GROUP;
	if (options->thread_counts)
		format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return format;
}

static void init_common(const struct event_attr_options *options, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME,
		.read_format = event_attr_read_format(options),
		.inherit = options->inherit,
		.sample_id_all = 1,
	};
	if (options->system_wide || options->sample_cpu)
		attr->sample_type |= PERF_SAMPLE_CPU;
	if (options->clockid >= 0) {
		attr->use_clockid = 1;
		attr->clockid = options->clockid;
	}
}

/*
 * As with perf, the modifiers u, k and h select the recorded levels, and G and H select guest and
 * host.  Guests are recorded only if an event has modifiers, and none that excludes them.
 */
static void apply_modifiers(const struct event_spec *spec, struct perf_event_attr *attr)
{
	const char *modifiers = spec->modifiers;
	bool levels = strpbrk(modifiers, "ukh"), sides = strpbrk(modifiers, "GH");

	if (levels) {
		attr->exclude_user = !strchr(modifiers, 'u');
		attr->exclude_kernel = !strchr(modifiers, 'k');
		attr->exclude_hv = !strchr(modifiers, 'h');
	}
	if (sides) {
		attr->exclude_guest = !strchr(modifiers, 'G');
		attr->exclude_host = !strchr(modifiers, 'H');
	} else {
		attr->exclude_guest = !spec->nr_own_modifiers || strpbrk(modifiers, "upP");
	}
	for (; *modifiers; modifiers++) {
		switch (*modifiers) {
		case 'p':
			attr->precise_ip++;
			break;
		case 'D':
			attr->pinned = 1;
			break;
		case 'e':
			attr->exclusive = 1;
			break;
		}
	}
}

/*
 * The defaults are perf's: every firing of tracepoints and breakpoints, and 4000 samples a
 * second of other events.
 */
static void set_period(const struct event_spec *spec, const struct event_attr_options *options,
		       struct perf_event_attr *attr)
{
	if (spec->period) {
		attr->sample_period = spec->period;
	} else if (spec->freq) {
		attr->freq = 1;
		attr->sample_freq = spec->freq;
	} else if (options->period) {
		attr->sample_period = options->period;
	} else if (options->freq) {
		attr->freq = 1;
		attr->sample_freq = options->freq;
	} else if (spec->type == PERF_TYPE_TRACEPOINT || spec->type == PERF_TYPE_BREAKPOINT) {
		attr->sample_period = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = EVENT_ATTR_DEFAULT_FREQ;
	}
	if (attr->freq || options->sample_period)
		attr->sample_type |= PERF_SAMPLE_PERIOD;
}

/*
 * If samples of a software event or tracepoint with a fixed period contain the period, the kernel
 * stores every firing, each with the period 1.  We leave it out of the samples, because the attr
 * has the period of all of them.
 */
static bool counts_each_with_period(const struct perf_event_attr *attr)
{
	return !attr->freq && attr->sample_period > 1 &&
	       (attr->type == PERF_TYPE_TRACEPOINT || attr->type == PERF_TYPE_SOFTWARE ||
		attr->type == PERF_TYPE_BREAKPOINT);
}

void event_attr_init(const struct event_spec *spec, const struct event_attr_options *options,
		     struct perf_event_attr *ret)
{
	init_common(options, ret);
	ret->type = spec->type;
	ret->config = spec->config;
	ret->config1 = spec->config1;
	ret->config2 = spec->config2;
	if (spec->type == PERF_TYPE_BREAKPOINT) {
		ret->bp_addr = spec->bp_addr;
		ret->bp_len = spec->bp_len;
		ret->bp_type = spec->bp_type;
	}
	set_period(spec, options, ret);
	if (spec->type == PERF_TYPE_TRACEPOINT)
		ret->sample_type |= PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
	if (options->raw)
		ret->sample_type |= PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	if (counts_each_with_period(ret))
		ret->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	if (options->addr)
		ret->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (options->callchain) {
		ret->sample_type |= PERF_SAMPLE_CALLCHAIN;
		ret->exclude_callchain_user = options->kernel_callchains;
		ret->exclude_callchain_kernel = options->user_callchains;
	}
	/* By themselves, frame pointers skip the caller of a function without a frame. */
	if (sample_parts_chain_registers() && options->callchain && !options->kernel_callchains &&
	    !options->stack_bytes && !(options->parts.branches & PERF_SAMPLE_BRANCH_CALL_STACK)) {
		ret->sample_type |= PERF_SAMPLE_REGS_USER;
		ret->sample_regs_user = sample_parts_chain_registers();
	}
	if (options->stack_bytes) {
		ret->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		ret->sample_regs_user = sample_parts_all_registers();
		ret->sample_stack_user = options->stack_bytes;
		/* The copied stack gives the user frames more exactly. */
		ret->exclude_callchain_user = 1;
	}
	if (options->cgroups)
		ret->sample_type |= PERF_SAMPLE_CGROUP;
	sample_parts_apply(&options->parts, ret);
	ret->inherit_stat = options->thread_counts;
	apply_modifiers(spec, ret);
	if (options->only_user)
		ret->exclude_kernel = 1;
	if (options->only_kernel)
		ret->exclude_user = 1;
	if (options->sample_read) {
		/* The kernel cannot put the counters of inherited events into samples. */
		ret->sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_ID;
		ret->inherit = 0;
	}
	if (!options->leader && options->sample_read) {
		/* Only the leader is sampled; its samples have the values of all members. */
		ret->freq = 0;
		ret->sample_freq = 0;
	}
	if (options->leader) {
		ret->disabled = 1;
		ret->enable_on_exec = options->on_exec;
	}
	/* Only a trial shows the precision that the PMU supports with the rest of the attr. */
	if (strchr(spec->modifiers, 'P'))
		ret->precise_ip = feature_perf_precise(ret);
}

void event_attr_init_device(const struct event_spec *spec,
			    const struct event_attr_options *options,
			    struct perf_event_attr *ret)
{
	init_common(options, ret);
	ret->type = PERF_TYPE_TRACEPOINT;
	ret->config = spec->config;
	set_period(spec, options, ret);
	/* The device's samples always have these parts. */
	ret->sample_type = (options->compact ? KTRACE_SAMPLE_TYPE_COMPACT : KTRACE_SAMPLE_TYPE) |
			   (options->callchain ? PERF_SAMPLE_CALLCHAIN : 0);
	if (options->callchain && sample_parts_chain_registers()) {
		ret->sample_type |= PERF_SAMPLE_REGS_USER;
		ret->sample_regs_user = sample_parts_chain_registers();
	}
	ret->disabled = 1;
	ret->exclude_guest = 1;
}

void event_attr_add_side_band(const struct event_attr_options *options,
			      struct perf_event_attr *attr)
{
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->mmap_data = options->data_maps;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->context_switch = options->switches;
	/* Record BPF programs that are loaded meanwhile, because no file has their code. */
	attr->ksymbol = feature_perf(FEATURE_PERF_KSYMBOL);
	attr->bpf_event = attr->ksymbol && !options->no_bpf;
	attr->namespaces = options->namespaces;
	attr->cgroup = options->cgroups;
	attr->build_id = options->build_ids;
}

void event_attr_init_side_band(const struct event_attr_options *options,
			       struct perf_event_attr *ret)
{
	init_common(options, ret);
	ret->type = PERF_TYPE_SOFTWARE;
	ret->config = PERF_COUNT_SW_DUMMY;
	ret->sample_type |= PERF_SAMPLE_CPU;
	if (options->alone)
		ret->sample_type = KTRACE_SAMPLE_TYPE_ALONE & ~(uint64_t)PERF_SAMPLE_RAW;
	ret->sample_period = 1;
	/*
	 * This event never counts, so the exclusions lose nothing, and it needs fewer permissions.
	 */
	ret->exclude_kernel = 1;
	ret->exclude_hv = 1;
	ret->exclude_guest = 1;
	event_attr_add_side_band(options, ret);
	ret->disabled = options->on_exec;
	ret->enable_on_exec = options->on_exec;
}
