// SPDX-License-Identifier: GPL-2.0
#include "record/sample.h"

#include <string.h>

/* A bounded walk over the u64 words of a record. */
struct cursor {
	const char *p, *end;
	bool ok;
};

static uint64_t take_u64(struct cursor *c)
{
	uint64_t value;

	if (c->end - c->p < 8) {
		c->ok = false;
		return 0;
	}
	memcpy(&value, c->p, 8);
	c->p += 8;
	return value;
}

static void take_u32_pair(struct cursor *c, int32_t *first, int32_t *second)
{
	uint64_t value = take_u64(c);

	memcpy(first, &value, 4);
	memcpy(second, (char *)&value + 4, 4);
}

static const void *take_bytes(struct cursor *c, uint64_t size)
{
	const char *at = c->p;

	if (size > (uint64_t)(c->end - c->p)) {
		c->ok = false;
		return NULL;
	}
	c->p += size;
	return at;
}

static const uint64_t *take_words(struct cursor *c, uint64_t nr)
{
	if (nr > (uint64_t)(c->end - c->p) / 8) {
		c->ok = false;
		return NULL;
	}
	return take_bytes(c, nr * 8);
}

static void take_read(struct cursor *c, uint64_t format, struct sample *s)
{
	const char *start = c->p;
	uint64_t nr = 1;
	uint64_t per_value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP)
		nr = take_u64(c);
	if (nr > (uint64_t)(c->end - c->p) / 8) {
		c->ok = false;
		return;
	}
	take_words(c, nr * per_value + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		   !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	s->read = (const uint64_t *)start;
	s->read_words = (c->p - start) / 8;
}

static void take_raw(struct cursor *c, struct sample *s)
{
	uint32_t size;
	const char *at = c->p;

	if (c->end - c->p < 4) {
		c->ok = false;
		return;
	}
	memcpy(&size, c->p, 4);
	/*
	 * In records that the kernel writes, size + 4 is a multiple of 8; we round up, as
	 * perf does.
	 */
	if (!take_bytes(c, ((uint64_t)size + 4 + 7) & ~7ULL))
		return;
	s->raw = at + 4;
	s->raw_size = size;
}

static void take_weight(struct cursor *c, uint64_t type, struct sample *s)
{
	uint64_t weight = take_u64(c);

	if (type & PERF_SAMPLE_WEIGHT) {
		s->weight = weight;
	} else {
		s->weight = weight & 0xffffffff;
		s->ins_lat = weight >> 32;
	}
}

static void take_user_stack(struct cursor *c, struct sample *s)
{
	uint64_t size = take_u64(c);

	if (!size)
		return;
	s->user_stack = take_bytes(c, size);
	s->user_stack_size = take_u64(c);
	if (s->user_stack_size > size)
		c->ok = false;
}

/*
 * Set all of the sample to 0.  If the compiler knew the size, it would use the processor's
 * string instruction, which costs several times as much as the C library's memset().
 */
static void sample_clear(struct sample *s)
{
	size_t size = sizeof(*s);

	__asm__("" : "+r"(size));
	memset(s, 0, size);
}

static inline const char *load_sample_field(const char *p, void *to, size_t size)
{
	memcpy(to, p, size);
	return p + 8;
}

/*
 * Store pid and tid with a single store: a reader that loads both with a single load would
 * have to wait for two stores.
 */
static inline const char *load_task(const char *p, struct sample *s)
{
	int32_t pid, tid;

	memcpy(&pid, p, 4);
	memcpy(&tid, p + 4, 4);
	s->pid = pid;
	s->tid = tid;
	return p + 8;
}

