// SPDX-License-Identifier: GPL-2.0
#include "script/columns/py_columns.h"

static PyTypeObject batch_type, column_type;

/* ---- one column ---------------------------------------------------------- */

static const char *type_name(const struct column *column)
{
	static const char *const integers[2][4] = {
		{ "uint8", "uint16", "uint32", "uint64" },
		{ "int8", "int16", "int32", "int64" },
	};

	switch (column->type) {
	case COLUMN_TIME:
		return "time";
	case COLUMN_TEXT:
		return "text";
	case COLUMN_BYTES:
		return "bytes";
	case COLUMN_FLOAT:
		return "float64";
	default:
		return integers[column->is_signed][__builtin_ctz(column->size)];
	}
}

/* A format of Python's struct module, with native sizes. */
static char *buffer_format(const struct column *column)
{
	static char formats[2][4][2] = {
		{ "B", "H", "I", "Q" }, { "b", "h", "i", "q" },
	};
	static char bytes[] = "B", number[] = "d";

	if (column->type == COLUMN_BYTES)
		return bytes;
	if (column->type == COLUMN_FLOAT)
		return number;
	return formats[column->is_signed][__builtin_ctz(column->size)];
}

static int column_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
	struct py_column *object = (struct py_column *)self;
	const struct column *column = object->column;
	void *data = column->type == COLUMN_BYTES ? column->strings.bytes : column->values;
	static char nothing[8];

	if (flags & PyBUF_WRITABLE) {
		PyErr_SetString(PyExc_BufferError, "the values of a column cannot be changed");
		view->obj = NULL;
		return -1;
	}
	*view = (Py_buffer){
		.buf = data ? data : nothing, .obj = Py_NewRef(self),
		.len = object->length * object->stride, .itemsize = object->stride,
		.readonly = 1, .ndim = 1, .shape = &object->length,
		.format = flags & PyBUF_FORMAT ? buffer_format(column) : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &object->stride : NULL,
	};
	return 0;
}

static Py_ssize_t column_length(PyObject *self)
{
	return ((struct py_column *)self)->batch->batch.nr_rows;
}

static PyObject *byte_string_text(const struct byte_strings *strings, size_t number)
{
	int64_t at = strings->offsets[number];

	return PyUnicode_DecodeUTF8(strings->bytes + at, strings->offsets[number + 1] - at,
				    "surrogateescape");
}

static PyObject *get_dictionary(struct py_column *self)
{
	const struct byte_strings *strings = &self->column->strings;
	PyObject *tuple;

	if (self->column->type != COLUMN_TEXT)
		Py_RETURN_NONE;
	if (self->dictionary)
		return Py_NewRef(self->dictionary);
	tuple = PyTuple_New(strings->nr);
	for (size_t i = 0; tuple && i < strings->nr; i++) {
		PyObject *text = byte_string_text(strings, i);

		if (!text)
			Py_CLEAR(tuple);
		else
			PyTuple_SET_ITEM(tuple, i, text);
	}
	self->dictionary = Py_XNewRef(tuple);
	return tuple;
}

static PyObject *integer_at(const struct column *column, Py_ssize_t i)
{
	switch (column->size) {
	case 1:
		return PyLong_FromLong(column->is_signed ? ((int8_t *)column->values)[i] :
				       ((uint8_t *)column->values)[i]);
	case 2:
		return PyLong_FromLong(column->is_signed ? ((int16_t *)column->values)[i] :
				       ((uint16_t *)column->values)[i]);
	case 4:
		return PyLong_FromLong(column->is_signed ? ((int32_t *)column->values)[i] :
				       (long)((uint32_t *)column->values)[i]);
	}
	if (column->is_signed)
		return PyLong_FromLong(((int64_t *)column->values)[i]);
	return PyLong_FromUnsignedLong(((uint64_t *)column->values)[i]);
}

