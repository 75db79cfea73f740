/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of a print fmt.  Inside format/ and check/ only.
 */
#ifndef KTRACE_FORMAT_PRINT_TOKEN_H
#define KTRACE_FORMAT_PRINT_TOKEN_H

#include <stdbool.h>

/* Two-letter operators are their letters: '<' << 8 | '<'. */
#define PRINT_OP(a, b) ((a) << 8 | (b))

enum print_token {
	TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_CHARACTER, TOKEN_OPERATOR,
};

struct print_tokens {
	const char *p;		/* behind the current one */
	const char *start;	/* of the current one, quotes included */
	enum print_token kind;
	int op;			/* of an operator */
};

/* Go to the next one; false: a quote that is not closed. */
bool print_token_next(struct print_tokens *tokens);

bool print_token_is_op(const struct print_tokens *tokens, int op);
bool print_token_is_word(const struct print_tokens *tokens, const char *word);

/* Go on if it is this operator. */
bool print_token_expect(struct print_tokens *tokens, int op);

#endif
