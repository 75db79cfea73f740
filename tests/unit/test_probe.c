// SPDX-License-Identifier: GPL-2.0
/* The words of `ktrace probe`: definitions, their errors, lines of tracefs, markers. */
#include <stdlib.h>
#include <string.h>

#include "probe/argument.h"
#include "probe/definition.h"
#include "probe/event.h"
#include "probe/operand.h"
#include "probe/sdt.h"
#include "probe/show.h"
#include "tap.h"

/* The parsed parts of a definition as a text, or its error. */
static char *parsed(const char *text, struct error *(*parse)(const char *,
							     struct probe_definition *))
{
	_cleanup_(probe_definition) struct probe_definition d = { 0 };
	struct error *err = parse(text, &d);
	struct strbuf out = STRBUF_INIT;

	if (err) {
		strbuf_addf(&out, "%.*s", (int)strcspn(err->message, ":\n"), err->message);
		error_free(err);
		return out.data;
	}
	strbuf_addf(&out, "%s|%s|%s|%s|", d.group ?: "", d.event ?: "", d.function ?: "",
		    d.file ?: "");
	if (d.has_line)
		strbuf_addf(&out, ":%u", d.line);
	if (d.offset)
		strbuf_addf(&out, "+%llu", (unsigned long long)d.offset);
	if (d.pattern)
		strbuf_addf(&out, ";%s", d.pattern);
	strbuf_addstr(&out, d.is_return ? "%return" : "");
	for (size_t i = 0; i < d.args.nr; i++) {
		const struct probe_arg *arg = &d.args.items[i];

		strbuf_addstr(&out, " ");
		probe_arg_add_name(arg, &out);
		strbuf_addf(&out, "=%s", arg->variable);
		for (size_t n = 0; n < arg->fields.nr; n++) {
			const struct probe_field *field = &arg->fields.items[n];

			if (field->name)
				strbuf_addf(&out, "%s%s", field->arrow ? "->" : ".", field->name);
			else
				strbuf_addf(&out, "[%ld]", field->index);
		}
		strbuf_addf(&out, "%s%s%s", arg->user ? "@user" : "", arg->type ? ":" : "",
			    arg->type ?: "");
	}
	return out.data;
}

