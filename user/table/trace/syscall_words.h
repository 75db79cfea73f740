/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments and results of system calls as text, in the format of perf trace: flags, modes,
 * signals, the paths of descriptors.
 */
#ifndef KTRACE_TABLE_TRACE_SYSCALL_WORDS_H
#define KTRACE_TABLE_TRACE_SYSCALL_WORDS_H

#include "format/event_format.h"
#include "format/syscalls.h"
#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "states/descriptor_paths.h"
#include "states/syscall_states.h"

struct syscall_words;

/* Borrowed.  Without @with_paths, descriptors are numbers. */
struct error *syscall_words_create(struct syscalls *syscalls, struct descriptor_paths *paths,
				   bool with_paths, struct syscall_words **ret);
void syscall_words_destroy(struct syscall_words *words);

/* Append the arguments of a call that is entered: "fd: 3, count: 10". */
void syscall_words_add_args(struct syscall_words *words, const struct syscall_call *call,
			    struct strbuf *sb);

/* Append the result of a call: "3", "-1 ENOENT (No such file or directory)". */
void syscall_words_add_result(struct syscall_words *words, const struct syscall_call *call,
			      struct strbuf *sb);

/* Append the fields of the sample of a tracepoint in the same way: "prev_comm: \"sh\"". */
void syscall_words_add_fields(struct syscall_words *words, const struct session_record *r,
			      struct strbuf *sb);

/* "ENOENT"; "(unknown)" for numbers that are no errors. */
const char *syscall_words_errno(int number);

#endif
