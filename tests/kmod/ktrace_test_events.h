/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ktrace_test: events with every kind of field there is
 *
 * Every record carries `seq` and `ctx`, the number of the context it was fired
 * in (enum ktest_ctx). The other values follow from seq by the rules of
 * ktrace_test_values.h; N beside a field is its field number there.
 * Nothing here refers to a symbol of the module: TP_fast_assign gets everything
 * as an argument, so another object may include this header and build
 * probes of its own from it.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrace_test

#if !defined(KTRACE_TEST_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACE_TEST_EVENTS_H

#include <linux/tracepoint.h>
#include <linux/sched.h>
#include <linux/cpumask.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>

#include "ktrace_test_values.h"

/* The probes of vstrings pass a format on, but are not declared as printf-like. */
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsuggest-attribute=format"
#endif

#ifndef KTRACE_TEST_EVENTS_ONCE
#define KTRACE_TEST_EVENTS_ONCE

enum ktest_ctx {
	KTEST_TASK,
	KTEST_SOFTIRQ,
	KTEST_HARDIRQ,
	KTEST_IRQ_WORK,
	KTEST_NMI,
	KTEST_NR_CTX,
};

enum ktest_color {
	KTEST_RED,
	KTEST_GREEN,
	KTEST_BLUE,
	KTEST_BLACK,
};

struct ktest_pair {
	u32 a;
	u64 b;
};

static inline const char *ktest_describe(u32 ctx)
{
	return ctx == KTEST_TASK ? "a \"task\"" : "an interrupt";
}

int ktest_fn_reg(void);
void ktest_fn_unreg(void);

#endif /* KTRACE_TEST_EVENTS_ONCE */

/* Older kernels want the source as a second argument. */
#undef ktest_assign_str
#ifdef KTEST_HAVE_ASSIGN_STR_1
#define ktest_assign_str(dst, src) __assign_str(dst)
#else
#define ktest_assign_str(dst, src) __assign_str(dst, src)
#endif

#undef ktest_assign_rel_str
#ifdef KTEST_HAVE_ASSIGN_REL_STR_1
#define ktest_assign_rel_str(dst, src) __assign_rel_str(dst)
#else
#define ktest_assign_rel_str(dst, src) __assign_rel_str(dst, src)
#endif

#undef ktest_assign_str_len
#ifdef KTEST_HAVE_ASSIGN_STR_LEN
#define ktest_assign_str_len(dst, src, len) __assign_str_len(dst, src, len)
#else
#define ktest_assign_str_len(dst, src, len) ktest_assign_str(dst, src)
#endif

/* Kernels without __cpumask get a bitmask of the same size and content. */
#undef ktest_cpumask
#undef ktest_assign_cpumask
#undef ktest_get_cpumask
#undef ktest_rel_cpumask
#undef ktest_assign_rel_cpumask
#undef ktest_get_rel_cpumask
#ifdef KTEST_HAVE_CPUMASK
#define ktest_cpumask(item) __cpumask(item)
#define ktest_assign_cpumask(dst, src) __assign_cpumask(dst, src)
#define ktest_get_cpumask(item) __get_cpumask(item)
#define ktest_rel_cpumask(item) __rel_cpumask(item)
#define ktest_assign_rel_cpumask(dst, src) __assign_rel_cpumask(dst, src)
#define ktest_get_rel_cpumask(item) __get_rel_cpumask(item)
#else
#define ktest_cpumask(item) __bitmask(item, nr_cpumask_bits)
#define ktest_assign_cpumask(dst, src) __assign_bitmask(dst, src, nr_cpumask_bits)
#define ktest_get_cpumask(item) __get_bitmask(item)
#define ktest_rel_cpumask(item) __rel_bitmask(item, nr_cpumask_bits)
#define ktest_assign_rel_cpumask(dst, src) __assign_rel_bitmask(dst, src, nr_cpumask_bits)
#define ktest_get_rel_cpumask(item) __get_rel_bitmask(item)
#endif

