// SPDX-License-Identifier: GPL-2.0
#include "machine/automaton.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define DOT_INIT	"__init_"
/* Limit of nested braces; rv's models have one level. */
#define DOT_DEPTH	32

/* A word, a quoted text without its quotes, or one character ('>' is "->"). */
struct dot_token {
	enum { DOT_END, DOT_WORD, DOT_TEXT, DOT_SIGN } kind;
	char sign;
	size_t start, len;	/* in the text, without quotes */
};

/* The attributes of a node, an edge or all following nodes. */
struct dot_attributes {
	bool is_final;
	bool has_label;
	struct dot_token label;
};

struct dot_parser {
	struct automaton *a;
	const char *text;
	size_t pos;			/* behind the token */
	struct dot_token token;
	struct error *err;		/* the first one */
	bool has_initial;
	char *initial_name;		/* of the node with the initial state's name */
	size_t initial_pos;
	unsigned int depth;
};

#define dot_fail(parser, at, ...) \
	((parser)->err = (parser)->err ? (parser)->err : \
	 model_text_error(&(parser)->a->text, at, __VA_ARGS__))

static bool dot_no_memory(struct dot_parser *p)
{
	if (!p->err)
		p->err = &error_no_memory;
	return false;
}

static void dot_skip_blanks(struct dot_parser *p)
{
	const char *t = p->text;

	for (;;) {
		if (isspace((unsigned char)t[p->pos])) {
			p->pos++;
		} else if (t[p->pos] == '#' || (t[p->pos] == '/' && t[p->pos + 1] == '/')) {
			p->pos += strcspn(t + p->pos, "\n");
		} else if (t[p->pos] == '/' && t[p->pos + 1] == '*') {
			const char *end = strstr(t + p->pos + 2, "*/");

			if (!end) {
				dot_fail(p, p->pos, "The comment does not end");
				p->pos = p->a->text.len;
				return;
			}
			p->pos = end + 2 - t;
		} else {
			return;
		}
	}
}

static bool dot_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static void dot_next(struct dot_parser *p)
{
	const char *t = p->text;
	struct dot_token *token = &p->token;

	dot_skip_blanks(p);
	*token = (struct dot_token){ .kind = DOT_END, .start = p->pos };
	if (p->err || !t[p->pos])
		return;
	if (t[p->pos] == '"') {
		size_t end = ++p->pos;

		while (t[end] && t[end] != '"')
			end += t[end] == '\\' && t[end + 1] ? 2 : 1;
		if (!t[end]) {
			dot_fail(p, p->pos - 1, "The quotation mark is not closed");
			return;
		}
		*token = (struct dot_token){ DOT_TEXT, 0, p->pos, end - p->pos };
		p->pos = end + 1;
	} else if (dot_is_word(t[p->pos])) {
		while (dot_is_word(t[p->pos]))
			p->pos++;
		token->kind = DOT_WORD;
		token->len = p->pos - token->start;
	} else {
		token->kind = DOT_SIGN;
		token->sign = t[p->pos++];
		if (token->sign == '-' && (t[p->pos] == '>' || t[p->pos] == '-'))
			token->sign = t[p->pos++];
		token->len = p->pos - token->start;
	}
}

static bool dot_is_sign(const struct dot_parser *p, char sign)
{
	return p->token.kind == DOT_SIGN && p->token.sign == sign;
}

static bool dot_is_name(const struct dot_parser *p, const char *word)
{
	return p->token.kind == DOT_WORD && p->token.len == strlen(word) &&
	       !strncmp(p->text + p->token.start, word, p->token.len);
}

static bool dot_is_id(const struct dot_parser *p)
{
	return p->token.kind == DOT_WORD || p->token.kind == DOT_TEXT;
}

/* The text of a token with '_' for ',', like rvgen.  NULL: memory is out. */
static char *dot_text(struct dot_parser *p, const struct dot_token *token)
{
	char *text = strndup(p->text + token->start, token->len);

	if (!text)
		dot_no_memory(p);
	for (char *c = text; c && *c; c++)
		if (*c == ',')
			*c = '_';
	return text;
}

