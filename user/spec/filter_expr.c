// SPDX-License-Identifier: GPL-2.0
#include "spec/filter_expr.h"

#include <ctype.h>
#include <linux/ktrace.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "spec/caret.h"
#include "terminal/options.h"

/* Limits for the cost of a text: the depth of the recursion, and the nodes of the tree. */
#define MAX_DEPTH 100
#define MAX_NODES 4096

/* The kernel's MAX_FILTER_STR_VAL, which includes the NUL. */
#define MAX_STRING 256

struct parser {
	struct scan in;
	const struct event_format *format;
	const struct filter_side *sides;	/* NULL: there is one format */
	size_t nr_sides;
	unsigned int depth, nodes;
	const struct field *names;	/* the last field with names for values; NULL: none */
};

/* ftrace's names for common fields. */
static const struct {
	const char *name, *ours;
} aliases[] = {
	{ "CPU", "cpu" }, { "COMM", "comm" }, { "pid", "tgid" },
};

const struct common_field_info *filter_find_common(const char *name)
{
	const struct common_field_info *info;

	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(name, aliases[i].name))
			name = aliases[i].ours;
	info = common_field_find(name);
	return info && info->operand ? info : NULL;
}

/* Longer operators come before their prefixes. */
static const struct {
	const char *text;
	enum filter_operator op;
} operators[] = {
	{ "==", FILTER_OP_EQ }, { "!=", FILTER_OP_NE },
	{ "<=", FILTER_OP_LE }, { ">=", FILTER_OP_GE },
	{ "<", FILTER_OP_LT }, { ">", FILTER_OP_GT },
	{ "~", FILTER_OP_GLOB },
};

/* Levels of precedence, as in C; comparisons are between LEVEL_BITS and LEVEL_SHIFT. */
enum filter_level {
	LEVEL_OR, LEVEL_XOR, LEVEL_AND, LEVEL_SHIFT, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_UNARY,
};

/* The operators of two values. */
static const struct {
	const char *text;
	uint8_t op;
	enum filter_level level;
} arithmetic[] = {
	{ "<<", KTRACE_FILTER_SHL, LEVEL_SHIFT }, { ">>", KTRACE_FILTER_SHR, LEVEL_SHIFT },
	{ "|", KTRACE_FILTER_OR, LEVEL_OR }, { "^", KTRACE_FILTER_XOR, LEVEL_XOR },
	{ "&", KTRACE_FILTER_AND, LEVEL_AND }, { "+", KTRACE_FILTER_ADD, LEVEL_SUM },
	{ "-", KTRACE_FILTER_SUB, LEVEL_SUM }, { "*", KTRACE_FILTER_MUL, LEVEL_PRODUCT },
	{ "/", KTRACE_FILTER_DIV, LEVEL_PRODUCT }, { "%", KTRACE_FILTER_MOD, LEVEL_PRODUCT },
};

/* The row of the comparison operator at @at; ARRAY_SIZE(operators): none. */
static size_t filter_operator_at(const char *at)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(operators) &&
	       strncmp(at, operators[i].text, strlen(operators[i].text)))
		i++;
	return i;
}

/* The row of the arithmetic operator at @at; ARRAY_SIZE(arithmetic): none. */
static size_t arithmetic_at(const char *at)
{
	size_t i = 0;

	if (!strncmp(at, "&&", 2) || !strncmp(at, "||", 2))
		return ARRAY_SIZE(arithmetic);
	while (i < ARRAY_SIZE(arithmetic) &&
	       strncmp(at, arithmetic[i].text, strlen(arithmetic[i].text)))
		i++;
	return i;
}

void filter_destroy(struct filter_node *node)
{
	if (!node)
		return;
	filter_destroy(node->left);
	filter_destroy(node->right);
	free(node->text);
	free(node);
}

static struct error *filter_new_node(struct parser *p, enum filter_node_kind kind,
				     struct filter_node *left, struct filter_node *right,
				     struct filter_node **ret)
{
	struct filter_node *node;

	if (++p->nodes > MAX_NODES)
		return scan_error(&p->in, "The filter is too long");
	node = calloc(1, sizeof(*node));
	if (!node)
		return &error_no_memory;
	node->kind = kind;
	node->left = left;
	node->right = right;
	*ret = node;
	return NULL;
}

static struct error *filter_unknown_field(struct parser *p, const char *name)
{
	static const char prefix[] = "common_";
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const char *near = NULL, *common = NULL;
	struct error *err;