static void test_definitions(void)
{
	static const struct { const char *text, *want, *name; } cases[] = {
		{ "vfs_read", "||vfs_read||", "a function" },
		{ "a=vfs_read", "|a|vfs_read||", "an event's name" },
		{ "g:a=vfs_read", "g|a|vfs_read||", "a group" },
		{ "f@a/b.c+0x10", "||f|a/b.c|+16", "a source file and an offset" },
		{ "f:12", "||f||:12", "a line of a function" },
		{ "f:0", "||f||", "line 0 is the function itself" },
		{ "a.c:12", "|||a.c|:12", "a line of a file" },
		{ "a.c;x=*", "|||a.c|;x=*", "a pattern in a file" },
		{ "f;x=1", "||f||;x=1", "a pattern in a function" },
		{ "f%return $retval", "||f||%return retval=$retval", "a return" },
		{ "f a->b.c[3]:x8", "||f|| c=a->b.c[3]:x8", "members and an element" },
		{ "f n=a b:string", "||f|| n=a b_string=b:string", "names of arguments" },
		{ "f a[0]@user:ustring", "||f|| a=a[0]@user:ustring", "memory of the user" },
		{ "f %di +8(%si):u32 @jiffies \\5", "||f|| di=%di _8__si__u32=+8(%si):u32 "
		  "jiffies=@jiffies 5=\\5", "what the kernel takes itself" },
		{ "%libc:setjmp", "sdt_libc|setjmp|||", "a marker" },
		{ "sdt_libc:setjmp", "sdt_libc|setjmp|||", "a marker in its long form" },
		{ "operator\\:x", "||operator:x||", "a backslash protects" },
		{ "", "The definition of the probe is empty", "nothing" },
		{ "=f", "'' cannot be the name of an event, which consists of letters, digits and "
		  "'_'", "an empty name" },
		{ "f:x", "The number of a line is expected behind '", "a line that is none" },
		{ "f+x", "A number of bytes is expected behind '+'", "an offset that is none" },
		{ "f%ret", "Only 'return' can follow '%'", "a misspelt return" },
		{ "f@a@b", "The place has two source files", "two files" },
		{ "f@", "The name of a source file is expected behind '@'", "a file without a name" },
		{ "f;", "A pattern is expected behind ';'", "a pattern that is empty" },
		{ "f:1+2", "A place is found by a line or by an offset, not by both",
		  "line and offset" },
		{ "f%return+1", "A function returns at %return alone, without line, offset or pattern",
		  "return and offset" },
		{ "0xzz", "'0xzz' is no address", "an address that is none" },
		{ "f a[x]", "A number and ']' are expected behind '['", "an index that is none" },
		{ "f a[1", "A number and ']' are expected behind '['", "an index without an end" },
		{ "f a->", "The name of a member is expected", "an arrow to nothing" },
		{ "f a-b", "'->', '.', '[' or '", "a minus" },
		{ "f a:", "A type is expected behind '", "a type that is empty" },
		{ "f a:b4@30/32", "'b4@30/32' is no type of an argument; there are s8 to s64, u8 to "
		  "u64, x8 to x64, char, string, ustring, symbol", "bits beyond the integer" },
		{ "f $retvel", "There is no $retvel; did you mean $retval?", "a misspelt word" },
		{ "f $retval", "$retval is known only where a function returns (FUNC%return)",
		  "the value at the entry" },
		{ "f%return a", "Variables are gone where a function returns; $retval is its value",
		  "a variable at the return" },
		{ "f +8(%di", "')' is missing", "a missing parenthesis" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = parsed(cases[i].text, probe_definition_parse);

		is_str(got, cases[i].want, cases[i].name);
		free(got);
	}
}

static void test_calls(void)
{
	static const struct { const char *text, *want, *name; } cases[] = {
		{ "f", "||f||", "a call without parentheses" },
		{ "f()", "||f||", "a call without arguments" },
		{ "f( a->b , n=c:u8 )", "||f|| b=a->b n=c:u8", "a call with arguments" },
		{ "f%return($retval)", "||f||%return retval=$retval", "a call at its return" },
		{ "f(+8(+0(%di)):u8, b)", "||f|| _8__0__di___u8=+8(+0(%di)):u8 b=b",
		  "parentheses in arguments of a call" },
		{ "f(a->b.c:string)", "||f|| c=a->b.c:string", "a member and a type are no source file" },
		{ "a.c:12(b)", "|||a.c|:12 b=b", "a line of a file, called" },
		{ "f(a", "')' is missing", "a call without an end" },
		{ "f(a,,b)", "An argument is missing", "a call with two commas" },
		{ "f a", "Arguments are written in parentheses, as in walk(n, depth)",
		  "a call with a space" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = parsed(cases[i].text, probe_definition_parse_call);

		is_str(got, cases[i].want, cases[i].name);
		free(got);
	}
}

static void test_events(void)
{
	static const char *const lines[] = {
		"p:probe/a vfs_read+0", "p:probe/a _text+12 x=%di:u64", "r:g/b ext4:f+4 $retval",
		"p:u/c /bin/a:b:0x1234 k=+8(%di):s64 \\5", "p:u/c /bin/a:0x1234(0x40) k=+u8(%di):string",
	};
	static const char *const wrong[] = {
		"", "p", "p:", "p:a", "p:a/", "p:a/b", "p:a/b ", "e:a/b c.d", "r1a:a/b c",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		_cleanup_(probe_event) struct probe_event event = { 0 };
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

		if (probe_event_parse(lines[i], &event))
			probe_event_add_text(&event, &text);
		ok(!strcmp(strbuf_str(&text), lines[i]), "%s is parsed and written again", lines[i]);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct probe_event event = { 0 };

		ok(!probe_event_parse(wrong[i], &event), "'%s' is no event", wrong[i]);
	}
}

static void test_operands(void)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;
	struct operand pointer = { .base = "%di" }, symbol = { .base = "@counter" };
	struct operand sum = { .base = "%sp", .is_sum = true, .addend = 16 };

	operand_follow(&pointer, 8);
	operand_follow(&pointer, 0);
	operand_move(&pointer, -4);
	operand_add(&pointer, &out);
	is_str(out.data, "-4(+8(%di))", "pointers are followed from the inside");
	strbuf_reset(&out);
	operand_follow(&symbol, 0);
	operand_move(&symbol, 12);
	operand_follow(&symbol, 3);
	operand_add(&symbol, &out);
	is_str(out.data, "+3(@counter+12)", "the first memory of a symbol is its own");
	strbuf_reset(&out);
	operand_follow(&sum, 4);
	operand_add(&sum, &out);
	is_str(out.data, "+20(%sp)", "memory at a register plus a number");
}

static void test_markers(void)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "-4@%eax", "%ax:s32" }, { "8@%r13", "%r13:u64" }, { "1@%r9b", "%r9:u8" },
		{ "4@$-5", "\\-5:u32" }, { "-8@-16(%rbp)", "-16(%bp):s64" },
		{ "8@(%rdi)", "+0(%di):u64" }, { "3@%eax", "" }, { "8@%xmm0", "" }, { "x", "" },
		{ "8@8(%rax,%rbx)", "" }, { "8@", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_(strbuf) struct strbuf value = STRBUF_INIT, type = STRBUF_INIT;
		bool taken = sdt_argument(cases[i].text, &value, &type);
		_cleanup_free_ char *got = NULL;

		if (asprintf(&got, "%s:%s", strbuf_str(&value), strbuf_str(&type)) < 0)
			abort();
		is_str(taken ? got : "", cases[i].want, cases[i].text);
	}
}

/* With every input, the parsers end, and nothing leaks. */
static void test_mutations(void)
{
	static const char seed[] = "g:e=f@a.c:12%return n=a->b.c[3]@user:string $retval +8(%di):b3@0/32";

	srand(1);
	for (int i = 0; i < 20000; i++) {
		char text[sizeof(seed)];
		struct probe_event event = { 0 };

		memcpy(text, seed, sizeof(seed));
		for (int n = 0; n < 1 + i % 4; n++)
			text[rand() % (sizeof(seed) - 1)] = seed[rand() % (sizeof(seed) - 1)];
		free(parsed(text, probe_definition_parse));
		free(parsed(text, probe_definition_parse_call));
		text[0] = 'p';
		text[1] = ':';
		probe_event_parse(text, &event);
		probe_event_deinit(&event);
	}
	ok(true, "20,000 changed definitions are parsed or refused");
}

int main(void)
{
	test_definitions();
	test_calls();
	test_events();
	test_operands();
	test_markers();
	ok(show_passes("!_*&!*@plt", "walk") && !show_passes("!_*&!*@plt", "_start") &&
	   !show_passes("!_*&!*@plt", "puts@plt") && show_passes("w*", "walk"),
	   "filters of names include and exclude");
	test_mutations();
	return tap_done();
}
