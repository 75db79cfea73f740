/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Models are files: NAME.dot, an automaton, and NAME.binding beside it.  Those that are shipped
 * lie in one folder, where the binding of a .dot file elsewhere is looked for, too.
 */
#ifndef KTRACE_MACHINE_MODEL_H
#define KTRACE_MACHINE_MODEL_H

#include "lib/cleanup.h"
#include "machine/automaton.h"
#include "machine/binding.h"

struct model {
	char *name;
	struct automaton *automaton;	/* NULL: only the binding is here */
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

/*
 * Read all models of a folder, ordered by name.  A binding without its automaton is one of
 * them.
 */
struct error *models_read(const char *folder, struct models *ret);

#endif
