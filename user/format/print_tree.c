// SPDX-License-Identifier: GPL-2.0
#include "format/print_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/print_token.h"
#include "lib/array.h"

/* No real print fmt is deeper or larger; walking the tree must not exhaust the stack. */
#define DEPTH_MAX	200
#define NODES_MAX	5000

struct print_block {
	struct print_block *next;
	max_align_t bytes[];
};

struct parser {
	struct print_tree *tree;
	struct print_tokens tokens;
	int depth;
	unsigned int nodes;
};

static void *tree_alloc(struct parser *parser, size_t size)
{
	struct print_block *block = calloc(1, sizeof(*block) + size);

	if (!block)
		return NULL;
	block->next = parser->tree->blocks;
	parser->tree->blocks = block;
	return block->bytes;
}

static const char *copy(struct parser *parser, const char *text, size_t len)
{
	char *to = tree_alloc(parser, len + 1);

	if (to)
		memcpy(to, text, len);
	return to;
}

static struct print_node *tree_create(struct parser *parser)
{
	return parser->nodes++ < NODES_MAX ? tree_alloc(parser, sizeof(struct print_node)) : NULL;
}

static bool next(struct parser *parser)
{
	return print_token_next(&parser->tokens);
}

static bool is_op(const struct parser *parser, int op)
{
	return print_token_is_op(&parser->tokens, op);
}

static bool tree_is_word(const struct parser *parser, const char *word)
{
	return print_token_is_word(&parser->tokens, word);
}

static bool expect(struct parser *parser, int op)
{
	return print_token_expect(&parser->tokens, op);
}

static const char *token_text(struct parser *parser)
{
	return copy(parser, parser->tokens.start, parser->tokens.p - parser->tokens.start);
}

/* Adjacent strings ("a" "b") are one; escapes are kept. */
static const char *take_string(struct parser *parser)
{
	const char *whole = "";

	if (parser->tokens.kind != TOKEN_STRING)
		return NULL;
	while (parser->tokens.kind == TOKEN_STRING) {
		size_t len = parser->tokens.p - parser->tokens.start - 2;
		size_t before = strlen(whole);
		char *joined = tree_alloc(parser, before + len + 1);

		if (!joined)
			return NULL;
		memcpy(joined, whole, before);
		memcpy(joined + before, parser->tokens.start + 1, len);
		whole = joined;
		if (!next(parser))
			return NULL;
	}
	return whole;
}

uint64_t print_cast_mask(const char *type, size_t len)
{
	static const struct {
		const char *type;
		uint64_t mask;
	} masks[] = {
		{ "u8", 0xff }, { "s8", 0xff }, { "char", 0xff },
		{ "u16", 0xffff }, { "s16", 0xffff }, { "short", 0xffff },
		{ "u32", 0xffffffff }, { "s32", 0xffffffff }, { "int", 0xffffffff },
	};

	if (len > 9 && !memcmp(type, "unsigned ", 9)) {
		type += 9;
		len -= 9;
	}
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++)
		if (strlen(masks[i].type) == len && !memcmp(masks[i].type, type, len))
			return masks[i].mask;
	return 0;
}

static bool parse_unit(struct parser *parser, struct print_node *node);
static bool parse_operation(struct parser *parser, struct print_node *node);

/* Whether the current token ends an expression. */
static bool is_end(const struct parser *parser)
{
	return parser->tokens.kind != TOKEN_OPERATOR || is_op(parser, ')') || is_op(parser, ',') ||
		is_op(parser, ':') || is_op(parser, ']') || is_op(parser, '}');
}

static bool parse_expression(struct parser *parser, struct print_node *node)
{
	bool ok;

	if (parser->depth >= DEPTH_MAX)
		return false;
	parser->depth++;
	ok = parse_unit(parser, node);
	while (ok && !is_end(parser))
		ok = parse_operation(parser, node);
	parser->depth--;
	return ok;
}

static struct print_node *new_expression(struct parser *parser)
{
	struct print_node *node = tree_create(parser);

	return node && parse_expression(parser, node) ? node : NULL;
}

/* REC->name */
static bool parse_field(struct parser *parser, struct print_node *node)
{
	node->kind = PRINT_FIELD;
	if (!next(parser) || !is_op(parser, PRINT_OP('-', '>')) || !next(parser) ||
	    parser->tokens.kind != TOKEN_NAME)
		return false;
	node->text = token_text(parser);
	return node->text && next(parser);
}