/* The state of that name, which is added if it is new; SIZE_MAX on error. */
static size_t dot_state(struct dot_parser *p, const struct dot_token *token)
{
	struct automaton *a = p->a;
	char *name = dot_text(p, token);

	if (!name)
		return SIZE_MAX;
	for (size_t i = 0; i < a->states.nr; i++) {
		if (strcmp(a->states.items[i].name, name))
			continue;
		free(name);
		return i;
	}
	if (!strncmp(name, DOT_INIT, strlen(DOT_INIT))) {
		dot_fail(p, token->start, "'%s' stands for the beginning, so no arrow leads to it", name);
		free(name);
		return SIZE_MAX;
	}
	for (const char *c = name; *c || c == name; c++) {
		if (dot_is_word(*c) && *c != '.')
			continue;
		dot_fail(p, token->start, "'%s' is not a state's name: such a name has letters, "
			 "digits and '_'", name);
		free(name);
		return SIZE_MAX;
	}
	if (!array_push(&a->states,
			((struct automaton_state){ .name = name, .pos = token->start }))) {
		free(name);
		dot_no_memory(p);
		return SIZE_MAX;
	}
	return a->states.nr - 1;
}

static size_t dot_event(struct dot_parser *p, const char *name, size_t len)
{
	struct automaton *a = p->a;
	char *copy;

	for (size_t i = 0; i < a->events.nr; i++)
		if (strlen(a->events.items[i]) == len && !strncmp(a->events.items[i], name, len))
			return i;
	copy = strndup(name, len);
	if (!copy || !array_push(&a->events, copy)) {
		free(copy);
		dot_no_memory(p);
		return SIZE_MAX;
	}
	return a->events.nr - 1;
}

/* The text of a label, from @pos up to @end. */
struct dot_label {
	struct dot_parser *p;
	size_t pos, end;
};

static void dot_label_skip(struct dot_label *l)
{
	while (l->pos < l->end && isspace((unsigned char)l->p->text[l->pos]))
		l->pos++;
}

/* Whether the next token is "\n" or a similar break of Graphviz, which is then skipped. */
static bool dot_label_break(struct dot_label *l)
{
	const char *t = l->p->text;

	dot_label_skip(l);
	if (l->pos + 1 >= l->end || t[l->pos] != '\\' || !strchr("nlr", t[l->pos + 1]))
		return false;
	l->pos += 2;
	return true;
}

static bool dot_label_sign(struct dot_label *l, const char *sign)
{
	size_t len = strlen(sign);

	dot_label_skip(l);
	if (l->end - l->pos < len || strncmp(l->p->text + l->pos, sign, len))
		return false;
	l->pos += len;
	return true;
}

/* Skip a name and return its length; 0: there is none. */
static size_t dot_label_name(struct dot_label *l, size_t *ret_start)
{
	const char *t = l->p->text;

	dot_label_skip(l);
	*ret_start = l->pos;
	if (l->pos < l->end && (isalpha((unsigned char)t[l->pos]) || t[l->pos] == '_'))
		while (l->pos < l->end && (isalnum((unsigned char)t[l->pos]) || t[l->pos] == '_'))
			l->pos++;
	return l->pos - *ret_start;
}

static bool dot_label_at_end(struct dot_label *l)
{
	dot_label_skip(l);
	return l->pos == l->end;
}

static bool dot_parse_op(struct dot_label *l, enum automaton_op *ret)
{
	static const enum automaton_op order[] = {
		AUTOMATON_LE, AUTOMATON_GE, AUTOMATON_EQ, AUTOMATON_NE, AUTOMATON_LT, AUTOMATON_GT,
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		*ret = order[i];
		if (dot_label_sign(l, automaton_op_text(order[i])))
			return true;
	}
	dot_fail(l->p, l->pos, "A comparison is missing here: <, <=, >, >=, == or !=");
	return false;
}

static bool dot_parse_number(struct dot_label *l, struct automaton_compare *c)
{
	static const char *const units[] = { "", "ns", "us", "ms", "s", "j" };
	const char *t = l->p->text;
	size_t start, len;

	for (; l->pos < l->end && isdigit((unsigned char)t[l->pos]); l->pos++) {
		if (__builtin_mul_overflow(c->number, 10, &c->number) ||
		    __builtin_add_overflow(c->number, t[l->pos] - '0', &c->number)) {
			dot_fail(l->p, l->pos, "The number is larger than 64 bits");
			return false;
		}
	}
	/* A unit follows without a blank. */
	start = l->pos;
	while (l->pos < l->end && isalpha((unsigned char)t[l->pos]))
		l->pos++;
	len = l->pos - start;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i]) != len || strncmp(units[i], t + start, len))
			continue;
		memcpy(c->unit, units[i], len + 1);
		return true;
	}
	dot_fail(l->p, start, "This is not a unit: the units are ns, us, ms, s and j (jiffies)");
	return false;
}