TRACE_DEFINE_ENUM(KTEST_TASK);
TRACE_DEFINE_ENUM(KTEST_SOFTIRQ);
TRACE_DEFINE_ENUM(KTEST_HARDIRQ);
TRACE_DEFINE_ENUM(KTEST_IRQ_WORK);
TRACE_DEFINE_ENUM(KTEST_NMI);
TRACE_DEFINE_ENUM(KTEST_RED);
TRACE_DEFINE_ENUM(KTEST_GREEN);
TRACE_DEFINE_ENUM(KTEST_BLUE);
TRACE_DEFINE_ENUM(KTEST_BLACK);
TRACE_DEFINE_SIZEOF(u64);

#undef ktest_show_ctx
#define ktest_show_ctx(ctx)				\
	__print_symbolic(ctx,				\
			 { KTEST_TASK, "task" },	\
			 { KTEST_SOFTIRQ, "softirq" },	\
			 { KTEST_HARDIRQ, "hardirq" },	\
			 { KTEST_IRQ_WORK, "irq_work" },\
			 { KTEST_NMI, "nmi" })

/*
 * The smallest event, to measure counting, saturation and cost.  id is the CPU it was fired
 * on.
 */
TRACE_EVENT(seq,

	TP_PROTO(u32 id, u64 seq, u32 ctx),

	TP_ARGS(id, seq, ctx),

	TP_STRUCT__entry(
		__field(u32, id)
		__field(u64, seq)
		__field(u32, ctx)
	),

	TP_fast_assign(
		__entry->id = id;
		__entry->seq = seq;
		__entry->ctx = ctx;
	),

	TP_printk("id=%u seq=%llu ctx=%s", __entry->id, __entry->seq, ktest_show_ctx(__entry->ctx))
);

/*
 * Scalars. f_bool = bits(.., 8) & 1; f_color = bits(.., 32) % 5;
 * f_flags = bits(.., 32) & 0x800000ff; f_ptr and the longs have the machine's width.
 */
TRACE_EVENT(ints,

	TP_PROTO(u64 seq, u32 ctx),

	TP_ARGS(seq, ctx),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__field(u8, f_u8)			/* 1 */
		__field(s8, f_s8)			/* 2 */
		__field(u16, f_u16)			/* 3 */
		__field(s16, f_s16)			/* 4 */
		__field(u32, f_u32)			/* 5 */
		__field(s32, f_s32)			/* 6 */
		__field(u64, f_u64)			/* 7 */
		__field(s64, f_s64)			/* 8 */
		__field(bool, f_bool)			/* 9 */
		__field(char, f_char)			/* 10 */
		__field(unsigned long, f_ulong)		/* 11 */
		__field(long, f_long)			/* 12 */
		__field(void *, f_ptr)			/* 13 */
		__field(enum ktest_color, f_color)	/* 14 */
		__field(u32, f_flags)			/* 15 */
		__field(pid_t, f_pid)			/* 16: 32 bits */
		__field(size_t, f_size)			/* 17 */
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		__entry->f_u8 = ktest_bits(seq, KTEST_K(1, 0), 8);
		__entry->f_s8 = ktest_bits(seq, KTEST_K(2, 0), 8);
		__entry->f_u16 = ktest_bits(seq, KTEST_K(3, 0), 16);
		__entry->f_s16 = ktest_bits(seq, KTEST_K(4, 0), 16);
		__entry->f_u32 = ktest_bits(seq, KTEST_K(5, 0), 32);
		__entry->f_s32 = ktest_bits(seq, KTEST_K(6, 0), 32);
		__entry->f_u64 = ktest_bits(seq, KTEST_K(7, 0), 64);
		__entry->f_s64 = ktest_bits(seq, KTEST_K(8, 0), 64);
		__entry->f_bool = ktest_bits(seq, KTEST_K(9, 0), 8) & 1;
		__entry->f_char = ktest_bits(seq, KTEST_K(10, 0), 8);
		__entry->f_ulong = ktest_bits(seq, KTEST_K(11, 0), BITS_PER_LONG);
		__entry->f_long = ktest_bits(seq, KTEST_K(12, 0), BITS_PER_LONG);
		__entry->f_ptr = (void *)(long)ktest_bits(seq, KTEST_K(13, 0), BITS_PER_LONG);
		__entry->f_color = ktest_color(seq, 14);
		__entry->f_flags = ktest_flags(seq, 15);
		__entry->f_pid = ktest_bits(seq, KTEST_K(16, 0), 32);
		__entry->f_size = ktest_bits(seq, KTEST_K(17, 0), BITS_PER_LONG);
	),

	TP_printk("seq=%llu ctx=%u u8=%u s8=%d u16=%u s16=%d u32=%u s32=%d u64=%llu s64=%lld "
		  "bool=%d char=%d ulong=0x%lx long=%ld ptr=%p color=%s flags=%s pid=%d size=%zu",
		  __entry->seq, __entry->ctx, __entry->f_u8, __entry->f_s8, __entry->f_u16,
		  __entry->f_s16, __entry->f_u32, __entry->f_s32, __entry->f_u64, __entry->f_s64,
		  __entry->f_bool, __entry->f_char, __entry->f_ulong, __entry->f_long,
		  __entry->f_ptr,
		  __print_symbolic(__entry->f_color,
				   { KTEST_RED, "red" },
				   { KTEST_GREEN, "green" },
				   { KTEST_BLUE, "blue" },
				   { KTEST_BLACK, "black" }),
		  __print_flags(__entry->f_flags, "|",
				{ 0x01, "A" }, { 0x02, "B" }, { 0x04, "C" },
				{ 0x08, "D" }, { 0x10, "E" }),
		  __entry->f_pid, __entry->f_size)
);

