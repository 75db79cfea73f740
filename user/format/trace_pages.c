// SPDX-License-Identifier: GPL-2.0
#include "format/trace_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <traceevent/kbuffer.h>
#include <unistd.h>

#include "lib/cleanup.h"

/* A read returns at most one page of the buffer, which can be larger than a memory page. */
#define PAGE_MAX (64 * 1024)

DEFINE_CLEANUP_PTR(kbuffer, struct kbuffer, kbuffer_free)

static struct error *read_page(struct kbuffer *kbuffer, trace_pages_fn record, void *context)
{
	unsigned long long time;
	struct error *err = NULL;

	for (void *raw = kbuffer_read_event(kbuffer, &time); raw && !err;
	     raw = kbuffer_next_event(kbuffer, &time))
		err = record(context, time, raw, kbuffer_event_size(kbuffer));
	return err;
}

struct error *trace_pages_read(const char *path, trace_pages_fn record, void *context)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_(kbuffer) struct kbuffer *kbuffer =
		kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	_cleanup_free_ char *page = calloc(1, PAGE_MAX);
	struct error *err = NULL;
	ssize_t n;

	if (!kbuffer || !page)
		return &error_no_memory;
	if (fd < 0)
		return error_errno(errno, "Cannot open %s", path);
	while (!err && (n = read(fd, page, PAGE_MAX)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return error_errno(errno, "Cannot read %s", path);
		if (kbuffer_load_subbuffer(kbuffer, page))
			return error_new(EINVAL, "%s has a page that cannot be decoded", path);
		err = read_page(kbuffer, record, context);
	}
	return err;
}
