// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>

#include "lib/strbuf.h"
#include "output/rendering.h"

/* Only the number of samples. */
struct toy {
	struct rendering rendering;
	struct session_consumer consumer;
	FILE *out;
	uint64_t samples;
};

static struct error *toy_sample(struct session_consumer *consumer,
				const struct session_record *r)
{
	container_of(consumer, struct toy, consumer)->samples++;
	return NULL;
}

static struct error *finish_toy(struct rendering *rendering)
{
	struct toy *toy = container_of(rendering, struct toy, rendering);
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%" PRIu64 " samples\n", toy->samples);
	return rendering_print(toy->out, &text);
}

static void destroy_toy(struct rendering *rendering)
{
	free(container_of(rendering, struct toy, rendering));
}

struct error *output_toy_open(const struct rendering_request *request, struct rendering **ret)
{
	struct toy *toy = calloc(1, sizeof(*toy));

	if (!toy)
		return &error_no_memory;
	toy->out = request->out;
	toy->consumer.sample = toy_sample;
	toy->rendering = (struct rendering){
		.consumer = &toy->consumer, .finish = finish_toy, .destroy = destroy_toy,
	};
	*ret = &toy->rendering;
	return NULL;
}
