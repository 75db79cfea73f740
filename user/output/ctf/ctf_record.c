// SPDX-License-Identifier: GPL-2.0
#include "lib/array.h"
#include "output/ctf/ctf.h"
#include "record/body.h"

/* Events have the numbers below. */
#define CTF_RECORD_ID	(1U << 30)

/* The records of tasks and maps, as perf names them and their fields. */
static const struct ctf_record {
	uint32_t type;
	const char *name, *fields;
} ctf_records[] = {
	{ PERF_RECORD_MMAP, "perf_mmap", "s32 _pid; s32 _tid; x64 _start; string _filename;" },
	{ PERF_RECORD_MMAP2, "perf_mmap2", "s32 _pid; s32 _tid; x64 _start; string _filename;" },
	{ PERF_RECORD_COMM, "perf_comm", "s32 _pid; s32 _tid; string _comm;" },
	{ PERF_RECORD_FORK, "perf_fork",
	  "s32 _pid; s32 _ppid; s32 _tid; s32 _ptid; u64 _time;" },
	{ PERF_RECORD_EXIT, "perf_exit",
	  "s32 _pid; s32 _ppid; s32 _tid; s32 _ptid; u64 _time;" },
};

static void add_record_text(struct strbuf *out, const struct perf_event_header *header,
			    const char *text)
{
	strbuf_add(out, text, body_text_length(header, text));
	strbuf_addch(out, '\0');
}

/* Append the fields of a record; false: it is too short for them. */
static bool add_record_fields(struct strbuf *out, const struct perf_event_header *header)
{
	const struct body_mmap *mmap = body_of(header, struct body_mmap);
	const struct body_mmap2 *mmap2 = body_of(header, struct body_mmap2);
	const struct body_comm *comm = body_of(header, struct body_comm);
	const struct body_task *task = body_of(header, struct body_task);

	switch (header->type) {
	case PERF_RECORD_MMAP:
		if (mmap)
			strbuf_add(out, mmap, offsetof(struct body_mmap, len));
		if (mmap)
			add_record_text(out, header, mmap->filename);
		return mmap;
	case PERF_RECORD_MMAP2:
		if (mmap2)
			strbuf_add(out, mmap2, offsetof(struct body_mmap2, len));
		if (mmap2)
			add_record_text(out, header, mmap2->filename);
		return mmap2;
	case PERF_RECORD_COMM:
		if (comm)
			strbuf_add(out, comm, offsetof(struct body_comm, comm));
		if (comm)
			add_record_text(out, header, comm->comm);
		return comm;
	default:
		if (task)
			strbuf_add(out, task, sizeof(*task));
		return task;
	}
}

bool ctf_record_add(struct strbuf *fields, const struct perf_event_header *header,
		    uint32_t *ret_id)
{
	for (size_t i = 0; i < ARRAY_SIZE(ctf_records); i++)
		if (ctf_records[i].type == header->type) {
			*ret_id = CTF_RECORD_ID + i;
			return add_record_fields(fields, header);
		}
	return false;
}

void ctf_records_describe(struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(ctf_records); i++)
		strbuf_addf(out, "event {\n\tname = \"%s\";\n\tid = %zu;\n\tstream_id = 0;\n"
			    "\tfields := struct { %s };\n};\n", ctf_records[i].name,
			    CTF_RECORD_ID + i, ctf_records[i].fields);
}
