/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build ids: what says that two binaries are the same.
 */
#ifndef KTRACE_LIB_BUILD_ID_H
#define KTRACE_LIB_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_BYTES	20
#define BUILD_ID_TEXT	(2 * BUILD_ID_BYTES + 1)

struct build_id {
	uint8_t bytes[BUILD_ID_BYTES];
	size_t size;		/* 0: none */
};

/* Among the ELF notes of @data; false: there is none. */
bool build_id_find(const void *data, size_t size, struct build_id *ret);

/* Of the running kernel; false: it does not tell. */
bool build_id_of_kernel(struct build_id *ret);

bool build_id_equal(const struct build_id *a, const struct build_id *b);

/* In hexadecimal. */
void build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);

#endif
