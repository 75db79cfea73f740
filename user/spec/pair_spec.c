// SPDX-License-Identifier: GPL-2.0
#include "spec/pair_spec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/strbuf.h"
#include "spec/caret.h"
#include "terminal/options.h"

void pair_spec_deinit(struct pair_spec *spec)
{
	for (size_t i = 0; i < spec->values.nr; i++) {
		free(spec->values.items[i].name);
		free(spec->values.items[i].text);
	}
	free(spec->values.items);
	free(spec->text);
	free(spec->name);
	free(spec->start);
	free(spec->end);
	free(spec->by_start);
	free(spec->by_end);
	*spec = (struct pair_spec){ 0 };
}

/* Copy @len bytes of the text, and continue behind them. */
static struct error *pair_take(struct scan *in, size_t len, char **ret)
{
	*ret = strndup(in->at, len);
	in->at += len;
	return *ret ? NULL : &error_no_memory;
}

/* Parse NAME and its '=', if they are next; otherwise *ret stays NULL. */
static struct error *pair_take_name(struct scan *in, char **ret)
{
	struct scan ahead = *in;
	struct error *err;

	scan_blanks(&ahead);
	*in = ahead;
	ahead.at += scan_word(&ahead);
	scan_blanks(&ahead);
	if (*ahead.at != '=' || ahead.at[1] == '=')
		return NULL;
	if (!scan_word(in) || isdigit((unsigned char)*in->at))
		return scan_error(in, "A name is missing");
	err = pair_take(in, scan_word(in), ret);
	in->at = ahead.at + 1;
	return err;
}

static size_t pair_event_len(const struct scan *in)
{
	size_t n = 0;

	while (isalnum((unsigned char)in->at[n]) || in->at[n] == '_' || in->at[n] == ':' ||
	       in->at[n] == '-')
		n++;
	return n;
}

static struct error *pair_parse_event(struct scan *in, const char *what, size_t *ret_pos,
				      char **ret)
{
	scan_blanks(in);
	*ret_pos = scan_position(in);
	if (!pair_event_len(in))
		return error_hint(scan_error(in, "The event that %s a pair is missing", what),
				  "As in NAME=sched:sched_waking..sched:sched_switch by pid=next_pid");
	return pair_take(in, pair_event_len(in), ret);
}

static struct error *pair_add_key(struct scan *in, char **list)
{
	size_t len;
	char *longer;

	scan_blanks(in);
	len = scan_word(in);
	if (!len)
		return scan_error(in, "A field name is missing");
	if (asprintf(&longer, "%s%s%.*s", *list ? *list : "", *list ? "," : "", (int)len, in->at) < 0)
		return &error_no_memory;
	free(*list);
	*list = longer;
	in->at += len;
	return NULL;
}

/* FIELD, or NAME_IN_START=NAME_IN_END. */
static struct error *pair_parse_keys(struct scan *in, struct pair_spec *spec)
{
	struct error *err;

	do {
		struct scan same;

		scan_blanks(in);
		same = *in;
		err = pair_add_key(in, &spec->by_start);
		if (!err)
			err = pair_add_key(scan_take(in, "=") ? in : &same, &spec->by_end);
	} while (!err && scan_take(in, ","));
	return err;
}

static struct error *pair_parse_time(struct scan *in, uint64_t *ret)
{
	static const struct time_unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	_cleanup_free_ char *word = NULL;
	struct scan begin;
	struct error *err;
	size_t len = 0;

	scan_blanks(in);
	begin = *in;
	while (isalnum((unsigned char)in->at[len]) || in->at[len] == '.')
		len++;
	err = pair_take(in, len, &word);
	if (!err && !parse_time_unit(word, units, ARRAY_SIZE(units), ret))
		err = error_hint(scan_error(&begin, "This is not a time"),
				 "It is a number and ns, us, ms or s, as 5ms");
	return err;
}

/* The length of a value, which ends at a comma outside of parentheses. */
static size_t pair_value_len(const char *text)
{
	size_t depth = 0, n = 0;

	for (; text[n] && (depth || text[n] != ','); n++) {
		depth += text[n] == '(';
		depth -= text[n] == ')' && depth;
	}
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	return n;
}

/* Set the name of a value SIDE.FIELD: SIDE_FIELD. */
static struct error *pair_name_value(const struct scan *in, struct pair_value *value)
{
	struct scan field = { value->text, value->text };
	size_t side = scan_word(&field);

	field.at += side + (value->text[side] == '.');
	if (!side || value->text[side] != '.' || !scan_word(&field) || field.at[scan_word(&field)])
		return error_hint(caret_error(in->text, value->pos, "A value that is calculated needs a name"),
				  "As in ms = (end.time - start.time) / 1000000");
	value->name = strdup(value->text);
	if (!value->name)
		return &error_no_memory;
	value->name[side] = '_';
	return NULL;
}

static struct error *pair_parse_value(struct scan *in, struct pair_value *value)
{
	struct error *err;

	scan_blanks(in);
	value->pos = scan_position(in);
	err = pair_take_name(in, &value->name);
	if (err)
		return err;
	scan_blanks(in);
	if (!pair_value_len(in->at))
		return scan_error(in, "A value is missing");
	err = pair_take(in, pair_value_len(in->at), &value->text);
	return err || value->name ? err : pair_name_value(in, value);
}

static struct error *pair_parse_values(struct scan *in, struct pair_spec *spec)
{
	struct error *err;

	do {
		if (!array_push(&spec->values, (struct pair_value){ 0 }))
			return &error_no_memory;
		err = pair_parse_value(in, &spec->values.items[spec->values.nr - 1]);
	} while (!err && scan_take(in, ","));
	return err;
}

struct error *pair_spec_parse(const char *text, struct pair_spec *ret)
{
	struct scan in = { text, text };
	struct error *err;

	*ret = (struct pair_spec){ .text = strdup(text) };
	if (!ret->text)
		return &error_no_memory;
	err = pair_take_name(&in, &ret->name);
	if (!err)
		err = pair_parse_event(&in, "begins", &ret->start_pos, &ret->start);
	if (!err && !scan_take(&in, ".."))
		err = error_hint(scan_error(&in, "The end of the pair is missing"),
				 "A pair is written START..END");
	if (!err)
		err = pair_parse_event(&in, "ends", &ret->end_pos, &ret->end);
	if (!err && scan_take(&in, ".."))
		err = error_hint(caret_error(text, scan_position(&in) - 2, "A pair has no third event"),
				 "It is written START..END; the stages between them are pairs of their own");
	if (!err && scan_take(&in, "by"))
		err = pair_parse_keys(&in, ret);
	if (!err && scan_take(&in, ">"))
		err = pair_parse_time(&in, &ret->longer);
	if (!err && scan_take(&in, "fields"))
		err = pair_parse_values(&in, ret);
	if (err)
		return err;
	scan_blanks(&in);
	return *in.at ? error_hint(scan_error(&in, "This is not understood"),
				   "Behind a pair come: by FIELDS, > TIME, fields VALUES") : NULL;
}

bool pair_spec_names(const char *word, const char *system, const char *name)
{
	size_t len = strcspn(word, ":");

	if (!word[len])
		return !strcmp(word, name);
	return !strncmp(word, system, len) && !system[len] && !strcmp(word + len + 1, name);
}
