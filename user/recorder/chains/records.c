// SPDX-License-Identifier: GPL-2.0
#include "recorder/chains/chains.h"

#include <stdint.h>

#include "record/sample.h"

static void add_word(struct strbuf *out, uint64_t word)
{
	strbuf_add(out, &word, sizeof(word));
}

static void add_up_to(struct strbuf *out, const void *from, const void *to)
{
	strbuf_add(out, from, (const char *)to - (const char *)from);
}

/* Append the chain without its user frames. */
static void add_kernel_chain(struct strbuf *out, const struct sample *s)
{
	size_t nr_at = out->len;
	uint64_t nr = 0;
	bool user = false;

	add_word(out, 0);
	for (uint64_t i = 0; i < s->nr_callchain; i++) {
		uint64_t ip = s->callchain[i];

		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			user = ip == (uint64_t)PERF_CONTEXT_USER;
		if (user)
			continue;
		add_word(out, ip);
		nr++;
	}
	if (!out->failed)
		memcpy(out->data + nr_at, &nr, sizeof(nr));
}

/* The number of bytes behind the user registers and the user stack of a sample. */
static size_t bytes_behind(const struct event *event, const struct sample *s)
{
	const uint64_t words = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |
			       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
			       PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
			       PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
	size_t nr = __builtin_popcountll(event->attr.sample_type & words);

	if (event->attr.sample_type & PERF_SAMPLE_REGS_INTR)
		nr += 1 + (s->intr_abi ? __builtin_popcountll(event->attr.sample_regs_intr) : 0);
	return nr * sizeof(uint64_t);
}

/* Append a sample without registers and stack as one with empty ones. */
static void add_without_stack(struct strbuf *out, const struct event *event,
			      const struct perf_event_header *header, const struct sample *s)
{
	const char *end = (const char *)header + header->size;
	const char *behind = end - bytes_behind(event, s);

	add_up_to(out, header, behind);
	add_word(out, PERF_SAMPLE_REGS_ABI_NONE);
	add_word(out, 0);
	add_up_to(out, behind, end);
}

static void add_with_stack(struct strbuf *out, const struct perf_event_header *header,
			   const struct sample *s, bool without_user)
{
	const char *stack = s->user_stack, *end = (const char *)header + header->size;
	uint64_t bytes = s->user_stack_size, size = (bytes + 7) & ~7ULL, room;

	memcpy(&room, stack - sizeof(room), sizeof(room));
	if (without_user) {
		add_up_to(out, header, s->callchain - 1);
		add_kernel_chain(out, s);
		add_up_to(out, s->callchain + s->nr_callchain, stack - sizeof(room));
	} else {
		add_up_to(out, header, stack - sizeof(room));
	}
	add_word(out, size);
	strbuf_add(out, stack, bytes);
	strbuf_pad(out, out->len + size - bytes, '\0');
	if (size)
		add_word(out, bytes);
	add_up_to(out, stack + room + sizeof(uint64_t), end);
}

void chain_records_add(struct strbuf *out, const struct event *event,
		       const struct perf_event_header *header, bool whole)
{
	size_t start = out->len;
	struct sample s;
	uint16_t size;

	if (!sample_decode(event, header, &s))
		strbuf_add(out, header, header->size);
	else if (event->replaces && !(event->attr.sample_type & PERF_SAMPLE_STACK_USER))
		add_without_stack(out, event, header, &s);
	else if (s.user_stack)
		add_with_stack(out, header, &s, event->is_tried && !whole && s.user_stack_size);
	else
		strbuf_add(out, header, header->size);
	strbuf_pad(out, (out->len + 7) & ~(size_t)7, '\0');
	size = out->len - start;
	if (!out->failed)
		memcpy(out->data + start + offsetof(struct perf_event_header, size), &size,
		       sizeof(size));
}
