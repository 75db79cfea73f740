/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build ids identify binaries: two binaries with the same build id are the same.
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

/* Find the build id among the ELF notes of @data.  Returns false if there is none. */
bool build_id_find(const void *data, size_t size, struct build_id *ret);

/* Read the build id of the running kernel.  Returns false if the kernel does not export it. */
bool build_id_of_kernel(struct build_id *ret);

/* Read the build id of a module that is loaded.  Returns false if the kernel does not export it. */
bool build_id_of_module(const char *module, struct build_id *ret);

bool build_id_equal(const struct build_id *a, const struct build_id *b);

/* Write the build id in hexadecimal. */
void build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);

#endif
