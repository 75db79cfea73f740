// SPDX-License-Identifier: GPL-2.0
#include "perfdata/write/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/interrupt.h"

/*
 * When writing through the page cache, appends up to this size are gathered; larger
 * ones are written at once.
 */
#define GATHER_BYTES	(64 * 1024)
#define GATHER_ALLOC	(4 * GATHER_BYTES)

/* Direct I/O writes chunks of this size. */
#define CHUNK_BYTES	(512 * 1024)
#define CHUNK_ALIGN	4096
/*
 * The limit of chunks that wait for the disk.  When more than CHUNKS_BEHIND wait, the disk is too
 * slow, and the chunks go to the page cache as long as it takes them.  Up to CHUNKS_MAX may wait
 * until the write in progress has ended.
 */
#define CHUNKS_BEHIND	8
#define CHUNKS_MAX	128

struct chunk {
	struct chunk *next;
	char *data;		/* CHUNK_BYTES */
};

struct output {
	int fd;
	bool is_socket;
	int send_flags;		/* for send(), beside MSG_DONTWAIT */
	struct chunk *filled;	/* the chunk being filled; NULL: none */
	size_t size;		/* bytes in it */
	uint64_t stored;	/* bytes in the file without a gap; owned by the thread, like at */

	/* offset of the chunk being filled */
	uint64_t filled_at;	/* where the chunk that is being gathered will go */
	size_t synced;		/* bytes of it that are in the page cache, too */
	bool handed_over;	/* a chunk was handed over since the last output_sync() */
	int direct;		/* fd of the same file; -1: through the page cache */
	uint64_t at;		/* offset of the next chunk; owned by the thread, if any */
	bool has_thread;
	pthread_t thread;
	pthread_mutex_t lock;	/* protects the members below */
	pthread_cond_t changed;
	struct chunk *first, *last;	/* to be written, first to last */
	size_t nr_waiting;	/* number of those */
	struct chunk *unused;
	size_t nr_chunks;	/* of all kinds */
	bool writing;		/* the thread is writing a chunk that is off the list */
	bool ending;		/* the thread ends when all is written */
	int failed;		/* 0 or -errno of the first write that failed */
};

/*
 * Some file systems (9p, as used in guests) write from the pages of the caller.  Since Linux 6.14,
 * the pages of rings cannot be pinned for that: EFAULT.  A copy can.
 */
static ssize_t output_write_copied(int fd, const char *data, size_t size)
{
	char copy[16384];
	size_t n = size < sizeof(copy) ? size : sizeof(copy);

	memcpy(copy, data, n);
	return write(fd, copy, n);
}

/*
 * Write as much as there is room for.  A socket that we got as standard output cannot be reopened
 * to get a description that never blocks, so each send has to be non-blocking.
 */
static ssize_t write_some(const struct output *output, const char *data, size_t size)
{
	ssize_t n = output->is_socket ?
		    send(output->fd, data, size, MSG_DONTWAIT | output->send_flags) :
		    write(output->fd, data, size);

	return n < 0 && errno == EFAULT ? output_write_copied(output->fd, data, size) : n;
}

/*
 * Write everything.  If a pipe or a socket is full, wait for it, until a signal requests the
 * command to end.
 */
static int write_all(struct output *output, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write_some(output, data, size);
		int ret = 0;

		if (n < 0 && errno == EAGAIN)
			ret = interrupt_wait_writable(output->fd);
		else if (n < 0 && errno != EINTR)
			ret = -errno;
		if (ret)
			return ret;
		n = n < 0 ? 0 : n;
		data += n;
		size -= n;
		output->stored += n;
	}
	return 0;
}

/*
 * Open for direct I/O only if the kernel reports that this file supports it: some file systems only
 * pretend.
 */
static int open_direct(int fd, const char *path)
{
#ifdef STATX_DIOALIGN
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) ||
	    !(stx.stx_mask & STATX_DIOALIGN) ||
	    !stx.stx_dio_offset_align || CHUNK_BYTES % stx.stx_dio_offset_align ||
	    !stx.stx_dio_mem_align || CHUNK_ALIGN % stx.stx_dio_mem_align)
		return -1;
	return open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