/* Fixed arrays. f_name = word(seq) with its zeros. */
TRACE_EVENT(arrays,

	TP_PROTO(u64 seq, u32 ctx, const char *word),

	TP_ARGS(seq, ctx, word),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__array(u8, f_u8, 5)			/* 1 */
		__array(u16, f_u16, 3)			/* 2 */
		__array(s32, f_s32, 4)			/* 3 */
		__array(u64, f_u64, 2)			/* 4 */
		__array(char, f_name, KTEST_WORD_SIZE)
	),

	TP_fast_assign(
		int i;

		__entry->seq = seq;
		__entry->ctx = ctx;
		for (i = 0; i < 5; i++)
			__entry->f_u8[i] = ktest_bits(seq, KTEST_K(1, i), 8);
		for (i = 0; i < 3; i++)
			__entry->f_u16[i] = ktest_bits(seq, KTEST_K(2, i), 16);
		for (i = 0; i < 4; i++)
			__entry->f_s32[i] = ktest_bits(seq, KTEST_K(3, i), 32);
		for (i = 0; i < 2; i++)
			__entry->f_u64[i] = ktest_bits(seq, KTEST_K(4, i), 64);
		memcpy(__entry->f_name, word, KTEST_WORD_SIZE);
	),

	TP_printk("seq=%llu ctx=%u u8=%s u16=%s s32=%s u64=%s name=%s",
		  __entry->seq, __entry->ctx, __print_hex(__entry->f_u8, 5),
		  __print_array(__entry->f_u16, 3, 2), __print_array(__entry->f_s32, 4, 4),
		  __print_array(__entry->f_u64, 2, 8), __entry->f_name)
);

/*
 * Strings. text = tail(TEXT, seq), raw = tail(RAW, seq), none = NULL, which
 * the kernel records as "(null)". fixed = "fix", 0, and twelve bytes
 * bits(.., 8) that are not part of the string; tight = eight letters
 * 'A' + bits(.., 8) % 26 with no 0 at the end.
 */
