/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the fuzzers. Each is one LLVMFuzzerTestOneInput() for libFuzzer, linked with the tool's
 * own sources.
 */
#ifndef KTRACE_TESTS_FUZZ_H
#define KTRACE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/cleanup.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of the bytes with a NUL behind; free() it. */
static inline char *text_of(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#define INPUT_PATH_SIZE	32

/* Make a file in memory of the bytes, and set @path to its name.  close() it. */
static inline int input_file(const uint8_t *data, size_t size, char *path)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, INPUT_PATH_SIZE, "/proc/self/fd/%d", fd);
	return fd;
}

#endif
