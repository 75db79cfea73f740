// SPDX-License-Identifier: GPL-2.0
#include "output/text/line_parts.h"

#include <stdbool.h>
#include <string.h>

#define LINE_BYTES	8

static bool bpf_text_is_visible(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

/* Whether the bytes are visible characters with nothing but zeros behind them, one at least. */
static bool bpf_text_is_string(const unsigned char *bytes, size_t size)
{
	size_t length = strnlen((const char *)bytes, size);

	for (size_t i = 0; i < length; i++)
		if (!bpf_text_is_visible(bytes[i]))
			return false;
	for (size_t i = length; i < size; i++)
		if (bytes[i])
			return false;
	return length < size;
}

static void add_bpf_row(struct strbuf *out, const unsigned char *bytes, size_t from, size_t size)
{
	size_t nr = size - from < LINE_BYTES ? size - from : LINE_BYTES;

	strbuf_addf(out, "%17s %04zx:", from ? "" : "BPF output:", from);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(out, " %02x", bytes[from + i]);
	strbuf_add_spaces(out, 3 * (LINE_BYTES - nr) + 2);
	for (size_t i = 0; i < nr; i++)
		strbuf_addch(out, bpf_text_is_visible(bytes[from + i]) ? bytes[from + i] : '.');
	strbuf_add_spaces(out, LINE_BYTES - nr);
	strbuf_addch(out, '\n');
}

void bpf_text_add(struct strbuf *out, const struct event *event, const struct sample *sample)
{
	const unsigned char *bytes = (const unsigned char *)sample->raw;

	if (event->attr.type != PERF_TYPE_SOFTWARE ||
	    event->attr.config != PERF_COUNT_SW_BPF_OUTPUT || !bytes)
		return;
	strbuf_addch(out, '\n');
	for (size_t from = 0; from < sample->raw_size; from += LINE_BYTES)
		add_bpf_row(out, bytes, from, sample->raw_size);
	if (bpf_text_is_string(bytes, sample->raw_size))
		strbuf_addf(out, "%17s \"%s\"\n", "BPF string:", (const char *)bytes);
}