	for (size_t i = 0; i < p->format->nr_fields; i++) {
		const struct field *field = &p->format->fields[i];

		near = word_nearer(name, near, field->name);
		if (!strncmp(field->name, prefix, strlen(prefix)) &&
		    !strcmp(field->name + strlen(prefix), name))
			common = field->name;
		if (!field->is_common)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", field->name);
	}
	if (names.failed)
		return &error_no_memory;
	err = scan_error(&p->in, "%s:%s has no field '%s'", p->format->system,
			 p->format->name, name);
	near = common ? common : near;
	if (near)
		return error_hint(err, "Did you mean '%s'? Its fields are: %s", near,
				  strbuf_str(&names));
	return error_hint(err, "Its fields are: %s; and for all events cpu, comm, pid, tid, "
			  "common_pid and the like", strbuf_str(&names));
}

static bool is_char_pointer(const struct field *field)
{
	return field->is_pointer && (!strcmp(field->type, "char *") ||
				     !strcmp(field->type, "const char *"));
}

/* Decide whether the field is compared as a string; other arrays cannot be compared. */
static struct error *check_operand(struct parser *p, struct filter_node *node)
{
	const struct field *field = node->field;

	switch (field->kind) {
	case FIELD_STRING:
	case FIELD_DYNAMIC_STRING:
	case FIELD_REL_STRING:
		node->is_string = true;
		return NULL;
	case FIELD_INTEGER:
		node->is_string = is_char_pointer(field);
		return NULL;
	default:
		return error_hint(scan_error(&p->in, "'%s' is an array (%s) and "
					     "cannot be filtered on", field->name, field->type),
				  "Only numbers and strings can be filtered on");
	}
}

/* As in ftrace, the event's own fields take precedence over common fields. */
static struct error *filter_parse_field(struct parser *p, struct filter_node *node)
{
	size_t len = scan_word(&p->in);
	_cleanup_free_ char *name = strndup(p->in.at, len);
	struct error *err;

	if (!name)
		return &error_no_memory;

	node->field = event_format_field(p->format, name);
	if (node->field) {
		err = check_operand(p, node);
		if (err)
			return err;
	} else {
		node->common = filter_find_common(name);
		node->is_string = node->common && node->common->type == COMMON_TEXT;
		if (!node->common)
			return filter_unknown_field(p, name);
	}
	if (node->field && node->field->nr_names)
		p->names = node->field;
	p->in.at += len;
	return NULL;
}

static struct error *filter_parse_operator(struct parser *p, struct filter_node *node)
{
	bool string_only, number_only;
	size_t i = filter_operator_at(p->in.at);

	if (i == ARRAY_SIZE(operators))
		return error_hint(scan_error(&p->in, "An operator is missing"),
				  "The operators are == != < <= > >= & for numbers, == != ~ for strings, "
				  "and in for both");
	node->op = operators[i].op;
	string_only = node->op == FILTER_OP_GLOB;
	number_only = node->op != FILTER_OP_EQ && node->op != FILTER_OP_NE && !string_only;
	if (string_only && !node->is_string)
		return scan_error(&p->in, "'~' compares strings, but this field is a number");
	if (number_only && node->is_string)
		return error_hint(scan_error(&p->in,
					     "'%s' compares numbers, but this field is a string",
					     operators[i].text),
				  "The operators for strings are == != ~");
	p->in.at += strlen(operators[i].text);
	return NULL;
}

/*
 * The kernel takes a pattern literally if it begins with a digit.  We refuse such a pattern,
 * because the same text must not mean two things.
 */
static struct error *check_pattern(struct parser *p, const struct filter_node *node, size_t pos)
{
	const char *text = node->text + (node->text[0] == '!');

	if (node->op == FILTER_OP_GLOB && isdigit((unsigned char)text[0]) && strpbrk(text, "*?["))
		return error_hint(caret_error(p->in.text, pos, "A pattern cannot begin with a digit"),
				  "The kernel would take its * ? [ literally; write \"[%c]%s\"",
				  text[0], text + 1);
	if (node->op != FILTER_OP_GLOB && node->field && node->field->kind == FIELD_STRING &&
	    node->text_len > node->field->size)
		return caret_error(p->in.text, pos, "The string is longer than '%s', which holds %u bytes",
				   node->field->name, node->field->size);
	return NULL;
}

/* A string is "..." or '...', without escapes as in ftrace, or a bare word. */
static struct error *filter_parse_string(struct parser *p, struct filter_node *node)
{
	size_t pos = scan_position(&p->in), len;
	char quote = *p->in.at;
	const char *end;