static bool dot_parse_value(struct dot_label *l, struct automaton_compare *c)
{
	size_t start, len;

	dot_label_skip(l);
	if (l->pos < l->end && isdigit((unsigned char)l->p->text[l->pos]))
		return dot_parse_number(l, c);
	len = dot_label_name(l, &start);
	if (!len) {
		dot_fail(l->p, l->pos, "A number or the name of a constant is missing here");
		return false;
	}
	if (dot_label_sign(l, "(")) {
		if (!dot_label_sign(l, ")")) {
			dot_fail(l->p, l->pos, "')' is missing here: functions have no arguments");
			return false;
		}
		if (asprintf(&c->constant, "%.*s()", (int)len, l->p->text + start) < 0)
			c->constant = NULL;
	} else {
		c->constant = strndup(l->p->text + start, len);
	}
	return c->constant || dot_no_memory(l->p);
}

/* Parse a comparison.  On error its members are released with @rule, which it was added to. */
static bool dot_parse_compare(struct dot_label *l, struct automaton_rule *rule)
{
	struct automaton_compare *c;
	size_t start, len = dot_label_name(l, &start);

	if (!len) {
		dot_fail(l->p, l->pos, "The name of a clock or an atom is missing here");
		return false;
	}
	if (!array_push(rule, ((struct automaton_compare){ .pos = start })))
		return dot_no_memory(l->p);
	c = &rule->items[rule->nr - 1];
	c->name = strndup(l->p->text + start, len);
	if (!c->name)
		return dot_no_memory(l->p);
	return dot_parse_op(l, &c->op) && dot_parse_value(l, c);
}

static bool dot_parse_rule(struct dot_label *l, struct automaton_rule *rule)
{
	for (;;) {
		bool is_or;

		if (!dot_parse_compare(l, rule))
			return false;
		is_or = dot_label_sign(l, "||");
		if (!is_or && !dot_label_sign(l, "&&"))
			return true;
		rule->items[rule->nr - 1].or_next = is_or;
	}
}

/* "reset(clk)" */
static bool dot_parse_reset(struct dot_label *l, struct automaton_edge *e, bool *ret_there)
{
	size_t back = l->pos, start, len = dot_label_name(l, &start);

	*ret_there = len == 5 && !strncmp(l->p->text + start, "reset", 5) &&
		     dot_label_sign(l, "(");
	if (!*ret_there) {
		l->pos = back;
		return true;
	}
	if (e->reset) {
		dot_fail(l->p, start, "An event resets one clock at most");
		return false;
	}
	len = dot_label_name(l, &start);
	if (!len || !dot_label_sign(l, ")")) {
		dot_fail(l->p, l->pos, "reset() needs the name of a clock");
		return false;
	}
	e->reset = strndup(l->p->text + start, len);
	return e->reset || dot_no_memory(l->p);
}

static bool dot_parse_conditions(struct dot_label *l, struct automaton_edge *e)
{
	while (dot_label_sign(l, ";")) {
		bool reset;

		if (!dot_parse_reset(l, e, &reset))
			return false;
		if (reset)
			continue;
		if (e->rule.nr) {
			dot_fail(l->p, l->pos, "An event has one condition at most");
			return false;
		}
		if (!dot_parse_rule(l, &e->rule))
			return false;
	}
	return true;
}

static bool dot_is_twice(struct dot_parser *p, const struct automaton_edge *e)
{
	for (size_t i = 0; i < p->a->edges.nr - 1; i++) {
		const struct automaton_edge *other = &p->a->edges.items[i];

		if (other->from != e->from || other->event != e->event)
			continue;
		dot_fail(p, e->pos, "The state '%s' has two edges of the event '%s'",
			 p->a->states.items[e->from].name, p->a->events.items[e->event]);
		return true;
	}
	return false;
}

static void dot_parse_events(struct dot_parser *p, const struct dot_token *label, size_t from,
			     size_t to)
{
	struct dot_label l = { p, label->start, label->start + label->len };

	do {
		struct automaton_edge edge = { .from = from, .to = to };
		size_t start, len = dot_label_name(&l, &start);

		if (!len) {
			dot_fail(p, l.pos, "The name of an event is missing here: it has letters, "
				 "digits and '_'");
			return;
		}
		edge.pos = start;
		edge.event = dot_event(p, p->text + start, len);
		if (edge.event == SIZE_MAX)
			return;
		if (!array_push(&p->a->edges, edge)) {
			dot_no_memory(p);
			return;
		}
		if (!dot_parse_conditions(&l, &p->a->edges.items[p->a->edges.nr - 1]) ||
		    dot_is_twice(p, &p->a->edges.items[p->a->edges.nr - 1]))
			return;
	} while (dot_label_break(&l));
	if (!dot_label_at_end(&l))
		dot_fail(p, l.pos, "This is no event, condition or reset: events are separated by "
			 "\\n, the parts of an event by ';'");
}

