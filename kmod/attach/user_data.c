// SPDX-License-Identifier: GPL-2.0
#include "attach/user_data.h"

#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <trace/syscall.h>

#ifdef KTRACE_HAS_SYSCALL_USER_DATA

/* Bytes of a string or array that the kernel's own events store, for perf. */
#define STORED	CONFIG_TRACE_SYSCALL_BUF_SIZE_DEFAULT

notrace u32 ktrace_user_data_mask(const struct syscall_metadata *meta)
{
	return (u16)meta->user_mask;
}

static notrace u32 read_array(char *to, const char __user *from, unsigned long size)
{
	size = min_t(unsigned long, size, KTRACE_USER_DATA_READ);
	return copy_from_user(to, from, size) ? 0 : min_t(u32, size, STORED);
}

static notrace u32 read_string(char *to, const char __user *from)
{
	long len = strncpy_from_user(to, from, KTRACE_USER_DATA_READ), i;

	if (len < 0)
		return 0;
	for (i = 0; i < len; i++)
		if (!isprint(to[i]))
			to[i] = '.';
	if (len > STORED) {
		memcpy(to + STORED, KTRACE_USER_DATA_CUT, sizeof(KTRACE_USER_DATA_CUT));
		return STORED + sizeof(KTRACE_USER_DATA_CUT);
	}
	to[len] = '\0';
	return len + 1;
}

notrace void ktrace_user_data_read(struct ktrace_user_data *data,
				   const struct syscall_metadata *meta, const unsigned long *args)
{
	unsigned long mask = ktrace_user_data_mask(meta);
	const char __user *from;
	unsigned int arg;

	data->nr = 0;
	for_each_set_bit(arg, &mask, meta->nb_args) {
		if (data->nr == KTRACE_USER_DATA_ARGS)
			break;
		from = (const char __user *)args[arg];
		data->size[data->nr] = !STORED ? 0 :
			meta->user_arg_size >= 0 ?
			read_array(data->bytes[data->nr], from, args[meta->user_arg_size]) :
			read_string(data->bytes[data->nr], from);
		data->nr++;
	}
}

#else

u32 ktrace_user_data_mask(const struct syscall_metadata *meta)
{
	return 0;
}

void ktrace_user_data_read(struct ktrace_user_data *data, const struct syscall_metadata *meta,
			   const unsigned long *args)
{
	data->nr = 0;
}

#endif

/* Most strings are shorter than the first part that is read. */
#define PART		64
/*
 * The memory behind a string may have another tag (arm64's memory tagging), so that it cannot be
 * read.  A granule is the smallest piece of memory with a tag.
 */
#define GRANULE		16

static notrace u32 read_string_in_memory(char *to, unsigned long from)
{
	u32 len = 0, part;
	const char *end;

	while (len <= KTRACE_MAX_USER_STRING) {
		/* The page behind the string's end may not be there. */
		part = min3(KTRACE_MAX_USER_STRING + 1 - len, (u32)PART,
			    (u32)(PAGE_SIZE - offset_in_page(from + len)));
		if (copy_from_user_nofault(to + len, (const void __user *)(from + len), part)) {
			part = min_t(u32, part, GRANULE - (from + len) % GRANULE);
			if (copy_from_user_nofault(to + len, (const void __user *)(from + len),
						   part))
				return 0;
		}
		end = memchr(to + len, '\0', part);
		if (end)
			return end + 1 - to;
		len += part;
	}
	memcpy(to + KTRACE_MAX_USER_STRING, KTRACE_USER_DATA_CUT, sizeof(KTRACE_USER_DATA_CUT));
	return KTRACE_MAX_USER_STRING + sizeof(KTRACE_USER_DATA_CUT);
}

notrace void ktrace_user_data_read_strings(struct ktrace_user_data *data, u32 mask,
					   const unsigned long *args)
{
	for (data->nr = 0; mask && data->nr < KTRACE_USER_DATA_ARGS; mask &= mask - 1) {
		data->size[data->nr] = read_string_in_memory(data->bytes[data->nr],
							     args[__ffs(mask)]);
		data->nr++;
	}
}

notrace u32 ktrace_user_data_size(const struct ktrace_user_data *data)
{
	u32 size = data->nr * sizeof(u32), i;

	for (i = 0; i < data->nr; i++)
		size += data->size[i];
	return size;
}

notrace void ktrace_user_data_store(const struct ktrace_user_data *data, void *entry, u32 offset)
{
	u32 *field = entry + offset;
	u32 i;

	offset += data->nr * sizeof(u32);
	for (i = 0; i < data->nr; i++) {
		field[i] = offset | data->size[i] << 16;
		memcpy(entry + offset, data->bytes[i], data->size[i]);
		offset += data->size[i];
	}
}
