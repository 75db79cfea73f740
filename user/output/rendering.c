// SPDX-License-Identifier: GPL-2.0
#include "output/rendering.h"

#include "lib/strbuf.h"
#include "terminal/pager.h"

struct error *rendering_finish(struct rendering *rendering)
{
	return rendering->finish ? rendering->finish(rendering) : NULL;
}

void rendering_destroy(struct rendering *rendering)
{
	if (rendering)
		rendering->destroy(rendering);
}

struct error *rendering_print(FILE *out, const struct strbuf *text)
{
	if (text->failed)
		return &error_no_memory;
	if (out == stdout)
		pager_start();
	fwrite(strbuf_str(text), 1, text->len, out);
	return NULL;
}
