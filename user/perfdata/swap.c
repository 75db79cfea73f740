// SPDX-License-Identifier: GPL-2.0
#include "perfdata/swap.h"

#include "lib/array.h"
#include "record/common_field.h"
#include "record/record.h"
#include "record/sample.h"

/*
 * The numbers at the start of the body of each type of record, as record/body.h declares them
 * (test_body.c compares).  A digit is the size of a number in bytes, '.' stands for 8 bytes that
 * are no numbers, '+' for 64-bit numbers up to the sample_id.
 */
static const char *const layouts[] = {
	[PERF_RECORD_MMAP] = "44888",
	[PERF_RECORD_LOST] = "+",
	[PERF_RECORD_COMM] = "44",
	[PERF_RECORD_EXIT] = "44448",
	[PERF_RECORD_THROTTLE] = "888",
	[PERF_RECORD_UNTHROTTLE] = "888",
	[PERF_RECORD_FORK] = "44448",
	[PERF_RECORD_READ] = "44+",
	[PERF_RECORD_MMAP2] = "44888448844",
	[PERF_RECORD_AUX] = "888",
	[PERF_RECORD_ITRACE_START] = "44",
	[PERF_RECORD_LOST_SAMPLES] = "8",
	[PERF_RECORD_SWITCH] = "",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "44",
	[PERF_RECORD_NAMESPACES] = "44+",
	[PERF_RECORD_KSYMBOL] = "8422",
	[PERF_RECORD_BPF_EVENT] = "224",
	[PERF_RECORD_CGROUP] = "8",
	[PERF_RECORD_TEXT_POKE] = "822",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "8",
	[RECORD_CALLCHAIN_DEFERRED] = "8+",
	[RECORD_EVENT_TYPE] = "8",
	[RECORD_TRACING_DATA] = "4",
	[RECORD_BUILD_ID] = "4",
	[RECORD_FINISHED_ROUND] = "8",
	[RECORD_ID_INDEX] = "+",
	[RECORD_AUXTRACE_INFO] = "44+",
	[RECORD_AUXTRACE] = "8884444",
	[RECORD_AUXTRACE_ERROR] = "44444488",
	[RECORD_THREAD_MAP] = "8",
	[RECORD_CPU_MAP] = "2",
	[RECORD_STAT_CONFIG] = "+",
	[RECORD_STAT] = "844888",
	[RECORD_STAT_ROUND] = "88",
	[RECORD_EVENT_UPDATE] = "88",
	[RECORD_TIME_CONV] = "88888",
	[RECORD_HEADER_FEATURE] = "8",
	[RECORD_COMPRESSED2] = "8",
	[RECORD_BPF_METADATA] = "..8",
	[RECORD_SCHEDSTAT_CPU] = "8422444444888",
	[RECORD_SCHEDSTAT_DOMAIN] = "8422" "444444444" "444444444" "444444444" "444444444" "444444444",
};

/* The layout of a MMAP2 record that has a build id in place of device and inode. */
static const char mmap2_build_id[] = "44888...44";

/* A cursor that swaps the numbers it passes; past the end it does nothing. */
struct walk {
	char *p, *end;
};

static char *pass(struct walk *w, uint64_t size)
{
	char *at = w->p;

	if (size > (uint64_t)(w->end - w->p)) {
		w->p = w->end;
		return NULL;
	}
	w->p += size;
	return at;
}

/* Swap the next number, and return it; 0 at the end. */
#define DEFINE_PASS(bits)					\
	static uint##bits##_t pass_u##bits(struct walk *w)	\
	{							\
		uint##bits##_t value = 0;			\
		char *at = pass(w, sizeof(value));		\
								\
		if (!at)					\
			return 0;				\
		memcpy(&value, at, sizeof(value));		\
		value = __builtin_bswap##bits(value);		\
		memcpy(at, &value, sizeof(value));		\
		return value;					\
	}

DEFINE_PASS(16)
DEFINE_PASS(32)
DEFINE_PASS(64)

static void pass_u32_pair(struct walk *w)
{
	pass_u32(w);
	pass_u32(w);
}

