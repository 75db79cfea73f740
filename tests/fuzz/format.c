// SPDX-License-Identifier: GPL-2.0
/*
 * Format files, and records printed by them: a format's text, a NUL, and the
 * bytes of a record.
 */
#include "fuzz.h"

#include "format/event_format.h"
#include "lib/log.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_quiet = true;
	return 0;
}

static void use(const struct event_format *format, const uint8_t *raw, size_t size)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	/* An allocation of exactly this size, so that a read of one byte beyond is noticed. */
	char *copy = malloc(size ? size : 1);
	size_t len;

	if (!copy)
		abort();
	memcpy(copy, raw, size);
	event_format_print(format, copy, size, 0, &text);
	for (size_t i = 0; i < format->nr_fields; i++) {
		field_u64(&format->fields[i], copy, size);
		field_bytes(&format->fields[i], copy, size, &len);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t len = nul ? (size_t)(nul - data) : size;

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		_cleanup_(formats) struct formats *formats = NULL;
		_cleanup_free_ char *text = text_of(data, len);
		struct error *err = formats_create(&formats);

		if (err)
			abort();
		formats_set_target(formats, big_endian, 8);
		err = formats_add(formats, "fuzz", text, len);
		if (!err && formats_count(formats))
			use(formats_at(formats, 0), nul ? nul + 1 : data,
			    nul ? size - len - 1 : 0);
		error_free(err);
	}
	return 0;
}
