// SPDX-License-Identifier: GPL-2.0
#include "table/print/table_provider.h"

#include <stdlib.h>

struct error *table_maker_create(const struct table_provider *provider,
				 const struct table_source *source, struct table_maker **ret)
{
	struct table_maker *maker = calloc(1, provider->size);
	struct error *err;

	if (!maker)
		return &error_no_memory;
	maker->provider = provider;
	err = provider->init(maker, source);
	if (err)
		table_maker_destroy(maker);
	else
		*ret = maker;
	return err;
}

void table_maker_destroy(struct table_maker *maker)
{
	if (!maker)
		return;
	maker->provider->deinit(maker);
	free(maker);
}

void table_maker_tell(const struct table_maker *maker, struct strbuf *out)
{
	if (maker->provider->tell)
		maker->provider->tell(maker, out);
}
