// SPDX-License-Identifier: GPL-2.0
/* The rules of `ktrace check`, each on a format that breaks it and on its clean twin. */
#include <stdlib.h>

#include "check/lint/lint.h"
#include "lib/strbuf.h"
#include "tap.h"

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* "u32 a@8+4;..." into the lines of a format; types with "s" or int, long: signed. */
static void add_fields(struct strbuf *text, const char *fields)
{
	while (*fields) {
		size_t len = strcspn(fields, ";");
		_cleanup_free_ char *field = strndup(fields, len);
		unsigned int offset, size;
		char *at = strchr(field, '@');
		int sign;

		*at = '\0';
		if (sscanf(at + 1, "%u+%u", &offset, &size) != 2)
			abort();
		sign = strncmp(field, "s", 1) == 0 || strncmp(field, "int", 3) == 0 ||
			strncmp(field, "long", 4) == 0 || strncmp(field, "pid_t", 5) == 0;
		if (!strncmp(field, "struct", 6))
			sign = 0;
		strbuf_addf(text, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", field, offset,
			    size, sign);
		fields += len + (fields[len] != '\0');
	}
}

static void check(struct results *results, const char *name, const char *fields,
		  const char *print_fmt)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct result *result;
	struct error *err;

	strbuf_addf(&text, "name: %s\nID: 1000\nformat:\n" COMMON, name);
	add_fields(&text, fields);
	strbuf_addf(&text, "\nprint fmt: %s\n", print_fmt);
	result = results_add(results, "mydrv", name, "mydrv/event/format", text.data, text.len);
	if (!result)
		abort();
	err = lint(results, result, NULL);
	if (err) {
		printf("# %s\n", err->message);
		error_free(err);
		abort();
	}
}

/* The rules found, in order, each once. */
static void found(const struct results *results, struct strbuf *names)
{
	bool seen[RULES_NR] = { false };

	for (size_t i = 0; i < results->nr; i++)
		for (size_t j = 0; j < results->items[i]->nr; j++)
			seen[results->items[i]->items[j].rule] = true;
	for (size_t i = 0; i < RULES_NR; i++)
		if (seen[i])
			strbuf_addf(names, "%s%s", names->len ? " " : "", rules[i].name);
}

static bool covered[RULES_NR];