#else
	return -1;
#endif
}

struct output *output_create(int fd, const char *path)
{
	struct output *output = calloc(1, sizeof(*output));
	struct stat st;

	if (!output)
		return NULL;
	output->is_socket = !fstat(fd, &st) && S_ISSOCK(st.st_mode);
	pthread_mutex_init(&output->lock, NULL);
	pthread_cond_init(&output->changed, NULL);
	output->fd = fd;
	output->direct = path ? open_direct(fd, path) : -1;
	return output;
}

void output_spare_signal(struct output *output)
{
	output->send_flags = MSG_NOSIGNAL;
}

/* The data is aligned to a page, which is CHUNK_ALIGN or more. */
static struct chunk *alloc_chunk(void)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk));

	if (!chunk)
		return NULL;
	chunk->data = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (chunk->data == MAP_FAILED) {
		free(chunk);
		return NULL;
	}
	return chunk;
}

static void free_chunks(struct chunk *chunk)
{
	while (chunk) {
		struct chunk *next = chunk->next;

		munmap(chunk->data, CHUNK_BYTES);
		free(chunk);
		chunk = next;
	}
}

/* Take an empty chunk.  Returns 0 or -errno. */
static int output_take_chunk(struct output *output)
{
	struct chunk *chunk;
	int failed;

	pthread_mutex_lock(&output->lock);
	while (!output->unused && !output->failed) {
		chunk = output->nr_chunks < CHUNKS_MAX ? alloc_chunk() : NULL;
		if (chunk) {
			output->unused = chunk;
			output->nr_chunks++;
		} else if (output->nr_chunks) {
			pthread_cond_wait(&output->changed, &output->lock);
		} else {
			output->failed = -ENOMEM;
		}
	}
	failed = output->failed;
	if (!failed) {
		output->filled = output->unused;
		output->unused = output->filled->next;
		output->filled->next = NULL;
		output->size = 0;
	}
	pthread_mutex_unlock(&output->lock);
	return failed;
}

/*
 * If direct I/O fails, try the page cache: it knows whether the disk is really full, and takes the
 * bytes that still fit.  But an I/O error of the disk is final.
 */
static int write_chunk(struct output *output, const struct chunk *chunk, bool behind)
{
	ssize_t n = 0;

	while (!behind && (n = pwrite(output->direct, chunk->data, CHUNK_BYTES, output->at)) < 0 &&
	       errno == EINTR)
		;
	if (n < 0 && errno == EIO)
		return -EIO;
	if (n < 0)
		n = 0;
	output->stored += n;
	if (n == CHUNK_BYTES)
		return 0;
	if (lseek(output->fd, output->at + n, SEEK_SET) < 0)
		return -errno;
	return write_all(output, chunk->data + n, CHUNK_BYTES - n);
}

static void *write_chunks(void *data)
{
	struct output *output = data;

	pthread_mutex_lock(&output->lock);
	for (;;) {
		struct chunk *chunk = output->first;
		int failed = output->failed;
		bool behind;

		if (!chunk && output->ending)
			break;
		if (!chunk) {
			pthread_cond_wait(&output->changed, &output->lock);
			continue;
		}
		output->first = chunk->next;
		behind = --output->nr_waiting > CHUNKS_BEHIND;
		output->writing = true;
		pthread_mutex_unlock(&output->lock);
		if (!failed)
			failed = write_chunk(output, chunk, behind);
		output->at += CHUNK_BYTES;
		pthread_mutex_lock(&output->lock);
		output->failed = failed;
		output->writing = false;
		chunk->next = output->unused;
		output->unused = chunk;
		pthread_cond_broadcast(&output->changed);
	}
	pthread_mutex_unlock(&output->lock);
	return NULL;
}

