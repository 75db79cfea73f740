// SPDX-License-Identifier: GPL-2.0
/*
 * Batches and columns in capsules of the Arrow C data interface, which defines the
 * structures below.  An array keeps a reference to the batch whose memory it shows.
 */
#include <string.h>

#include "lib/array.h"
#include "script/columns/py_columns.h"

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

/* An array's reference to its batch, and its buffers. */
struct kept {
	PyObject *batch;
	const void *buffers[3];
};

/* ---- schemas ------------------------------------------------------------- */

static void schema_release(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		if (schema->children[i]->release)
			schema->children[i]->release(schema->children[i]);
		free(schema->children[i]);
	}
	free(schema->children);
	if (schema->dictionary && schema->dictionary->release)
		schema->dictionary->release(schema->dictionary);
	free(schema->dictionary);
	free((char *)schema->name);
	schema->release = NULL;
}

/* Texts that are not valid UTF-8 are exported as bytes. */
static bool is_utf8(const struct byte_strings *strings)
{
	for (size_t i = 0; i < strings->nr; i++) {
		int64_t at = strings->offsets[i];
		PyObject *text = PyUnicode_DecodeUTF8(strings->bytes + at,
						      strings->offsets[i + 1] - at, NULL);

		if (!text) {
			PyErr_Clear();
			return false;
		}
		Py_DECREF(text);
	}
	return true;
}

static const char *arrow_format(const struct column *column)
{
	static const char *const integers[2][4] = {
		{ "C", "S", "I", "L" }, { "c", "s", "i", "l" },
	};

	switch (column->type) {
	case COLUMN_TIME:
		return "tsn:";		/* timestamp, ns, no zone */
	case COLUMN_TEXT:
		return "i";		/* int32 into the dictionary */
	case COLUMN_BYTES:
		return "Z";		/* bytes, 64-bit offsets */
	case COLUMN_FLOAT:
		return "g";
	default:
		return integers[column->is_signed][__builtin_ctz(column->size)];
	}
}

static bool schema_init(struct ArrowSchema *schema, const char *format, const char *name)
{
	*schema = (struct ArrowSchema){ .format = format, .release = schema_release };
	schema->name = strdup(name);
	return schema->name;
}

static bool schema_of_column(struct ArrowSchema *schema, const struct column *column)
{
	if (!schema_init(schema, arrow_format(column), column->name))
		return false;
	if (column->type != COLUMN_TEXT)
		return true;
	schema->dictionary = calloc(1, sizeof(*schema->dictionary));
	return schema->dictionary &&
	       schema_init(schema->dictionary, is_utf8(&column->strings) ? "U" : "Z", "");
}

static bool schema_of_batch(struct ArrowSchema *schema, const struct batch *batch)
{
	if (!schema_init(schema, "+s", ""))
		return false;
	schema->children = calloc(batch->nr_columns + 1, sizeof(*schema->children));
	for (size_t i = 0; schema->children && i < batch->nr_columns; i++) {
		schema->children[i] = calloc(1, sizeof(**schema->children));
		if (!schema->children[i])
			return false;
		schema->n_children = i + 1;
		if (!schema_of_column(schema->children[i], &batch->columns[i]))
			return false;
	}
	return schema->children;
}

/* ---- arrays -------------------------------------------------------------- */

static void array_release(struct ArrowArray *array)
{
	struct kept *kept = array->private_data;

	for (int64_t i = 0; i < array->n_children; i++) {
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
		free(array->children[i]);
	}
	free(array->children);
	if (array->dictionary && array->dictionary->release)
		array->dictionary->release(array->dictionary);
	free(array->dictionary);
	if (kept && Py_IsInitialized()) {	/* an array may outlive Python */
		PyGILState_STATE state = PyGILState_Ensure();

		Py_DECREF(kept->batch);
		PyGILState_Release(state);
	}
	free(kept);
	array->release = NULL;
}

static bool array_init(struct ArrowArray *array, PyObject *batch, int64_t length,
		       int64_t nr_buffers)
{
	struct kept *kept = calloc(1, sizeof(*kept));

	*array = (struct ArrowArray){ .length = length, .n_buffers = nr_buffers,
				      .release = array_release, .private_data = kept };
	if (!kept)
		return false;
	kept->batch = Py_NewRef(batch);
	array->buffers = kept->buffers;	/* the first would mark nulls; NULL: none */
	return true;
}

