/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the output firefox: threads (firefox_thread), the tables that these share
 * (firefox_tables), the kinds of markers (firefox_schema), and the states of tasks
 * (firefox_states).  A "marker" in the Firefox Profiler is something that happened at an instant,
 * or lasted.  Its samples are those of one event.
 */
#ifndef KTRACE_OUTPUT_FIREFOX_FIREFOX_H
#define KTRACE_OUTPUT_FIREFOX_FIREFOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns/dictionary.h"
#include "lib/array.h"
#include "lib/error.h"
#include "lib/json.h"
#include "lib/strbuf.h"
#include "output/stream.h"
#include "profile/sample_stacks.h"
#include "session/session.h"
#include "states/task_names.h"
#include "states/task_states.h"

/* Positions in the list of categories. */
enum firefox_category { FIREFOX_OTHER, FIREFOX_KERNEL, FIREFOX_USER };

/* The destination of all parts. */
struct firefox_file {
	struct stream stream;
	struct json_writer json;
	struct dictionary *strings;	/* texts, which other tables refer to by number; owned */
	uint64_t start;			/* ns; times in the file begin there */
	struct strbuf key, text;	/* of a member that is being written */
};

/* Find or add the number of a text.  The only error is a lack of memory. */
struct error *firefox_find_text(struct firefox_file *file, const char *text, size_t len,
				int32_t *ret);

void firefox_add_string(struct firefox_file *file, const char *name, int32_t text);

/* The value is written in ms. */
void firefox_add_time(struct firefox_file *file, const char *name, uint64_t ns);

/* How the values of a field are shown. */
enum firefox_kind {
	FIREFOX_SIGNED, FIREFOX_UNSIGNED,
	FIREFOX_ADDRESS,	/* hexadecimal */
	FIREFOX_TEXT,
	FIREFOX_BYTES,		/* hexadecimal digits; the number is that of the bytes behind it */
};

/* The markers of an event.  All zero: nothing is known yet. */
struct firefox_schema {
	const struct event_format *format;	/* that the fields belong to */
	int32_t name;				/* a text */
	struct firefox_field {
		int32_t key;			/* a text */
		enum firefox_kind kind;
	} *items;
	size_t nr, alloc;
};

void firefox_schema_deinit(struct firefox_schema *schema);

/* Append the value of @field to the values of a marker, for firefox_thread_add_marker(). */
void firefox_add_number(struct strbuf *out, const struct firefox_field *field, uint64_t number);
struct error *firefox_add_text(struct firefox_file *file, struct strbuf *out,
			       const struct firefox_field *field, const char *text, size_t len);

/* Append all values of a sample.  The fields are those of its event. */
struct error *firefox_schema_take(struct firefox_schema *schema, struct firefox_file *file,
				  const struct session_record *r, struct strbuf *out);

/* Add a field. */
struct error *firefox_schema_add(struct firefox_schema *schema, struct firefox_file *file,
				 const char *name, enum firefox_kind kind);

/*
 * Write the viewer's description of such markers.  They have the fields of @common, too, which may
 * be NULL.
 */
void firefox_schema_write(const struct firefox_schema *schema,
			  const struct firefox_schema *common, struct firefox_file *file);

/* Write the values of a marker at *at as members, and advance behind them. */
void firefox_values_write(struct firefox_file *file, const char **at);

/* All data of a thread.  The format has it in one piece, so it is kept until the end. */
struct firefox_thread {
	int32_t pid, tid;
	int32_t name;		/* a text */
	size_t leader;		/* the position of the first thread of the process */
	uint64_t first;		/* when it was first seen, ns */
	uint64_t last_sample, last_marker;	/* ns */
	size_t nr_samples, nr_markers;
	struct strbuf samples, markers, values;	/* compressed */
};

/* @weight is in ns; 0: samples are counted.  A lack of memory shows in the strbufs. */
void firefox_thread_add_sample(struct firefox_thread *thread, uint64_t time, uint32_t stack,
			       uint64_t weight);

struct firefox_marker {
	uint64_t time;		/* ns; of one that lasts, its end */
	uint64_t since;		/* ns; of one that lasts */
	bool lasts;
	uint32_t stack;
	int32_t name;		/* a text */
	const struct strbuf *values;	/* from firefox_schema_take() */
};

/* Times do not decrease. */
void firefox_thread_add_marker(struct firefox_thread *thread, const struct firefox_marker *marker);

/* Write a thread; its process has the name of @leader.  @weighs: samples have weights. */
struct error *firefox_thread_write(const struct firefox_thread *thread,
				   const struct firefox_thread *leader, bool weighs,
				   struct firefox_file *file);

/* All zero: none. */
struct firefox_threads {
	struct firefox_thread *items;	/* by position in names */
	size_t nr, alloc;
	struct task_names names;
};

void firefox_threads_deinit(struct firefox_threads *threads);

/* Find or add a thread, which exists at the time of @r.  *ret is valid until the next call. */
struct error *firefox_threads_find(struct firefox_threads *threads, struct firefox_file *file,
				   const struct task_name *name, const struct session_record *r,
				   struct firefox_thread **ret);

/*
 * Markers of the states of tasks, by the scheduler's events.  All zero except the first two
 * members: none.
 */
struct firefox_states {
	struct firefox_file *file;		/* borrowed */
	struct firefox_threads *threads;	/* borrowed */
	struct sched_events events;
	struct task_states states;
	struct task_listener listener;
	struct firefox_schema schemas[TASK_STATES];
	struct strbuf values;		/* of a marker */
	uint32_t stack;			/* of the current sample */
	ARRAY_OF(uint32_t) left;	/* by index of a task: its stack when it left its CPU */
};

void firefox_states_deinit(struct firefox_states *states);

/* Add any sample, with its stack. */
struct error *firefox_states_take(struct firefox_states *states, const struct session_record *r,
				  uint32_t stack);

/* Write the kinds of these markers, if there are any. */
void firefox_states_write_schemas(const struct firefox_states *states);

/* Write the binaries, and the tables of texts, stacks, frames and functions. */
struct error *firefox_tables_write(struct firefox_file *file, struct sample_stacks *stacks,
				   const char *arch);

#endif