static const struct {
	const char *rules;	/* the findings in the first, none in the second */
	const char *fields, *print_fmt;
	const char *clean_fields, *clean_print_fmt;
} cases[] = {
	{ "print-fmt-unparsed", "u32 a@8+4", "\"a=%u\", REC->a = 1",
	  "u32 a@8+4", "\"a=%u\", REC->a == 1 ? 5 : 6U" },
	{ "print-fmt-unparsed", "u32 a@8+4", "\"a=%u\", (REC->a",
	  "u32 a@8+4", "\"a=%u\", (REC->a)" },
	{ "function-unknown", "unsigned long a@8+8", "\"a=%u\", jiffies_to_msecs(REC->a)",
	  "u32 a@8+4", "\"a=%u\", REC->a" },
	{ "function-unknown", "u32 a@8+4", "\"a=%u\", ({ int x = REC->a; x; })",
	  "u32 a@8+4", "\"a=%u\", REC->a" },
	{ "struct-member", "struct pair pair@8+16", "\"a=%u\", REC->pair.a",
	  "u32 a@8+4;u32 b@12+4", "\"a=%u b=%u\", REC->a, REC->b" },
	{ "conversion-unsupported", "u8 a@8+1", "\"a=%c\", REC->a",
	  "u8 a@8+1", "\"a=%d 100%%\", REC->a" },
	{ "argument-count", "u32 a@8+4", "\"a=%u b=%u\", REC->a",
	  "u32 a@8+4;u32 b@12+4", "\"a=%*u\", REC->b, REC->a" },
	{ "pointer-dereference", "struct request * p@8+8", "\"tag=%d\", REC->p->tag",
	  "struct request * p@8+8", "\"p=%p\", REC->p" },
	{ "pointer-dereference", "u32 * p@8+8", "\"%u\", *REC->p",
	  "struct request * p@8+8", "\"p=%p\", (void *)REC->p" },
	{ "pointer-dereference", "struct request * p@8+8",
	  "\"tag=%d\", ((struct request *)REC->p)->tag",
	  "unsigned long p@8+8", "\"p=%p\", (void *)REC->p" },
	{ "pointer-dereference", "u32 * p@8+8", "\"%u\", REC->p[1]",
	  "u32 p[2]@8+8", "\"%u %s\", REC->p[1], __print_array(REC->p, 2, 4)" },
	{ "string-pointer", "const char * name@8+8", "\"name=%s\", REC->name",
	  "__data_loc char[] name@8+4", "\"name=%s\", __get_str(name)" },
	{ "string-pointer", "char * name@8+8;u32 a@16+4",
	  "\"name=%s\", REC->a ? REC->name : \"none\"",
	  "__data_loc char[] name@8+4;u32 a@12+4", "\"name=%s\", REC->a ? __get_str(name) : \"-\"" },
	{ "string-pointer", "char * name@8+8", "\"%s\", REC->name ? REC->name : ((void *)0)",
	  "__data_loc char[] name@8+4;u32 a@12+4",
	  "\"%s\", REC->a ? __get_str(name) : ((void *)0)" },
	{ "pointer-extension", "struct dentry * d@8+8", "\"%pd\", REC->d",
	  "void * f@8+8", "\"%ps %pS\", REC->f, (void *)REC->f + 1" },
	{ "extension-unevaluated", "u8 a[16]@8+16", "\"%*pbl\", 16, REC->a",
	  "u8 a[4]@8+4", "\"%pI4\", REC->a" },
	{ "pointer-to-record", "u8 a[16]@8+16", "\"%p\", REC->a",
	  "u8 a[16]@8+16", "\"%s\", __print_hex(REC->a, 16)" },
	{ "unhashed-pointer", "void * p@8+8", "\"%px\", REC->p",
	  "void * p@8+8", "\"%p\", REC->p" },
	{ "field-missing", "u32 a@8+4", "\"%u %s\", REC->a, __get_str(name)",
	  "u32 a@8+4;__data_loc char[] name@12+4", "\"%u %s\", REC->a, __get_str(name)" },
	{ "wrong-accessor", "char name[16]@8+16", "\"%s\", __get_str(name)",
	  "char name[16]@8+16", "\"%.*s\", 16, REC->name" },
	{ "wrong-accessor", "__rel_loc char[] name@8+4", "\"%s\", __get_str(name)",
	  "__rel_loc char[] name@8+4", "\"%s\", __get_rel_str(name)" },
	{ "field-not-printed", "u32 a@8+4;u32 b@12+4", "\"%u\", REC->a",
	  "u32 a@8+4;u32 b@12+4", "\"%u\", REC->a + REC->b" },
	{ "field-printed-twice", "u32 a@8+4", "\"a=%u b=%u\", REC->a, REC->a",
	  "u32 a@8+4", "\"a=%u (%x)\", REC->a, REC->a" },
	{ "conversion-type", "u32 a@8+4", "\"a=%s\", REC->a",
	  "u32 a@8+4", "\"a=%s\", REC->a ? \"on\" : \"off\"" },
	{ "conversion-type", "__data_loc char[] a@8+4", "\"a=%d\", __get_str(a)",
	  "__data_loc u8[] a@8+4", "\"a=%d\", __get_dynamic_array_len(a)" },
	{ "conversion-type", "void * p@8+8", "\"p=%lx\", REC->p",
	  "void * p@8+8", "\"p=%lx\", (unsigned long)REC->p" },
	{ "conversion-width", "u64 a@8+8", "\"a=%u\", REC->a",
	  "u64 a@8+8", "\"a=%llu b=%u\", REC->a, (u32)REC->a" },
	{ "conversion-width", "u32 a@8+4", "\"a=%llx\", REC->a",
	  "u32 a@8+4", "\"a=%llx\", (unsigned long long)REC->a" },
	{ "conversion-width", "u32 a@8+4", "\"a=%hx\", REC->a",
	  "u16 a@8+2", "\"a=%hx\", REC->a" },
	{ "conversion-sign", "s32 a@8+4", "\"a=%u\", REC->a",
	  "s32 a@8+4;u16 b@12+2", "\"a=%d b=%d\", REC->a, REC->b" },
	{ "conversion-sign", "s16 a@8+2", "\"a=%x\", REC->a",
	  "s16 a@8+2", "\"a=%hx\", REC->a" },
	{ "conversion-sign", "u64 a@8+8", "\"a=%lld\", REC->a",
	  "u64 a@8+8", "\"a=%lld\", (s64)REC->a" },
	{ "char-as-number", "char a@8+1", "\"a=%d\", REC->a",
	  "s8 a@8+1", "\"a=%d\", REC->a" },
	{ "enum-unresolved", "u32 a@8+4", "\"%s\", __print_symbolic(REC->a, { COLOR_RED, \"red\" })",
	  "u32 a@8+4", "\"%s\", __print_symbolic(REC->a, { 1, \"red\" }, { 1 << 2, \"blue\" })" },
	{ "enum-unresolved", "u32 a@8+4", "\"%u\", REC->a == COLOR_RED ? 1 : 2U",
	  "u32 a@8+4", "\"%u %d\", (gfp_t)REC->a, (enum color)REC->a" },
	{ "name-unreachable", "u32 a@8+4",
	  "\"%s\", __print_symbolic(REC->a, { 1, \"a\" }, { 1, \"b\" })",
	  "u32 a@8+4", "\"%s\", __print_symbolic(REC->a, { 1, \"a\" }, { 2, \"b\" })" },
	{ "name-unreachable", "u32 a@8+4",
	  "\"%s\", __print_flags(REC->a, \"|\", { 1, \"r\" }, { 3, \"rw\" })",
	  "u32 a@8+4", "\"%s\", __print_flags(REC->a, \"|\", { 3, \"rw\" }, { 1, \"r\" })" },
	{ "name-out-of-range", "u8 a@8+1",
	  "\"%s\", __print_symbolic(REC->a, { 1, \"one\" }, { 256, \"many\" })",
	  "u16 a@8+2", "\"%s\", __print_symbolic(REC->a, { 1, \"one\" }, { 256, \"many\" })" },
	{ "name-out-of-range", "u32 a@8+4", "\"%s\", __print_symbolic(REC->a, { -1, \"any\" })",
	  "u32 a@8+4", "\"%s\", __print_symbolic(REC->a, { ((u32)-1), \"any\" })" },
	{ "name-out-of-range", "s32 a@8+4", "\"%s\", __print_symbolic(REC->a, { 0xffffffff, \"any\" })",
	  "s32 a@8+4;u32 b@12+4", "\"%s %s\", __print_symbolic(REC->a, { -1, \"any\" }), "
	  "__print_symbolic(REC->b, { 1, \"one\" }, { -1, ((void *)0) })" },
	{ "name-out-of-range", "u8 a@8+1", "\"%s\", __print_flags(REC->a, \"|\", { 0x100, \"x\" })",
	  "s8 a@8+1", "\"%s\", __print_flags(REC->a, \"|\", { 0x80, \"x\" })" },
	{ "flag-zero", "u8 a@8+1", "\"%s\", __print_flags(REC->a, \"|\", { 0, \"none\" }, { 1, \"r\" })",
	  "u8 a@8+1", "\"%s\", REC->a ? __print_flags(REC->a, \"|\", { 1, \"r\" }, "
	  "{ 0, ((void *)0) }) : \"none\"" },
	{ "label-swapped", "u32 code@8+4;u32 flags@12+4",
	  "\"code=%u flags=0x%x\", REC->flags, REC->code",
	  "u32 code@8+4;u32 flags@12+4", "\"code=%u flags=0x%x\", REC->code, REC->flags" },
	{ "label-swapped", "u32 a@8+4;u32 b@12+4", "\"a %u, b: %u\", REC->b, (u32)REC->a",
	  "u32 a@8+4;u32 b@12+4", "\"%u a %u b\", REC->a, REC->b" },
	{ "label-unseparated", "u32 a@8+4;u32 b@12+4", "\"a=%ub=%u\", REC->a, REC->b",
	  "u32 a@8+4;u32 b@12+4", "\"a=%uus b=%u\", REC->a, REC->b" },
	{ "label-unseparated", "u8 a[6]@8+6;u32 b@16+4", "\"%pMpmk_len=%u\", REC->a, REC->b",
	  "u8 a[6]@8+6;u32 b@16+4", "\"%pM pmk_len=%u\", REC->a, REC->b" },
	{ "number-prefix", "u32 a@8+4", "\"a=0x%u\", REC->a",
	  "u32 a@8+4", "\"a=0x%x b=10x%u\", REC->a, REC->a" },
	{ "number-prefix", "u32 a@8+4", "\"a=0x%#x\", REC->a",
	  "u32 a@8+4", "\"a=%#x\", REC->a" },
	{ "number-prefix", "void * p@8+8", "\"p=0x%p\", REC->p",
	  "void * p@8+8", "\"p=%p\", REC->p" },
	{ "string-unterminated", "char name[16]@8+16", "\"%s\", REC->name",
	  "char next_comm[16]@8+16", "\"%s\", REC->next_comm" },
	{ "array-bounds", "u8 mac[6]@8+6", "\"%s\", __print_hex(REC->mac, 8)",
	  "u8 mac[6]@8+6", "\"%s %pM\", __print_hex(REC->mac, 6), REC->mac" },
	{ "array-bounds", "u32 a[2]@8+8", "\"%u\", REC->a[2]",
	  "u32 a[2]@8+8", "\"%u\", REC->a[1]" },
	{ "array-bounds", "u32 a[2]@8+8", "\"%s\", __print_array(REC->a, 4, 4)",
	  "u32 a[2]@8+8", "\"%s\", __print_array(REC->a, 2, 4)" },
	{ "string-unterminated array-bounds", "char name[16]@8+16", "\"%.20s\", REC->name",
	  "char name[16]@8+16", "\"%.16s\", REC->name" },
	{ "element-size", "u8 a[6]@8+6", "\"%s\", __print_array(REC->a, 2, 3)",
	  "u8 a[6]@8+6", "\"%s\", __print_array(REC->a, 6, 1)" },
	{ "trailing-newline", "u32 a@8+4", "\"a=%u\\n\", REC->a",
	  "u32 a@8+4", "\"\\ta=%u\", REC->a" },
	{ "trailing-newline", "u32 a@8+4", "\"a=%u\n\", REC->a",
	  "u32 a@8+4", "\"a=%u\", REC->a" },
	{ "address-of-field", "struct uuid uuid@8+16", "\"%pU\", &REC->uuid",
	  "u8 uuid[16]@8+16;u32 a@24+4", "\"%pU %d\", REC->uuid, 3 & REC->a" },
	{ "print-fmt-empty", "u32 a@8+4", "\"\"", "", "\"\"" },
	{ "fields-overlap", "u64 a@8+8;u32 b@12+4", "\"%llu %u\", REC->a, REC->b",
	  "u64 a@8+8;u32 b@16+4", "\"%llu %u\", REC->a, REC->b" },
	{ "fields-overlap", "u32 a@4+4", "\"%u\", REC->a", "u32 a@8+4", "\"%u\", REC->a" },
	{ "field-outside-record", "u32 a@9000+4", "\"%u\", REC->a", "u32 a@8+4", "\"%u\", REC->a" },
	{ "field-duplicate", "u32 a@8+4;u32 a@12+4", "\"%u\", REC->a",
	  "u32 a@8+4;u32 b@12+4", "\"%u %u\", REC->a, REC->b" },
	{ "type-size", "u64 a@8+4", "\"%u\", REC->a", "u32 a@8+4", "\"%u\", REC->a" },
	{ "field-unaligned", "u8 a@8+1;u32 b@9+4", "\"%d %u\", REC->a, REC->b",
	  "u32 b@8+4;u8 a@12+1", "\"%d %u\", REC->a, REC->b" },
	{ "hole", "u8 a@8+1;u64 b@16+8;u8 c@24+1", "\"%d %llu %d\", REC->a, REC->b, REC->c",
	  "u64 b@8+8;u8 a@16+1;u8 c@17+1", "\"%d %llu %d\", REC->a, REC->b, REC->c" },
	{ "array-wasteful", "char path[256]@8+256", "\"%.256s\", REC->path",
	  "__data_loc char[] path@8+4", "\"%s\", __get_str(path)" },
	{ "field-name", "u32 nextPid@8+4", "\"%u\", REC->nextPid",
	  "u32 next_pid@8+4", "\"%u\", REC->next_pid" },
	{ "field-name-taken", "u32 from@8+4;u32 common_x@12+4", "\"%u %u\", REC->from, REC->common_x",
	  "u32 from_addr@8+4", "\"%u\", REC->from_addr" },
};