TRACE_EVENT(strings,

	TP_PROTO(u64 seq, u32 ctx, const char *text, const char *empty, const char *none,
		 const char *raw),

	TP_ARGS(seq, ctx, text, empty, none, raw),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__string(text, text)
		__string(empty, empty)
		__string(none, none)
		__array(char, fixed, 16)		/* 1: elements 4..15 */
		__string(raw, raw)
		__array(char, tight, 8)			/* 2 */
	),

	TP_fast_assign(
		int i;

		__entry->seq = seq;
		__entry->ctx = ctx;
		ktest_assign_str(text, text);
		ktest_assign_str(empty, empty);
		ktest_assign_str(none, none);
		memcpy(__entry->fixed, "fix", 4);
		for (i = 4; i < 16; i++)
			__entry->fixed[i] = ktest_bits(seq, KTEST_K(1, i), 8);
		ktest_assign_str(raw, raw);
		for (i = 0; i < 8; i++)
			__entry->tight[i] = 'A' + ktest_bits(seq, KTEST_K(2, i), 8) % 26;
	),

	TP_printk("seq=%llu ctx=%u text=[%s] empty=[%s] none=%s fixed=%s raw=[%s] tight=%.8s",
		  __entry->seq, __entry->ctx, __get_str(text), __get_str(empty), __get_str(none),
		  __entry->fixed, __get_str(raw), __entry->tight)
);

/* text = tail(HOSTILE, seq): control characters, quotes, percent signs. */
TRACE_EVENT(hostile,

	TP_PROTO(u64 seq, u32 ctx, const char *text),

	TP_ARGS(seq, ctx, text),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__string(text, text)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		ktest_assign_str(text, text);
	),

	TP_printk("seq=%llu ctx=%u text=%s", __entry->seq, __entry->ctx, __get_str(text))
);

/*
 * Strings by length and by format. part = the first seq % 44 bytes of TEXT;
 * msg = "seq <seq> ctx <ctx>" in decimal.
 */
TRACE_EVENT(vstrings,

	TP_PROTO(u64 seq, u32 ctx, const char *part, unsigned int len, struct va_format *vaf),

	TP_ARGS(seq, ctx, part, len, vaf),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__string_len(part, part, len)
		__vstring(msg, vaf->fmt, vaf->va)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		ktest_assign_str_len(part, part, len);
		__assign_vstr(msg, vaf->fmt, vaf->va);
	),

	TP_printk("seq=%llu ctx=%u part=%s msg=%s",
		  __entry->seq, __entry->ctx, __get_str(part), __get_str(msg))
);

/*
 * Socket addresses: IPv4 where seq is even (16 bytes), IPv6 where it is odd
 * (28). Port = bits(seq, 1, 16); IPv4 address = bits(seq, 2, 32); IPv6 address
 * = bits(seq, 3, 64) for both halves (elements 0, 1); all big endian; the rest zero.
 */
TRACE_EVENT(sock,

	TP_PROTO(u64 seq, u32 ctx, const struct sockaddr *addr, unsigned int len),

	TP_ARGS(seq, ctx, addr, len),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__sockaddr(addr, len)
		__rel_sockaddr(rel_addr, len)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		__assign_sockaddr(addr, addr, len);
		__assign_rel_sockaddr(rel_addr, addr, len);
	),

	TP_printk("seq=%llu ctx=%u addr=%pISpc rel_addr=%pISpc", __entry->seq, __entry->ctx,
		  __get_sockaddr(addr), __get_rel_sockaddr(rel_addr))
);

/*
 * Addresses in the module, which the file `addresses` shows: name = words + 16 * (seq % 8),
 * a string (filters can follow such pointers); func = landmark, a function; cookie = an
 * address in the middle of it.
 */
TRACE_EVENT(pointers,

	TP_PROTO(u64 seq, u32 ctx, const char *name, void *func),

	TP_ARGS(seq, ctx, name, func),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__field(const char *, name)
		__field(void *, func)
		__field(unsigned long, cookie)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		__entry->name = name;
		__entry->func = func;
		__entry->cookie = (unsigned long)func + 1;
	),

	TP_printk("seq=%llu ctx=%u name=%s func=%ps cookie=%pS", __entry->seq, __entry->ctx,
		  __entry->name, __entry->func, (void *)__entry->cookie)
);

/*
 * Dynamic arrays: bytes = slice(seq, 1, seq % 17), words = slice(seq, 2, 4 * (seq % 9)),
 * longs = slice(seq, 3, 8 * (seq % 5)). They are stored one behind the other, unaligned.
 */
