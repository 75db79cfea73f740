// SPDX-License-Identifier: GPL-2.0
/* Fields of records, and their text by the print fmt. */
#include <stdlib.h>

#include "format/event_format.h"
#include "tap.h"

#define COMMON								\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char all_kinds[] =
	"name: kinds\nID: 42\nformat:\n" COMMON
	"\tfield:s8 small;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 half;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:int number;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 wide;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[8];\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u8 mac[6];\toffset:32;\tsize:6;\tsigned:0;\n"
	"\tfield:__data_loc char[] text;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] near;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:void * where;\toffset:56;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"small=%d half=%04x number=%d wide=%llu comm=%s mac=%pM text=%-6s| near=%s "
	"where=%p fn=%pS list=%s flags=%s symbol=%s cond=%s %%\", REC->small, REC->half, "
	"REC->number, REC->wide, REC->comm, REC->mac, __get_str(text), __get_rel_str(near), "
	"REC->where, (void *)REC->wide, __print_array(__get_dynamic_array(list), "
	"__get_dynamic_array_len(list) / 4, 4), __print_flags(REC->half, \"|\", { 1, \"ONE\" }, "
	"{ 2, \"TWO\" }, { 4, \"FOUR\" }), __print_symbolic(REC->small, { 0, \"zero\" }, "
	"{ 7, \"seven\" }), REC->number > 5 ? \"large\" : \"not large\"\n";

struct kinds {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	int8_t small;
	uint16_t half;
	int32_t number;
	uint64_t wide;
	char comm[8];
	uint8_t mac[6];
	uint32_t text, list, near;
	uint64_t where;
	char tail[64];
};

_Static_assert(offsetof(struct kinds, text) == 40 && offsetof(struct kinds, where) == 56 &&
	       offsetof(struct kinds, tail) == 64, "as in the format");

static struct formats *load(const char *text)
{
	struct formats *formats;

	if (formats_create(&formats))
		abort();
	about("%.40s", text);
	no_error(formats_add(formats, "test", text, strlen(text)), "the format is taken");
	about_nothing();
	return formats;
}

static struct kinds make_record(void)
{
	struct kinds k = {
		.type = 42, .small = 7, .half = 0x13, .number = -3, .wide = 0xffffffff81000010,
		.comm = "kthread", .mac = { 1, 2, 3, 0xab, 0xcd, 0xef },
		.text = 6 << 16 | 64, .list = 12 << 16 | 72, .near = 5 << 16 | (84 - 52),
		.where = 0,
	};
	const uint32_t list[] = { 1, 20, 300 };

	strcpy(k.tail, "hello");
	memcpy(k.tail + 8, list, sizeof(list));
	strcpy(k.tail + 20, "rel!");
	return k;
}

static const struct field *field(const struct formats *formats, const char *name)
{
	return event_format_field(formats_find(formats, 42), name);
}

static void test_table(struct formats *formats)
{
	const struct event_format *f = formats_find(formats, 42);

	ok(f && f->id == 42 && !strcmp(f->name, "kinds") && !strcmp(f->system, "test"), "its name");
	ok(formats_find_name(formats, "test", "kinds") == f && !formats_find(formats, 41) &&
	   !formats_find_name(formats, "toast", "kinds"), "found by number and by name");
	ok(f->nr_common == 4 && f->nr_fields == 14 && f->record_size == 64, "14 fields, 4 common");
	ok(f->print_ok, "the print fmt is understood");
	ok(field(formats, "common_pid")->is_common && field(formats, "common_pid")->is_signed,
	   "a common field");
	ok(field(formats, "small")->kind == FIELD_INTEGER &&
	   field(formats, "comm")->kind == FIELD_STRING &&
	   field(formats, "mac")->kind == FIELD_ARRAY && field(formats, "mac")->element_size == 1 &&
	   field(formats, "text")->kind == FIELD_DYNAMIC_STRING &&
	   field(formats, "list")->kind == FIELD_DYNAMIC_ARRAY &&
	   field(formats, "list")->element_size == 4 &&
	   field(formats, "near")->kind == FIELD_REL_STRING, "kinds of fields");
	ok(field(formats, "where")->is_pointer && !field(formats, "none"), "a pointer; none");
	ok(field(formats, "half")->is_flags && field(formats, "half")->nr_names == 3 &&
	   !strcmp(field(formats, "half")->flag_delimiter, "|") &&
	   !strcmp(field(formats, "half")->names[1].name, "TWO"), "names of flags");
	ok(field(formats, "small")->is_symbolic && field(formats, "small")->names[1].value == 7,
	   "names of symbols");
}