#define ENTRY_A "TP_STRUCT__entry(__field(u32, a) __field(u32, b)),\n\t"
#define STRINGS "TP_PROTO(const char *text, const char *other),\n\t" \
	"TP_STRUCT__entry(__string(text, text)),\n\t"

/* Findings that need the sources: the arguments of a TRACE_EVENT(), with its clean twin. */
static const struct {
	const char *rule, *fields;
	size_t line;		/* of the finding; that of the event is 2 */
	const char *text, *clean_text;
} source_cases[] = {
	{ "field-not-assigned", "u32 a@8+4;u32 b@12+4", 4,
	  "TP_PROTO(u32 a),\n\t" ENTRY_A "TP_fast_assign(__entry->a = p->b;)",
	  "TP_PROTO(u32 a),\n\t" ENTRY_A "TP_fast_assign(__entry->a = a; __entry -> b = 0;)" },
	{ "field-not-assigned", "u32 a@8+4;u32 b@12+4", 4,
	  "TP_PROTO(u32 a),\n\t" ENTRY_A "TP_fast_assign(__entry->a = a; /* __entry->b */)",
	  "TP_PROTO(u32 a),\n\t" ENTRY_A "TP_fast_assign(__entry->a = a; set_rest(__entry);)" },
	{ "field-not-assigned", "u32 a@8+4;u32 b@12+4", 4,
	  "TP_PROTO(u32 a),\n\t" ENTRY_A "TP_fast_assign(SET_A(a);)",
	  "TP_PROTO(u32 a),\n\t" ENTRY_A "TP_fast_assign(SET_A(a); OTHER_HEADERS(a);)" },
	{ "field-not-assigned", "u32 a@8+4;u32 b@12+4", 4,
	  "TP_PROTO(u32 a),\n\t" ENTRY_A "TP_fast_assign(SET_A(a);)",
	  "TP_PROTO(u32 a),\n\t" ENTRY_A "TP_fast_assign(SET_BOTH(a);)" },
	{ "field-not-assigned", "__data_loc char[] text@8+4", 4, STRINGS "TP_fast_assign(;)",
	  STRINGS "TP_fast_assign(__assign_str(text);)" },
	{ "string-source-differs", "__data_loc char[] text@8+4", 5,
	  STRINGS "TP_fast_assign(__assign_str(text, other);)",
	  STRINGS "TP_fast_assign(__assign_str(text, ( text ));)" },
	/* A variable may hold the same. */
	{ "string-source-differs", "__data_loc char[] text@8+4", 5,
	  STRINGS "TP_fast_assign(__assign_str(text, other->name);)",
	  STRINGS "TP_fast_assign(const char *s = text; __assign_str(text, s);)" },
	{ "assignment-sleeps", "u32 a@8+4;u32 b@12+4", 5,
	  "TP_PROTO(u32 a),\n\t" ENTRY_A
	  "TP_fast_assign(mutex_lock(&m); __entry->a = a; __entry->b = a;)",
	  "TP_PROTO(u32 a),\n\t" ENTRY_A
	  "TP_fast_assign(__entry->a = mutex_lock; __entry->b = msleep_count(a);)" },
	{ "assignment-sleeps", "u32 a@8+4;u32 b@12+4", 5,
	  "TP_PROTO(u32 a),\n\t" ENTRY_A
	  "TP_fast_assign(__entry->a = *f(GFP_KERNEL); __entry->b = a;)",
	  "TP_PROTO(u32 a),\n\t" ENTRY_A
	  "TP_fast_assign(__entry->a = *f(GFP_ATOMIC); __entry->b = a;)" },
	{ "string-copy", "char a[8]@8+8", 5,
	  "TP_PROTO(char *a),\n\tTP_STRUCT__entry(__array(char, a, 8)),\n\t"
	  "TP_fast_assign(strcpy(__entry->a, a);)",
	  "TP_PROTO(char *a),\n\tTP_STRUCT__entry(__array(char, a, 8)),\n\t"
	  "TP_fast_assign(strcpy(__entry->a, \"none\");)" },
	{ "string-copy", "char a[8]@8+8", 5,
	  "TP_PROTO(char *a),\n\tTP_STRUCT__entry(__array(char, a, 8)),\n\t"
	  "TP_fast_assign(sprintf(__entry->a, \"%s\", a);)",
	  "TP_PROTO(char *a),\n\tTP_STRUCT__entry(__array(char, a, 8)),\n\t"
	  "TP_fast_assign(sprintf(__entry->a, \"%d\", *a);)" },
	{ "string-copy", "char a[8]@8+8", 5,
	  "TP_PROTO(char *a),\n\tTP_STRUCT__entry(__array(char, a, 8)),\n\t"
	  "TP_fast_assign(strncpy(__entry->a, a, 8);)",
	  "TP_PROTO(char *a),\n\tTP_STRUCT__entry(__array(char, a, 8)),\n\t"
	  "TP_fast_assign(strncpy(__entry->a, a, 8); __entry->a[7] = '\\0';)" },
	{ "copy-count", "u16 a[8]@8+16", 5,
	  "TP_PROTO(const u16 *a),\n\tTP_STRUCT__entry(__array(u16, a, MANY)),\n\t"
	  "TP_fast_assign(memcpy(__entry->a, f(a, 8), MANY);)",
	  "TP_PROTO(const u16 *a),\n\tTP_STRUCT__entry(__array(u16, a, MANY)),\n\t"
	  "TP_fast_assign(memcpy(__entry->a, a, 2 * MANY); memcpy(__entry->ab, a, MANY);)" },
	/* Of bytes, the number is the size. */
	{ "copy-count", "u16 a[8]@8+16", 5,
	  "TP_PROTO(const u16 *a),\n\tTP_STRUCT__entry(__array(u16, a, 8)),\n\t"
	  "TP_fast_assign(memcpy(__entry->a, a, 8);)",
	  "TP_PROTO(const u16 *a),\n\tTP_STRUCT__entry(__array(u16, a, 8) __array(u8, b, 8)),\n\t"
	  "TP_fast_assign(memcpy(__entry->a, a, 16); memcpy(__entry->b, a, 8);)" },
};

