// SPDX-License-Identifier: GPL-2.0
#include "capture/counts.h"

#include <stdlib.h>

#include "lib/cleanup.h"

struct counts {
	struct counting base;
	struct capture *capture;
};

const struct capture_backend *counts_backend(void)
{
	for (const struct capture_backend *const *b = capture_backends; *b; b++)
		if ((*b)->read_counts)
			return *b;
	return NULL;
}

struct capture *counts_capture(struct counting *base)
{
	return ((struct counts *)base)->capture;
}

static struct error *counts_open(struct event_list *events, const struct capture_target *target,
				 struct counting **ret)
{
	_cleanup_free_ struct counts *c = calloc(1, sizeof(*c));
	const struct capture_config config = {
		.target = *target,
		.pages = 1,	/* nothing is written to the rings */
		.clockid = -1,
		.strict = true,
		.path = CAPTURE_PATH_TEMPLATE,
	};
	struct error *err;

	if (!c)
		return &error_no_memory;
	c->base.ops = &counts_ops;
	err = counts_backend()->open(events, &config, &c->capture);
	if (err)
		return err;
	*ret = &take_ptr(c)->base;
	return NULL;
}

static struct error *counts_start(struct counting *base)
{
	return counts_backend()->start(counts_capture(base));
}

static struct error *counts_stop(struct counting *base)
{
	return counts_backend()->stop(counts_capture(base));
}

static struct error *counts_read_place(struct counting *base, const struct event *event,
				       size_t place, struct capture_count *ret)
{
	*ret = (struct capture_count){ 0 };
	return NULL;
}

static void counts_close(struct counting *base)
{
	counts_backend()->close(counts_capture(base));
	free(base);
}

const struct counting_ops counts_ops = {
	.open = counts_open,
	.start = counts_start,
	.stop = counts_stop,
	.read = counts_read_place,
	.close = counts_close,
};