	if (quote == '"' || quote == '\'') {
		end = strchr(p->in.at + 1, quote);
		if (!end)
			return caret_error(p->in.text, pos, "The string does not end");
		len = end - p->in.at - 1;
		node->text = strndup(p->in.at + 1, len);
		p->in.at = end + 1;
	} else {
		const struct field *field;

		len = scan_word(&p->in);
		if (!len)
			return error_hint(caret_error(p->in.text, pos, "A string is missing"),
					  "Write it in double quotes");
		node->text = strndup(p->in.at, len);
		p->in.at += len;
		field = node->text ? event_format_field(p->format, node->text) : NULL;
		if (field && field->kind != FIELD_INTEGER)
			return error_hint(caret_error(p->in.text, pos, "'%s' is a field, and two strings "
						      "of an event cannot be compared", field->name),
					  "If it is the string, write it in double quotes");
	}
	if (!node->text)
		return &error_no_memory;
	if (len >= MAX_STRING)
		return caret_error(p->in.text, pos, "The string is longer than %d bytes", MAX_STRING - 1);
	node->text_len = len;
	return check_pattern(p, node, pos);
}

bool filter_node_is_signed(const struct filter_node *node)
{
	if (!node->field)
		return node->is_time || node->common->type == COMMON_SIGNED;
	return node->field->is_signed;
}

bool filter_value_is_signed(const struct filter_node *value)
{
	if (value->kind != FILTER_FIELD)
		return value->is_signed;
	return filter_node_is_signed(value) || (value->field && value->field->size < 8);
}

bool filter_operation_is_signed(const struct filter_node *node)
{
	bool is_shift = node->kind == FILTER_ARITHMETIC &&
			(node->arithmetic == KTRACE_FILTER_SHL ||
			 node->arithmetic == KTRACE_FILTER_SHR);

	return filter_value_is_signed(node->left) &&
	       (is_shift || filter_value_is_signed(node->right));
}

/* Truncate the number to the size of the field, as the kernel does, and extend its sign. */
static struct error *filter_set_number(struct parser *p, struct filter_node *node,
				       const struct filter_node *number)
{
	unsigned int size = node->field ? node->field->size : 8, bits = size * 8;
	bool is_signed = filter_node_is_signed(node);
	uint64_t above;

	if (!is_signed && number->is_signed && (int64_t)number->number < 0 &&
	    node->op != FILTER_OP_BAND)
		return caret_error(p->in.text, number->pos,
				   "The field is unsigned and never negative");
	if (is_signed && !number->is_signed)
		return caret_error(p->in.text, number->pos,
				   "The number does not fit into 64 bits with a sign");
	node->number = number->number;
	if (size >= 8)
		return NULL;
	above = number->number >> bits;
	if (above && above != UINT64_MAX >> bits)
		return error_hint(caret_error(p->in.text, number->pos,
					      "The number does not fit into '%s'", node->field->name),
				  "It holds %u byte%s", size, size == 1 ? "" : "s");
	node->number = number->number << (64 - bits);
	if (is_signed)
		node->number = (int64_t)node->number >> (64 - bits);
	else
		node->number >>= 64 - bits;
	return NULL;
}

/* A number by its name in the print fmt: vec == TIMER.  Returns whether it is one. */
static bool filter_parse_name(struct parser *p, struct filter_node *node)
{
	size_t len = scan_word(&p->in);

	for (size_t i = 0; p->names && i < p->names->nr_names; i++) {
		const struct field_name *name = &p->names->names[i];

		if (strlen(name->name) == len && !strncmp(p->in.at, name->name, len)) {
			node->kind = FILTER_NUMBER;
			node->number = name->value;
			node->is_signed = (int64_t)name->value >= 0 ||
					  filter_node_is_signed(&(struct filter_node){
						.field = p->names });
			p->in.at += len;
			return true;
		}
	}
	return false;
}

static bool filter_at_field(const struct parser *p)
{
	_cleanup_free_ char *name = strndup(p->in.at, scan_word(&p->in));

	return name && (event_format_field(p->format, name) || filter_find_common(name));
}

static struct error *filter_no_number(struct parser *p)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	struct error *err = scan_error(&p->in, "A number is missing");

	for (size_t i = 0; p->names && i < p->names->nr_names && i < 20; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", p->names->names[i].name);
	if (names.len)
		error_hint(err, "Write a number, or one of the names of '%s': %s", p->names->name,
			   strbuf_str(&names));
	return err;
}

