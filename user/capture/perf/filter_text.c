// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/filter_text.h"

#include <string.h>

#include "record/common_number.h"

static const char *operand_name(const struct filter_node *node)
{
	if (node->field)
		return node->field->name;
	switch (node->common->number) {
	case COMMON_FIELD_CPU:
		return "CPU";
	case COMMON_FIELD_COMM:
		return "COMM";
	case COMMON_FIELD_TID:
		return "common_pid";
	default:
		return NULL;
	}
}

static bool comparison_text(const struct filter_node *node, struct strbuf *out)
{
	static const char *const operators[] = {
		[FILTER_OP_EQ] = "==", [FILTER_OP_NE] = "!=", [FILTER_OP_LT] = "<",
		[FILTER_OP_LE] = "<=", [FILTER_OP_GT] = ">", [FILTER_OP_GE] = ">=",
		[FILTER_OP_BAND] = "&", [FILTER_OP_GLOB] = "~",
	};
	const char *name = operand_name(node);
	char quote;

	if (!name)
		return false;
	strbuf_addf(out, "%s %s ", name, operators[node->op]);
	if (node->is_string) {
		/* The language has no escapes, so a text contains at most one kind of quote. */
		quote = strchr(node->text, '"') ? '\'' : '"';
		strbuf_addf(out, "%c%s%c", quote, node->text, quote);
	} else if (filter_node_is_signed(node)) {
		strbuf_addf(out, "%lld", (long long)node->number);
	} else {
		strbuf_addf(out, "0x%llx", (unsigned long long)node->number);
	}
	return true;
}

bool filter_text(const struct filter_node *tree, struct strbuf *out)
{
	if (tree->kind == FILTER_COMPARE)
		return comparison_text(tree, out);
	if (tree->kind == FILTER_CALCULATED)
		return false;
	strbuf_addstr(out, tree->kind == FILTER_NOT ? "!(" : "(");
	if (!filter_text(tree->left, out))
		return false;
	if (tree->right) {
		strbuf_addstr(out, tree->kind == FILTER_AND ? " && " : " || ");
		if (!filter_text(tree->right, out))
			return false;
	}
	strbuf_addch(out, ')');
	return true;
}
