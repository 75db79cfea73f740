// SPDX-License-Identifier: GPL-2.0
/* Arguments of probes: some are read by the module itself, the rest is left to tracefs. */
#include <stdlib.h>
#include <string.h>

#include "format/function_args.h"
#include "lib/strbuf.h"
#include "tap.h"

/* Where the argument comes from as a text: "5+16+8:4", or "none". */
static char *fetched(const char *value, const char *type_name)
{
	const struct function_arg_type *type = function_arg_type_find(type_name);
	struct strbuf out = STRBUF_INIT;
	struct function_arg arg;

	if (!type || !function_arg_parse(value, type, &arg)) {
		strbuf_addstr(&out, "none");
		return out.data;
	}
	strbuf_addf(&out, "%u", arg.reg);
	for (unsigned int i = 0; i < arg.nr_loads; i++)
		strbuf_addf(&out, "%+d", arg.offsets[i]);
	strbuf_addf(&out, ":%u", arg.size);
	return out.data;
}

int main(void)
{
	static const struct { const char *value, *type, *want, *name; } cases[] = {
		{ "%di", "u64", "5:8", "a register" },
		{ "%di", NULL, "5:8", "the type that the kernel takes if none is named" },
		{ "%r15", "x8", "23:1", "the last register, one byte" },
		{ "+16(%si)", "s32", "4+16:4", "a member" },
		{ "-0x10(%sp)", "u16", "7-16:2", "what is in front of it" },
		{ "+8(+16(%di))", "u32", "5+16+8:4", "the inner place is read first" },
		{ "+0(+1(+2(+3(+4(%ax)))))", "u8", "0+4+3+2+1+0:1", "five places" },
		{ "+0(+0(+0(+0(+0(+0(%ax))))))", "u8", "none", "six places are too many" },
		{ "$retval", "s64", "0:8", "what a function returns" },
		{ "+4($retval)", "s64", "0+4:8", "where that leads" },
		{ "$stack", "u64", "7:8", "the stack" },
		{ "$stack2", "u64", "7+16:8", "a word of the stack" },
		{ "+8($stack1)", "u64", "7+8+8:8", "where a word of the stack leads" },
		{ "%di", "string", "none", "a string" },
		{ "%di", "b4@2/32", "none", "a bit-field" },
		{ "%di", "u8[4]", "none", "an array" },
		{ "%di", "symbol", "none", "a symbol" },
		{ "%ip", "u64", "none", "no general register" },
		{ "%eax", "u64", "none", "a register that has no such name" },
		{ "%di ", "u64", "none", "more behind a register" },
		{ "+8(%di", "u64", "none", "a parenthesis too few" },
		{ "+8(%di))", "u64", "none", "a parenthesis too many" },
		{ "+u8(%di)", "u64", "none", "memory of the program" },
		{ "+8%di", "u64", "none", "no parentheses" },
		{ "+(%di)", "u64", "none", "no number" },
		{ "+3000000000(%di)", "u64", "none", "a number that has no room" },
		{ "@jiffies", "u64", "none", "a variable of the kernel" },
		{ "\\1", "u64", "none", "a constant" },
		{ "$comm", "u64", "none", "the name of the task" },
		{ "$stackx", "u64", "none", "no word of the stack" },
		{ "$stack99999", "u64", "none", "a word that is far away" },
		{ "", "u64", "none", "nothing" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *got = fetched(cases[i].value, cases[i].type);

		is_str(got, cases[i].want, cases[i].name);
		free(got);
	}
	return tap_done();
}