static void check_source(const char *name, size_t number, struct results *results,
			 const char *fields, const char *parts)
{
	_cleanup_(strbuf) struct strbuf what = STRBUF_INIT;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	_cleanup_(trace_header) struct trace_header *header = NULL;
	const char *print_fmt = strstr(fields, "u32") ? "\"%u %u\", REC->a, REC->b" :
		strstr(fields, "__data") ? "\"%s\", __get_str(text)" : "\"%.8s\", REC->a";

	check(results, "event", fields, print_fmt);
	strbuf_addf(&text, "#define TRACE_SYSTEM mydrv\nTRACE_EVENT(event,\n\t%s,\n\tTP_printk())\n"
		    "#define SET_A(x) __entry->a = (x)\n#define SET_BOTH(x) \\\n\tSET_A(x); \\\n"
		    "\t__entry->b = (x)\n", parts);
	strbuf_addf(&what, "the header of %s %zu is read", name, number);
	no_error(trace_header_create(text.data, &header), what.data);
	if (!ok(header && header->events.nr == 1, "%s %zu declares an event", name, number))
		return;
	strbuf_reset(&what);
	strbuf_addf(&what, "the assignment of %s %zu is looked at", name, number);
	no_error(lint_source(results, results->items[0], header, &header->events.items[0]),
		 what.data);
}