static PyObject *column_item(PyObject *self, Py_ssize_t i)
{
	struct py_column *object = (struct py_column *)self;
	const struct column *column = object->column;
	PyObject *dictionary, *value;
	int64_t at;

	if (i < 0 || i >= column_length(self)) {
		PyErr_SetString(PyExc_IndexError, "there is no such row");
		return NULL;
	}
	switch (column->type) {
	case COLUMN_TEXT:
		dictionary = get_dictionary(object);
		if (!dictionary)
			return NULL;
		value = Py_NewRef(PyTuple_GET_ITEM(dictionary, ((int32_t *)column->values)[i]));
		Py_DECREF(dictionary);
		return value;
	case COLUMN_BYTES:
		at = column->strings.offsets[i];
		return PyBytes_FromStringAndSize(column->strings.bytes + at,
						 column->strings.offsets[i + 1] - at);
	case COLUMN_FLOAT:
		return PyFloat_FromDouble(((double *)column->values)[i]);
	default:
		return integer_at(column, i);
	}
}

static PyObject *column_tolist(PyObject *self, PyObject *unused)
{
	Py_ssize_t nr = column_length(self);
	PyObject *list = PyList_New(nr);

	for (Py_ssize_t i = 0; list && i < nr; i++) {
		PyObject *value = column_item(self, i);

		if (!value)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, value);
	}
	return list;
}

static PyObject *column_name(PyObject *self, void *unused)
{
	return PyUnicode_FromString(((struct py_column *)self)->column->name);
}

static PyObject *column_type_name(PyObject *self, void *unused)
{
	return PyUnicode_FromString(type_name(((struct py_column *)self)->column));
}

static PyObject *column_is_address(PyObject *self, void *unused)
{
	return PyBool_FromLong(((struct py_column *)self)->column->is_address);
}

static PyObject *column_dictionary(PyObject *self, void *unused)
{
	return get_dictionary((struct py_column *)self);
}

static PyObject *column_repr(PyObject *self)
{
	const struct column *column = ((struct py_column *)self)->column;

	return PyUnicode_FromFormat("<ktrace.Column %s: %zd x %s>", column->name,
				    column_length(self), type_name(column));
}

static void column_dealloc(PyObject *self)
{
	struct py_column *object = (struct py_column *)self;

	Py_XDECREF(object->dictionary);
	Py_XDECREF(object->batch);
	Py_TYPE(self)->tp_free(self);
}