static void show_strings(struct ArrowArray *array, const struct byte_strings *strings)
{
	array->buffers[1] = strings->offsets;
	array->buffers[2] = strings->bytes ? strings->bytes : "";
}

static bool array_of_column(struct ArrowArray *array, struct py_batch *batch,
			    const struct column *column)
{
	bool bytes = column->type == COLUMN_BYTES;

	if (!array_init(array, (PyObject *)batch, batch->batch.nr_rows, bytes ? 3 : 2))
		return false;
	if (bytes)
		show_strings(array, &column->strings);
	else
		array->buffers[1] = column->values;
	if (column->type != COLUMN_TEXT)
		return true;
	array->dictionary = calloc(1, sizeof(*array->dictionary));
	if (!array->dictionary ||
	    !array_init(array->dictionary, (PyObject *)batch, column->strings.nr, 3))
		return false;
	show_strings(array->dictionary, &column->strings);
	return true;
}

static bool array_of_batch(struct ArrowArray *array, struct py_batch *batch)
{
	size_t nr = batch->batch.nr_columns;

	if (!array_init(array, (PyObject *)batch, batch->batch.nr_rows, 1))
		return false;
	array->children = calloc(nr + 1, sizeof(*array->children));
	for (size_t i = 0; array->children && i < nr; i++) {
		array->children[i] = calloc(1, sizeof(**array->children));
		if (!array->children[i])
			return false;
		array->n_children = i + 1;
		if (!array_of_column(array->children[i], batch, &batch->batch.columns[i]))
			return false;
	}
	return array->children;
}

/* ---- capsules ------------------------------------------------------------ */

#define CAPSULE(what, type, capsule_name)					\
static void what##_capsule_destroy(PyObject *capsule)				\
{										\
	type *pointed = PyCapsule_GetPointer(capsule, capsule_name);		\
										\
	if (pointed->release)	/* else a consumer has moved its contents away */		\
		pointed->release(pointed);					\
	free(pointed);								\
}										\
										\