static void cover(const struct results *results)
{
	for (size_t i = 0; i < results->nr; i++)
		for (size_t j = 0; j < results->items[i]->nr; j++)
			covered[results->items[i]->items[j].rule] = true;
}

/* A line of TAP. */
static void one_line(struct strbuf *text)
{
	for (size_t i = 0; i < text->len; i++)
		if (text->data[i] == '\n')
			text->data[i] = ' ';
}

TEST(test_rules)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_(results) struct results bad = { 0 }, clean = { 0 };
		_cleanup_(strbuf) struct strbuf names = STRBUF_INIT, none = STRBUF_INIT;
		_cleanup_(strbuf) struct strbuf what = STRBUF_INIT;

		check(&bad, "event", cases[i].fields, cases[i].print_fmt);
		check(&clean, "event", cases[i].clean_fields, cases[i].clean_print_fmt);
		found(&bad, &names);
		found(&clean, &none);
		cover(&bad);
		strbuf_addf(&what, "%s: %s of %s", cases[i].rules, cases[i].print_fmt,
			    cases[i].fields);
		one_line(&what);
		is_str(strbuf_str(&names), cases[i].rules, what.data);
		strbuf_reset(&what);
		strbuf_addf(&what, "clean of %s %zu: %s of %s", cases[i].rules, i,
			    cases[i].clean_print_fmt, cases[i].clean_fields);
		one_line(&what);
		is_str(strbuf_str(&none), "", what.data);
	}
}