static void pass_words(struct walk *w, uint64_t nr)
{
	while (nr-- && w->p < w->end)
		pass_u64(w);
}

void swap_words(void *data, size_t nr)
{
	pass_words(&(struct walk){ data, (char *)data + nr * 8 }, nr);
}

/* In the other byte order, bit-fields start at the other end of each byte. */
static void reverse_bits(uint8_t *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint8_t reversed = 0;

		for (int bit = 0; bit < 8; bit++)
			if (bytes[i] & 1 << bit)
				reversed |= 0x80 >> bit;
		bytes[i] = reversed;
	}
}

void swap_attr(void *attr, size_t available)
{
	static const char after_flags[] = "4488884484224488";
	struct walk w = { attr, (char *)attr + available };
	char *flags;
	uint32_t size;

	pass_u32(&w);
	size = pass_u32(&w);
	if (size < PERF_ATTR_SIZE_VER0)
		size = PERF_ATTR_SIZE_VER0;
	if (size < available)
		w.end = (char *)attr + size;
	pass_words(&w, 4);
	flags = pass(&w, 8);
	if (flags)
		reverse_bits((uint8_t *)flags, 8);
	for (const char *layout = after_flags; *layout; layout++) {
		if (*layout == '2')
			pass_u16(&w);
		else if (*layout == '4')
			pass_u32(&w);
		else
			pass_u64(&w);
	}
}

void swap_header(struct perf_event_header *header)
{
	header->type = __builtin_bswap32(header->type);
	header->misc = __builtin_bswap16(header->misc);
	header->size = __builtin_bswap16(header->size);
}

static void pass_read(struct walk *w, uint64_t format)
{
	uint64_t per_value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t nr = 1;

	if (format & PERF_FORMAT_GROUP)
		nr = pass_u64(w);
	if (nr > (uint64_t)(w->end - w->p) / 8)
		return;
	pass_words(w, nr * per_value + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		   !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
}

static void pass_trailer(char *trailer, const struct common_layout *layout)
{
	for (size_t i = 0; i < layout->nr; i++) {
		const struct common_slot *slot = &layout->items[i];

		if (slot->type != COMMON_TEXT)
			pass_u64(&(struct walk){ trailer + slot->offset,
						 trailer + slot->offset + slot->size });
	}
}

static void pass_raw(struct walk *w, const struct event *event)
{
	uint32_t size = pass_u32(w);
	size_t trailer = event->common.size;
	char *raw = w->p;

	pass(w, (((uint64_t)size + 4 + 7) & ~7ULL) - 4);
	if (trailer && trailer <= size && size <= (uint64_t)(w->end - raw))
		pass_trailer(raw + size - trailer, &event->common);
}

/*
 * Swap entries of { from, to, flags }.  The bit-fields of flags start at the other end
 * of the word.
 */
static void pass_branches(struct walk *w, uint64_t sample_type)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4 };
	uint64_t nr = pass_u64(w);

	if (sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		pass_u64(w);
	while (nr-- && w->end - w->p >= 24) {
		uint64_t flags, ordered = 0;
		int from = 64, to = 0;

		pass_words(w, 2);
		flags = pass_u64(w);
		for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
			from -= widths[i];
			ordered |= (flags >> from & ((1ULL << widths[i]) - 1)) << to;
			to += widths[i];
		}
		memcpy(w->p - 8, &ordered, 8);
	}
}

static void pass_registers(struct walk *w, uint64_t mask)
{
	if (pass_u64(w))
		pass_words(w, __builtin_popcountll(mask));
}