static void test_getters(struct formats *formats)
{
	struct kinds k = make_record();
	const char *bytes;
	size_t len;

	is_u64(field_u64(field(formats, "number"), &k, sizeof(k)), (uint64_t)-3,
	       "signed numbers are extended");
	is_u64(field_u64(field(formats, "half"), &k, sizeof(k)), 0x13, "unsigned ones are not");
	is_u64(field_u64(field(formats, "wide"), &k, 23), 0, "a number beyond the record is 0");
	is_u64(field_u64(field(formats, "wide"), &k, 24), k.wide, "one at its end is not");
	bytes = field_bytes(field(formats, "comm"), &k, sizeof(k), &len);
	ok(bytes == k.comm && len == 7, "a string ends before its NUL");
	memset(k.comm, 'x', sizeof(k.comm));
	field_bytes(field(formats, "comm"), &k, sizeof(k), &len);
	is_u64(len, 8, "a string without a NUL ends where its array ends");
	bytes = field_bytes(field(formats, "text"), &k, sizeof(k), &len);
	ok(bytes == k.tail && len == 5, "a dynamic string");
	bytes = field_bytes(field(formats, "near"), &k, sizeof(k), &len);
	ok(bytes == k.tail + 20 && len == 4, "a relative one");
	bytes = field_bytes(field(formats, "list"), &k, sizeof(k), &len);
	ok(bytes == k.tail + 8 && len == 12, "a dynamic array has all its bytes");
	k.list = 65 << 16 | 64;
	ok(!field_bytes(field(formats, "list"), &k, sizeof(k), &len) && !len,
	   "an array that reaches beyond the record is nowhere");
	k.text = 4 << 16 | 60000;
	ok(!field_bytes(field(formats, "text"), &k, sizeof(k), &len), "an array that begins beyond the record is nowhere");
}

static const char *name_function(void *context, uint64_t address, uint64_t *start)
{
	if (address < 0xffffffff81000000)
		return NULL;
	*start = 0xffffffff81000000;
	return "do_it";
}

static void is_text(struct formats *formats, const void *raw, size_t size, const char *want,
		    const char *name)
{
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

	event_format_print(formats_at(formats, 0), raw, size, 0, &out);
	is_str(strbuf_str(&out), want, name);
}

static void test_text(struct formats *formats)
{
	struct kinds k = make_record();
	_cleanup_(strbuf) struct strbuf out = STRBUF_INIT;

	is_text(formats, &k, sizeof(k),
		"small=7 half=0013 number=-3 wide=18446744071578845200 comm=kthread "
		"mac=01:02:03:ab:cd:ef text=hello | near=rel! where=(nil) fn=0xffffffff81000010 "
		"list=1 20 300 flags=ONE|TWO|0x10 symbol=seven cond=large %", "the text");
	formats_set_resolver(formats, name_function, NULL);
	k.small = 1;
	k.number = 2;
	k.half = 0;
	k.where = 0x10;
	is_text(formats, &k, sizeof(k),
		"small=1 half=0000 number=2 wide=18446744071578845200 comm=kthread "
		"mac=01:02:03:ab:cd:ef text=hello | near=rel! where=0x10 fn=do_it+0x10 "
		"list=1 20 300 flags= symbol=0x1 cond=not large %", "functions by name");

	/* ASan watches the copy, which is as long as the record says. */
	for (size_t size = 0; size <= sizeof(k); size++) {
		char *copy = malloc(size + 1);

		memcpy(copy, &k, size);
		strbuf_reset(&out);
		event_format_print(formats_at(formats, 0), copy, size, 0, &out);
		free(copy);
	}
	ok(!out.failed, "a record cut anywhere prints without a fault");
	srandom(1);
	for (int i = 0; i < 2000; i++) {
		char *copy = malloc(sizeof(k));

		for (size_t b = 0; b < sizeof(k); b++)
			copy[b] = random();
		strbuf_reset(&out);
		event_format_print(formats_at(formats, 0), copy, sizeof(k), 0, &out);
		free(copy);
	}
	ok(!out.failed, "so do records of noise");
}

static void test_unparsable(void)
{
	static const char text[] =
		"name: odd\nID: 7\nformat:\n" COMMON
		"\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:short pair[2];\toffset:12;\tsize:4;\tsigned:1;\n"
		"\tfield:char name[4];\toffset:16;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"%d\", no_such_function(REC->value)\n";
	const struct {
		char common[8];
		int32_t value;
		int16_t pair[2];
		char name[4];
	} raw = { "", -5, { 1, 2 }, "ab" };
	_cleanup_(formats) struct formats *formats = load(text);

	ok(!formats_at(formats, 0)->print_ok, "a print fmt that nobody understands is reported");
	is_text(formats, &raw, sizeof(raw),
		"[FAILED TO PARSE] value=-5 pair=ARRAY[01, 00, 02, 00] name=ab",
		"the fields are printed all the same");
}

