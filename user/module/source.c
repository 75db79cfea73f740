// SPDX-License-Identifier: GPL-2.0
#include "module/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#ifndef KTRACE_BINDIR
#define KTRACE_BINDIR "/usr/local/bin"
#endif

static void source_dealloc(PyObject *self)
{
	struct py_source *source = (struct py_source *)self;

	py_source_close(source);
	machine_destroy(source->machine);
	reader_close(source->reader);
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

static const char *kernel_symbol(void *machine, uint64_t address, uint64_t *start)
{
	return machine_kernel_symbol(machine, address, start);
}

/* Who names addresses: those of call chains, and those in the texts of events. */
static struct error *name_addresses(struct py_source *source)
{
	static const struct symbol_options options;
	struct error *err;

	err = machine_create(reader_header(source->reader), &options, &source->machine);
	if (!err)
		formats_set_resolver(reader_formats(source->reader), kernel_symbol,
				     source->machine);
	return err;
}

static struct py_source *make(void)
{
	struct py_source *source = (struct py_source *)py_source_type.tp_alloc(&py_source_type, 0);

	if (source)
		source->recorder = (struct recorder)RECORDER_INIT;
	return source;
}

PyObject *py_source_open(const char *path)
{
	struct py_source *source = make();
	struct error *err;

	if (!source)
		return NULL;
	err = reader_open(path, &source->reader);
	if (!err)
		err = name_addresses(source);
	if (err) {
		Py_DECREF(source);
		return py_error_raise(err);
	}
	source->is_live = reader_header(source->reader)->is_pipe;
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
		/* build/python/ktrace/_ktrace.so: build/bin/ktrace. */
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

/* What the recorder said is why there is nothing to read. */
static struct error *recorder_error(struct py_source *source, struct error *err)
{
	_cleanup_free_ char *said = NULL;
	char *text;

	recorder_wait(&source->recorder);
	said = recorder_messages(&source->recorder);
	if (!said)
		return err;
	for (text = said + strlen(said); text > said && text[-1] == '\n'; )
		*--text = '\0';
	text = strncmp(said, "ktrace: ", 8) ? said : said + 8;
	error_free(err);
	return error_new(0, "%s", text);
}

PyObject *py_source_start(char *const *argv)
{
	struct py_source *source = make();
	struct error *err;
	char path[32];

	if (!source)
		return NULL;
	err = recorder_start(py_source_program(), argv, true, false, &source->recorder);
	if (!err) {
		recorder_path(&source->recorder, path);
		err = reader_open(path, &source->reader);
		if (!err)
			err = reader_read_ahead(source->reader, source->recorder.ready);
		if (!err)
			err = name_addresses(source);
		if (err)
			err = recorder_error(source, err);
	}
	if (err) {
		Py_DECREF(source);
		return py_error_raise(err);
	}
	/* The reader has its own. */
	close(take_fd(source->recorder.records));
	source->is_live = true;
	return (PyObject *)source;
}

void py_source_close(struct py_source *source)
{
	if (!source->recorder.pid && source->recorder.messages < 0)
		return;
	Py_BEGIN_ALLOW_THREADS
	recorder_finish(&source->recorder);
	Py_END_ALLOW_THREADS
	if (source->recorder.messages >= 0)
		close(take_fd(source->recorder.messages));
}
