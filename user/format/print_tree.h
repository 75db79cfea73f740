/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A print fmt as a tree: the format string, and one expression per argument.
 *
 * The language is the C that the kernel leaves in format files: REC->field, numbers and macros,
 * operators, casts, __print_flags() and similar functions.  Other elements (statement expressions,
 * functions of the kernel) are not supported.
 *
 * Operators associate as in perf, which differs from C.  Among operators of equal priority the
 * right one is evaluated first, parentheses around a looser one on the right are ignored, and "a ?
 * b : c ? d : e" tests a ? b : c.  Otherwise recordings would print differently.
 *
 * Used only inside format/ and check/.
 */
#ifndef KTRACE_FORMAT_PRINT_TREE_H
#define KTRACE_FORMAT_PRINT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum print_kind {
	PRINT_NOTHING,		/* the missing left side of "-x" */
	PRINT_ATOM,		/* text: a number, a macro, a type, a string without its quotes */
	PRINT_FIELD,		/* text: REC->text */
	PRINT_CAST,		/* text: the type; a */
	PRINT_OPERATION,	/* a op b; '[': a[b]; '?': a ? b->a : b->b */
	PRINT_FLAGS,		/* a, names, text: the delimiter */
	PRINT_SYMBOL,		/* a, names */
	PRINT_HEX,		/* bytes a, count b */
	PRINT_HEX_STRING,	/* without blanks */
	PRINT_ARRAY,		/* elements a, count b, bytes each c */
	PRINT_STRING,		/* text: the field, dynamic */
	PRINT_BITMASK,
	PRINT_CPUMASK,
	PRINT_DYNAMIC,		/* the array itself */
	PRINT_DYNAMIC_LENGTH,	/* its bytes */
};

struct print_name {
	struct print_name *next;
	const char *text;
	bool is_number;		/* otherwise the value is an unknown macro */
	bool is_guess;		/* "(u8)-1": the value lacks a cast or a name, as with perf */
	int64_t value;
};

struct print_node {
	enum print_kind kind;
	int op;			/* as in print_token.h */
	int priority;		/* of an operation, for parsing; low binds tightly */
	const char *text;
	struct print_name *names;
	struct print_node *a, *b, *c;
	struct print_node *next;	/* the next argument */
};

struct print_tree {
	const char *format;
	struct print_node *args;
	struct print_block *blocks;	/* all memory of the tree */
};

/* @text begins behind "print fmt: ".  Returns NULL if it is not supported or memory is out. */
struct print_tree *print_tree_parse(const char *text);

/*
 * As print_tree_parse(); on failure *ret_failed is the offset of the first unsupported byte of
 * @text.
 */
struct print_tree *print_tree_parse_at(const char *text, size_t *ret_failed);
void print_tree_destroy(struct print_tree *tree);

/* Whether the name of @len bytes is a function that a print fmt may call. */
bool print_tree_knows_function(const char *word, size_t len);

/* Whether the name is a macro whose value is known without TRACE_DEFINE_ENUM. */
bool print_tree_knows_macro(const char *word, size_t len);

/* The bits that a cast to a type keeps, as a mask; @len bytes are the type's name; 0: all. */
uint64_t print_cast_mask(const char *type, size_t len);

#endif
