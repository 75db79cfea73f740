// SPDX-License-Identifier: GPL-2.0
#include "cmd/check/check.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/strbuf.h"
#include "terminal/words.h"

/* Debian's Python, which the package is built for. */
#define PYTHON "/usr/bin/python3"

/*
 * The same as `python3 -m MODULE`, but that would look for modules in the current folder
 * first, which may belong to someone else.  Older Pythons have no option -P against this.
 */
#define PROGRAM(module)						\
	"import sys\n"						\
	"if sys.path[:1] == ['']:\n"				\
	"    del sys.path[0]\n"					\
	"import runpy\n"					\
	"runpy.run_module('" module "', run_name='__main__', alter_sys=True)\n"

/* In a source tree, build/python is beside build/bin; an installed package is found by Python. */
static struct error *set_python_path(void)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	const char *others = getenv("PYTHONPATH");
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (len < 0)
		return NULL;
	self[len] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	strbuf_addf(&path, "%s/../python", self);
	if (path.failed || access(path.data, F_OK))
		return NULL;
	if (others && *others)
		strbuf_addf(&path, ":%s", others);
	if (path.failed || setenv("PYTHONPATH", path.data, 1))
		return &error_no_memory;
	return NULL;
}

static void add_words(struct words *words, char *list, const char *input, const char *pages,
		      const char *dot, char **command)
{
	char *save = NULL;

	for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save))
		words_add(words, word);
	words_add_option(words, "-i", input);
	words_add_option(words, "-m", pages);
	words_add_option(words, "--dot", dot);
	if (command)
		words_add(words, "--");
	words_add_all(words, command);
}

/* Replace this process by Python with the arguments @words. */
static struct error *exec_python(struct words *words)
{
	struct error *err = set_python_path();
	char **argv;

	if (err)
		return err;
	argv = words_argv(words);
	if (!argv)
		return &error_no_memory;
	execv(PYTHON, argv);
	return error_hint(error_errno(errno, "Cannot run " PYTHON),
			  "Expectations are judged by Python: apt-get install python3");
}

static void add_module(struct words *words, const char *program)
{
	words_add(words, PYTHON);
	words_add(words, "-c");
	words_add(words, program);
}

struct error *check_expect_exec(const char *list, const char *input, const char *pages,
				const char *dot, char **command)
{
	_cleanup_free_ char *copy = strdup(list);
	_cleanup_(words) struct words words = { 0 };

	if (!copy)
		return &error_no_memory;
	add_module(&words, PROGRAM("ktrace.expect"));
	add_words(&words, copy, input, pages, dot, command);
	return exec_python(&words);
}

struct error *check_learn_exec(char **files, const char *output, const char *dot)
{
	_cleanup_(words) struct words words = { 0 };

	add_module(&words, PROGRAM("ktrace.learn"));
	words_add_option(&words, "-o", output);
	words_add_option(&words, "--dot", dot);
	words_add(&words, "--");
	words_add_all(&words, files);
	return exec_python(&words);
}
