// SPDX-License-Identifier: GPL-2.0
#include "spec/filter_expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include "spec/caret.h"
#include "terminal/options.h"

/* Limits of what a text can cost: the depth of the recursion, and the nodes of the tree. */
#define MAX_DEPTH 100
#define MAX_NODES 4096

/* The kernel's MAX_FILTER_STR_VAL, which includes the NUL. */
#define MAX_STRING 256

struct parser {
	struct scan in;
	const struct event_format *format;
	unsigned int depth, nodes;
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
	{ "&", FILTER_OP_BAND }, { "~", FILTER_OP_GLOB },
};

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

/* Find out whether the field is compared as a string; other arrays cannot be compared. */
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
static struct error *filter_parse_operand(struct parser *p, struct filter_node *node)
{
	_cleanup_free_ char *name = NULL;
	size_t len = scan_word(&p->in);
	struct error *err;

	if (!len)
		return error_hint(scan_error(&p->in, "A field name is missing"),
				  "A filter reads FIELD OPERATOR VALUE, as in pid > 100");
	name = strndup(p->in.at, len);
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
	p->in.at += len;
	return NULL;
}

static struct error *filter_parse_operator(struct parser *p, struct filter_node *node)
{
	bool string_only, number_only;
	size_t i;

	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(p->in.at, operators[i].text, strlen(operators[i].text)))
			break;
	if (i == sizeof(operators) / sizeof(operators[0]) || !strncmp(p->in.at, "&&", 2))
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
 * The kernel takes a pattern that begins with a digit literally.  We refuse it, because the
 * same text must not mean two things.
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
		len = scan_word(&p->in);
		if (!len)
			return error_hint(caret_error(p->in.text, pos, "A string is missing"),
					  "Write it in double quotes");
		node->text = strndup(p->in.at, len);
		p->in.at += len;
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
	return node->field ? node->field->is_signed : node->common->type == COMMON_SIGNED;
}

/* Find out how many bytes are compared, and whether they are signed. */
static void operand_type(const struct filter_node *node, unsigned int *size, bool *is_signed)
{
	*size = node->field ? node->field->size : 8;
	*is_signed = filter_node_is_signed(node);
}

/* Truncate the number to the size of the field, as the kernel does, and extend its sign. */
static struct error *filter_set_number(struct parser *p, struct filter_node *node, size_t pos,
				       uint64_t value)
{
	unsigned int size, bits;
	bool is_signed;
	uint64_t above;

	operand_type(node, &size, &is_signed);
	node->number = value;
	if (size >= 8)
		return NULL;
	bits = size * 8;
	above = value >> bits;
	if (above && above != UINT64_MAX >> bits)
		return error_hint(caret_error(p->in.text, pos, "The number does not fit into '%s'",
					      node->field->name),
				  "It holds %u byte%s", size, size == 1 ? "" : "s");
	node->number = value << (64 - bits);
	if (is_signed)
		node->number = (int64_t)node->number >> (64 - bits);
	else
		node->number >>= 64 - bits;
	return NULL;
}

/* Parse a name that the print fmt has for a value: vec == TIMER. */
static struct error *filter_parse_name(struct parser *p, struct filter_node *node, size_t pos)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	_cleanup_free_ char *word = strndup(p->in.at, scan_word(&p->in));
	const struct field *field = node->field;
	struct error *err;

	if (!word)
		return &error_no_memory;
	for (size_t i = 0; field && i < field->nr_names; i++) {
		if (!strcmp(field->names[i].name, word)) {
			p->in.at += strlen(word);
			return filter_set_number(p, node, pos, field->names[i].value);
		}
		if (i < 20)
			strbuf_addf(&names, "%s%s", i ? ", " : "", field->names[i].name);
	}
	err = caret_error(p->in.text, pos, "A number is missing");
	if (names.len)
		error_hint(err, "Write a number, or one of the names of '%s': %s",
			   field->name, strbuf_str(&names));
	return err;
}

static struct error *filter_parse_number(struct parser *p, struct filter_node *node)
{
	_cleanup_free_ char *digits = NULL;
	size_t pos = scan_position(&p->in), len;
	bool negative = *p->in.at == '-';
	unsigned long long value;
	unsigned int size;
	bool is_signed;

	operand_type(node, &size, &is_signed);
	if (*p->in.at == '\'' && p->in.at[1] && p->in.at[2] == '\'') {
		value = (unsigned char)p->in.at[1];
		p->in.at += 3;
		return filter_set_number(p, node, pos, value);
	}
	if (*p->in.at == '"')
		return caret_error(p->in.text, pos, "A string cannot be compared with a number");
	if (!negative && !isdigit((unsigned char)*p->in.at))
		return filter_parse_name(p, node, pos);

	p->in.at += negative;
	len = scan_word(&p->in);
	digits = strndup(p->in.at, len);
	if (!digits)
		return &error_no_memory;
	p->in.at += len;
	if (!parse_u64(digits, &value))
		return caret_error(p->in.text, pos, "This is not a number of at most 64 bits");
	if (negative && !is_signed)
		return caret_error(p->in.text, pos, "The field is unsigned and never negative");
	if (is_signed && value > (uint64_t)INT64_MAX + negative)
		return caret_error(p->in.text, pos, "The number is larger than 64 bits with a sign hold");
	return filter_set_number(p, node, pos, negative ? -value : value);
}

static struct error *filter_parse_value(struct parser *p, struct filter_node *node)
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
		err = filter_parse_value(p, first);
	if (err)
		return err;
	scan_blanks(&p->in);
	if (!like->is_string && scan_take(&p->in, "..")) {
		first->op = FILTER_OP_GE;
		err = new_comparison(p, like, FILTER_OP_LE, &last);
		if (!err)
			err = filter_parse_value(p, last);
		if (!err)
			err = filter_new_node(p, FILTER_AND, first, last, ret);
		if (!err)
			first = last = NULL;
		return err;
	}
	*ret = take_ptr(first);
	return NULL;
}

/* Parse what follows "in": VALUE, FIRST..LAST, or { both, of, them }. */
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

static struct error *filter_parse_comparison(struct parser *p, struct filter_node **ret)
{
	_cleanup_(filter) struct filter_node *node = NULL;
	struct error *err;

	err = filter_new_node(p, FILTER_COMPARE, NULL, NULL, &node);
	if (err)
		return err;
	err = filter_parse_operand(p, node);
	if (err)
		return err;
	if (scan_take(&p->in, "in"))
		return filter_parse_in(p, node, ret);
	err = filter_parse_operator(p, node);
	if (!err)
		err = filter_parse_value(p, node);
	if (err)
		return err;
	*ret = take_ptr(node);
	return NULL;
}

static struct error *filter_parse_or(struct parser *p, struct filter_node **ret);

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
	} else if (*p->in.at == '(') {
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
