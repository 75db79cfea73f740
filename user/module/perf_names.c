// SPDX-License-Identifier: GPL-2.0
/*
 * Names of system calls, of errors and of settings.
 */
#include "module/perf.h"

#include <elf.h>
#include <limits.h>
#include <string.h>

#include "format/syscalls.h"
#include "lib/array.h"
#include "lib/perf_config.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

/*
 * Machines by uname's name.  Machines with calls number system calls as the kernel's generic table,
 * or have a table of their own here, and number errors as all of these do.
 */
static const struct {
	const char *arch;
	uint16_t machine;
	uint8_t bits;
	bool calls;
} machines[] = {
	{ "x86_64", EM_X86_64, 64, true }, { "aarch64", EM_AARCH64, 64, true },
	{ "riscv64", EM_RISCV, 64, true }, { "loongarch64", EM_LOONGARCH, 64, true },
	{ "i386", EM_386, 32, true }, { "i586", EM_386, 32, true }, { "i686", EM_386, 32, true },
	{ "armv7l", EM_ARM, 32, false }, { "armv6l", EM_ARM, 32, false },
	{ "s390x", EM_S390, 64, false }, { "ppc64le", EM_PPC64, 64, false },
	{ "ppc64", EM_PPC64, 64, false }, { "mips64", EM_MIPS, 64, false },
};

int perf_elf_machine(const char *arch, int *ret_bits)
{
	for (size_t i = 0; arch && i < ARRAY_SIZE(machines); i++) {
		if (strcmp(machines[i].arch, arch))
			continue;
		*ret_bits = machines[i].bits;
		return machines[i].machine;
	}
	*ret_bits = 0;
	return 0;
}

/* *ret: uname's name for it; NULL: this machine, or one without a table.  False: an exception. */
static bool names_machine(PyObject *given, const char **ret, bool *ret_known)
{
	long machine = !given || given == Py_None ? 0 : PyLong_AsLong(given);

	*ret = NULL;
	*ret_known = machine <= 0;
	for (size_t i = 0; machine > 0 && !*ret && i < ARRAY_SIZE(machines); i++) {
		if (machines[i].machine != machine)
			continue;
		*ret = machines[i].arch;
		*ret_known = machines[i].calls;
	}
	return !PyErr_Occurred();
}

/* The tables are created once, and kept.  *ret_first: the number of call 0. */
static struct error *names_calls(const char *arch, struct syscalls **ret, uint64_t *ret_first)
{
	static struct syscalls *of_this, *of_x86_64, *generic;
	bool is_i386 = arch && !strcmp(arch, "i386"), is_x86 = is_i386 || (arch && !strcmp(arch, "x86_64"));
	struct syscalls **calls = !arch ? &of_this : is_x86 ? &of_x86_64 : &generic;
	struct error *err = NULL;

	if (!*calls)
		err = syscalls_create(is_i386 ? "x86_64" : arch, calls);
	*ret_first = is_i386 ? SYSCALL_I386 : 0;
	*ret = *calls;
	return err;
}

static PyObject *names_syscall_name(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *words[] = { "id", "elf_machine", NULL };
	const struct syscall_info *info;
	PyObject *given = NULL;
	struct syscalls *calls;
	const char *arch;
	struct error *err;
	uint64_t first;
	bool known;
	int id;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "i|O:syscall_name", words, &id, &given) ||
	    !names_machine(given, &arch, &known))
		return NULL;
	if (!known || id < 0)
		Py_RETURN_NONE;
	err = names_calls(arch, &calls, &first);
	if (err)
		return py_error_raise(err);
	info = id < (first ? SYSCALL_NUMBERS - SYSCALL_I386 : SYSCALL_I386) ?
	       syscalls_at(calls, first + id) : NULL;
	if (!info || !info->known)
		Py_RETURN_NONE;
	return PyUnicode_FromString(info->name);
}

static PyObject *names_syscall_id(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *words[] = { "name", "elf_machine", NULL };
	struct syscalls *calls = NULL;
	const char *name, *arch;
	PyObject *given = NULL;
	struct error *err;
	uint64_t first;
	bool known;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|O:syscall_id", words, &name, &given) ||
	    !names_machine(given, &arch, &known))
		return NULL;
	err = known ? names_calls(arch, &calls, &first) : NULL;
	if (err)
		return py_error_raise(err);
	for (uint64_t id = 0; calls && id < SYSCALL_I386; id++) {
		const struct syscall_info *info = syscalls_at(calls, first + id);

		if (info && info->known && !strcmp(info->name, name))
			return PyLong_FromUnsignedLongLong(id);
	}
	return PyErr_Format(PyExc_ValueError, "There is no system call %s on this machine", name);
}

static PyObject *names_errno(PyObject *module, PyObject *args, PyObject *keywords)
{
	static char *words[] = { "err", "elf_machine", NULL };
	const char *arch, *name = NULL;
	PyObject *given = NULL;
	bool known;
	int number;

	if (!PyArg_ParseTupleAndKeywords(args, keywords, "i|O:arch_strerrno", words, &number, &given) ||
	    !names_machine(given, &arch, &known))
		return NULL;
	if (known && number != INT_MIN)
		name = strerrorname_np(number < 0 ? -number : number);
	if (!name || !strcmp(name, "0"))
		Py_RETURN_NONE;
	return PyUnicode_FromString(name);
}

static PyObject *names_config(PyObject *module, PyObject *args)
{
	_cleanup_(perf_config) struct perf_config config = { 0 };
	const char *name, *value;
	struct error *err;

	if (!PyArg_ParseTuple(args, "s:config_get", &name))
		return NULL;
	err = perf_config_read(&config);
	if (err)
		return py_error_raise(err);
	value = perf_config_get(&config, name);
	if (!value)
		Py_RETURN_NONE;
	return PyUnicode_FromString(value);
}

#define WITH_KEYWORDS(function) \
	(PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS
PyMethodDef perf_name_functions[] = {
	{ "syscall_name", WITH_KEYWORDS(names_syscall_name),
	  "syscall_name(id, elf_machine=None) -> str or None\n\nThe name of a system call; None: the "
	  "number has none, or those of that machine are not known." },
	{ "syscall_id", WITH_KEYWORDS(names_syscall_id),
	  "syscall_id(name, elf_machine=None) -> int\n\nThe number of a system call." },
	{ "arch_strerrno", WITH_KEYWORDS(names_errno),
	  "arch_strerrno(err, elf_machine=None) -> str or None\n\n'ENOENT' of 2 or -2." },
	{ "config_get", names_config, METH_VARARGS,
	  "config_get(name) -> str or None\n\nA setting of perf's files, as ktrace config reads them." },
	{ NULL, NULL, 0, NULL },
};
