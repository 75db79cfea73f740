// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes that are put are in the file, with the page cache or without it, and failures are reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/write/output.h"
#include "tap.h"

/* More than may wait for a disk. */
#define BYTES	(72UL << 20)

static char folder[] = "/tmp/test_output.XXXXXX";
static char file[64];
static uint64_t *content;	/* BYTES of it */

/* Descriptors of ours that are open for direct I/O. */
static int nr_direct(void)
{
	int nr = 0;

	for (int fd = 0; fd < 64; fd++) {
		int flags = fcntl(fd, F_GETFL);

		nr += flags >= 0 && flags & O_DIRECT;
	}
	return nr;
}

/* Whether the kernel has direct I/O for files here. */
static bool can_direct(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx stx;

	return !statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) &&
	       stx.stx_mask & STATX_DIOALIGN && stx.stx_dio_offset_align;
#else
	return false;
#endif
}

static int create(void)
{
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		abort();
	return fd;
}

/* Put up to @size bytes, in pieces of up to @most. Returns the result of the last one. */
static int put_some(struct output *output, uint64_t *at, uint64_t size, uint64_t most)
{
	int ret = 0;

	while (!ret && *at < size) {
		uint64_t n = 1 + rand() % most;

		if (n > size - *at)
			n = size - *at;
		ret = output_put(output, (char *)content + *at, n);
		*at += n;
	}
	return ret;
}

/* The size of the file, if it has the first bytes that were put; else -1. */
static int64_t bytes_right(int fd)
{
	struct stat st;
	int64_t ret;
	void *map;

	fstat(fd, &st);
	if (!st.st_size)
		return 0;
	map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	ret = map != MAP_FAILED && !memcmp(map, content, st.st_size) ? st.st_size : -1;
	munmap(map, st.st_size);
	return ret;
}

static void test_content(bool direct)
{
	struct output *output;
	uint64_t at = 0;
	int fd = create();

	about(direct ? "direct I/O" : "no direct I/O");
	output = output_create(fd, direct ? file : NULL);
	is_u64(nr_direct(), direct && can_direct(fd),
	       "direct I/O is used where it may be and the file can");
	is_u64(put_some(output, &at, BYTES / 2, 1000000), 0, "pieces of all sizes are put");
	is_u64(put_some(output, &at, BYTES / 2 + 4000000, 700), 0, "small pieces are put");
	is_u64(put_some(output, &at, BYTES, 3000000), 0, "large pieces are put");
	is_u64(output_flush(output), 0, "the file is flushed");
	is_u64(bytes_right(fd), BYTES, "the file has all bytes in order");
	is_u64(output_put(output, "more", 4) || output_flush(output), 0, "more can follow flushed bytes");
	output_destroy(output);
	is_u64(lseek(fd, 0, SEEK_END), BYTES + 4, "further bytes come behind the rest");
	is_u64(nr_direct(), 0, "nothing stays open");
	close(fd);
}

static void test_small(void)
{
	struct output *output;
	int fd = create();

	output = output_create(fd, file);
	ok(!output_put(output, content, 5) && !output_flush(output) && bytes_right(fd) == 5,
	   "five bytes");
	output_destroy(output);
	output = output_create(fd, file);
	ok(!output_flush(output), "none");
	output_destroy(output);
	output_destroy(NULL);
	close(fd);
}

/* As on a full disk: the bytes that fit are written, and the error is reported. */
static void test_no_room(bool direct, uint64_t room)
{
	struct rlimit before, limit;
	struct output *output;
	uint64_t at = 0;
	int fd = create(), ret;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = room;
	setrlimit(RLIMIT_FSIZE, &limit);
	output = output_create(fd, direct ? file : NULL);
	ret = put_some(output, &at, BYTES, 200000);
	if (!ret)
		ret = output_flush(output);
	output_destroy(output);
	setrlimit(RLIMIT_FSIZE, &before);
	about("%s, no room behind %llu bytes", direct ? "direct I/O" : "no direct I/O",
	      (unsigned long long)room);
	ok(ret == -EFBIG, "the error is EFBIG: %s", strerror(-ret));
	is_u64(bytes_right(fd), room, "the file ends there");
	close(fd);
}

static void test_given_up(void)
{
	struct output *output;
	uint64_t at = 0;
	int fd = create();

	output = output_create(fd, file);
	put_some(output, &at, 5000000, 100000);
	output_destroy(output);
	ok(bytes_right(fd) >= 0, "given up: the written part is right");
	close(fd);
}

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	snprintf(file, sizeof(file), "%s/file", folder);
	content = malloc(BYTES);
	for (uint64_t i = 0; content && i < BYTES / sizeof(*content); i++)
		content[i] = i * 0x9e3779b97f4a7c15ULL;
	signal(SIGXFSZ, SIG_IGN);
	test_content(true);
	test_content(false);
	test_small();
	test_no_room(true, 3000000);
	test_no_room(true, 100);
	test_no_room(true, 1 << 20);
	test_no_room(false, 3000000);
	test_given_up();
	unlink(file);
	rmdir(folder);
	free(content);
	return tap_done();
}
