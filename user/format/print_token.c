// SPDX-License-Identifier: GPL-2.0
#include "format/print_token.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "lib/array.h"

static void take_operator(struct print_tokens *tokens)
{
	static const char twos[][3] = {
		"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	};

	tokens->kind = TOKEN_OPERATOR;
	for (size_t i = 0; i < ARRAY_SIZE(twos); i++) {
		if (tokens->p[0] == twos[i][0] && tokens->p[1] == twos[i][1]) {
			tokens->op = PRINT_OP(twos[i][0], twos[i][1]);
			tokens->p += 2;
			return;
		}
	}
	tokens->op = (unsigned char)*tokens->p++;
}

/* Advance to the closing quote.  Returns false if there is none. */
static bool take_quoted(struct print_tokens *tokens, char quote)
{
	for (tokens->p++; *tokens->p != quote; tokens->p++)
		if (!*tokens->p || (*tokens->p == '\\' && !*++tokens->p))
			return false;
	tokens->p++;
	return true;
}

bool print_token_next(struct print_tokens *tokens)
{
	while (isspace((unsigned char)*tokens->p))
		tokens->p++;
	tokens->start = tokens->p;
	tokens->op = 0;
	if (!*tokens->p) {
		tokens->kind = TOKEN_END;
	} else if (isalpha((unsigned char)*tokens->p) || *tokens->p == '_') {
		tokens->kind = TOKEN_NAME;
		while (isalnum((unsigned char)*tokens->p) || *tokens->p == '_')
			tokens->p++;
	} else if (isdigit((unsigned char)*tokens->p)) {
		tokens->kind = TOKEN_NUMBER;
		while (isalnum((unsigned char)*tokens->p))
			tokens->p++;
	} else if (*tokens->p == '"') {
		tokens->kind = TOKEN_STRING;
		return take_quoted(tokens, '"');
	} else if (*tokens->p == '\'') {
		tokens->kind = TOKEN_CHARACTER;
		return take_quoted(tokens, '\'');
	} else {
		take_operator(tokens);
	}
	return true;
}

bool print_token_is_op(const struct print_tokens *tokens, int op)
{
	return tokens->kind == TOKEN_OPERATOR && tokens->op == op;
}

bool print_token_is_word(const struct print_tokens *tokens, const char *word)
{
	size_t len = strlen(word);

	return tokens->kind == TOKEN_NAME && (size_t)(tokens->p - tokens->start) == len &&
		!memcmp(tokens->start, word, len);
}

bool print_token_expect(struct print_tokens *tokens, int op)
{
	return print_token_is_op(tokens, op) && print_token_next(tokens);
}