TEST(test_sources)
{
	for (size_t i = 0; i < sizeof(source_cases) / sizeof(source_cases[0]); i++) {
		_cleanup_(results) struct results bad = { 0 }, clean = { 0 };
		_cleanup_(strbuf) struct strbuf names = STRBUF_INIT, none = STRBUF_INIT;
		const struct result *result;

		_cleanup_(strbuf) struct strbuf what = STRBUF_INIT;

		check_source("source", i, &bad, source_cases[i].fields, source_cases[i].text);
		check_source("clean source", i, &clean, source_cases[i].fields, source_cases[i].clean_text);
		found(&bad, &names);
		found(&clean, &none);
		cover(&bad);
		strbuf_addf(&what, "source %zu: %s", i, source_cases[i].text);
		one_line(&what);
		is_str(strbuf_str(&names), source_cases[i].rule, what.data);
		strbuf_addstr(&what, ", its line");
		result = bad.items[0];
		is_u64(result->nr ? result->items[0].line : 0, source_cases[i].line, what.data);
		strbuf_reset(&what);
		strbuf_addf(&what, "clean of source %zu: %s", i, source_cases[i].clean_text);
		one_line(&what);
		is_str(strbuf_str(&none), "", what.data);
	}
}

TEST(test_names)
{
	_cleanup_(results) struct results results = { 0 };
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;

	check(&results, "MyEvent", "u32 a@8+4", "\"a=%u\", REC->a");
	found(&results, &names);
	cover(&results);
	is_str(strbuf_str(&names), "event-name", "the event's name");
}

