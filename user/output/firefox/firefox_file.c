// SPDX-License-Identifier: GPL-2.0
#include "output/firefox/firefox.h"

struct error *firefox_find_text(struct firefox_file *file, const char *text, size_t len,
				int32_t *ret)
{
	*ret = dictionary_number(file->strings, text, len);
	return *ret < 0 ? &error_no_memory : NULL;
}

void firefox_add_string(struct firefox_file *file, const char *name, int32_t text)
{
	size_t len;
	const char *bytes = dictionary_text(file->strings, text, &len);

	json_add_bytes(&file->json, name, bytes, len);
}

void firefox_add_time(struct firefox_file *file, const char *name, uint64_t ns)
{
	json_add_fixed(&file->json, name, ns, 6);
}
