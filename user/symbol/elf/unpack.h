/* SPDX-License-Identifier: GPL-2.0 */
/* Decompresses parts of binaries, and whole files of kernel modules. */
#ifndef KTRACE_SYMBOL_ELF_UNPACK_H
#define KTRACE_SYMBOL_ELF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/* The limit of decompressed bytes: damaged input of a few bytes can expand to gigabytes. */
#define UNPACK_MAX	(1ULL << 30)

/*
 * Decompress the file @path of a kernel module ("ext4.ko.xz") into @ret; false: it is not
 * compressed, or cannot be read.
 */
bool unpack_module(const char *path, struct strbuf *ret);

/* Decompress all of @data into @ret; false: it is damaged, or memory is out. */
bool unpack(const void *data, size_t size, struct strbuf *ret);

#endif
