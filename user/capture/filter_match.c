// SPDX-License-Identifier: GPL-2.0
#include "capture/filter_match.h"

#include <fnmatch.h>
#include <string.h>

/* ftrace compares at most this much of a string. */
#define MAX_TEXT 256

const char *filter_match_missing(const struct filter_node *tree)
{
	static const char *const names[] = {
		[FILTER_COMMON_COMM] = "comm", [FILTER_COMMON_PPID] = "ppid",
		[FILTER_COMMON_START_TIME] = "start_time", [FILTER_COMMON_UID] = "uid",
		[FILTER_COMMON_CGROUP] = "cgroup", [FILTER_COMMON_CONTEXT] = "context",
	};
	const char *missing;

	if (tree->kind != FILTER_COMPARE) {
		missing = filter_match_missing(tree->left);
		return missing || !tree->right ? missing : filter_match_missing(tree->right);
	}
	if (!tree->field)
		return tree->common < sizeof(names) / sizeof(names[0]) ? names[tree->common] : NULL;
	/* A pointer to a string that was in the kernel at that time. */
	return tree->is_string && tree->field->kind == FIELD_INTEGER ? tree->field->name : NULL;
}

static uint64_t number_of(const struct filter_node *node, const struct sample *sample)
{
	switch (node->common) {
	case FILTER_COMMON_CPU:
		return sample->cpu;
	case FILTER_COMMON_TGID:
		return sample->pid;
	case FILTER_COMMON_TID:
		return sample->tid;
	default:
		return field_u64(node->field, sample->raw, sample->raw_size);
	}
}

static bool is_signed(const struct filter_node *node)
{
	return node->field ? node->field->is_signed : filter_common_is_signed(node->common);
}

static bool compare_numbers(const struct filter_node *node, const struct sample *sample)
{
	uint64_t number = number_of(node, sample);
	bool less = is_signed(node) ? (int64_t)number < (int64_t)node->number :
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