TRACE_EVENT(dyn,

	TP_PROTO(u64 seq, u32 ctx, const u8 *pool),

	TP_ARGS(seq, ctx, pool),

	TP_STRUCT__entry(
		__field(u64, seq)
		__dynamic_array(u8, bytes, ktest_len_dyn_bytes(seq))
		__dynamic_array(u32, words, ktest_len_dyn_words(seq))
		__field(u32, ctx)
		__dynamic_array(u64, longs, ktest_len_dyn_longs(seq))
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		memcpy(__get_dynamic_array(bytes), pool + ktest_slice_start(seq, 1),
		       ktest_len_dyn_bytes(seq));
		memcpy(__get_dynamic_array(words), pool + ktest_slice_start(seq, 2),
		       4 * ktest_len_dyn_words(seq));
		memcpy(__get_dynamic_array(longs), pool + ktest_slice_start(seq, 3),
		       8 * ktest_len_dyn_longs(seq));
	),

	TP_printk("seq=%llu ctx=%u bytes=%s words=%s longs=%s", __entry->seq, __entry->ctx,
		  __print_hex_str(__get_dynamic_array(bytes), __get_dynamic_array_len(bytes)),
		  __print_array(__get_dynamic_array(words), __get_dynamic_array_len(words) / 4, 4),
		  __print_dynamic_array(longs, 8))
);

/* Relative: text = tail(TEXT, seq), halves = slice(seq, 1, 2 * (seq % 7)), none = "(null)". */
TRACE_EVENT(rel,

	TP_PROTO(u64 seq, u32 ctx, const char *text, const char *none, const u8 *pool),

	TP_ARGS(seq, ctx, text, none, pool),

	TP_STRUCT__entry(
		__field(u64, seq)
		__rel_string(text, text)
		__rel_dynamic_array(u16, halves, ktest_len_rel_halves(seq))
		__field(u32, ctx)
		__rel_string(none, none)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		ktest_assign_rel_str(text, text);
		memcpy(__get_rel_dynamic_array(halves), pool + ktest_slice_start(seq, 1),
		       2 * ktest_len_rel_halves(seq));
		ktest_assign_rel_str(none, none);
	),

	TP_printk("seq=%llu ctx=%u text=[%s] halves=%s none=%s", __entry->seq, __entry->ctx,
		  __get_rel_str(text),
		  __print_array(__get_rel_dynamic_array(halves),
				__get_rel_dynamic_array_len(halves) / 2, 2),
		  __get_rel_str(none))
);

/*
 * Bit masks, in longs. bits: bits(seq, 1, 64) of elements 0 and 1, cut to 100 bits;
 * rel_bits: bits(seq, 3, 64), cut to 33; cpus, rel_cpus: CPU c below nr_cpu_ids
 * is in it where bit c % 64 of bits(seq % 16, 2, 64) is set.
 */
TRACE_EVENT(masks,

	TP_PROTO(u64 seq, u32 ctx, const struct cpumask *cpus),

	TP_ARGS(seq, ctx, cpus),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__bitmask(bits, 100)			/* 1 */
		ktest_cpumask(cpus)			/* 2 */
		__rel_bitmask(rel_bits, 33)		/* 3 */
		ktest_rel_cpumask(rel_cpus)		/* 2 */
	),

	TP_fast_assign(
		DECLARE_BITMAP(bits, 128);

		__entry->seq = seq;
		__entry->ctx = ctx;
		bitmap_from_u64(bits, ktest_bits(seq, KTEST_K(1, 0), 64));
		bitmap_from_u64(bits + BITS_TO_LONGS(64),
				ktest_bits(seq, KTEST_K(1, 1), 64) & (~0ULL >> 28));
		__assign_bitmask(bits, bits, 100);
		ktest_assign_cpumask(cpus, cpumask_bits(cpus));
		bitmap_from_u64(bits, ktest_bits(seq, KTEST_K(3, 0), 64) & (~0ULL >> 31));
		__assign_rel_bitmask(rel_bits, bits, 33);
		ktest_assign_rel_cpumask(rel_cpus, cpumask_bits(cpus));
	),

	TP_printk("seq=%llu ctx=%u bits=%s cpus=%s rel_bits=%s rel_cpus=%s",
		  __entry->seq, __entry->ctx, __get_bitmask(bits), ktest_get_cpumask(cpus),
		  __get_rel_bitmask(rel_bits), ktest_get_rel_cpumask(rel_cpus))
);

