// SPDX-License-Identifier: GPL-2.0
#include "module/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "table/samples/reader_machine.h"

#define NSEC_PER_SEC 1000000000LL
#define STEPS 65536	/* records between two checks for signals */

#ifndef KTRACE_BINDIR
#define KTRACE_BINDIR "/usr/local/bin"
#endif

static void input_dealloc(PyObject *self)
{
	struct py_input *input = (struct py_input *)self;

	machine_destroy(input->machine);
	reader_close(input->reader);
	free((char *)input->symbols.vmlinux);
	free((char *)input->symbols.kallsyms);
	free((char *)input->symbols.symfs);
	Py_TYPE(self)->tp_free(self);
}

PyTypeObject py_input_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Input",
	.tp_basicsize = sizeof(struct py_input),
	.tp_dealloc = input_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "The data that interpret the records of a recording.",
};

static void source_dealloc(PyObject *self)
{
	struct py_source *source = (struct py_source *)self;

	py_source_close(source);
	Py_XDECREF(source->input);
	Py_TYPE(self)->tp_free(self);
}

PyTypeObject py_source_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Source",
	.tp_basicsize = sizeof(struct py_source),
	.tp_dealloc = source_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "An open recording.",
};

/* Set up the naming of addresses, in call chains and in the texts of events. */
static struct error *name_addresses(struct py_input *input)
{
	return reader_machine_create(input->reader, &input->symbols, &input->machine);
}

struct error *py_source_symbols(struct py_source *source, const char *vmlinux, const char *kallsyms,
				const char *symfs)
{
	struct py_input *input = source->input;

	if (!vmlinux && !kallsyms && !symfs)
		return NULL;
	machine_destroy(input->machine);
	input->machine = NULL;
	input->symbols.vmlinux = vmlinux ? strdup(vmlinux) : NULL;
	input->symbols.kallsyms = kallsyms ? strdup(kallsyms) : NULL;
	input->symbols.symfs = symfs ? strdup(symfs) : NULL;
	if ((vmlinux && !input->symbols.vmlinux) || (kallsyms && !input->symbols.kallsyms) ||
	    (symfs && !input->symbols.symfs))
		return &error_no_memory;
	return name_addresses(input);
}

static struct py_source *make_source(void)
{
	struct py_source *source = (struct py_source *)py_source_type.tp_alloc(&py_source_type, 0);

	if (!source)
		return NULL;
	source->recorder = (struct recorder_child)RECORDER_CHILD_INIT;
	source->input = (struct py_input *)py_input_type.tp_alloc(&py_input_type, 0);
	if (!source->input)
		Py_CLEAR(source);
	return source;
}

PyObject *py_source_open(const char *const *paths, size_t nr, const struct traffic_rules *rules)
{
	struct py_source *source = make_source();
	struct error *err;

	if (!source)
		return NULL;
	err = reader_open_many(paths, nr, rules, &source->input->reader);
	if (!err)
		err = name_addresses(source->input);
	/*
	 * Reading a pipe waits for the header, and a signal handler may have raised
	 * meanwhile.
	 */
	if (err || PyErr_Occurred()) {
		Py_DECREF(source);
		return err ? py_error_raise(err) : NULL;
	}
	source->is_live = reader_header(source->input->reader)->is_pipe;
	return (PyObject *)source;
}

const char *py_source_program(void)
{
	static char path[PATH_MAX];
	const char *given = getenv("KTRACE");
	Dl_info info;
	char *slash;

	if (given && *given)
		return given;
	if (dladdr((void *)py_source_program, &info) && info.dli_fname) {
		/* From build/python/ktrace/_ktrace.so to build/bin/ktrace. */
		snprintf(path, sizeof(path), "%s", info.dli_fname);
		slash = strrchr(path, '/');
		if (slash) {
			snprintf(slash, sizeof(path) - (slash - path), "/../../bin/ktrace");
			if (access(path, X_OK) == 0)
				return path;
		}
	}
	if (access(KTRACE_BINDIR "/ktrace", X_OK) == 0)
		return KTRACE_BINDIR "/ktrace";
	return "ktrace";
}

/*
 * The recorder's messages as an error, without "ktrace: " in front and newlines at the end.  NULL:
 * there are none.
 */
static struct error *said_error(const struct recorder_child *recorder)
{
	_cleanup_free_ char *said = recorder_child_messages(recorder);
	char *end;

	if (!said)
		return NULL;
	for (end = said + strlen(said); end > said && end[-1] == '\n'; )
		*--end = '\0';
	if (!*said)
		return NULL;
	return error_new(0, "%s", strncmp(said, "ktrace: ", 8) ? said : said + 8);
}