static void test_errors(void)
{
	_cleanup_(formats) struct formats *formats = NULL;

	if (formats_create(&formats))
		abort();
	is_error(formats_add(formats, "test", "", 0), "A format of system test is damaged",
		 "no text");
	is_error(formats_add(formats, "test", "name: x\nID: 9\n", 14),
		 "A format of system test is damaged", "a text that ends too early");
	is_u64(formats_count(formats), 0, "neither is kept");
	no_error(formats_add(formats, "test", all_kinds, sizeof(all_kinds) - 1), "a format is taken");
	no_error(formats_add(formats, "test", all_kinds, sizeof(all_kinds) - 1), "a format that is there is taken again");
	is_u64(formats_count(formats), 1, "a format that was taken twice is kept once");
	/* Texts cut anywhere: refused or taken, never a fault. */
	for (size_t len = 0; len < sizeof(all_kinds); len++) {
		_cleanup_(formats) struct formats *cut = NULL;

		if (formats_create(&cut))
			abort();
		error_free(formats_add(cut, "test", all_kinds, len));
	}
	ok(true, "a format cut anywhere does no harm");
}

/* A place that claims to be smaller than it is must not be read behind the record. */
static void test_small_places(void)
{
	static const char text[] =
		"name: small\nID: 9\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\n"
		"\tfield:__data_loc char[] none;\toffset:8;\tsize:0;\tsigned:0;\n"
		"\tfield:__data_loc char[] two;\toffset:8;\tsize:2;\tsigned:0;\n"
		"\tfield:__rel_loc u8[] three;\toffset:8;\tsize:3;\tsigned:0;\n"
		"\nprint fmt: \"\"\n";
	static const char *const names[] = { "none", "two", "three" };
	_cleanup_(formats) struct formats *formats = NULL;
	bool all = true;

	if (formats_create(&formats) || formats_add(formats, "test", text, sizeof(text) - 1))
		abort();
	for (size_t size = 0; size < 12; size++) {
		/* An allocation of exactly this size: sanitizers see a read behind it. */
		char *raw = calloc(1, size ? size : 1);
		size_t len;

		for (size_t i = 0; i < 3; i++)
			all &= !field_bytes(event_format_field(formats_at(formats, 0), names[i]),
					    raw, size, &len) && !len;
		free(raw);
	}
	ok(all, "places of 0 to 3 bytes at the end of a record have no bytes");
}

/* Each letter behind %p that makes text of bytes, as in the kernel's printk-formats. */
static void test_addresses(void)
{
	static const struct {
		int size;
		const char *letters, *want;
	} rows[] = {
		{ 6, "M", "00:01:02:03:04:05" }, { 6, "MF", "00-01-02-03-04-05" },
		{ 6, "MR", "05:04:03:02:01:00" }, { 6, "m", "000102030405" },
		{ 6, "mR", "050403020100" },
		{ 16, "Ub", "00010203-0405-0607-0809-0a0b0c0d0e0f" },
		{ 16, "UB", "00010203-0405-0607-0809-0A0B0C0D0E0F" },
		{ 16, "Ul", "03020100-0504-0706-0809-0a0b0c0d0e0f" },
		{ 16, "UL", "03020100-0504-0706-0809-0A0B0C0D0E0F" },
		{ 4, "I4", "0.1.2.3" }, { 4, "i4", "000.001.002.003" },
		{ 16, "I6", "0001:0203:0405:0607:0809:0a0b:0c0d:0e0f" },
		{ 16, "i6", "000102030405060708090a0b0c0d0e0f" },
		{ 16, "I6c", "1:203:405:607:809:a0b:c0d:e0f" },
	};
	unsigned char raw[24] = { 0 };

	for (size_t i = 8; i < sizeof(raw); i++)
		raw[i] = i - 8;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
		struct formats *formats;

		strbuf_addf(&text, "name: kinds\nID: 42\nformat:\n" COMMON
			    "\tfield:u8 a[%d];\toffset:8;\tsize:%d;\tsigned:0;\n\n"
			    "print fmt: \"%%p%s\", REC->a\n", rows[i].size, rows[i].size,
			    rows[i].letters);
		if (formats_create(&formats) ||
		    formats_add(formats, "test", strbuf_str(&text), text.len))
			abort();
		strbuf_reset(&text);
		event_format_print(formats_at(formats, 0), raw, sizeof(raw), 0, &text);
		is_str(strbuf_str(&text), rows[i].want, named("%%p%s", rows[i].letters));
		formats_destroy(formats);
	}
}

static void test_other_byte_order(void)
{
	_cleanup_(formats) struct formats *formats = NULL;
	unsigned char raw[64] = { [10] = 0x12, [11] = 0x34 };

	if (formats_create(&formats))
		abort();
	formats_set_target(formats, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, 8);
	no_error(formats_add(formats, "test", all_kinds, sizeof(all_kinds) - 1),
		 "a format of the other byte order");
	is_u64(field_u64(field(formats, "half"), raw, sizeof(raw)),
	       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0x1234 : 0x3412, "is read in it");
}

int main(void)
{
	struct formats *formats = load(all_kinds);

	test_table(formats);
	test_getters(formats);
	test_text(formats);
	formats_destroy(formats);
	test_unparsable();
	test_errors();
	test_small_places();
	test_addresses();
	test_other_byte_order();
	return tap_done();
}
