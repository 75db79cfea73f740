// SPDX-License-Identifier: GPL-2.0
/* Pairs of events as texts; the stage 69-synthetic tests the events that they make. */
#include <string.h>

#include "spec/pair_spec.h"
#include "tap.h"

/* Compare the parsed parts, joined by "|". */
static void means(const char *text, const char *want)
{
	_cleanup_(pair_spec) struct pair_spec spec = { 0 };
	struct error *err = pair_spec_parse(text, &spec);
	char got[500];
	size_t len;

	snprintf(got, sizeof(got), "%s is understood", text);
	if (!no_error(err, got))
		return;
	len = snprintf(got, sizeof(got), "%s|%s|%s|%s|%s|%llu", spec.name ?: "-", spec.start, spec.end,
		       spec.by_start ?: "-", spec.by_end ?: "-", (unsigned long long)spec.longer);
	for (size_t i = 0; i < spec.values.nr; i++)
		len += snprintf(got + len, sizeof(got) - len, "|%s:%s@%zu", spec.values.items[i].name,
				spec.values.items[i].text, spec.values.items[i].pos);
	is_str(got, want, text);
}

static void fails(const char *text, const char *message)
{
	_cleanup_(pair_spec) struct pair_spec spec = { 0 };

	is_error(pair_spec_parse(text, &spec), message, *text ? text : "(empty)");
}

static void test_meaning(void)
{
	means("a..b", "-|a|b|-|-|0");
	means("n=a:x..b:y-z", "n|a:x|b:y-z|-|-|0");
	means(" n = a .. b by p ", "n|a|b|p|p|0");
	means("a..b by p=q, r ,s=t>5ms", "-|a|b|p,r,s|q,r,t|5000000");
	means("a..b > 2us", "-|a|b|-|-|2000");
	means("a..b by x fields start.c", "-|a|b|x|x|0|start_c:start.c@17");
	means("a..b fields n = end.c - start.d, end.x", "-|a|b|-|-|0|n:end.c - start.d@12|end_x:end.x@33");
	means("a..b fields n=(end.c , 1),m=1 == 2", "-|a|b|-|-|0|n:(end.c , 1)@12|m:1 == 2@26");
	means("by..fields by by", "-|by|fields|by|by|0");
}

static void test_errors(void)
{
	fails("", "The event that begins a pair is missing:\n    \n    ^ here");
	fails("a", "The end of the pair is missing:\n    a\n     ^ here");
	fails("a.b", "The end of the pair is missing:\n    a.b\n     ^ here");
	fails("a..", "The event that ends a pair is missing:\n    a..\n       ^ here");
	fails("1=a..b", "A name is missing:\n    1=a..b\n    ^ here");
	fails("a..b by", "A field name is missing:\n    a..b by\n           ^ here");
	fails("a..b by x=", "A field name is missing:\n    a..b by x=\n              ^ here");
	fails("a..b by x,", "A field name is missing:\n    a..b by x,\n              ^ here");
	fails("a..b >", "This is not a time:\n    a..b >\n          ^ here");
	fails("a..b > 5 ms", "This is not a time:\n    a..b > 5 ms\n           ^ here");
	fails("a..b fields x,", "A value that is calculated needs a name:\n"
	      "    a..b fields x,\n                ^ here");
	fails("a..b fields start.x,", "A value is missing:\n"
	      "    a..b fields start.x,\n                        ^ here");
	fails("a..b fields start.x+1", "A value that is calculated needs a name:\n"
	      "    a..b fields start.x+1\n                ^ here");
	fails("a..b..c", "A pair has no third event:\n    a..b..c\n        ^ here");
}

/* Every prefix and every single damage of a text either parses or is refused. */
static void test_damage(void)
{
	static const char whole[] = "n=a:x..b by p=q > 5ms fields start.c, m=(end.d-1)";
	static const char bytes[] = "\0=.,>()': x0\xff";
	size_t parsed = 0, refused = 0;

	for (size_t at = 0; at < sizeof(whole) - 1; at++) {
		for (size_t b = 0; b < sizeof(bytes) - 1; b++) {
			_cleanup_(pair_spec) struct pair_spec spec = { 0 };
			char text[sizeof(whole)];
			struct error *err;

			memcpy(text, whole, sizeof(whole));
			text[at] = bytes[b];
			err = pair_spec_parse(text, &spec);
			parsed += !err;
			refused += err != NULL;
			error_free(err);
		}
	}
	ok(parsed > 50 && refused > 200, "damaged texts: %zu parsed, %zu refused", parsed, refused);
}

int main(void)
{
	test_meaning();
	test_errors();
	test_damage();
	return tap_done();
}