static struct error *filter_parse_digits(struct parser *p, struct filter_node *node)
{
	size_t len = scan_word(&p->in);
	_cleanup_free_ char *digits = strndup(p->in.at, len);
	unsigned long long value;

	if (!digits)
		return &error_no_memory;
	if (!parse_u64(digits, &value))
		return scan_error(&p->in, "This is not a number of at most 64 bits");
	node->number = value;
	node->is_signed = value <= INT64_MAX;
	p->in.at += len;
	return NULL;
}

/* A field of one of several events: start.comm. */
static struct error *filter_parse_side(struct parser *p, struct filter_node *node)
{
	size_t len = scan_word(&p->in), side = 0;

	while (side < p->nr_sides && (strlen(p->sides[side].name) != len ||
				      strncmp(p->in.at, p->sides[side].name, len)))
		side++;
	if (side == p->nr_sides || p->in.at[len] != '.')
		return error_hint(scan_error(&p->in, "A field is written %s.FIELD or %s.FIELD here",
					     p->sides[0].name, p->sides[p->nr_sides - 1].name),
				  "As in %s.time - %s.time", p->sides[p->nr_sides - 1].name,
				  p->sides[0].name);
	p->in.at += len + 1;
	p->format = p->sides[side].format;
	node->kind = FILTER_FIELD;
	node->side = side;
	if (scan_word(&p->in) == 4 && !strncmp(p->in.at, "time", 4) &&
	    !event_format_field(p->format, "time")) {
		node->is_time = true;
		p->in.at += 4;
		return NULL;
	}
	if (!scan_word(&p->in))
		return scan_error(&p->in, "A field name is missing");
	return filter_parse_field(p, node);
}

/* A number, or a field; the first value of a comparison should be a field. */
static struct error *filter_parse_leaf(struct parser *p, bool first, struct filter_node *node)
{
	const char *at = p->in.at;

	if (*at == '\'' && at[1] && at[2] == '\'') {
		node->number = (unsigned char)at[1];
		node->is_signed = true;
		p->in.at += 3;
		return NULL;
	}
	if (isdigit((unsigned char)*at))
		return filter_parse_digits(p, node);
	if (!scan_word(&p->in) && first)
		return error_hint(scan_error(&p->in, "A field name is missing"),
				  "A filter reads FIELD OPERATOR VALUE, as in pid > 100");
	if (*at == '"')
		return scan_error(&p->in, "A string cannot be compared with a number");
	if (!scan_word(&p->in))
		return filter_no_number(p);
	if (p->sides)
		return filter_parse_side(p, node);
	if (filter_parse_name(p, node))
		return NULL;
	if (p->names && !filter_at_field(p))
		return filter_no_number(p);
	node->kind = FILTER_FIELD;
	return filter_parse_field(p, node);
}

/* Calculate an operation of two constants.  A result that does not fit into 64 bits is an error. */
static struct error *filter_fold(struct parser *p, const struct filter_node *left, uint8_t op,
				 const struct filter_node *right, struct filter_node *node)
{
	bool is_signed = left->is_signed && right->is_signed, overflows = false;
	__int128 a = left->is_signed ? (__int128)(int64_t)left->number : left->number;
	__int128 b = right->is_signed ? (__int128)(int64_t)right->number : right->number;
	__int128 exact;

	node->is_signed = is_signed;
	switch (op) {
	case KTRACE_FILTER_ADD:
		exact = a + b;
		break;
	case KTRACE_FILTER_SUB:
		exact = a - b;
		break;
	case KTRACE_FILTER_MUL:
		overflows = __builtin_mul_overflow(a, b, &exact);
		break;
	case KTRACE_FILTER_SHL:
		overflows = __builtin_mul_overflow(a, (__int128)1 << b, &exact);
		break;
	default:
		if (op == KTRACE_FILTER_SHR)
			node->is_signed = is_signed = left->is_signed;
		node->number = ktrace_filter_calculate(op, is_signed, left->number,
						       right->number);
		node->is_signed |= node->number <= INT64_MAX;
		return NULL;
	}
	if (overflows || exact < INT64_MIN || exact > UINT64_MAX)
		return caret_error(p->in.text, node->pos, "The result does not fit into 64 bits");
	node->number = exact;
	node->is_signed = exact <= INT64_MAX;
	return NULL;
}

