// SPDX-License-Identifier: GPL-2.0
/* Damaged recordings, for recover and index. */
#include "fuzz.h"

#include "lib/log.h"
#include "perfdata/write/indexer.h"
#include "perfdata/write/recover.h"

static char made[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_quiet = true;
	snprintf(made, sizeof(made), "/tmp/fuzz-recover-%d", (int)getpid());
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[INPUT_PATH_SIZE];
	int fd = input_file(data, size, path);

	for (int index = 0; index < 2; index++) {
		_cleanup_(reader) struct reader *reader = NULL;
		struct error *err = reader_open(path, &reader);
		struct recovery recovery;
		struct indexed indexed;

		if (!err)
			err = index ? indexer_write(reader, made, &indexed) :
				      recover_to(reader, NULL, made, &recovery);
		error_free(err);
		unlink(made);
	}
	close(fd);
	return 0;
}
