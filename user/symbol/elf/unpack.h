/* SPDX-License-Identifier: GPL-2.0 */
/* Unpacks what parts of binaries, or whole files of kernel modules, are packed with. */
#ifndef KTRACE_SYMBOL_ELF_UNPACK_H
#define KTRACE_SYMBOL_ELF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/* What is longer than this unpacked is taken for damaged: a few bytes can stand for gigabytes. */
#define UNPACK_MAX	(1ULL << 30)

/*
 * Unpack the file @path of a kernel module ("ext4.ko.xz") into @ret; false: it is not packed, or
 * cannot be read.
 */
bool unpack_module(const char *path, struct strbuf *ret);

/* Unpack all of @data into @ret; false: it is damaged, or memory is out. */
bool unpack(const void *data, size_t size, struct strbuf *ret);

#endif
