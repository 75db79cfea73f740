// SPDX-License-Identifier: GPL-2.0
#include "spec/metric_expr.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "spec/caret.h"

/* How deep parentheses, conditions and signs may be nested, and how long a sum may be. */
#define METRIC_DEPTH_MAX	200
#define METRIC_HEIGHT_MAX	2000

enum metric_kind { METRIC_NUMBER, METRIC_NAME, METRIC_LITERAL, METRIC_HAS_EVENT, METRIC_NEGATED,
		   METRIC_BINARY, METRIC_IF, METRIC_NR_KINDS };

/* The operators that are functions have a letter of their own. */
#define METRIC_OP_MIN	'm'
#define METRIC_OP_MAX	'M'
#define METRIC_OP_RATIO	'd'

struct metric_node {
	enum metric_kind kind;
	char op;		/* of METRIC_BINARY */
	double number;
	char *name;		/* owned; NULL: no name */
	size_t args[3];		/* nodes; of METRIC_IF: the value, the condition, the other value */
	unsigned int height;	/* of the tree below it */
};

static const size_t metric_nr_args[METRIC_NR_KINDS] = {
	[METRIC_NEGATED] = 1, [METRIC_BINARY] = 2, [METRIC_IF] = 3,
};

struct metric_expr {
	struct metric_node *items;
	size_t nr, alloc;
	size_t root;
};

struct metric_parser {
	struct scan in;
	struct metric_expr *expr;
	unsigned int depth;
};

void metric_expr_destroy(struct metric_expr *expr)
{
	if (!expr)
		return;
	array_free_each(expr, .name);
	free(expr);
}

/* ---- parsing ---------------------------------------------------------------- */

static struct error *metric_parse_if(struct metric_parser *p, size_t *ret);

static struct error *metric_error(const struct metric_parser *p, const char *what)
{
	return error_hint(scan_error(&p->in, "%s", what),
			  "Metrics are written as in perf: INST_RETIRED / CPU_CYCLES, and '\\-' for "
			  "a '-' in a name");
}

static struct error *metric_push(struct metric_parser *p, struct metric_node node, size_t *ret)
{
	for (size_t i = 0; i < metric_nr_args[node.kind]; i++) {
		unsigned int height = p->expr->items[node.args[i]].height + 1;

		node.height = height > node.height ? height : node.height;
	}
	if (node.height > METRIC_HEIGHT_MAX)
		return metric_error(p, "This has too many operators");
	*ret = p->expr->nr;
	if (array_push(p->expr, node))
		return NULL;
	free(node.name);
	return &error_no_memory;
}

static bool metric_in_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.:@?", c));
}

/* Returns the end of the name that begins at @at. */
static const char *metric_name_end(const char *at)
{
	while (metric_in_name(*at) || (*at == '\\' && at[1]))
		at += *at == '\\' ? 2 : 1;
	return at;
}

/* Whether the next token is @word, which is then skipped. */
static bool metric_skip_word(struct metric_parser *p, const char *word)
{
	size_t len = strlen(word);

	scan_blanks(&p->in);
	if (strncmp(p->in.at, word, len) || metric_name_end(p->in.at) != p->in.at + len)
		return false;
	p->in.at += len;
	return true;
}

static struct error *metric_expect(struct metric_parser *p, char c)
{
	char token[] = { c, '\0' }, message[24];

	if (scan_take(&p->in, token))
		return NULL;
	snprintf(message, sizeof(message), "'%c' is missing", c);
	return metric_error(p, message);
}

/* Return a copy of the name up to @end, and continue there. */
static char *metric_take_name(struct metric_parser *p, const char *end)
{
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;

	for (; p->in.at < end; p->in.at++) {
		if (*p->in.at == '\\')
			strbuf_addch(&name, *++p->in.at);
		else
			strbuf_addch(&name, *p->in.at == '@' ? '/' : *p->in.at);
	}
	return name.failed || !name.data ? NULL : take_ptr(name.data);
}

static struct error *metric_parse_function(struct metric_parser *p, char op, size_t *ret)
{
	struct metric_node node = { .kind = METRIC_BINARY, .op = op };
	struct error *err = metric_expect(p, '(');

	if (!err)
		err = metric_parse_if(p, &node.args[0]);
	if (!err)
		err = metric_expect(p, ',');
	if (!err)
		err = metric_parse_if(p, &node.args[1]);
	if (!err)
		err = metric_expect(p, ')');
	return err ? err : metric_push(p, node, ret);
}