/* Create the operation @ret of two values, which it then owns; @pos is the operator's position. */
static struct error *filter_combine(struct parser *p, struct filter_node **left, uint8_t op,
				    size_t pos, struct filter_node **right,
				    struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *node = NULL;
	bool is_shift = op == KTRACE_FILTER_SHL || op == KTRACE_FILTER_SHR;
	const struct filter_node *sides[] = { *left, *right };
	struct error *err;

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++)
		if (sides[i]->is_string)
			return caret_error(p->in.text, sides[i]->pos, "'%s' is a string, and "
					   "arithmetic takes numbers", sides[i]->field ?
					   sides[i]->field->name : sides[i]->common->name);
	if ((*right)->kind == FILTER_NUMBER && !(*right)->number &&
	    (op == KTRACE_FILTER_DIV || op == KTRACE_FILTER_MOD))
		return caret_error(p->in.text, (*right)->pos, "A division by 0 has no result");
	if ((*right)->kind == FILTER_NUMBER && is_shift && (*right)->number > 63)
		return caret_error(p->in.text, (*right)->pos, "A shift is by 0 to 63 bits");
	err = filter_new_node(p, FILTER_NUMBER, NULL, NULL, &node);
	if (err)
		return err;
	node->pos = pos;
	if ((*left)->kind == FILTER_NUMBER && (*right)->kind == FILTER_NUMBER) {
		err = filter_fold(p, *left, op, *right, node);
		if (err)
			return err;
		node->pos = (*left)->pos;
	} else {
		node->kind = FILTER_ARITHMETIC;
		node->arithmetic = op;
		node->left = take_ptr(*left);
		node->right = take_ptr(*right);
		node->is_signed = filter_operation_is_signed(node);
	}
	*ret = take_ptr(node);
	return NULL;
}

static struct error *filter_parse_value(struct parser *p, bool first, enum filter_level level,
					struct filter_node **ret);

/* -x is 0 - x, and ~x is x ^ -1. */
static struct error *filter_parse_prefix(struct parser *p, bool first, struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *inner = NULL, *number = NULL;
	size_t pos = scan_position(&p->in);
	bool negate = *p->in.at == '-';
	struct error *err;

	p->in.at++;
	err = filter_parse_value(p, first, LEVEL_UNARY, &inner);
	if (!err)
		err = filter_new_node(p, FILTER_NUMBER, NULL, NULL, &number);
	if (err)
		return err;
	number->pos = pos;
	number->is_signed = true;
	if (negate && inner->kind == FILTER_NUMBER && !inner->is_signed &&
	    inner->number > (uint64_t)INT64_MAX + 1)
		return caret_error(p->in.text, pos,
				   "The number does not fit into 64 bits with a sign");
	if (negate)
		return filter_combine(p, &number, KTRACE_FILTER_SUB, pos, &inner, ret);
	number->number = UINT64_MAX;
	err = filter_combine(p, &inner, KTRACE_FILTER_XOR, pos, &number, ret);
	if (!err)
		(*ret)->in_parentheses = true;
	return err;
}

static struct error *filter_parse_primary(struct parser *p, bool first, struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *node = NULL;
	struct error *err;
	size_t pos;

	scan_blanks(&p->in);
	pos = scan_position(&p->in);
	if (*p->in.at == '-' || *p->in.at == '~')
		return filter_parse_prefix(p, first, ret);
	if (*p->in.at == '(') {
		p->in.at++;
		err = filter_parse_value(p, first, LEVEL_OR, &node);
		if (err)
			return err;
		scan_blanks(&p->in);
		if (filter_operator_at(p->in.at) < ARRAY_SIZE(operators))
			return scan_error(&p->in, "A comparison is not a number");
		if (*p->in.at != ')')
			return *p->in.at ? scan_error(&p->in, "Expected ')' behind a value") :
				caret_error(p->in.text, pos, "This '(' is not closed");
		p->in.at++;
		node->in_parentheses = true;
	} else {
		err = filter_new_node(p, FILTER_NUMBER, NULL, NULL, &node);
		if (!err)
			err = filter_parse_leaf(p, first, node);
		if (err)
			return err;
		node->pos = pos;
	}
	*ret = take_ptr(node);
	return NULL;
}