/* Macros that print fmts use but do not define. */
static bool find_macro(const char *text, size_t len, int64_t *ret)
{
	static const struct {
		const char *name;
		int64_t value;
	} macros[] = {
		{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 }, { "BLOCK_SOFTIRQ", 4 }, { "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 }, { "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 }, { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(macros); i++) {
		if (strlen(macros[i].name) == len && !memcmp(macros[i].name, text, len)) {
			*ret = macros[i].value;
			return true;
		}
	}
	return false;
}

static bool operate(int op, int64_t a, int64_t b, int64_t *ret)
{
	switch (op) {
	case '-':
		*ret = (int64_t)((uint64_t)a - (uint64_t)b);
		return true;
	case '+':
		*ret = (int64_t)((uint64_t)a + (uint64_t)b);
		return true;
	case '*':
		*ret = (int64_t)((uint64_t)a * (uint64_t)b);
		return true;
	case '|':
		*ret = a | b;
		return true;
	case '&':
		*ret = a & b;
		return true;
	case '^':
		*ret = a ^ b;
		return true;
	case '~':
		*ret = ~b;
		return true;
	case PRINT_OP('<', '<'):
		*ret = (int64_t)((uint64_t)a << (b & 63));
		return true;
	case PRINT_OP('>', '>'):
		*ret = a >> (b & 63);
		return true;
	default:
		return false;
	}
}

/* Evaluate a constant expression; a macro in it counts as 0, as with perf. */
static bool evaluate(const struct print_node *node, int64_t *ret)
{
	int64_t a, b;
	uint64_t mask;

	switch (node->kind) {
	case PRINT_NOTHING:
		*ret = 0;
		return true;
	case PRINT_ATOM:
		*ret = strtoll(node->text, NULL, 0);
		return true;
	case PRINT_CAST:
		mask = print_cast_mask(node->text, strlen(node->text));
		if (!evaluate(node->a, ret))
			return false;
		if (mask)
			*ret &= mask;
		return true;
	case PRINT_OPERATION:
		return evaluate(node->a, &a) && evaluate(node->b, &b) &&
			operate(node->op, a, b, ret);
	default:
		return false;
	}
}

static bool has_more_than_numbers(const struct print_node *node)
{
	if (node->kind == PRINT_ATOM)
		return *node->text < '0' || *node->text > '9';
	if (node->kind == PRINT_OPERATION)
		return has_more_than_numbers(node->a) || has_more_than_numbers(node->b);
	return node->kind != PRINT_NOTHING;
}

static bool tree_take_value(const struct print_node *node, struct print_name *name)
{
	name->is_guess = has_more_than_numbers(node);
	while (node->kind == PRINT_CAST)
		node = node->a;
	name->is_number = true;
	if (node->kind != PRINT_ATOM)
		return evaluate(node, &name->value);
	if (*node->text >= '0' && *node->text <= '9')
		name->value = strtoull(node->text, NULL, 0);
	else
		name->is_number = find_macro(node->text, strlen(node->text), &name->value);
	return true;
}

/*
 * Parse a string.  perf shows a number ("{ -1, ((void *)0) }") by its digits, a macro by its name.
 */
static const char *parse_name_text(struct parser *parser)
{
	struct print_node *node = new_expression(parser);
	char digits[24];
	int64_t value;

	while (node && node->kind == PRINT_CAST)
		node = node->a;
	if (!node || node->kind == PRINT_ATOM)
		return node ? node->text : NULL;
	if (!evaluate(node, &value))
		return NULL;
	snprintf(digits, sizeof(digits), "%lld", (long long)value);
	return copy(parser, digits, strlen(digits));
}

/* Parse { value, "text" }, ... up to the closing parenthesis, which is not consumed. */
static bool parse_names(struct parser *parser, struct print_name **tail)
{
	while (is_op(parser, ',')) {
		struct print_name *name = tree_alloc(parser, sizeof(*name));
		struct print_node *value;

		if (!name || !next(parser) || !expect(parser, '{'))
			return false;
		value = new_expression(parser);
		if (!value || !tree_take_value(value, name) || !expect(parser, ','))
			return false;
		name->text = parse_name_text(parser);
		if (!name->text || !expect(parser, '}'))
			return false;
		*tail = name;
		tail = &name->next;
	}
	return true;
}

static bool parse_flags(struct parser *parser, struct print_node *node)
{
	node->a = new_expression(parser);
	if (!node->a || !expect(parser, ','))
		return false;
	node->text = take_string(parser);
	return node->text && parse_names(parser, &node->names);
}

static bool parse_symbol(struct parser *parser, struct print_node *node)
{
	node->a = new_expression(parser);
	return node->a && parse_names(parser, &node->names);
}

static bool parse_two(struct parser *parser, struct print_node *node)
{
	node->a = new_expression(parser);
	if (!node->a || !expect(parser, ','))
		return false;
	node->b = new_expression(parser);
	return node->b;
}

static bool parse_three(struct parser *parser, struct print_node *node)
{
	if (!parse_two(parser, node) || !expect(parser, ','))
		return false;
	node->c = new_expression(parser);
	return node->c;
}

static bool tree_parse_name(struct parser *parser, struct print_node *node)
{
	if (parser->tokens.kind != TOKEN_NAME)
		return false;
	node->text = token_text(parser);
	return node->text && next(parser);
}

/* Parse sizeof(type) into an atom. */
static bool parse_sizeof(struct parser *parser, struct print_node *node)
{
	static const struct {
		const char *type, *size;
	} sizes[] = {
		{ "u8", "1" }, { "s8", "1" }, { "char", "1" }, { "u16", "2" }, { "s16", "2" },
		{ "short", "2" }, { "u32", "4" }, { "s32", "4" }, { "int", "4" },
		{ "unsigned int", "4" }, { "u64", "8" }, { "s64", "8" }, { "long", "8" },
		{ "unsigned long", "8" }, { "long long", "8" }, { "unsigned long long", "8" },
		{ "__u8", "1" }, { "__u16", "2" }, { "__u32", "4" }, { "__u64", "8" },
	};
	struct print_node type = { 0 };

	if (!parse_unit(parser, &type) || type.kind != PRINT_ATOM)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!strcmp(sizes[i].type, type.text)) {
			node->text = sizes[i].size;
			return true;
		}
	}
	return false;
}