/* On these signals the recorder first writes all it has, and then ends by the signal. */
static bool is_request(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

/*
 * Wait for the recorder, which has closed its pipe, and decide whether it failed.  If only its
 * command has failed, it prints nothing, and that is not a failure.
 */
static struct error *recorder_failure(struct py_source *source)
{
	/* Work on a copy, as another thread may close the source during the wait. */
	struct recorder_child recorder = source->recorder;
	struct error *err = NULL;
	int status;

	Py_BEGIN_ALLOW_THREADS
	status = recorder_child_reap(&recorder);
	Py_END_ALLOW_THREADS
	source->recorder.pid = 0;
	if (status)
		err = said_error(&source->recorder);
	if (!err && recorder.signal && !is_request(recorder.signal))
		err = error_new(0, "The recorder was ended by signal %d (%s): its unread records "
				"are lost", recorder.signal, strsignal(recorder.signal));
	return err;
}

struct error *py_source_ended(struct py_source *source, struct error *err)
{
	struct error *failure;

	if (!source->recorder.pid)
		return err;
	failure = recorder_failure(source);
	if (!failure)
		return err;
	error_free(err);
	return failure;
}

struct session py_source_session(const struct py_source *source, struct machine *machine)
{
	struct reader *reader = source->input->reader;

	return (struct session){
		.source = reader_source(reader), .events = reader_events(reader),
		.formats = reader_formats(reader), .machine = machine,
	};
}

struct error *py_source_run(struct py_source *source, struct session *session,
			    struct session_consumer *consumer)
{
	struct error *err = session_start(session);
	bool more = true;

	for (uint64_t n = 1; !err && more && !PyErr_Occurred(); n++) {
		err = session_step(session, consumer, &more);
		if (n % STEPS == 0)
			PyErr_CheckSignals();
	}
	if (!PyErr_Occurred())
		err = py_source_ended(source, err);
	if (!err && !PyErr_Occurred() && consumer->finish)
		err = consumer->finish(consumer);
	session_finish(session);
	return err;
}

bool py_source_wall_offset(const struct py_source *source, int64_t *ret)
{
	const struct header *header = reader_header(source->input->reader);
	struct timespec wall, monotonic;

	/*
	 * A recorder that is running writes this to the header only at the end: read the
	 * clocks now.
	 */
	if (source->recorder.pid && header->clockid == CLOCK_MONOTONIC) {
		clock_gettime(CLOCK_REALTIME, &wall);
		clock_gettime(CLOCK_MONOTONIC, &monotonic);
		*ret = (wall.tv_sec - monotonic.tv_sec) * NSEC_PER_SEC +
		       wall.tv_nsec - monotonic.tv_nsec;
		return true;
	}
	*ret = header->wall_time - header->clock_time;
	return header->wall_time && header->clock_time;
}

bool py_step_begin(bool *stepping)
{
	if (*stepping) {
		PyErr_SetString(PyExc_ValueError, "the iterator is being read already, by another "
				"thread or by a signal handler");
		return false;
	}
	*stepping = true;
	return true;
}

static struct error *source_start_recorder(struct py_source *source,
					   const struct recorder_command *command)
{
	const struct recorder_child_options options = {
		.program = py_source_program(), .command = *command, .keep_messages = true,
	};
	struct recorder_child *recorder = &source->recorder;
	struct py_input *input = source->input;
	struct error *err, *failure;
	char path[32];

	err = recorder_child_start(&options, recorder);
	if (err)
		return err;
	recorder_child_path(recorder, path);
	err = reader_open(path, &input->reader);
	if (!err)
		err = reader_read_ahead(input->reader, recorder->ready);
	if (PyErr_Occurred())	/* a signal handler has raised; the recorder still runs */
		return err;
	if (err || !recorder_child_records(recorder)) {
		failure = recorder_failure(source);
		if (failure) {
			error_free(err);
			return failure;
		}
		return err ? err : error_new(0, "The recorder ended before it recorded anything");
	}
	return name_addresses(input);
}

PyObject *py_source_start(const struct recorder_command *command)
{
	struct py_source *source = make_source();
	struct error *err;

	if (!source)
		return NULL;
	err = source_start_recorder(source, command);
	if (err || PyErr_Occurred()) {
		Py_DECREF(source);
		return err ? py_error_raise(err) : NULL;
	}
	/* The reader has a descriptor of its own. */
	close(take_fd(source->recorder.records));
	source->is_live = true;
	return (PyObject *)source;
}

void py_source_close(struct py_source *source)
{
	/* Work on a copy, as other threads may also close the source while we wait. */
	struct recorder_child recorder = source->recorder;

	source->recorder = (struct recorder_child)RECORDER_CHILD_INIT;
	if (!recorder.pid && recorder.messages < 0)
		return;
	Py_BEGIN_ALLOW_THREADS
	recorder_child_finish(&recorder);
	Py_END_ALLOW_THREADS
	if (recorder.messages >= 0)
		close(recorder.messages);
}
