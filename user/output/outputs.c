// SPDX-License-Identifier: GPL-2.0
#include "output/outputs.h"

#include "lib/plugin.h"
#include "lib/strbuf.h"
#include "terminal/word_list.h"

static const struct output_format output_formats[] = {
#define OUTPUT(name, extension, takes, help) \
	{ #name, extension, help, takes, output_##name##_open },
#define OUTPUT_PLUGIN(name, extension, takes, help) { #name, extension, help, takes, NULL },
#include "output/outputs.def"
#undef OUTPUT
#undef OUTPUT_PLUGIN
	{ 0 },
};

void output_formats_add_names(struct strbuf *out)
{
	word_add_names(WORDS(output_formats), ", ", out);
}

struct error *output_format_find(const char *name, const struct output_format **ret)
{
	unsigned int row;
	struct error *err = word_parse(WORDS(output_formats), "Cannot export to", name, &row);

	if (!err)
		*ret = &output_formats[row];
	return err;
}

struct error *output_format_open(const struct output_format *format,
				 const struct rendering_request *request, struct rendering **ret)
{
	rendering_open_fn open = format->open;
	struct error *err;
	char symbol[64];
	void *found;

	if (!open) {
		snprintf(symbol, sizeof(symbol), "output_%s_open", format->name);
		err = plugin_find(format->name, symbol, &found);
		if (err)
			return error_prefix(err, "%s cannot be written", format->name);
		open = found;
	}
	return open(request, ret);
}