/* Parse a call whose second argument is only a hint to the compiler. */
static bool parse_hint(struct parser *parser, struct print_node *node)
{
	struct print_node hint = { 0 };

	return parse_expression(parser, node) && expect(parser, ',') &&
		parse_expression(parser, &hint);
}

static const struct {
	const char *name;
	enum print_kind kind;
	bool (*arguments)(struct parser *parser, struct print_node *node);
} functions[] = {
	{ "__print_flags", PRINT_FLAGS, parse_flags },
	{ "__print_flags_u64", PRINT_FLAGS, parse_flags },
	{ "__print_symbolic", PRINT_SYMBOL, parse_symbol },
	{ "__print_symbolic_u64", PRINT_SYMBOL, parse_symbol },
	{ "__print_hex", PRINT_HEX, parse_two },
	{ "__print_hex_str", PRINT_HEX_STRING, parse_two },
	{ "__print_array", PRINT_ARRAY, parse_three },
	{ "__get_str", PRINT_STRING, tree_parse_name },
	{ "__get_rel_str", PRINT_STRING, tree_parse_name },
	{ "__get_bitmask", PRINT_BITMASK, tree_parse_name },
	{ "__get_rel_bitmask", PRINT_BITMASK, tree_parse_name },
	{ "__get_cpumask", PRINT_CPUMASK, tree_parse_name },
	{ "__get_rel_cpumask", PRINT_CPUMASK, tree_parse_name },
	{ "__get_dynamic_array", PRINT_DYNAMIC, tree_parse_name },
	{ "__get_rel_dynamic_array", PRINT_DYNAMIC, tree_parse_name },
	{ "__get_dynamic_array_len", PRINT_DYNAMIC_LENGTH, tree_parse_name },
	{ "__get_rel_dynamic_array_len", PRINT_DYNAMIC_LENGTH, tree_parse_name },
	{ "sizeof", PRINT_ATOM, parse_sizeof },
	{ "__builtin_expect", PRINT_NOTHING, parse_hint },
};

bool print_tree_knows_function(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strlen(functions[i].name) == len && !memcmp(functions[i].name, word, len))
			return true;
	return false;
}