/* The first line of a state's label is its name, the second one its invariant. */
static void dot_parse_invariant(struct dot_parser *p, const struct dot_token *label, size_t state)
{
	struct dot_label l = { p, label->start, label->start + label->len };
	struct automaton_rule *rule = &p->a->states.items[state].invariant;

	while (!dot_label_at_end(&l) && p->text[l.pos] != '\\')
		l.pos++;
	if (dot_label_at_end(&l))
		return;
	if (!dot_label_break(&l)) {
		dot_fail(p, l.pos, "The lines of a label are separated by \\n");
		return;
	}
	if (dot_label_at_end(&l))
		return;
	if (rule->nr) {
		dot_fail(p, l.pos, "The state has a condition already");
		return;
	}
	if (!dot_parse_rule(&l, rule))
		return;
	if (!dot_label_at_end(&l))
		dot_fail(p, l.pos, "A state has one condition at most");
	else if (rule->nr > 1)
		dot_fail(p, rule->items[1].pos, "The condition of a state is one comparison");
	else if (rule->items[0].op != AUTOMATON_LT && rule->items[0].op != AUTOMATON_LE)
		dot_fail(p, rule->items[0].pos, "The condition of a state is its time limit: CLOCK "
			 "< TIME");
}

static void dot_parse_attribute(struct dot_parser *p, struct dot_attributes *ret)
{
	struct dot_token name = p->token;

	dot_next(p);
	if (!dot_is_sign(p, '='))
		return;
	dot_next(p);
	if (!dot_is_id(p)) {
		dot_fail(p, p->token.start, "A value is missing here");
		return;
	}
	if (name.len == 5 && !strncmp(p->text + name.start, "label", 5)) {
		ret->has_label = true;
		ret->label = p->token;
	} else if (name.len == 5 && !strncmp(p->text + name.start, "shape", 5)) {
		ret->is_final = dot_is_name(p, "doublecircle") || dot_is_name(p, "ellipse");
	}
	dot_next(p);
}

/* Parse "[a = b, c = d]", if it is next. */
static void dot_parse_attributes(struct dot_parser *p, struct dot_attributes *ret)
{
	while (!p->err && dot_is_sign(p, '[')) {
		dot_next(p);
		while (!p->err && !dot_is_sign(p, ']')) {
			if (dot_is_sign(p, ',') || dot_is_sign(p, ';'))
				dot_next(p);
			else if (dot_is_id(p))
				dot_parse_attribute(p, ret);
			else
				dot_fail(p, p->token.start, "']' or an attribute is missing here");
		}
		dot_next(p);
	}
}

static bool dot_is_init(const struct dot_parser *p, const struct dot_token *token)
{
	return token->len > strlen(DOT_INIT) &&
	       !strncmp(p->text + token->start, DOT_INIT, strlen(DOT_INIT));
}

/* The name of the initial node includes the state, even without an arrow. */
static void dot_take_init_node(struct dot_parser *p, const struct dot_token *token)
{
	struct dot_token state = *token;

	if (p->has_initial)
		return;
	state.start += strlen(DOT_INIT);
	state.len -= strlen(DOT_INIT);
	free(p->initial_name);
	p->initial_name = dot_text(p, &state);
	p->initial_pos = token->start;
}

static void dot_take_init_arrow(struct dot_parser *p, const struct dot_token *to)
{
	size_t state = dot_state(p, to);

	if (state == SIZE_MAX)
		return;
	if (p->has_initial && p->a->initial != state) {
		dot_fail(p, to->start, "The automaton begins in '%s' already",
			 p->a->states.items[p->a->initial].name);
		return;
	}
	p->has_initial = true;
	p->a->initial = state;
}

static void dot_parse_arrow(struct dot_parser *p, const struct dot_token *from)
{
	struct dot_attributes attributes = { 0 };
	struct dot_token to;
	size_t a, b;

	dot_next(p);
	if (!dot_is_id(p)) {
		dot_fail(p, p->token.start, "The state that the arrow leads to is missing here");
		return;
	}
	to = p->token;
	dot_next(p);
	dot_parse_attributes(p, &attributes);
	if (p->err)
		return;
	if (dot_is_init(p, from)) {
		dot_take_init_arrow(p, &to);
		return;
	}
	if (!attributes.has_label) {
		dot_fail(p, from->start, "The arrow has no label, which names its events");
		return;
	}
	a = dot_state(p, from);
	b = a == SIZE_MAX ? a : dot_state(p, &to);
	if (b != SIZE_MAX)
		dot_parse_events(p, &attributes.label, a, b);
}

