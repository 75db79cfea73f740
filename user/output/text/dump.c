// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "lib/strbuf.h"
#include "output/rendering.h"
#include "output/text/dump_text.h"
#include "terminal/pager.h"

struct dump_rendering {
	struct rendering rendering;
	struct rendering_request request;
	struct strbuf text;	/* of one record */
};

static struct error *dump_record(struct rendering *rendering, const struct record *record)
{
	struct dump_rendering *r = container_of(rendering, struct dump_rendering, rendering);

	strbuf_reset(&r->text);
	dump_text_add(&r->text, r->request.recording, r->request.events, record);
	if (r->text.failed)
		return &error_no_memory;
	if (fwrite(r->text.data, 1, r->text.len, r->request.out) != r->text.len)
		return error_errno(errno, "Cannot write the text");
	return NULL;
}

static void destroy_dump(struct rendering *rendering)
{
	struct dump_rendering *r = container_of(rendering, struct dump_rendering, rendering);

	strbuf_deinit(&r->text);
	free(r);
}

struct error *output_dump_open(const struct rendering_request *request, struct rendering **ret)
{
	struct dump_rendering *r = calloc(1, sizeof(*r));

	if (!r)
		return &error_no_memory;
	r->request = *request;
	r->rendering = (struct rendering){ .record = dump_record, .destroy = destroy_dump };
	if (request->out == stdout)
		pager_start();
	*ret = &r->rendering;
	return NULL;
}