bool print_tree_knows_macro(const char *word, size_t len)
{
	int64_t value;

	return find_macro(word, len, &value);
}

/* Parse name(...), one of the functions above; functions of the kernel are not supported. */
static bool parse_call(struct parser *parser, const char *name, struct print_node *node)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strcmp(functions[i].name, name))
			continue;
		node->kind = functions[i].kind;
		return next(parser) && functions[i].arguments(parser, node) && expect(parser, ')');
	}
	return false;
}

/* Adjacent words are one atom: "unsigned long". */
static bool parse_word(struct parser *parser, struct print_node *node)
{
	const char *start = parser->tokens.start, *end;

	if (tree_is_word(parser, "REC"))
		return parse_field(parser, node);
	node->kind = PRINT_ATOM;
	node->text = token_text(parser);
	if (!node->text || !next(parser))
		return false;
	if (is_op(parser, '('))
		return parse_call(parser, node->text, node);
	while (parser->tokens.kind == TOKEN_NAME || parser->tokens.kind == TOKEN_NUMBER) {
		end = parser->tokens.p;
		node->text = copy(parser, start, end - start);
		if (!node->text || !next(parser))
			return false;
	}
	return true;
}

/* Parse "(x)", or "(type) x" if the next token is no operator. */
static bool parse_parentheses(struct parser *parser, struct print_node *node)
{
	struct print_node *of;

	if (!next(parser) || !parse_expression(parser, node) || !expect(parser, ')'))
		return false;
	if (parser->tokens.kind == TOKEN_END ||
	    (parser->tokens.kind == TOKEN_OPERATOR && !is_op(parser, '(')))
		return true;
	of = tree_create(parser);
	if (!of || node->kind != PRINT_ATOM)
		return false;
	node->kind = PRINT_CAST;
	node->a = of;
	return parse_unit(parser, of);
}

/* Parse "-x", an operation without a left side. */
static bool tree_parse_unary(struct parser *parser, struct print_node *node)
{
	if (!is_op(parser, '!') && !is_op(parser, '~') && !is_op(parser, '-') &&
	    !is_op(parser, '+'))
		return false;
	node->kind = PRINT_OPERATION;
	node->op = parser->tokens.op;
	node->a = tree_create(parser);
	node->b = tree_create(parser);
	return node->a && node->b && next(parser) && parse_unit(parser, node->b);
}

/* Parse one operand. */
static bool parse_unit(struct parser *parser, struct print_node *node)
{
	bool ok = false;

	if (parser->depth >= DEPTH_MAX)
		return false;
	parser->depth++;
	switch (parser->tokens.kind) {
	case TOKEN_NAME:
	case TOKEN_NUMBER:
		ok = parse_word(parser, node);
		break;
	case TOKEN_STRING:
		node->kind = PRINT_ATOM;
		node->text = take_string(parser);
		ok = node->text;
		break;
	case TOKEN_CHARACTER:
		/* Drop the quotes; as a number, perf sees only the digits inside. */
		node->kind = PRINT_ATOM;
		node->text = copy(parser, parser->tokens.start + 1,
				  parser->tokens.p - parser->tokens.start - 2);
		ok = node->text && next(parser);
		break;
	case TOKEN_OPERATOR:
		ok = is_op(parser, '(') ? parse_parentheses(parser, node) :
					  tree_parse_unary(parser, node);
		break;
	default:
		break;
	}
	parser->depth--;
	return ok;
}

/* Returns the priority of an operator (low binds tightly), or 0 if it is not a binary operator. */
static int priority_of(int op)
{
	switch (op) {
	case '~':
	case '!':
		return 4;
	case '*':
	case '/':
	case '%':
		return 6;
	case '+':
	case '-':
		return 7;
	case PRINT_OP('<', '<'):
	case PRINT_OP('>', '>'):
		return 8;
	case '<':
	case '>':
	case PRINT_OP('<', '='):
	case PRINT_OP('>', '='):
		return 9;
	case PRINT_OP('=', '='):
	case PRINT_OP('!', '='):
		return 10;
	case '&':
		return 11;
	case '^':
		return 12;
	case '|':
		return 13;
	case PRINT_OP('&', '&'):
		return 14;
	case PRINT_OP('|', '|'):
		return 15;
	case '?':
		return 16;
	default:
		return 0;
	}
}

