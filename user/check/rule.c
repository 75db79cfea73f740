// SPDX-License-Identifier: GPL-2.0
#include "check/rule.h"

#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "terminal/options.h"

const struct rule rules[RULES_NR] = {
#define RULE(id, name, level, finds, why, instead) \
	[RULE_##id] = { name, LEVEL_##level, finds, why, instead },
#include "check/rules.def"
#undef RULE
};

const char *rule_level_name(enum rule_level level)
{
	static const char *const names[] = {
		[LEVEL_ERROR] = "error", [LEVEL_WARNING] = "warning", [LEVEL_NOTE] = "note",
		[LEVEL_REMARK] = "remark",
	};

	return names[level];
}

void rules_add_names(struct strbuf *out)
{
	for (size_t i = 0; i < RULES_NR; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", rules[i].name);
}

static struct error *suppress(struct suppressed *suppressed, const char *name)
{
	const char *near = NULL;
	struct error *err;

	for (size_t i = 0; i < RULES_NR; i++) {
		if (!strcmp(rules[i].name, name)) {
			suppressed->rule[i] = true;
			return NULL;
		}
	}
	err = error_new(EINVAL, "'%s' is not a rule of check", name);
	for (size_t i = 0; i < RULES_NR; i++)
		near = word_nearer(name, near, rules[i].name);
	if (near)
		return error_hint(err, "Did you mean '%s'? 'ktrace check --rules' lists them",
				  near);
	return error_hint(err, "'ktrace check --rules' lists them");
}

struct error *suppressed_add(struct suppressed *suppressed, const char *list)
{
	struct error *err = NULL;

	while (!err) {
		size_t len = strcspn(list, ",");
		_cleanup_free_ char *name = strndup(list, len);

		if (!name)
			return &error_no_memory;
		err = suppress(suppressed, name);
		if (!list[len])
			break;
		list += len + 1;
	}
	return err;
}