/* The fields are in the order of sample_decode(). */
static void swap_sample(const struct event *event, struct walk *w)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t type = attr->sample_type, size;

	if (type & PERF_SAMPLE_IDENTIFIER)
		pass_u64(w);
	if (type & PERF_SAMPLE_IP)
		pass_u64(w);
	if (type & PERF_SAMPLE_TID)
		pass_u32_pair(w);
	pass_words(w, !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR) +
		   !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		pass_u32_pair(w);
	if (type & PERF_SAMPLE_PERIOD)
		pass_u64(w);
	if (type & PERF_SAMPLE_READ)
		pass_read(w, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		pass_words(w, pass_u64(w));
	if (type & PERF_SAMPLE_RAW)
		pass_raw(w, event);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		pass_branches(w, attr->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		pass_registers(w, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER) {
		size = pass_u64(w);
		if (size) {
			pass(w, size);
			pass_u64(w);
		}
	}
	pass_words(w, !!(type & PERF_SAMPLE_WEIGHT_TYPE) + !!(type & PERF_SAMPLE_DATA_SRC) +
		   !!(type & PERF_SAMPLE_TRANSACTION));
	if (type & PERF_SAMPLE_REGS_INTR)
		pass_registers(w, attr->sample_regs_intr);
	pass_words(w, !!(type & PERF_SAMPLE_PHYS_ADDR) + !!(type & PERF_SAMPLE_CGROUP) +
		   !!(type & PERF_SAMPLE_DATA_PAGE_SIZE) + !!(type & PERF_SAMPLE_CODE_PAGE_SIZE));
	if (type & PERF_SAMPLE_AUX)
		pass_u64(w);
}

/* Find the event of a record whose body is still in the other byte order. */
static const struct event *find_swapped_event(const struct event_list *events,
				      const struct perf_event_header *header)
{
	const struct event *first = events->nr ? events->items[0] : NULL;
	const struct event *found;
	int at;

	if (!first || header->type >= RECORD_USER_TYPE_START)
		return NULL;
	at = header->type == PERF_RECORD_SAMPLE ? first->id_offset :
		first->id_back >= 0 ? header->size - first->id_back : -1;
	if (events->nr == 1 || at < (int)sizeof(*header) || at + 8 > header->size)
		return first;
	found = event_list_find_id(events, swap_get_u64((const char *)header + at));
	return found ? found : first;
}

static void swap_sample_id(const struct perf_event_attr *attr, struct walk *w)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_TID)
		pass_u32_pair(w);
	pass_words(w, !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ID) +
		   !!(type & PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		pass_u32_pair(w);
	if (type & PERF_SAMPLE_IDENTIFIER)
		pass_u64(w);
}

static void swap_body(const char *layout, struct walk *w)
{
	for (; *layout; layout++) {
		switch (*layout) {
		case '2':
			pass_u16(w);
			break;
		case '4':
			pass_u32(w);
			break;
		case '8':
			pass_u64(w);
			break;
		case '.':
			pass(w, 8);
			break;
		case '+':
			pass_words(w, (w->end - w->p) / 8);
			break;
		}
	}
}

static void swap_attr_record(struct walk *w)
{
	uint32_t size;

	if (w->end - w->p < PERF_ATTR_SIZE_VER0)
		return;
	swap_attr(w->p, w->end - w->p);
	memcpy(&size, w->p + offsetof(struct perf_event_attr, size), sizeof(size));
	pass(w, size > PERF_ATTR_SIZE_VER0 ? size : PERF_ATTR_SIZE_VER0);
	pass_words(w, (w->end - w->p) / 8);
}

void swap_record(const struct event_list *events, struct perf_event_header *header)
{
	struct walk w = { (char *)(header + 1), (char *)header + header->size };
	const struct event *event = find_swapped_event(events, header);
	const char *layout = header->type < ARRAY_SIZE(layouts) ? layouts[header->type] : NULL;
	size_t tail;

	if (header->type == RECORD_HEADER_ATTR) {
		swap_attr_record(&w);
		return;
	}
	if (header->type == PERF_RECORD_SAMPLE) {
		if (event)
			swap_sample(event, &w);
		return;
	}
	if (event) {
		tail = sample_id_size(&event->attr);
		if (tail <= (size_t)(w.end - w.p)) {
			w.end -= tail;
			swap_sample_id(&event->attr, &(struct walk){ w.end, w.end + tail });
		}
	}
	if (header->type == PERF_RECORD_MMAP2 && header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		layout = mmap2_build_id;
	if (layout)
		swap_body(layout, &w);
}
