// SPDX-License-Identifier: GPL-2.0
#include "capture/perf/filter_match.h"

#include <fnmatch.h>
#include <string.h>

#include "record/common_number.h"

/* ftrace compares at most so many bytes of a string. */
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

	if (tree->kind == FILTER_NUMBER)
		return NULL;
	if (tree->kind != FILTER_COMPARE && tree->kind != FILTER_FIELD) {
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

static bool compare_numbers(enum filter_operator op, bool is_signed, uint64_t a, uint64_t b)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case FILTER_OP_EQ:
		return a == b;
	case FILTER_OP_NE:
		return a != b;
	case FILTER_OP_LT:
		return less;
	case FILTER_OP_LE:
		return less || a == b;
	case FILTER_OP_GT:
		return !less && a != b;
	case FILTER_OP_GE:
		return !less;
	default:
		return a & b;
	}
}

static uint64_t match_load(void *data, const struct filter_node *field)
{
	return match_number_of(field, data);
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

/* Sets *has_result to false after a division by 0; the return value is then undefined. */
static bool match_node(const struct filter_node *node, const struct sample *sample,
		       bool *has_result)
{
	uint64_t left, right;

	switch (node->kind) {
	case FILTER_AND:
		return match_node(node->left, sample, has_result) && *has_result &&
		       match_node(node->right, sample, has_result);
	case FILTER_OR:
		return match_node(node->left, sample, has_result) || !*has_result ||
		       match_node(node->right, sample, has_result);
	case FILTER_NOT:
		return !match_node(node->left, sample, has_result);
	case FILTER_CALCULATED:
		*has_result = filter_calculate(node->left, match_load, (void *)sample, &left) &&
			      filter_calculate(node->right, match_load, (void *)sample, &right);
		return *has_result && compare_numbers(node->op, filter_operation_is_signed(node),
						      left, right);
	default:
		return node->is_string ? compare_strings(node, sample) :
		       compare_numbers(node->op, filter_node_is_signed(node),
				       match_number_of(node, sample), node->number);
	}
}

bool filter_match(const struct filter_node *tree, const struct sample *sample)
{
	bool has_result = true;

	return match_node(tree, sample, &has_result) && has_result;
}
