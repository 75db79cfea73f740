/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the fuzzers of dead kernels. An input has three parts: two bytes, the size of a
 * recording in x86's order; this recording, whose formats are used; and the remains of the kernel.
 */
#ifndef KTRACE_TESTS_FUZZ_DEAD_H
#define KTRACE_TESTS_FUZZ_DEAD_H

#include "fuzz.h"

#include "cmd/commands.h"
#include "lib/log.h"

struct dead_input {
	const uint8_t *formats, *left;
	size_t nr_formats, nr_left;
};

/* False: the input is too short. */
static inline bool dead_input_split(const uint8_t *data, size_t size, struct dead_input *ret)
{
	size_t most, told;

	if (size < 2)
		return false;
	most = size - 2;
	told = data[0] | data[1] << 8;
	ret->formats = data + 2;
	ret->nr_formats = told < most ? told : most;
	ret->left = ret->formats + ret->nr_formats;
	ret->nr_left = most - ret->nr_formats;
	return true;
}

/* Recover the records in @left; @option names its kind. */
static inline void recover_dead_kernel(char *option, const uint8_t *left, size_t nr_left,
				       const struct dead_input *input)
{
	char path[INPUT_PATH_SIZE], formats_path[INPUT_PATH_SIZE], made[64], made_more[80];
	int fd = input_file(left, nr_left, path);
	int formats_fd = input_file(input->formats, input->nr_formats, formats_path), status;
	char *argv[] = {
		(char[]){ "recover" }, option, path, (char[]){ "--formats" }, formats_path,
		(char[]){ "-o" }, made, NULL,
	};

	log_quiet = true;
	commands_use(commands);
	snprintf(made, sizeof(made), "/tmp/fuzz%s-%d", option, (int)getpid());
	error_free(cmd_recover(7, argv, &status));
	close(fd);
	close(formats_fd);
	unlink(made);
	/* Several sessions have files with numbers. */
	for (unsigned int i = 1; i; i++) {
		snprintf(made_more, sizeof(made_more), "%s.%u", made, i);
		if (unlink(made_more))
			break;
	}
}

#endif