static PyMethodDef column_methods[] = {
	{ "tolist", column_tolist, METH_NOARGS,
	  "tolist() -> list\n\nThe values as int, str or bytes." },
	{ "__arrow_c_schema__", py_column_arrow_schema, METH_NOARGS,
	  "__arrow_c_schema__() -> capsule 'arrow_schema'" },
	{ "__arrow_c_array__", (PyCFunction)(void (*)(void))py_column_arrow_array,
	  METH_VARARGS | METH_KEYWORDS,
	  "__arrow_c_array__(requested_schema=None) -> capsules 'arrow_schema', 'arrow_array'" },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef column_members[] = {
	{ "name", column_name, NULL, "The name of the column (str).", NULL },
	{ "type", column_type_name, NULL,
	  "'int8' ... 'uint64'; 'time': int64, ns of the recording's clock; 'text': int32,\n"
	  "index of the text in dictionary; 'bytes': of different lengths.", NULL },
	{ "is_address", column_is_address, NULL,
	  "Whether the integers are addresses, which people read in hex (bool).", NULL },
	{ "dictionary", column_dictionary, NULL,
	  "The texts that the numbers of a 'text' column stand for (tuple of str); else None.",
	  NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyBufferProcs column_buffer = { .bf_getbuffer = column_getbuffer };

static PySequenceMethods column_sequence = {
	.sq_length = column_length,
	.sq_item = column_item,
};

static PyTypeObject column_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Column",
	.tp_basicsize = sizeof(struct py_column),
	.tp_dealloc = column_dealloc,
	.tp_repr = column_repr,
	.tp_as_sequence = &column_sequence,
	.tp_as_buffer = &column_buffer,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "One value of all events of a batch.\n\n"
		  "numpy.asarray(column) and memoryview(column) see the values without copying:\n"
		  "integers unchanged, times as int64 ns, texts as int32 numbers into\n"
		  "column.dictionary, bytes as all the bytes in a row.",
	.tp_methods = column_methods,
	.tp_getset = column_members,
};

/* ---- a batch ------------------------------------------------------------- */

static PyObject *batch_subscript(PyObject *self, PyObject *name)
{
	struct py_batch *object = (struct py_batch *)self;
	const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
	struct column *column = text ? batch_column(&object->batch, text) : NULL;
	struct py_column *made;

	if (!column) {
		if (!PyErr_Occurred())
			PyErr_SetObject(PyExc_KeyError, name);
		return NULL;
	}
	made = (struct py_column *)column_type.tp_alloc(&column_type, 0);
	if (!made)
		return NULL;
	made->batch = (struct py_batch *)Py_NewRef(self);
	made->column = column;
	made->length = object->batch.nr_rows;
	made->stride = column->size;
	if (column->type == COLUMN_BYTES) {
		made->length = column->strings.offsets[column->strings.nr];
		made->stride = 1;
	}
	return (PyObject *)made;
}

static Py_ssize_t batch_length(PyObject *self)
{
	return ((struct py_batch *)self)->batch.nr_rows;
}

static PyObject *batch_iter(PyObject *self)
{
	return PyObject_GetIter(((struct py_batch *)self)->names);
}

static int batch_contains(PyObject *self, PyObject *name)
{
	return PySequence_Contains(((struct py_batch *)self)->names, name);
}

static PyObject *batch_keys(PyObject *self, PyObject *unused)
{
	return PySequence_List(((struct py_batch *)self)->names);
}

/* The values of a column for pandas, which share the memory of the column if possible. */
static PyObject *pandas_values(PyObject *column, PyObject *numpy, PyObject *pandas)
{
	enum column_type type = ((struct py_column *)column)->column->type;
	PyObject *array, *dictionary, *categorical, *result;

	if (type == COLUMN_BYTES)
		return column_tolist(column, NULL);
	array = PyObject_CallMethod(numpy, "asarray", "O", column);
	if (!array || type == COLUMN_INTEGER || type == COLUMN_FLOAT)
		return array;
	if (type == COLUMN_TIME) {
		result = PyObject_CallMethod(array, "view", "s", "datetime64[ns]");
		Py_DECREF(array);
		return result;
	}
	dictionary = get_dictionary((struct py_column *)column);
	categorical = PyObject_GetAttrString(pandas, "Categorical");
	result = dictionary && categorical ?
		 PyObject_CallMethod(categorical, "from_codes", "OO", array, dictionary) : NULL;
	Py_XDECREF(categorical);
	Py_XDECREF(dictionary);
	Py_DECREF(array);
	return result;
}

/* The times of the wall clock as a pandas.DatetimeIndex. */
static PyObject *wall_times(struct py_batch *batch, PyObject *numpy, PyObject *pandas)
{
	PyObject *name = PyUnicode_FromString("_time"), *column = NULL, *array = NULL;
	PyObject *offset = PyLong_FromLongLong(batch->wall_offset), *index = NULL;

	if (!batch->has_wall_offset)
		PyErr_SetString(PyExc_ValueError, "the recording has no times of the wall clock: "
				"record -k monotonic stores them");
	else if (name && !PySequence_Contains(batch->names, name))
		PyErr_SetString(PyExc_ValueError, "the wall clock's times need the column _time");
	else if (name)
		column = PyObject_GetItem((PyObject *)batch, name);
	if (column && offset)
		array = PyObject_CallMethod(numpy, "asarray", "O", column);
	if (array)
		Py_SETREF(array, PyNumber_Add(array, offset));
	if (array)
		Py_SETREF(array, PyObject_CallMethod(array, "view", "s", "datetime64[ns]"));
	if (array)
		index = PyObject_CallMethod(pandas, "DatetimeIndex", "O", array);
	if (index)
		Py_SETREF(index, PyObject_CallMethod(index, "rename", "s", "_realtime"));
	Py_XDECREF(array);
	Py_XDECREF(column);
	Py_XDECREF(offset);
	Py_XDECREF(name);
	return index;
}

/* 1: its times can be those of the wall clock; -1: an exception. */
static int tells_realtime(struct py_batch *batch)
{
	PyObject *name = batch->has_wall_offset ? PyUnicode_FromString("_time") : NULL;
	int ret;

	if (!name)
		return batch->has_wall_offset ? -1 : 0;
	ret = PySequence_Contains(batch->names, name);
	Py_DECREF(name);
	return ret;
}

static PyObject *batch_to_pandas(PyObject *self, PyObject *arguments, PyObject *given)
{
	static char *words[] = { "realtime", NULL };
	struct py_batch *object = (struct py_batch *)self;
	PyObject *given_realtime = Py_None;
	int realtime;
	PyObject *numpy, *pandas, *dict, *frame = NULL, *index, *type, *args, *keywords;

	if (!PyArg_ParseTupleAndKeywords(arguments, given, "|O:to_pandas", words,
					 &given_realtime))
		return NULL;
	realtime = given_realtime == Py_None ? tells_realtime(object) :
					       PyObject_IsTrue(given_realtime);
	if (realtime < 0)
		return NULL;
	numpy = PyImport_ImportModule("numpy");
	pandas = numpy ? PyImport_ImportModule("pandas") : NULL;
	dict = pandas ? PyDict_New() : NULL;
	for (Py_ssize_t i = 0; dict && i < PyTuple_GET_SIZE(object->names); i++) {
		PyObject *name = PyTuple_GET_ITEM(object->names, i);
		PyObject *column = batch_subscript(self, name);
		PyObject *values = column ? pandas_values(column, numpy, pandas) : NULL;

		if (!values || PyDict_SetItem(dict, name, values) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(values);
		Py_XDECREF(column);
	}
	if (dict) {
		type = PyObject_GetAttrString(pandas, "DataFrame");
		args = PyTuple_Pack(1, dict);
		keywords = Py_BuildValue("{sO}", "copy", Py_False);
		if (type && args && keywords)
			frame = PyObject_Call(type, args, keywords);
		Py_XDECREF(type);
		Py_XDECREF(args);
		Py_XDECREF(keywords);
	}
	index = frame && realtime ? wall_times(object, numpy, pandas) : NULL;
	if (frame && realtime && (!index || PyObject_SetAttrString(frame, "index", index) < 0))
		Py_CLEAR(frame);
	Py_XDECREF(index);
	Py_XDECREF(dict);
	Py_XDECREF(pandas);
	Py_XDECREF(numpy);
	return frame;
}

static PyObject *batch_html(PyObject *self, PyObject *unused)
{
	PyObject *notebook = PyImport_ImportModule("ktrace.notebook"), *text;

	if (!notebook)
		return NULL;
	text = PyObject_CallMethod(notebook, "batch", "O", self);
	Py_DECREF(notebook);
	return text;
}

static PyObject *batch_get_event(PyObject *self, void *unused)
{
	return Py_NewRef(((struct py_batch *)self)->event);
}

static PyObject *batch_get_names(PyObject *self, void *unused)
{
	return Py_NewRef(((struct py_batch *)self)->names);
}

static PyObject *batch_get_wall_offset(PyObject *self, void *unused)
{
	const struct py_batch *object = (struct py_batch *)self;

	return object->has_wall_offset ? PyLong_FromLongLong(object->wall_offset) :
					 Py_NewRef(Py_None);
}

static PyObject *batch_repr(PyObject *self)
{
	struct py_batch *object = (struct py_batch *)self;

	return PyUnicode_FromFormat("<ktrace.Batch of %zd %U: %R>", batch_length(self),
				    object->event, object->names);
}

static void batch_dealloc(PyObject *self)
{
	struct py_batch *object = (struct py_batch *)self;

	batch_deinit(&object->batch);
	Py_XDECREF(object->event);
	Py_XDECREF(object->names);
	Py_TYPE(self)->tp_free(self);
}

static PyMethodDef batch_methods[] = {
	{ "keys", batch_keys, METH_NOARGS, "keys() -> list of the names of the columns" },
	{ "to_pandas", (PyCFunction)(void (*)(void))batch_to_pandas, METH_VARARGS | METH_KEYWORDS,
	  "to_pandas(realtime=None) -> pandas.DataFrame\n\nIntegers and times share the memory of the batch;\n"
	  "texts become categories, bytes objects.  Times are datetime64[ns] whose 1970 is the zero\n"
	  "of the recording's clock; those of the wall clock are the index, where they are known.\n"
	  "realtime=True: they have to be; realtime=False: rows are numbered." },
	{ "_repr_html_", batch_html, METH_NOARGS,
	  "_repr_html_() -> str\n\n"
	  "The display in notebooks: the first rows." },
	{ "__arrow_c_schema__", py_batch_arrow_schema, METH_NOARGS,
	  "__arrow_c_schema__() -> capsule 'arrow_schema'" },
	{ "__arrow_c_array__", (PyCFunction)(void (*)(void))py_batch_arrow_array,
	  METH_VARARGS | METH_KEYWORDS,
	  "__arrow_c_array__(requested_schema=None) -> capsules 'arrow_schema', 'arrow_array'" },
	{ "__arrow_c_stream__", (PyCFunction)(void (*)(void))py_batch_arrow_stream,
	  METH_VARARGS | METH_KEYWORDS,
	  "__arrow_c_stream__(requested_schema=None) -> capsule 'arrow_array_stream'" },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef batch_members[] = {
	{ "event", batch_get_event, NULL, "Name of the event ('system:name').", NULL },
	{ "names", batch_get_names, NULL, "Names of the columns (tuple of str).", NULL },
	{ "wall_offset", batch_get_wall_offset, NULL,
	  "The offset from its times to ns since 1970; None: the recording has no times of the "
	  "wall clock.",
	  NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMappingMethods batch_mapping = {
	.mp_length = batch_length,
	.mp_subscript = batch_subscript,
};

static PySequenceMethods batch_sequence = {
	.sq_contains = batch_contains,
};

static PyTypeObject batch_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "ktrace.Batch",
	.tp_basicsize = sizeof(struct py_batch),
	.tp_dealloc = batch_dealloc,
	.tp_repr = batch_repr,
	.tp_as_sequence = &batch_sequence,
	.tp_as_mapping = &batch_mapping,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_doc = "Events of one type as columns.\n\n"
		  "batch['field'] is a Column, len(batch) the number of events.  Batches go to\n"
		  "numpy by their columns, to pandas by to_pandas(), and directly to\n"
		  "everything that takes Arrow.",
	.tp_iter = batch_iter,
	.tp_methods = batch_methods,
	.tp_getset = batch_members,
};

int py_columns_init(void)
{
	return PyType_Ready(&batch_type) < 0 || PyType_Ready(&column_type) < 0 ? -1 : 0;
}

PyTypeObject *py_batch_type(void)
{
	return &batch_type;
}

PyTypeObject *py_column_type(void)
{
	return &column_type;
}

void py_batch_set_wall_offset(PyObject *batch, int64_t offset)
{
	((struct py_batch *)batch)->has_wall_offset = true;
	((struct py_batch *)batch)->wall_offset = offset;
}

PyObject *py_batch_new(struct batch *batch, const char *event)
{
	struct py_batch *made = (struct py_batch *)batch_type.tp_alloc(&batch_type, 0);

	if (!made) {
		batch_deinit(batch);
		return NULL;
	}
	made->batch = *batch;
	*batch = (struct batch){ 0 };
	made->event = PyUnicode_FromString(event);
	made->names = PyTuple_New(made->batch.nr_columns);
	/* The batch may outlive the event list. */
	made->batch.event = NULL;
	for (size_t i = 0; made->names && i < made->batch.nr_columns; i++) {
		PyObject *name = PyUnicode_InternFromString(made->batch.columns[i].name);

		if (!name)
			Py_CLEAR(made->names);
		else
			PyTuple_SET_ITEM(made->names, i, name);
	}
	if (!made->event || !made->names) {
		Py_DECREF(made);
		return NULL;
	}
	return (PyObject *)made;
}