/* Parse operators of at least this level and their operands, and skip blanks behind them. */
static struct error *filter_parse_value(struct parser *p, bool first, enum filter_level level,
					struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *left = NULL;
	struct error *err;
	size_t row;

	if (++p->depth > MAX_DEPTH)
		return scan_error(&p->in, "The filter is nested too deeply");
	err = filter_parse_primary(p, first, &left);
	if (err)
		return err;
	for (;;) {
		_cleanup_(filter) struct filter_node *right = NULL;
		struct filter_node *both = NULL;
		size_t pos;

		scan_blanks(&p->in);
		row = arithmetic_at(p->in.at);
		if (row == ARRAY_SIZE(arithmetic) || arithmetic[row].level < level)
			break;
		pos = scan_position(&p->in);
		p->in.at += strlen(arithmetic[row].text);
		err = filter_parse_value(p, false, arithmetic[row].level + 1, &right);
		if (!err)
			err = filter_combine(p, &left, arithmetic[row].op, pos, &right, &both);
		if (err)
			return err;
		filter_destroy(left);
		left = both;
	}
	p->depth--;
	*ret = take_ptr(left);
	return NULL;
}

static bool filter_is_field(const struct filter_node *value)
{
	return value->kind == FILTER_FIELD;
}

/* A number for a comparison with a field. */
static struct error *filter_parse_number(struct parser *p, struct filter_node *node)
{
	_cleanup_(filter) struct filter_node *number = NULL;
	struct error *err = filter_parse_value(p, false, LEVEL_SHIFT, &number);

	if (!err && number->kind != FILTER_NUMBER)
		err = caret_error(p->in.text, number->pos, "A number is missing");
	return err ? err : filter_set_number(p, node, number);
}

static struct error *filter_parse_constant(struct parser *p, struct filter_node *node)
{
	scan_blanks(&p->in);
	return node->is_string ? filter_parse_string(p, node) : filter_parse_number(p, node);
}

/* Create another comparison of the operand of @like. */
static struct error *new_comparison(struct parser *p, const struct filter_node *like,
				    enum filter_operator op, struct filter_node **ret)
{
	struct error *err = filter_new_node(p, FILTER_COMPARE, NULL, NULL, ret);

	if (err)
		return err;
	(*ret)->field = like->field;
	(*ret)->common = like->common;
	(*ret)->is_string = like->is_string;
	(*ret)->op = op;
	return NULL;
}

/* Parse a value, or FIRST..LAST for numbers, into comparisons. */
static struct error *filter_parse_element(struct parser *p, const struct filter_node *like,
					  struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *first = NULL, *last = NULL;
	struct error *err;

	err = new_comparison(p, like, FILTER_OP_EQ, &first);
	if (!err)
		err = filter_parse_constant(p, first);
	if (err)
		return err;
	scan_blanks(&p->in);
	if (!like->is_string && scan_take(&p->in, "..")) {
		first->op = FILTER_OP_GE;
		err = new_comparison(p, like, FILTER_OP_LE, &last);
		if (!err)
			err = filter_parse_constant(p, last);
		if (!err)
			err = filter_new_node(p, FILTER_AND, first, last, ret);
		if (!err)
			first = last = NULL;
		return err;
	}
	*ret = take_ptr(first);
	return NULL;
}

/* Parse the operand of "in": VALUE, FIRST..LAST, or { both, of, them }. */
static struct error *filter_parse_in(struct parser *p, const struct filter_node *like,
				     struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *all = NULL;
	size_t pos;

	scan_blanks(&p->in);
	pos = scan_position(&p->in);
	if (*p->in.at != '{')
		return filter_parse_element(p, like, ret);
	do {
		_cleanup_(filter) struct filter_node *one = NULL;
		struct filter_node *both = NULL;
		struct error *err;

		p->in.at++;
		err = filter_parse_element(p, like, &one);
		if (!err && all)
			err = filter_new_node(p, FILTER_OR, all, one, &both);
		if (err)
			return err;
		all = both ? both : one;
		one = NULL;
		scan_blanks(&p->in);
	} while (*p->in.at == ',');
	if (*p->in.at != '}')
		return *p->in.at ? scan_error(&p->in, "Expected ',' or '}'") :
				caret_error(p->in.text, pos, "This '{' is not closed");
	p->in.at++;
	*ret = take_ptr(all);
	return NULL;
}

static enum filter_operator filter_turned(enum filter_operator op)
{
	switch (op) {
	case FILTER_OP_LT:
		return FILTER_OP_GT;
	case FILTER_OP_LE:
		return FILTER_OP_GE;
	case FILTER_OP_GT:
		return FILTER_OP_LT;
	case FILTER_OP_GE:
		return FILTER_OP_LE;
	default:
		return op;
	}
}

/*
 * Refuse a comparison of a signed with an unsigned side whose result is always the same, as the
 * constant is out of range.
 */
