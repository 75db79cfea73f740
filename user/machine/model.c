// SPDX-License-Identifier: GPL-2.0
#include "machine/model.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/file.h"
#include "lib/strbuf.h"
#include "terminal/word_list.h"

#define MODEL_DOT	".dot"
#define MODEL_BINDING	".binding"

void model_deinit(struct model *model)
{
	free(model->name);
	automaton_destroy(model->automaton);
	binding_destroy(model->binding);
	*model = (struct model){ 0 };
}

void models_deinit(struct models *models)
{
	for (size_t i = 0; i < models->nr; i++)
		model_deinit(&models->items[i]);
	free(models->items);
}

static bool model_ends_in(const char *path, const char *end)
{
	size_t len = strlen(path);

	return len > strlen(end) && !strcmp(path + len - strlen(end), end);
}

static struct error *model_read_automaton(const char *path, struct model *model)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	struct error *err = file_read(path, &text, &len);

	return err ? err : automaton_parse(path, text, len, &model->automaton);
}

static struct error *model_read_binding(const char *path, struct model *model)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	struct error *err = file_read(path, &text, &len);

	return err ? err : binding_parse(path, text, len, &model->binding);
}

static char *model_path(const char *folder, const char *name, const char *end)
{
	char *path;

	return asprintf(&path, "%s/%s%s", folder, name, end) < 0 ? NULL : path;
}

/*
 * Read the binding beside a .dot file.  Without one, use the shipped binding of that name, for .dot
 * files of the kernel's sources.
 */
static struct error *model_find_binding(const char *folder, const char *dot, struct model *model)
{
	int stem = strlen(dot) - strlen(MODEL_DOT);
	_cleanup_free_ char *shipped = model_path(folder, model->name, MODEL_BINDING);
	_cleanup_free_ char *beside = NULL;

	if (!shipped || asprintf(&beside, "%.*s" MODEL_BINDING, stem, dot) < 0)
		return &error_no_memory;
	if (!access(beside, F_OK))
		return model_read_binding(beside, model);
	if (!access(shipped, F_OK))
		return model_read_binding(shipped, model);
	return error_hint(error_new(ENOENT, "%s has no binding of its events to tracepoints",
				    dot), "Write %s; ktrace-check(1) says how", beside);
}

static struct error *model_read_path(const char *folder, const char *path, struct model *model)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct error *err;

	model->name = strndup(name, strlen(name) - strlen(MODEL_DOT));
	if (!model->name)
		return &error_no_memory;
	err = model_read_automaton(path, model);
	return err ? err : model_find_binding(folder, path, model);
}

static struct error *model_unknown(const char *folder, const char *name)
{
	_cleanup_(models) struct models models = { 0 };
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const char *near = NULL;
	struct error *err = models_read(folder, &models);

	if (err)
		return err;
	for (size_t i = 0; i < models.nr; i++) {
		near = word_nearer(name, near, models.items[i].name);
		strbuf_addf(&names, "%s%s", i ? ", " : "", models.items[i].name);
	}
	err = error_new(ENOENT, "There is no model '%s'", name);
	if (near)
		return error_hint(err, "Did you mean %s?", near);
	return error_hint(err, "There are %s; else name a .dot file", strbuf_str(&names));
}

/*
 * Read a shipped model.  Its binding must exist; its automaton may only be in the kernel's sources.
 */
static struct error *model_read_name(const char *folder, const char *name, struct model *model)
{
	_cleanup_free_ char *dot = model_path(folder, name, MODEL_DOT);
	_cleanup_free_ char *binding = model_path(folder, name, MODEL_BINDING);
	struct error *err;

	model->name = strdup(name);
	if (!dot || !binding || !model->name)
		return &error_no_memory;
	if (strchr(name, '/') || access(binding, F_OK))
		return model_unknown(folder, name);
	err = model_read_binding(binding, model);
	if (!err && !access(dot, F_OK))
		err = model_read_automaton(dot, model);
	return err;
}

struct error *model_read(const char *folder, const char *name, struct model *ret)
{
	struct model model = { 0 };
	struct error *err;

	if (model_ends_in(name, MODEL_DOT))
		err = model_read_path(folder, name, &model);
	else
		err = model_read_name(folder, name, &model);
	if (err)
		model_deinit(&model);
	else
		*ret = model;
	return err;
}

DEFINE_COMPARISON(model_compare_names, struct model, strcmp(x->name, y->name))

struct error *models_read(const char *folder, struct models *ret)
{
	_cleanup_closedir_ DIR *dir = opendir(folder);
	struct error *err = NULL;
	struct dirent *entry;

	if (!dir)
		return error_errno(errno, "Cannot read the models in %s", folder);
	while (!err && (entry = readdir(dir))) {
		struct model model = { 0 };
		size_t len = strlen(entry->d_name);

		if (!model_ends_in(entry->d_name, MODEL_BINDING))
			continue;
		entry->d_name[len - strlen(MODEL_BINDING)] = '\0';
		err = model_read(folder, entry->d_name, &model);
		if (!err && !array_push(ret, model)) {
			model_deinit(&model);
			err = &error_no_memory;
		}
	}
	if (ret->nr)
		qsort(ret->items, ret->nr, sizeof(*ret->items), model_compare_names);
	return err;
}