/*
 * Parse "? x : y" behind @node, which becomes the operation; y is a single operand, as with perf.
 */
static bool parse_condition(struct parser *parser, struct print_node *node)
{
	struct print_node *branches = tree_create(parser);

	if (!branches || !next(parser))
		return false;
	node->b = branches;
	branches->kind = PRINT_OPERATION;
	branches->op = ':';
	branches->a = new_expression(parser);
	branches->b = tree_create(parser);
	return branches->a && branches->b && expect(parser, ':') &&
		parse_unit(parser, branches->b);
}

/* Attach the right side.  If it is a looser operation, exchange it with this one. */
static bool parse_right(struct parser *parser, struct print_node *node, struct print_node *right)
{
	struct print_node whole;

	if (!next(parser) || !parse_unit(parser, right))
		return false;
	node->b = right;
	if (right->kind != PRINT_OPERATION || priority_of(node->op) >= priority_of(right->op))
		return true;
	node->b = right->a;
	whole = *node;
	*node = *right;
	*right = whole;
	node->a = right;
	return true;
}

/* Parse "void *" before a closing parenthesis, which is a type. */
static bool parse_pointer(struct parser *parser, struct print_node *node)
{
	struct print_tokens after = parser->tokens;
	size_t len = strlen(node->text);
	char *text;

	if (!print_token_next(&after) || !print_token_is_op(&after, ')'))
		return false;
	text = tree_alloc(parser, len + 3);
	if (!text)
		return false;
	memcpy(text, node->text, len);
	memcpy(text + len, " *", 3);
	node->text = text;
	parser->tokens = after;
	return true;
}

/*
 * Parse an operator and its right side behind the operand @node, which becomes the operation.  A
 * following operator that does not bind looser applies only to the right side.
 */
static bool parse_operation(struct parser *parser, struct print_node *node)
{
	struct print_node *left, *right;
	int op = parser->tokens.op;
	bool ok;

	if (parser->depth >= DEPTH_MAX || (op != '[' && priority_of(op) < 5))
		return false;
	if (op == '*' && node->kind == PRINT_ATOM && parse_pointer(parser, node))
		return true;
	left = tree_create(parser);
	right = tree_create(parser);
	if (!left || !right)
		return false;
	*left = *node;
	*node = (struct print_node){ .kind = PRINT_OPERATION, .op = op, .a = left };
	if (op == '[') {
		ok = next(parser) && parse_expression(parser, right) && expect(parser, ']');
		node->b = right;
	} else if (op == '?') {
		ok = parse_condition(parser, node);
	} else {
		node->priority = left->kind == PRINT_NOTHING ? 0 : priority_of(op);
		ok = parse_right(parser, node, right);
	}
	if (!ok || is_end(parser))
		return ok;
	if (priority_of(parser->tokens.op) > node->priority)
		right = node;
	parser->depth++;
	ok = parse_operation(parser, right);
	parser->depth--;
	return ok;
}

static bool parse_all(struct parser *parser)
{
	struct print_node **tail = &parser->tree->args;

	if (!next(parser))
		return false;
	parser->tree->format = take_string(parser);
	if (!parser->tree->format)
		return false;
	while (is_op(parser, ',')) {
		if (!next(parser))
			return false;
		*tail = new_expression(parser);
		if (!*tail)
			return false;
		tail = &(*tail)->next;
	}
	return parser->tokens.kind == TOKEN_END;
}

struct print_tree *print_tree_parse_at(const char *text, size_t *ret_failed)
{
	struct parser parser = { .tokens = { .p = text, .start = text } };

	*ret_failed = 0;
	parser.tree = calloc(1, sizeof(*parser.tree));
	if (parser.tree && !parse_all(&parser)) {
		*ret_failed = parser.tokens.start - text;
		print_tree_destroy(parser.tree);
		return NULL;
	}
	return parser.tree;
}

struct print_tree *print_tree_parse(const char *text)
{
	size_t failed;

	return print_tree_parse_at(text, &failed);
}

void print_tree_destroy(struct print_tree *tree)
{
	if (!tree)
		return;
	while (tree->blocks) {
		struct print_block *block = tree->blocks;

		tree->blocks = block->next;
		free(block);
	}
	free(tree);
}