static struct error *filter_check_sides(struct parser *p, const struct filter_node *value,
					const struct filter_node *number)
{
	bool is_signed = filter_value_is_signed(value);

	if (number->kind != FILTER_NUMBER || is_signed == number->is_signed ||
	    (!is_signed && (int64_t)number->number >= 0))
		return NULL;
	return caret_error(p->in.text, number->pos, is_signed ?
			   "The number does not fit into 64 bits with a sign" :
			   "The value is unsigned and never negative");
}

/* Create a comparison of two values, which it then owns. */
static struct error *filter_compare(struct parser *p, struct filter_node **left,
				    enum filter_operator op, struct filter_node **right,
				    struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *node = NULL;
	struct error *err = NULL;

	if ((*left)->kind == FILTER_NUMBER && (*right)->kind == FILTER_NUMBER)
		return error_hint(caret_error(p->in.text, (*left)->pos, "This comparison has no field"),
				  "A filter reads FIELD OPERATOR VALUE, as in pid > 100");
	if ((*left)->kind == FILTER_NUMBER) {
		struct filter_node *number = *left;

		*left = *right;
		*right = number;
		op = filter_turned(op);
	}
	if (filter_is_field(*left) && (*right)->kind == FILTER_NUMBER) {
		err = new_comparison(p, *left, op, &node);
		if (!err)
			err = filter_set_number(p, node, *right);
	} else {
		if (op != FILTER_OP_BAND)
			err = filter_check_sides(p, *left, *right);
		if (!err)
			err = filter_new_node(p, FILTER_CALCULATED, NULL, NULL, &node);
		if (!err) {
			node->op = op;
			node->left = take_ptr(*left);
			node->right = take_ptr(*right);
		}
	}
	if (!err)
		*ret = take_ptr(node);
	return err;
}

/* Whether a value is a & b, a | b or a ^ b without parentheses. */
static bool filter_is_bits(const struct filter_node *value)
{
	return value->kind == FILTER_ARITHMETIC && !value->in_parentheses &&
	       (value->arithmetic == KTRACE_FILTER_AND || value->arithmetic == KTRACE_FILTER_OR ||
		value->arithmetic == KTRACE_FILTER_XOR);
}

static struct error *filter_bits_error(struct parser *p, size_t pos)
{
	return error_hint(caret_error(p->in.text, pos, "As in C, comparisons are made before "
				      "this '%c'", p->in.text[pos]),
			  "Put parentheses around the first operation, as in (flags & 7) == 3");
}

/* Parse the comparison of a string, from its operator on. */
static struct error *filter_parse_text(struct parser *p, const struct filter_node *like,
				       struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *node = NULL;
	struct error *err = new_comparison(p, like, FILTER_OP_EQ, &node);

	if (!err)
		err = filter_parse_operator(p, node);
	if (!err)
		err = filter_parse_constant(p, node);
	if (!err)
		*ret = take_ptr(node);
	return err;
}

static struct error *filter_parse_comparison(struct parser *p, struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *left = NULL, *right = NULL;
	struct filter_node op = { 0 };
	struct error *err;

	p->names = NULL;
	err = filter_parse_value(p, true, LEVEL_OR, &left);
	if (err)
		return err;
	if (filter_is_field(left) && scan_take(&p->in, "in"))
		return filter_parse_in(p, left, ret);
	if (left->is_string)
		return filter_parse_text(p, left, ret);
	/* As in ftrace, a & b is a whole comparison. */
	if (filter_is_bits(left) && left->arithmetic == KTRACE_FILTER_AND &&
	    filter_operator_at(p->in.at) == ARRAY_SIZE(operators))
		return filter_compare(p, &left->left, FILTER_OP_BAND, &left->right, ret);
	err = filter_parse_operator(p, &op);
	if (!err && filter_is_bits(left))
		err = filter_bits_error(p, left->pos);
	if (!err)
		err = filter_parse_value(p, false, LEVEL_SHIFT, &right);
	if (err)
		return err;
	if (arithmetic_at(p->in.at) < ARRAY_SIZE(arithmetic))
		return filter_bits_error(p, scan_position(&p->in));
	if (right->is_string)
		return caret_error(p->in.text, right->pos, "A string cannot be compared with a number");
	return filter_compare(p, &left, op.op, &right, ret);
}

static struct error *filter_parse_or(struct parser *p, struct filter_node **ret);

/*
 * Whether the next '(' encloses a value, and not conditions: then the ')' is followed by something
 * that needs a value.
 */
