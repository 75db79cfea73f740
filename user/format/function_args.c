// SPDX-License-Identifier: GPL-2.0
#include "format/function_args.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

static const struct function_arg_type function_arg_types[] = {
	{ "x64", "u64", "0x%Lx", 8, false },
	{ "u64", "u64", "%Lu", 8, false },
	{ "s64", "s64", "%Ld", 8, true },
	{ "x32", "u32", "0x%x", 4, false },
	{ "u32", "u32", "%u", 4, false },
	{ "s32", "s32", "%d", 4, true },
	{ "x16", "u16", "0x%x", 2, false },
	{ "u16", "u16", "%u", 2, false },
	{ "s16", "s16", "%d", 2, true },
	{ "x8", "u8", "0x%x", 1, false },
	{ "u8", "u8", "%u", 1, false },
	{ "s8", "s8", "%d", 1, true },
};

/* By number of enum perf_event_x86_regs; the module supports arguments only on x86-64. */
static const struct {
	unsigned int number;
	const char *name;
} function_arg_registers[] = {
	{ 0, "ax" }, { 1, "bx" }, { 2, "cx" }, { 3, "dx" }, { 4, "si" }, { 5, "di" }, { 6, "bp" },
	{ 7, "sp" }, { 16, "r8" }, { 17, "r9" }, { 18, "r10" }, { 19, "r11" }, { 20, "r12" },
	{ 21, "r13" }, { 22, "r14" }, { 23, "r15" },
};

#define FUNCTION_ARG_AX 0
#define FUNCTION_ARG_SP 7

const struct function_arg_type *function_arg_type_find(const char *name)
{
	if (!name)
		return &function_arg_types[0];
	for (size_t i = 0; i < ARRAY_SIZE(function_arg_types); i++)
		if (!strcmp(function_arg_types[i].name, name))
			return &function_arg_types[i];
	return NULL;
}

static bool function_arg_parse_register(const char *name, size_t len, struct function_arg *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(function_arg_registers); i++) {
		const char *known = function_arg_registers[i].name;

		if (strlen(known) == len && !strncmp(known, name, len)) {
			arg->reg = function_arg_registers[i].number;
			return true;
		}
	}
	return false;
}

/* Insert a load before the existing ones, because the text has the last load first. */
static bool function_arg_add_load(struct function_arg *arg, long offset)
{
	if (arg->nr_loads == FUNCTION_ARG_MAX_LOADS || offset < INT32_MIN || offset > INT32_MAX)
		return false;
	memmove(arg->offsets + 1, arg->offsets, arg->nr_loads * sizeof(*arg->offsets));
	arg->offsets[0] = offset;
	arg->nr_loads++;
	return true;
}

/* Parse the innermost part: a register, or a word of the stack. */
static bool function_arg_parse_start(const char *text, size_t len, struct function_arg *arg)
{
	static const char stack[] = "$stack", retval[] = "$retval";
	unsigned long word;
	char *end;

	if (*text == '%')
		return function_arg_parse_register(text + 1, len - 1, arg);
	if (len == strlen(retval) && !strncmp(text, retval, len)) {
		arg->reg = FUNCTION_ARG_AX;
		return true;
	}
	if (len < strlen(stack) || strncmp(text, stack, strlen(stack)))
		return false;
	arg->reg = FUNCTION_ARG_SP;
	text += strlen(stack);
	len -= strlen(stack);
	if (!len)
		return true;
	if (!isdigit((unsigned char)*text))
		return false;
	word = strtoul(text, &end, 10);
	return end == text + len && word < 512 && function_arg_add_load(arg, word * 8);
}

bool function_arg_parse(const char *value, const struct function_arg_type *type,
			struct function_arg *ret)
{
	struct function_arg arg = { .size = type->size };
	size_t depth = 0, len;
	char *end;
	long offset;

	/* Each "+8(" applies after the loads inside its parentheses. */
	for (; *value == '+' || *value == '-'; value = end + 1, depth++) {
		errno = 0;
		if (!isdigit((unsigned char)value[1]))
			return false;
		offset = strtol(value, &end, 0);
		if (errno || *end != '(' || !function_arg_add_load(&arg, offset))
			return false;
	}
	len = strcspn(value, ")");
	if (strspn(value + len, ")") != depth || value[len + depth] || !len ||
	    !function_arg_parse_start(value, len, &arg))
		return false;
	*ret = arg;
	return true;
}