TEST(test_damaged)
{
	static const char text[] = "name: event\nID: 7\nformat:\n\tfield:nonsense\n";
	_cleanup_(results) struct results results = { 0 };
	struct result *result = results_add(&results, "mydrv", "event", "x", text, strlen(text));

	no_error(lint(&results, result, NULL), "a damaged format is no error");
	ok(result->nr == 1 && result->items[0].rule == RULE_FORMAT_DAMAGED, "a damaged format is a finding");
	cover(&results);
}

/* A dynamic array's bytes as a text in C: ours reads it, libtraceevent does not. */
TEST(test_places)
{
	_cleanup_(results) struct results results = { 0 };
	const struct finding *finding;
	size_t line, column;

	check(&results, "event", "u32 a@8+4;struct request * p@16+8",
	      "\"a=%u tag=%d\", REC->a, REC->p->tag");
	if (!ok(results.items[0]->nr == 1, "one finding"))
		return;
	finding = &results.items[0]->items[0];
	is_str(finding->field, "p", "of a field");
	is_str(finding->message, "The print fmt dereferences the pointer p", "in words");
	ok(!strncmp(results.items[0]->text + finding->place, "->tag", 5), "with its place");
	place_find(results.items[0]->text, finding->place, &line, &column);
	is_u64(line, 12, "line");
	is_u64(column, strlen("print fmt: \"a=%u tag=%d\", REC->a, REC->p") + 1, "column");
}

TEST(test_suppressed)
{
	_cleanup_(results) struct results results = { 0 };

	no_error(suppressed_add(&results.suppressed, "hole,field-not-printed"), "two rules");
	check(&results, "event", "u8 a@8+1;u64 b@16+8;u8 c@24+1", "\"%d\", REC->a");
	is_u64(results_count(&results), 0, "are not reported");
	is_error(suppressed_add(&results.suppressed, "holes"), "'holes' is not a rule of check",
		 "an unknown rule");
}

/* Cut and altered texts: nothing crashes. */
TEST(test_hostile)
{
	size_t tried = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *print_fmt = cases[i].print_fmt;

		for (size_t at = 0; at < strlen(print_fmt); at += 4) {
			static const char letters[] = "\"(,)*%";
			_cleanup_(results) struct results results = { 0 };
			_cleanup_free_ char *text = strdup(print_fmt);

			text[at] = letters[at % (sizeof(letters) - 1)];
			check(&results, "event", cases[i].fields, text);
			text[at] = '\0';
			check(&results, "event", cases[i].fields, text);
			tried += 2;
		}
	}
	ok(tried > 500, "%zu altered print fmts", tried);
}

TAP_MAIN