static bool filter_encloses_value(const struct parser *p)
{
	struct scan in = p->in;
	unsigned int depth = 0;

	for (; *in.at; in.at++) {
		if (*in.at == '"' || *in.at == '\'') {
			const char *end = strchr(in.at + 1, *in.at);

			if (!end)
				return false;
			in.at = end;
		} else if (*in.at == '(') {
			depth++;
		} else if (*in.at == ')' && !--depth) {
			in.at++;
			scan_blanks(&in);
			return filter_operator_at(in.at) < ARRAY_SIZE(operators) ||
			       arithmetic_at(in.at) < ARRAY_SIZE(arithmetic);
		}
	}
	return false;
}

static struct error *filter_parse_unary(struct parser *p, struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *inner = NULL;
	size_t pos = scan_position(&p->in);
	struct error *err;

	if (++p->depth > MAX_DEPTH)
		return scan_error(&p->in, "The filter is nested too deeply");
	if (scan_take(&p->in, "!")) {
		err = filter_parse_unary(p, &inner);
		if (!err)
			err = filter_new_node(p, FILTER_NOT, inner, NULL, ret);
		if (!err)
			inner = NULL;
	} else if (*p->in.at == '(' && !filter_encloses_value(p)) {
		pos = scan_position(&p->in);
		p->in.at++;
		err = filter_parse_or(p, &inner);
		if (!err && *p->in.at != ')')
			err = *p->in.at ? scan_error(&p->in, "Expected && or || or ')'") :
				       caret_error(p->in.text, pos, "This '(' is not closed");
		if (!err) {
			p->in.at++;
			*ret = take_ptr(inner);
		}
	} else {
		err = filter_parse_comparison(p, ret);
	}
	p->depth--;
	return err;
}

/* Parse one or more of @next joined by @word, and skip the blanks behind them. */
static struct error *filter_parse_row(struct parser *p, const char *word,
				      enum filter_node_kind kind,
				      struct error *(*next)(struct parser *, struct filter_node **),
				      struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *left = NULL;
	struct error *err;

	err = next(p, &left);
	if (err)
		return err;
	for (;;) {
		_cleanup_(filter) struct filter_node *right = NULL;
		struct filter_node *both = NULL;

		if (!scan_take(&p->in, word))
			break;
		err = next(p, &right);
		if (err)
			return err;
		err = filter_new_node(p, kind, left, right, &both);
		if (err)
			return err;
		right = NULL;
		left = both;
	}
	*ret = take_ptr(left);
	return NULL;
}

static struct error *filter_parse_and(struct parser *p, struct filter_node **ret)
{
	return filter_parse_row(p, "&&", FILTER_AND, filter_parse_unary, ret);
}

static struct error *filter_parse_or(struct parser *p, struct filter_node **ret)
{
	return filter_parse_row(p, "||", FILTER_OR, filter_parse_and, ret);
}

bool filter_calculate(const struct filter_node *value, filter_load *load, void *data,
		      uint64_t *ret)
{
	uint64_t left, right;

	switch (value->kind) {
	case FILTER_FIELD:
		*ret = load(data, value);
		return true;
	case FILTER_NUMBER:
		*ret = value->number;
		return true;
	default:
		if (!filter_calculate(value->left, load, data, &left) ||
		    !filter_calculate(value->right, load, data, &right) ||
		    !ktrace_filter_has_result(value->arithmetic, right))
			return false;
		*ret = ktrace_filter_calculate(value->arithmetic, filter_operation_is_signed(value),
					       left, right);
		return true;
	}
}

struct error *filter_parse_sides(const char *text, const struct filter_side *sides, size_t nr,
				 struct filter_node **ret)
{
	struct parser p = { .in = { text, text }, .sides = sides, .nr_sides = nr };
	_cleanup_(filter) struct filter_node *value = NULL;
	struct error *err = filter_parse_value(&p, true, LEVEL_OR, &value);

	if (err)
		return err;
	if (*p.in.at)
		return scan_error(&p.in, *p.in.at == ')' ? "This ')' closes nothing" :
				  "Expected an operator or the end");
	*ret = take_ptr(value);
	return NULL;
}

struct error *filter_parse(const char *text, const struct event_format *format,
			   struct filter_node **ret)
{
	struct parser p = { .in = { text, text }, .format = format };
	_cleanup_(filter) struct filter_node *tree = NULL;
	struct error *err;

	err = filter_parse_or(&p, &tree);
	if (err)
		return err;
	scan_blanks(&p.in);
	if (*p.in.at)
		return scan_error(&p.in, *p.in.at == ')' ? "This ')' closes nothing" :
				  "Expected && or || or the end");
	*ret = take_ptr(tree);
	return NULL;
}