/* Decode the beginning of a sample; the caller made sure that it has event->fixed_size bytes. */
static const char *load_fixed(const char *p, uint64_t type, struct sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		p = load_sample_field(p, &s->id, 8);
	if (type & PERF_SAMPLE_IP)
		p = load_sample_field(p, &s->ip, 8);
	if (type & PERF_SAMPLE_TID)
		p = load_task(p, s);
	if (type & PERF_SAMPLE_TIME)
		p = load_sample_field(p, &s->time, 8);
	if (type & PERF_SAMPLE_ADDR)
		p = load_sample_field(p, &s->addr, 8);
	if (type & PERF_SAMPLE_ID)
		p = load_sample_field(p, &s->id, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		p = load_sample_field(p, &s->stream_id, 8);
	if (type & PERF_SAMPLE_CPU)
		p = load_sample_field(p, &s->cpu, 4);
	if (type & PERF_SAMPLE_PERIOD)
		p = load_sample_field(p, &s->period, 8);
	return p;
}

bool sample_decode(const struct event *event,
		   const struct perf_event_header *header, struct sample *ret)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t type = attr->sample_type;
	struct cursor c = {
		.p = (const char *)(header + 1),
		.end = (const char *)header + header->size,
		.ok = true,
	};
	struct sample *s = ret;

	sample_clear(s);
	s->pid = s->tid = s->cpu = -1;
	s->period = attr->sample_period;
	s->cpumode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (header->size < sizeof(*header) + event->fixed_size)
		return false;
	c.p = load_fixed(c.p, type, s);
	if (event->is_compact)
		s->cpu = event_compact_cpu(header);
	/* The most frequent samples have nothing more than that. */
	if (event->plain) {
		if (type & PERF_SAMPLE_RAW)
			take_raw(&c, s);
		return c.ok;
	}
	if (type & PERF_SAMPLE_READ)
		take_read(&c, attr->read_format, s);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->nr_callchain = take_u64(&c);
		s->callchain = take_words(&c, s->nr_callchain);
	}
	if (type & PERF_SAMPLE_RAW)
		take_raw(&c, s);
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		s->nr_branches = take_u64(&c);
		if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			take_u64(&c);
		if (s->nr_branches > header->size)
			return false;
		s->branch_stack = take_bytes(&c, s->nr_branches *
					     sizeof(struct perf_branch_entry));
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		s->user_abi = take_u64(&c);
		if (s->user_abi)
			s->user_regs = take_words(&c, __builtin_popcountll(attr->sample_regs_user));
	}
	if (type & PERF_SAMPLE_STACK_USER)
		take_user_stack(&c, s);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		take_weight(&c, type, s);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = take_u64(&c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = take_u64(&c);
	if (type & PERF_SAMPLE_REGS_INTR) {
		s->intr_abi = take_u64(&c);
		if (s->intr_abi)
			s->intr_regs = take_words(&c, __builtin_popcountll(attr->sample_regs_intr));
	}
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = take_u64(&c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = take_u64(&c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = take_u64(&c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = take_u64(&c);
	return c.ok;
}

size_t sample_id_size(const struct perf_event_attr *attr)
{
	const uint64_t parts = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	return attr->sample_id_all ? 8 * __builtin_popcountll(attr->sample_type & parts) : 0;
}

bool sample_id_decode(const struct event *event,
		      const struct perf_event_header *header, struct sample *ret)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t type = attr->sample_type;
	struct cursor c;
	struct sample *s = ret;
	size_t size = 0;
	int32_t reserved;

	*s = (struct sample){ .pid = -1, .tid = -1, .cpu = -1 };
	if (!attr->sample_id_all)
		return false;
	size = sample_id_size(attr);
	if (header->size < sizeof(*header) + size)
		return false;
	c = (struct cursor){
		.p = (const char *)header + header->size - size,
		.end = (const char *)header + header->size,
		.ok = true,
	};
	s->cpumode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (type & PERF_SAMPLE_TID)
		take_u32_pair(&c, &s->pid, &s->tid);
	if (type & PERF_SAMPLE_TIME)
		s->time = take_u64(&c);
	if (type & PERF_SAMPLE_ID)
		s->id = take_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = take_u64(&c);
	if (type & PERF_SAMPLE_CPU)
		take_u32_pair(&c, &s->cpu, &reserved);
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = take_u64(&c);
	/* The kernel's own records have no CPU there. */
	if (event->is_compact && header->type == PERF_RECORD_LOST)
		s->cpu = event_compact_cpu(header);
	return true;
}

size_t sample_values(const struct event *event, const struct sample *sample,
		     struct sample_value *values, size_t max,
		     uint64_t *enabled, uint64_t *running)
{
	uint64_t format = event->attr.read_format;
	const uint64_t *p = sample->read;
	uint64_t nr = 1;
	size_t used;

	*enabled = *running = 0;
	if (!p)
		return 0;
	/*
	 * A group has nr, enabled, running, values; a single event value, enabled, running,
	 * id, lost.
	 */
	if (format & PERF_FORMAT_GROUP) {
		nr = *p++;
	} else if (max) {
		values[0] = (struct sample_value){ .value = *p++ };
	}
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*enabled = *p++;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*running = *p++;
	used = nr < max ? nr : max;
	for (size_t i = 0; i < used; i++) {
		if (format & PERF_FORMAT_GROUP)
			values[i] = (struct sample_value){ .value = *p++ };
		if (format & PERF_FORMAT_ID)
			values[i].id = *p++;
		if (format & PERF_FORMAT_LOST)
			values[i].lost = *p++;
	}
	return used;
}