static void dot_parse_node(struct dot_parser *p, const struct dot_token *name,
			   const struct dot_attributes *before)
{
	struct dot_attributes attributes = *before;
	size_t state;

	/* The label of "node [...]" belongs to the invisible node. */
	attributes.has_label = false;
	dot_parse_attributes(p, &attributes);
	if (p->err)
		return;
	if (dot_is_init(p, name)) {
		dot_take_init_node(p, name);
		return;
	}
	state = dot_state(p, name);
	if (state == SIZE_MAX)
		return;
	p->a->states.items[state].is_final |= attributes.is_final;
	if (attributes.has_label)
		dot_parse_invariant(p, &attributes.label, state);
}

/* Parse the statements up to the closing brace. */
static void dot_parse_block(struct dot_parser *p)
{
	struct dot_attributes nodes = { 0 };

	if (++p->depth > DOT_DEPTH) {
		dot_fail(p, p->token.start, "There are more than %d braces inside of each other",
			 DOT_DEPTH);
		return;
	}
	dot_next(p);
	while (!p->err && !dot_is_sign(p, '}')) {
		struct dot_token first = p->token;

		if (dot_is_sign(p, ';')) {
			dot_next(p);
		} else if (dot_is_sign(p, '{')) {
			dot_parse_block(p);
		} else if (dot_is_name(p, "node")) {
			dot_next(p);
			dot_parse_attributes(p, &nodes);
		} else if (dot_is_name(p, "edge") || dot_is_name(p, "graph")) {
			struct dot_attributes ignored = { 0 };

			dot_next(p);
			dot_parse_attributes(p, &ignored);
		} else if (dot_is_id(p)) {
			dot_next(p);
			if (dot_is_sign(p, '>')) {
				dot_parse_arrow(p, &first);
			} else if (dot_is_sign(p, '=')) {
				dot_next(p);
				if (!dot_is_id(p))
					dot_fail(p, p->token.start, "A value is missing here");
				dot_next(p);
			} else {
				dot_parse_node(p, &first, &nodes);
			}
		} else if (p->token.kind == DOT_END) {
			dot_fail(p, p->token.start, "'}' is missing here");
		} else {
			dot_fail(p, p->token.start, "A state or an arrow was expected here");
		}
	}
	p->depth--;
	if (!p->err)
		dot_next(p);
}

static void dot_find_initial(struct dot_parser *p)
{
	struct automaton *a = p->a;

	for (size_t i = 0; !p->has_initial && p->initial_name && i < a->states.nr; i++) {
		if (strcmp(a->states.items[i].name, p->initial_name))
			continue;
		p->has_initial = true;
		a->initial = i;
	}
	if (p->has_initial)
		return;
	if (p->initial_name)
		dot_fail(p, p->initial_pos, "There is no state '%s' to begin in", p->initial_name);
	else
		dot_fail(p, 0, "There is no initial state: \"" DOT_INIT "NAME\" -> \"NAME\" names it");
}

static void dot_parse_graph(struct dot_parser *p)
{
	dot_next(p);
	if (!dot_is_name(p, "digraph")) {
		dot_fail(p, p->token.start, "An automaton begins with 'digraph NAME {'");
		return;
	}
	dot_next(p);
	if (dot_is_id(p))
		dot_next(p);
	if (!dot_is_sign(p, '{')) {
		dot_fail(p, p->token.start, "'{' is missing here");
		return;
	}
	dot_parse_block(p);
	if (!p->err && p->token.kind != DOT_END)
		dot_fail(p, p->token.start, "The automaton has ended before this");
	if (!p->err && !p->a->edges.nr)
		dot_fail(p, p->token.start, "The automaton has no events");
	if (!p->err)
		dot_find_initial(p);
}

struct error *automaton_parse(const char *path, const char *text, size_t len,
			      struct automaton **ret)
{
	_cleanup_(automaton) struct automaton *a = calloc(1, sizeof(*a));
	struct dot_parser p = { .a = a };
	struct error *err;

	if (!a)
		return &error_no_memory;
	err = model_text_init(&a->text, path, text, len);
	if (err)
		return err;
	p.text = a->text.text;
	dot_parse_graph(&p);
	free(p.initial_name);
	if (p.err)
		return p.err;
	*ret = take_ptr(a);
	return NULL;
}