/* Padding between fields, in a struct and at the end: bytes nobody assigns. */
TRACE_EVENT(holes,

	TP_PROTO(u64 seq, u32 ctx),

	TP_ARGS(seq, ctx),

	TP_STRUCT__entry(
		__field(u8, first)			/* 1 */
		__field(u64, second)			/* 2 */
		__field(u16, third)			/* 3 */
		__field(u32, ctx)
		__field_struct(struct ktest_pair, pair)	/* a: 4, b: 5 */
		__field(u64, seq)
		__field(u8, last)			/* 6 */
	),

	TP_fast_assign(
		__entry->first = ktest_bits(seq, KTEST_K(1, 0), 8);
		__entry->second = ktest_bits(seq, KTEST_K(2, 0), 64);
		__entry->third = ktest_bits(seq, KTEST_K(3, 0), 16);
		__entry->ctx = ctx;
		__entry->pair.a = ktest_bits(seq, KTEST_K(4, 0), 32);
		__entry->pair.b = ktest_bits(seq, KTEST_K(5, 0), 64);
		__entry->seq = seq;
		__entry->last = ktest_bits(seq, KTEST_K(6, 0), 8);
	),

	TP_printk("seq=%llu ctx=%u first=%u second=%llu third=%u a=%u b=%llu of %zu last=%u",
		  __entry->seq, __entry->ctx, __entry->first, __entry->second, __entry->third,
		  __entry->pair.a, __entry->pair.b, sizeof(u64), __entry->last)
);

/* bytes = slice(seq, 1, len): big is 3000 + seq % 1000 long, huge 7900 + seq % 200. */
DECLARE_EVENT_CLASS(ktest_bytes,

	TP_PROTO(u64 seq, u32 ctx, const u8 *bytes, unsigned int len),

	TP_ARGS(seq, ctx, bytes, len),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__dynamic_array(u8, bytes, len)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		memcpy(__get_dynamic_array(bytes), bytes, len);
	),

	TP_printk("seq=%llu ctx=%u len=%d head=%s", __entry->seq, __entry->ctx,
		  __get_dynamic_array_len(bytes), __print_hex(__get_dynamic_array(bytes), 16))
);

DEFINE_EVENT(ktest_bytes, big,
	TP_PROTO(u64 seq, u32 ctx, const u8 *bytes, unsigned int len),
	TP_ARGS(seq, ctx, bytes, len)
);

DEFINE_EVENT(ktest_bytes, huge,
	TP_PROTO(u64 seq, u32 ctx, const u8 *bytes, unsigned int len),
	TP_ARGS(seq, ctx, bytes, len)
);

/* The period of the sample is n = 1 + bits(seq, 1, 64) % 1000. */
DECLARE_EVENT_CLASS(ktest_counted,

	TP_PROTO(u64 seq, u32 ctx, u64 n),

	TP_ARGS(seq, ctx, __perf_count(n)),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__field(u64, n)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		__entry->n = n;
	),

	TP_printk("seq=%llu ctx=%u n=%llu", __entry->seq, __entry->ctx, __entry->n)
);

DEFINE_EVENT(ktest_counted, counted,
	TP_PROTO(u64 seq, u32 ctx, u64 n),
	TP_ARGS(seq, ctx, n)
);

/*
 * Belongs to the task that wrote to `fire`, in any task that it fires in, so perf -p counts it,
 * too.
 */
