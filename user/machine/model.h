/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Models are files: an automaton NAME.dot with NAME.binding beside it.  The shipped models are in
 * one folder.  If a .dot file elsewhere has no binding, the binding in that folder is used.
 */
#ifndef KTRACE_MACHINE_MODEL_H
#define KTRACE_MACHINE_MODEL_H

#include "lib/cleanup.h"
#include "machine/automaton.h"
#include "machine/binding.h"

struct model {
	char *name;
	struct automaton *automaton;	/* NULL: there is only the binding */
	struct binding *binding;
};

void model_deinit(struct model *model);

/*
 * Read a model by its name in @folder, or by the path of its .dot file.  ENOENT: the name is
 * unknown (the hint has a similar one), or one of the files is missing.
 */
struct error *model_read(const char *folder, const char *name, struct model *ret);

struct models { struct model *items; size_t nr, alloc; };

void models_deinit(struct models *models);
DEFINE_CLEANUP(models, struct models, models_deinit)

/* Read all models of a folder, sorted by name, including bindings without an automaton. */
struct error *models_read(const char *folder, struct models *ret);

#endif
