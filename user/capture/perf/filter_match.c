// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/filter_match.h"

#include <fnmatch.h>
#include <string.h>

#include "record/common_number.h"

/* ftrace compares at most this much of a string. */
#define MAX_TEXT 256

/* Whether the samples of every backend have this field. */
static bool is_in_samples(const struct common_field_info *common)
{
	return common->number == COMMON_FIELD_CPU || common->number == COMMON_FIELD_TGID ||
	       common->number == COMMON_FIELD_TID;
}

const char *filter_match_missing(const struct filter_node *tree)
{
	const char *missing;

	if (tree->kind != FILTER_COMPARE) {
		missing = filter_match_missing(tree->left);
		return missing || !tree->right ? missing : filter_match_missing(tree->right);
	}
	if (!tree->field)
		return is_in_samples(tree->common) ? NULL : tree->common->name;
	/* A pointer to a string can only be followed in the kernel, while the event fires. */
	return tree->is_string && tree->field->kind == FIELD_INTEGER ? tree->field->name : NULL;
}

static uint64_t match_number_of(const struct filter_node *node, const struct sample *sample)
{
	if (node->field)
		return field_u64(node->field, sample->raw, sample->raw_size);
	switch (node->common->number) {
	case COMMON_FIELD_CPU:
		return sample->cpu;
	case COMMON_FIELD_TGID:
		return sample->pid;
	default:
		return sample->tid;
	}
}

static bool compare_numbers(const struct filter_node *node, const struct sample *sample)
{
	uint64_t number = match_number_of(node, sample);
	bool less = filter_node_is_signed(node) ? (int64_t)number < (int64_t)node->number :
				      number < node->number;

	switch (node->op) {
	case FILTER_OP_EQ:
		return number == node->number;
	case FILTER_OP_NE:
		return number != node->number;
	case FILTER_OP_LT:
		return less;
	case FILTER_OP_LE:
		return less || number == node->number;
	case FILTER_OP_GT:
		return !less && number != node->number;
	case FILTER_OP_GE:
		return !less;
	default:
		return number & node->number;
	}
}

static bool compare_strings(const struct filter_node *node, const struct sample *sample)
{
	const char *pattern = node->text;
	char text[MAX_TEXT];
	const void *bytes;
	size_t len = 0;
	bool same;

	bytes = field_bytes(node->field, sample->raw, sample->raw_size, &len);
	len = bytes ? strnlen(bytes, len < MAX_TEXT - 1 ? len : MAX_TEXT - 1) : 0;
	if (len)
		memcpy(text, bytes, len);
	text[len] = '\0';

	if (node->op == FILTER_OP_GLOB)
		return *pattern == '!' ? fnmatch(pattern + 1, text, 0) : !fnmatch(pattern, text, 0);
	same = len == node->text_len && !memcmp(text, pattern, len);
	return same == (node->op == FILTER_OP_EQ);
}

bool filter_match(const struct filter_node *tree, const struct sample *sample)
{
	switch (tree->kind) {
	case FILTER_AND:
		return filter_match(tree->left, sample) && filter_match(tree->right, sample);
	case FILTER_OR:
		return filter_match(tree->left, sample) || filter_match(tree->right, sample);
	case FILTER_NOT:
		return !filter_match(tree->left, sample);
	default:
		return tree->is_string ? compare_strings(tree, sample) :
					 compare_numbers(tree, sample);
	}
}