DECLARE_EVENT_CLASS(ktest_tasky,

	TP_PROTO(u64 seq, u32 ctx, struct task_struct *task),

	TP_ARGS(seq, ctx, __perf_task(task)),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__field(pid_t, pid)
		__array(char, comm, TASK_COMM_LEN)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		__entry->pid = task->pid;
		memcpy(__entry->comm, task->comm, TASK_COMM_LEN);
	),

	TP_printk("seq=%llu ctx=%u pid=%d comm=%s", __entry->seq, __entry->ctx, __entry->pid,
		  __entry->comm)
);

DEFINE_EVENT(ktest_tasky, tasky,
	TP_PROTO(u64 seq, u32 ctx, struct task_struct *task),
	TP_ARGS(seq, ctx, task)
);

/* name = word(seq) as a dynamic string. */
DECLARE_EVENT_CLASS(ktest_class,

	TP_PROTO(u64 seq, u32 ctx, const char *name),

	TP_ARGS(seq, ctx, name),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__string(name, name)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		ktest_assign_str(name, name);
	),

	TP_printk("seq=%llu ctx=%u name=%s", __entry->seq, __entry->ctx, __get_str(name))
);

DEFINE_EVENT(ktest_class, class_a,
	TP_PROTO(u64 seq, u32 ctx, const char *name),
	TP_ARGS(seq, ctx, name)
);

DEFINE_EVENT_PRINT(ktest_class, class_b,
	TP_PROTO(u64 seq, u32 ctx, const char *name),
	TP_ARGS(seq, ctx, name),
	TP_printk("%s of %llu in %s", __get_str(name), __entry->seq, ktest_show_ctx(__entry->ctx))
);

/* Emitted only where seq is even, and counted only then. */
TRACE_EVENT_CONDITION(cond,

	TP_PROTO(u64 seq, u32 ctx),

	TP_ARGS(seq, ctx),

	TP_CONDITION(!(seq & 1)),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
	),

	TP_printk("seq=%llu ctx=%u", __entry->seq, __entry->ctx)
);

/* Has functions that run when the first probe is added and when the last one is removed. */
TRACE_EVENT_FN(fn,

	TP_PROTO(u64 seq, u32 ctx),

	TP_ARGS(seq, ctx),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
	),

	TP_printk("seq=%llu ctx=%u", __entry->seq, __entry->ctx),

	ktest_fn_reg, ktest_fn_unreg
);

/*
 * Only the kernel can print this one: the quotes in the format are bare in tracefs, and no other
 * program knows the function.  Other programs see the fields; name = word(seq).
 */
TRACE_EVENT(odd,

	TP_PROTO(u64 seq, u32 ctx, const char *name),

	TP_ARGS(seq, ctx, name),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__string(name, name)
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		ktest_assign_str(name, name);
	),

	TP_printk("seq=%llu in %s named \"%s\"", __entry->seq, ktest_describe(__entry->ctx),
		  __get_str(name))
);

/*
 * Fires nest_inner, with its own seq, while its record is being written: once
 * per probe attached to nest_outer, and counted as often.
 */
TRACE_EVENT(nest_outer,

	TP_PROTO(u64 seq, u32 ctx, void (*inner)(u64 seq, u32 ctx)),

	TP_ARGS(seq, ctx, inner),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__field(u64, check)			/* 1 */
	),

	TP_fast_assign(
		__entry->seq = seq;
		inner(seq, ctx);
		__entry->ctx = ctx;
		__entry->check = ktest_bits(seq, KTEST_K(1, 0), 64);
	),

	TP_printk("seq=%llu ctx=%u check=%llx", __entry->seq, __entry->ctx, __entry->check)
);

TRACE_EVENT(nest_inner,

	TP_PROTO(u64 seq, u32 ctx),

	TP_ARGS(seq, ctx),

	TP_STRUCT__entry(
		__field(u64, seq)
		__field(u32, ctx)
		__field(u64, check)			/* 1 */
	),

	TP_fast_assign(
		__entry->seq = seq;
		__entry->ctx = ctx;
		__entry->check = ktest_bits(seq, KTEST_K(1, 0), 64);
	),

	TP_printk("seq=%llu ctx=%u check=%llx", __entry->seq, __entry->ctx, __entry->check)
);

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#endif /* KTRACE_TEST_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrace_test_events
#include <trace/define_trace.h>