static struct error *metric_parse_has_event(struct metric_parser *p, size_t *ret)
{
	struct metric_node node = { .kind = METRIC_HAS_EVENT };
	struct error *err = metric_expect(p, '(');
	const char *end;

	if (err)
		return err;
	scan_blanks(&p->in);
	end = metric_name_end(p->in.at);
	if (end == p->in.at)
		return metric_error(p, "The name of an event is missing");
	node.name = metric_take_name(p, end);
	if (!node.name)
		return &error_no_memory;
	err = metric_expect(p, ')');
	if (!err)
		return metric_push(p, node, ret);
	free(node.name);
	return err;
}

/* Returns the end of the number at @at, or NULL if a name begins there. */
static const char *metric_number_end(const char *at, double *ret)
{
	size_t digits = strspn(at, "0123456789"), behind;
	const char *end = at + digits;

	if (*end == '.') {
		behind = strspn(end + 1, "0123456789");
		digits += behind;
		end += 1 + behind;
	}
	if (!digits)
		return NULL;
	if (*end == 'e' || *end == 'E') {
		size_t sign = end[1] == '-' || end[1] == '+';

		behind = strspn(end + 1 + sign, "0123456789");
		end += behind ? 1 + sign + behind : 0;
	}
	if (metric_in_name(*end) || *end == '\\')
		return NULL;
	*ret = strtod(at, NULL);
	return end;
}

static struct error *metric_parse_name(struct metric_parser *p, size_t *ret)
{
	static const struct {
		const char *word;
		char op;
	} functions[] = {
		{ "min", METRIC_OP_MIN }, { "max", METRIC_OP_MAX }, { "d_ratio", METRIC_OP_RATIO },
	};
	struct metric_node node = { .kind = *p->in.at == '#' ? METRIC_LITERAL : METRIC_NAME };
	const char *end = metric_name_end(p->in.at + (*p->in.at == '#')), *begin = p->in.at;

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (metric_skip_word(p, functions[i].word))
			return metric_parse_function(p, functions[i].op, ret);
	if (metric_skip_word(p, "has_event"))
		return metric_parse_has_event(p, ret);
	if (metric_skip_word(p, "if") || metric_skip_word(p, "else") || end == begin ||
	    (*begin == '#' && end == begin + 1)) {
		p->in.at = begin;
		return metric_error(p, *begin ? "No number and no name begins here" :
				    "Something is missing at the end");
	}
	if (end[strspn(end, " \t")] == '(')
		return metric_error(p, "ktrace does not know this function");
	if (memchr(begin, '?', end - begin))
		return metric_error(p, "ktrace does not know which number '?' stands for");
	node.name = metric_take_name(p, end);
	return node.name ? metric_push(p, node, ret) : &error_no_memory;
}

static struct error *metric_parse_value(struct metric_parser *p, size_t *ret)
{
	struct metric_node node = { .kind = METRIC_NUMBER };
	struct error *err;
	const char *end;

	if (scan_take(&p->in, "(")) {
		err = metric_parse_if(p, ret);
		return err ? err : metric_expect(p, ')');
	}
	if (*p->in.at == '-') {
		if (++p->depth > METRIC_DEPTH_MAX)
			return metric_error(p, "This is nested too deep");
		p->in.at++;
		node.kind = METRIC_NEGATED;
		err = metric_parse_value(p, &node.args[0]);
		p->depth--;
		return err ? err : metric_push(p, node, ret);
	}
	end = metric_number_end(p->in.at, &node.number);
	if (!end)
		return metric_parse_name(p, ret);
	p->in.at = end;
	return metric_push(p, node, ret);
}

/* Operators of the lowest precedence first. */
static const char *const metric_operators[] = { "|", "^", "&", "<>", "+-", "*/%" };

static struct error *metric_parse_binary(struct metric_parser *p, size_t level, size_t *ret)
{
	struct error *err;

	if (level == ARRAY_SIZE(metric_operators))
		return metric_parse_value(p, ret);
	err = metric_parse_binary(p, level + 1, ret);
	while (!err) {
		struct metric_node node = { .kind = METRIC_BINARY, .args[0] = *ret };

		scan_blanks(&p->in);
		if (!*p->in.at || !strchr(metric_operators[level], *p->in.at))
			break;
		node.op = *p->in.at++;
		err = metric_parse_binary(p, level + 1, &node.args[1]);
		if (!err)
			err = metric_push(p, node, ret);
	}
	return err;
}

static struct error *metric_parse_if(struct metric_parser *p, size_t *ret)
{
	struct metric_node node = { .kind = METRIC_IF };
	struct error *err;

