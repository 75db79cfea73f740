// SPDX-License-Identifier: GPL-2.0
#include "check/rule.h"

#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "terminal/word_list.h"

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
	word_add_names(WORDS(rules), ", ", out);
}

static struct error *suppress(struct suppressed *suppressed, const char *name)
{
	unsigned int row = word_find(WORDS(rules), name);
	const char *near = word_nearest(WORDS(rules), name);
	struct error *err;

	if (row != WORD_NONE) {
		suppressed->rule[row] = true;
		return NULL;
	}
	err = error_new(EINVAL, "'%s' is not a rule of check", name);
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
