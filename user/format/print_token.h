/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tokens of a print fmt.  Used only inside format/ and check/.
 */
#ifndef KTRACE_FORMAT_PRINT_TOKEN_H
#define KTRACE_FORMAT_PRINT_TOKEN_H

#include <stdbool.h>

/* The code of a two-letter operator combines its letters: '<' << 8 | '<'. */
#define PRINT_OP(a, b) ((a) << 8 | (b))

enum print_token {
	TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_CHARACTER, TOKEN_OPERATOR,
};

struct print_tokens {
	const char *p;		/* behind the current token */
	const char *start;	/* of the current token, quotes included */
	enum print_token kind;
	int op;			/* of an operator */
};

/* Advance to the next token.  Returns false if a quote is not closed. */
bool print_token_next(struct print_tokens *tokens);

bool print_token_is_op(const struct print_tokens *tokens, int op);
bool print_token_is_word(const struct print_tokens *tokens, const char *word);

/* Advance if the current token is this operator; otherwise return false. */
bool print_token_expect(struct print_tokens *tokens, int op);

#endif