/* Start the thread with all signals blocked: other threads handle them. */
static int start_thread(struct output *output)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&output->thread, NULL, write_chunks, output);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	output->has_thread = !code;
	return -code;
}

static int output_hand_over(struct output *output)
{
	struct chunk *chunk = output->filled;
	int ret = output->has_thread ? 0 : start_thread(output);

	if (ret)
		return ret;
	chunk->next = NULL;
	output->filled = NULL;
	output->size = output->synced = 0;
	output->filled_at += CHUNK_BYTES;
	output->handed_over = true;
	pthread_mutex_lock(&output->lock);
	if (output->first)
		output->last->next = chunk;
	else
		output->first = chunk;
	output->last = chunk;
	output->nr_waiting++;
	pthread_cond_broadcast(&output->changed);
	pthread_mutex_unlock(&output->lock);
	return 0;
}

static int put_direct(struct output *output, const char *data, size_t size)
{
	int ret = 0;

	while (!ret && size) {
		size_t n;

		if (!output->filled)
			ret = output_take_chunk(output);
		if (ret)
			break;
		n = CHUNK_BYTES - output->size < size ? CHUNK_BYTES - output->size : size;
		memcpy(output->filled->data + output->size, data, n);
		output->size += n;
		data += n;
		size -= n;
		if (output->size == CHUNK_BYTES)
			ret = output_hand_over(output);
	}
	return ret;
}

static int write_gathered(struct output *output)
{
	size_t size = output->size;

	output->size = 0;
	return size ? write_all(output, output->filled->data, size) : 0;
}

int output_put(struct output *output, const void *data, size_t size)
{
	int ret = 0;

	if (!size)
		return 0;
	if (output->direct >= 0)
		return put_direct(output, data, size);
	if (!output->filled)
		ret = output_take_chunk(output);
	if (!ret && (output->size + size > GATHER_ALLOC || size > GATHER_BYTES))
		ret = write_gathered(output);
	if (ret)
		return ret;
	if (size > GATHER_BYTES)
		return write_all(output, data, size);
	memcpy(output->filled->data + output->size, data, size);
	output->size += size;
	return 0;
}

static void end_thread(struct output *output)
{
	if (!output->has_thread)
		return;
	pthread_mutex_lock(&output->lock);
	output->ending = true;
	pthread_cond_broadcast(&output->changed);
	pthread_mutex_unlock(&output->lock);
	pthread_join(output->thread, NULL);
	output->has_thread = false;
}

int output_flush(struct output *output)
{
	if (output->direct >= 0) {
		end_thread(output);
		close(output->direct);
		output->direct = -1;
		if (!output->failed && lseek(output->fd, output->at, SEEK_SET) < 0)
			output->failed = -errno;
	}
	return output->failed ? output->failed : write_gathered(output);
}

/*
 * Write the filled part of the chunk through the page cache; the whole chunk overwrites
 * it when it is full.
 */
static int sync_filled(struct output *output)
{
	size_t size = output->size - output->synced;
	bool busy;
	ssize_t n;

	/* If earlier chunks are not written yet, these bytes would follow a gap. */
	pthread_mutex_lock(&output->lock);
	busy = output->first || output->writing || output->failed;
	pthread_mutex_unlock(&output->lock);
	if (busy || !size)
		return 0;
	n = pwrite(output->fd, output->filled->data + output->synced, size,
		   output->filled_at + output->synced);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	output->synced += n;
	return 0;
}

int output_sync(struct output *output)
{
	bool filling = output->handed_over;

	output->handed_over = false;
	if (output->direct < 0)
		return write_gathered(output);
	return filling ? 0 : sync_filled(output);
}

uint64_t output_stored(const struct output *output)
{
	return output->stored;
}

void output_destroy(struct output *output)
{
	if (!output)
		return;
	end_thread(output);
	if (output->direct >= 0)
		close(output->direct);
	free_chunks(output->filled);
	free_chunks(output->unused);
	pthread_mutex_destroy(&output->lock);
	pthread_cond_destroy(&output->changed);
	free(output);
}
