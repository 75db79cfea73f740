// SPDX-License-Identifier: GPL-2.0
#include "perfdata/feature_string.h"

#include <string.h>

#include "lib/bytes.h"
#include "perfdata/layout.h"

void feature_add_string(struct strbuf *sb, const char *text)
{
	size_t len = strlen(text) + 1;
	size_t padded = (len + PERFDATA_STRING_ALIGN - 1) & ~(size_t)(PERFDATA_STRING_ALIGN - 1);

	bytes_add_u32(sb, padded);
	strbuf_add(sb, text, len);
	bytes_add_zeros(sb, padded - len);
}
