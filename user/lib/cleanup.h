/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scope guards.  A guarded variable is released when it goes out of scope;
 * return_ptr() takes the pointer out of its guard to hand it to the caller.
 *
 *	_cleanup_free_ char *path = NULL;
 *	...
 *	*ret = take_ptr(path);
 *
 * A type with a destructor declares its own guard beside it:
 *
 *	DEFINE_CLEANUP(strbuf, struct strbuf, strbuf_deinit)
 *	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
 */
#ifndef KTRACE_LIB_CLEANUP_H
#define KTRACE_LIB_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/error.h"

#define _cleanup_(name) __attribute__((cleanup(cleanup_##name)))

/* @destroy takes a pointer to the variable. */
#define DEFINE_CLEANUP(name, type, destroy)			\
	static inline void cleanup_##name(type *p)		\
	{							\
		destroy(p);					\
	}

/* @destroy takes the pointer that the variable holds, and must accept NULL. */
#define DEFINE_CLEANUP_PTR(name, type, destroy)			\
	static inline void cleanup_##name(type **p)		\
	{							\
		destroy(*p);					\
	}

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void cleanup_closedir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

DEFINE_CLEANUP_PTR(error, struct error, error_free)

#define _cleanup_free_ _cleanup_(free)
#define _cleanup_close_ _cleanup_(close)
#define _cleanup_fclose_ _cleanup_(fclose)
#define _cleanup_closedir_ _cleanup_(closedir)
#define _cleanup_error_ _cleanup_(error)

/* Yields the value of @p and sets @p to NULL, so that its guard does nothing. */
#define take_ptr(p)						\
	({							\
		__typeof__(p) taken_ = (p);			\
		(p) = NULL;					\
		taken_;						\
	})

/* The same for a file descriptor. */
#define take_fd(fd)						\
	({							\
		int taken_ = (fd);				\
		(fd) = -1;					\
		taken_;						\
	})

#define return_ptr(p) return take_ptr(p)

#endif