	if (++p->depth > METRIC_DEPTH_MAX)
		return metric_error(p, "This is nested too deep");
	err = metric_parse_binary(p, 0, ret);
	if (!err && metric_skip_word(p, "if")) {
		node.args[0] = *ret;
		err = metric_parse_binary(p, 0, &node.args[1]);
		if (!err && !metric_skip_word(p, "else"))
			err = metric_error(p, "'else' is missing");
		if (!err)
			err = metric_parse_if(p, &node.args[2]);
		if (!err)
			err = metric_push(p, node, ret);
	}
	p->depth--;
	return err;
}

struct error *metric_expr_parse(const char *text, struct metric_expr **ret)
{
	_cleanup_(metric_expr) struct metric_expr *expr = calloc(1, sizeof(*expr));
	struct metric_parser p = { .in = { text, text }, .expr = expr };
	struct error *err;

	if (!expr)
		return &error_no_memory;
	err = metric_parse_if(&p, &expr->root);
	if (err)
		return err;
	scan_blanks(&p.in);
	if (*p.in.at)
		return metric_error(&p, "An operator is missing");
	*ret = take_ptr(expr);
	return NULL;
}

/* ---- values ----------------------------------------------------------------- */

/* C's conversion of a value to an integer, limited to the range of long. */
static long metric_whole(double value)
{
	return value >= (double)LONG_MAX ? LONG_MAX : value <= (double)LONG_MIN ? LONG_MIN :
	       (long)value;
}

static double metric_remainder(double a, double b)
{
	long divisor = metric_whole(b);

	if (!divisor)
		return NAN;
	return divisor == -1 ? 0 : metric_whole(a) % divisor;
}

static double metric_compute(char op, double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	switch (op) {
	case '|':
		return metric_whole(a) | metric_whole(b);
	case '^':
		return metric_whole(a) ^ metric_whole(b);
	case '&':
		return metric_whole(a) & metric_whole(b);
	case '<':
		return a < b;
	case '>':
		return a > b;
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return b == 0 ? NAN : a / b;
	case '%':
		return metric_remainder(a, b);
	case METRIC_OP_MIN:
		return a < b ? a : b;
	case METRIC_OP_MAX:
		return a > b ? a : b;
	default:	/* METRIC_OP_RATIO */
		return b == 0 ? 0 : a / b;
	}
}

static double metric_node_value(const struct metric_expr *expr, size_t index,
				const struct metric_names *names)
{
	const struct metric_node *node = &expr->items[index];
	double value;

	switch (node->kind) {
	case METRIC_NUMBER:
		return node->number;
	case METRIC_NAME:
		return names->value(names->data, node->name);
	case METRIC_LITERAL:
		return names->literal(names->data, node->name);
	case METRIC_HAS_EVENT:
		return names->has_event(names->data, node->name);
	case METRIC_NEGATED:
		return -metric_node_value(expr, node->args[0], names);
	case METRIC_IF:
		value = metric_node_value(expr, node->args[1], names);
		return isnan(value) ? NAN :
		       metric_node_value(expr, node->args[value ? 0 : 2], names);
	case METRIC_BINARY:
	case METRIC_NR_KINDS:
		break;
	}
	value = metric_node_value(expr, node->args[0], names);
	return metric_compute(node->op, value, metric_node_value(expr, node->args[1], names));
}

double metric_expr_value(const struct metric_expr *expr, const struct metric_names *names)
{
	return metric_node_value(expr, expr->root, names);
}

static double metric_no_value(void *data, const char *name)
{
	return NAN;
}

static struct error *metric_visit(const struct metric_expr *expr, size_t index,
				  const struct metric_names *names,
				  struct error *(*each)(void *data, const char *name))
{
	const struct metric_node *node = &expr->items[index];
	struct metric_names constants = *names;
	struct error *err = NULL;
	double condition;

	if (node->kind == METRIC_NAME)
		return each(names->data, node->name);
	constants.value = metric_no_value;
	if (node->kind == METRIC_IF) {
		condition = metric_node_value(expr, node->args[1], &constants);
		if (!isnan(condition))
			return metric_visit(expr, node->args[condition ? 0 : 2], names, each);
	}
	for (size_t i = 0; !err && i < metric_nr_args[node->kind]; i++)
		err = metric_visit(expr, node->args[i], names, each);
	return err;
}

struct error *metric_expr_each_name(const struct metric_expr *expr,
				    const struct metric_names *names,
				    struct error *(*each)(void *data, const char *name))
{
	return metric_visit(expr, expr->root, names, each);
}
