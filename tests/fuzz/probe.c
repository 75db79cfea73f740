// SPDX-License-Identifier: GPL-2.0
/* The words of probe: definitions in both forms, lines of tracefs, arguments of markers. */
#include "fuzz.h"

#include "lib/strbuf.h"
#include "probe/definition.h"
#include "probe/event.h"
#include "probe/sdt.h"
#include "probe/show.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	return 0;
}

static void parse(const char *text, struct error *(*function)(const char *,
							       struct probe_definition *))
{
	struct probe_definition definition = { 0 };
	_cleanup_(strbuf) struct strbuf place = STRBUF_INIT;
	struct error *err = function(text, &definition);

	if (!err)
		probe_definition_add_place(&definition, &place);
	error_free(err);
	probe_definition_deinit(&definition);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(strbuf) struct strbuf value = STRBUF_INIT, type = STRBUF_INIT, line = STRBUF_INIT;
	_cleanup_free_ char *text = text_of(data, size);
	struct probe_event event = { 0 };

	parse(text, probe_definition_parse);
	parse(text, probe_definition_parse_call);
	if (probe_event_parse(text, &event))
		probe_event_add_text(&event, &line);
	probe_event_deinit(&event);
	sdt_argument(text, &value, &type);
	show_passes(text, "vfs_read");
	return 0;
}