/* Moves the contents of @from. */							\
static PyObject *what##_capsule(type *from, bool made)				\
{										\
	type *pointed = made ? malloc(sizeof(*pointed)) : NULL;			\
	PyObject *capsule;							\
										\
	if (!pointed) {								\
		if (from->release)						\
			from->release(from);					\
		return PyErr_NoMemory();					\
	}									\
	*pointed = *from;							\
	capsule = PyCapsule_New(pointed, capsule_name, what##_capsule_destroy);	\
	if (!capsule) {								\
		pointed->release(pointed);					\
		free(pointed);							\
	}									\
	return capsule;								\
}

CAPSULE(schema, struct ArrowSchema, "arrow_schema")
CAPSULE(array, struct ArrowArray, "arrow_array")
CAPSULE(stream, struct ArrowArrayStream, "arrow_array_stream")

static PyObject *pair(struct ArrowSchema *schema, bool schema_made, struct ArrowArray *array,
		      bool array_made)
{
	PyObject *first = schema_capsule(schema, schema_made);
	PyObject *second = array_capsule(array, array_made);

	if (first && second)
		return Py_BuildValue("(NN)", first, second);
	Py_XDECREF(first);
	Py_XDECREF(second);
	return NULL;
}

/* Accept the argument requested_schema, but ignore it: the consumer may refuse our types. */
static bool parse_request(PyObject *args, PyObject *keywords)
{
	static char *names[] = { "requested_schema", NULL };
	PyObject *requested;

	return PyArg_ParseTupleAndKeywords(args, keywords, "|O", names, &requested);
}

PyObject *py_batch_arrow_schema(PyObject *self, PyObject *unused)
{
	struct ArrowSchema schema;
	bool made = schema_of_batch(&schema, &((struct py_batch *)self)->batch);

	return schema_capsule(&schema, made);
}

PyObject *py_batch_arrow_array(PyObject *self, PyObject *args, PyObject *keywords)
{
	struct py_batch *batch = (struct py_batch *)self;
	struct ArrowSchema schema;
	struct ArrowArray array;
	bool schema_made, array_made;

	if (!parse_request(args, keywords))
		return NULL;
	schema_made = schema_of_batch(&schema, &batch->batch);
	array_made = array_of_batch(&array, batch);
	return pair(&schema, schema_made, &array, array_made);
}

PyObject *py_column_arrow_schema(PyObject *self, PyObject *unused)
{
	struct ArrowSchema schema;
	bool made = schema_of_column(&schema, ((struct py_column *)self)->column);

	return schema_capsule(&schema, made);
}

PyObject *py_column_arrow_array(PyObject *self, PyObject *args, PyObject *keywords)
{
	struct py_column *column = (struct py_column *)self;
	struct ArrowSchema schema;
	struct ArrowArray array;
	bool schema_made, array_made;

	if (!parse_request(args, keywords))
		return NULL;
	schema_made = schema_of_column(&schema, column->column);
	array_made = array_of_column(&array, column->batch, column->column);
	return pair(&schema, schema_made, &array, array_made);
}

/* ---- streams ------------------------------------------------------------- */

struct stream {
	PyObject *iterator;
	PyObject *schema;	/* a batch with the same columns */
	char error[256];
};

static int arrow_fail(struct stream *stream)
{
	PyObject *type, *value, *traceback, *text;

	PyErr_Fetch(&type, &value, &traceback);
	text = value ? PyObject_Str(value) : NULL;
	snprintf(stream->error, sizeof(stream->error), "%s",
		 text && PyUnicode_AsUTF8(text) ? PyUnicode_AsUTF8(text) : "out of memory");
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(traceback);
	PyErr_Clear();
	return 5;	/* EIO */
}

static int stream_get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
	struct stream *stream = self->private_data;
	PyGILState_STATE state = PyGILState_Ensure();
	bool made = schema_of_batch(out, &((struct py_batch *)stream->schema)->batch);

	if (!made)
		schema_release(out);
	PyGILState_Release(state);
	return made ? 0 : 12;	/* ENOMEM */
}

static int stream_get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
	struct stream *stream = self->private_data;
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *batch = PyIter_Next(stream->iterator);
	int code = 0;

	memset(out, 0, sizeof(*out));	/* the end: nothing to release */
	if (batch && !array_of_batch(out, (struct py_batch *)batch)) {
		array_release(out);
		PyErr_NoMemory();
	}
	Py_XDECREF(batch);
	if (PyErr_Occurred())
		code = arrow_fail(stream);
	PyGILState_Release(state);
	return code;
}

static const char *stream_get_last_error(struct ArrowArrayStream *self)
{
	struct stream *stream = self->private_data;

	return stream->error[0] ? stream->error : NULL;
}

static void stream_release(struct ArrowArrayStream *self)
{
	struct stream *stream = self->private_data;

	if (Py_IsInitialized()) {
		PyGILState_STATE state = PyGILState_Ensure();

		Py_XDECREF(stream->iterator);
		Py_XDECREF(stream->schema);
		PyGILState_Release(state);
	}
	free(stream);
	self->release = NULL;
}

PyObject *py_arrow_stream_new(PyObject *iterator, PyObject *schema)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	struct ArrowArrayStream made = {
		.get_schema = stream_get_schema, .get_next = stream_get_next,
		.get_last_error = stream_get_last_error, .private_data = stream,
	};

	if (stream) {
		stream->iterator = Py_NewRef(iterator);
		stream->schema = Py_NewRef(schema);
		made.release = stream_release;
	}
	return stream_capsule(&made, stream);
}

PyObject *py_batch_arrow_stream(PyObject *self, PyObject *args, PyObject *keywords)
{
	PyObject *list, *iterator, *capsule;

	if (!parse_request(args, keywords))
		return NULL;
	list = PyTuple_Pack(1, self);
	iterator = list ? PyObject_GetIter(list) : NULL;
	capsule = iterator ? py_arrow_stream_new(iterator, self) : NULL;
	Py_XDECREF(iterator);
	Py_XDECREF(list);
	return capsule;
}
