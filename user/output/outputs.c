// SPDX-License-Identifier: GPL-2.0
#include "output/outputs.h"

#include <errno.h>
#include <string.h>

#include "lib/plugin.h"
#include "lib/strbuf.h"
#include "terminal/options.h"

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
	for (const struct output_format *f = output_formats; f->name; f++)
		strbuf_addf(out, "%s%s", f == output_formats ? "" : ", ", f->name);
}

static struct error *unknown_format(const char *name)
{
	struct error *err = error_new(EINVAL, "Cannot export to '%s'", name);
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const char *near = NULL;

	for (const struct output_format *f = output_formats; f->name; f++)
		near = word_nearer(name, near, f->name);
	if (near)
		return error_hint(err, "Did you mean '%s'? 'ktrace export --help' lists the formats",
				  near);
	output_formats_add_names(&names);
	return error_hint(err, "The formats are %s", strbuf_str(&names));
}

struct error *output_format_find(const char *name, const struct output_format **ret)
{
	const struct output_format *f = output_formats;

	while (f->name && strcmp(f->name, name))
		f++;
	*ret = f;
	return f->name ? NULL : unknown_format(name);
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
