// SPDX-License-Identifier: GPL-2.0
/* Symbol tables, kallsyms, map files, maps; and that damaged binaries do no harm. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/strbuf.h"
#include "session/map.h"
#include "symbol/demangle.h"
#include "symbol/dso.h"
#include "symbol/elf/dwarf_lines.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kallsyms.h"
#include "symbol/unwind.h"
#include "tap.h"

static char folder[] = "/tmp/ktrace-symbols-XXXXXX";

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	if (fd < 0 || fd_write_all(fd, data, size))
		abort();
	close(fd);
}

static const char *name_at(struct symbols *symbols, uint64_t address)
{
	const struct symbol *symbol = symbols_find(symbols, address);

	return symbol ? symbol->name : "none";
}

static void add(struct symbols *symbols, uint64_t start, uint64_t size, const char *name,
		uint8_t binding)
{
	const struct symbol symbol = { .start = start, .end = start + size, .name = name,
				       .binding = binding, .mangled = true };

	error_free(symbols_add(symbols, &symbol));
}

static void test_table(void)
{
	struct symbols symbols = { 0 };

	is_str(name_at(&symbols, 0), "none", "nothing is found in an empty table");
	add(&symbols, 0x300, 0x10, "last", SYMBOL_GLOBAL);
	add(&symbols, 0x100, 0, "endless", SYMBOL_GLOBAL);
	add(&symbols, 0x200, 0x80, "weak", SYMBOL_WEAK);
	add(&symbols, 0x200, 0x80, "_strong", SYMBOL_GLOBAL);
	add(&symbols, 0x200, 0x80, "local_but_longer", SYMBOL_LOCAL);
	add(&symbols, 0x240, 0x10, "_ZN5space3fooEv", SYMBOL_GLOBAL);
	add(&symbols, 0x400, 0x10, "__x", SYMBOL_GLOBAL);
	add(&symbols, 0x400, 0x10, "_yy", SYMBOL_GLOBAL);
	add(&symbols, 0x500, 0x40, "function", SYMBOL_GLOBAL);
	add(&symbols, 0x510, 0, "label", SYMBOL_LOCAL);
	error_free(symbols_settle(&symbols, false));
	is_str(name_at(&symbols, 0x515), "function", "a label without a size does not hide it");
	is_str(name_at(&symbols, 0x540), "none", "a label without a size does not reach behind its end");
	is_str(name_at(&symbols, 0xff), "none", "before the first");
	is_str(name_at(&symbols, 0x1ff), "endless", "without a size it reaches to the next");
	is_str(name_at(&symbols, 0x200), "_strong", "of aliases, the global one");
	is_str(name_at(&symbols, 0x245), "space::foo", "one inside another, demangled");
	is_str(name_at(&symbols, 0x260), "_strong", "behind it, the other one goes on");
	is_str(name_at(&symbols, 0x280), "none", "an end does not belong to a symbol");
	is_str(name_at(&symbols, 0x405), "_yy", "of equals, the one with fewer underscores");
	is_str(name_at(&symbols, UINT64_MAX), "none", "behind the last");
	symbols_deinit(&symbols);
}

static void test_demangle(void)
{
	static const char *const names[][2] = {
		{ "_Z3barIiEvT_", "bar<int>" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		  "core::fmt::Write::write_fmt" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		{ "camlStdlib__List__map_123", "Stdlib.List.map_123" },
		{ "camlFoo__$2b$2d_99", "Foo.+-_99" },
		{ "camlFoo__$0a$zz_99", "Foo.$0a$zz_99" },
		{ "LApp;fib(I)J", "App.fib(int)" },
		{ "LApp;<init>()V", "App<init>()" },
		{ "Ljava/lang/String;hashCode([BLjava/lang/Object;)V",
		  "java.lang.String.hashCode(byte[], java.lang.Object)" },
		{ "LApp;main([[Ljava/lang/String;Z)V", "App.main(java.lang.String[][], boolean)" },
	};
	static const char *const plain[] = {
		"camlfoo__bar", "caml_alloc", "List_add", "LApp", "LApp;", "LApp;fib", "LApp;fib(",
		"LApp;fib(I", "LApp;fib(X)J", "LApp;fib(Lx)J", "LApp(I)J", "LApp;fib([)J",
	};
	char *name;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		name = demangle(names[i][0]);
		is_str(name ? name : "nothing", names[i][1], names[i][0]);
		free(name);
	}
	name = demangle("main");
	ok(!name, "a name that is not mangled stays");
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		name = demangle(plain[i]);
		ok(!name, "%s is no name of Java or OCaml", plain[i]);
		free(name);
	}
	name = calloc(100001, 1);
	memset(name, 'P', 100000);
	memcpy(name, "_Z1f", 4);
	ok(!demangle(name), "names that would recurse deeply stay");
	free(name);
}

/* Each part of the name stands for twice as much text as the part before it. */
static void test_demangle_bomb(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	_cleanup_(strbuf) struct strbuf name = STRBUF_INIT;
	char *text;

	strbuf_addstr(&name, "_Z1fI1xI1yE");
	for (int i = 2; i < 34; i++)
		strbuf_addf(&name, "S0_IS%c_S%c_E", digits[i], digits[i]);
	strbuf_addstr(&name, "EvT_");
	text = demangle(name.data);
	ok(!text, "%zu bytes that stand for gigabytes are left unchanged", name.len);
	free(text);
}

static void test_kallsyms(void)
{
	static const char text[] =
		"0000000000000100 T first\n"
		"0000000000000200 t second\n"
		"0000000000000200 T _stext\n"
		"garbage\n\n0000000000000280 T\n"
		"0000000000000290 A absolute\n"
		"0000000000001000 t in_module\t[ext4]\n"
		"0000000000001100 d data\t[ext4]\n"
		"0000000000005000 T last";
	struct symbols symbols = { 0 };
	const struct symbol *symbol;
	uint64_t landmark = 0;
	struct error *err;
	char path[64];

	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	write_file(path, text, sizeof(text) - 1);
	err = kallsyms_read(path, &symbols, "_stext", &landmark);
	ok(!err, "a copy of kallsyms is read");
	is_u64(landmark, 0x200, "the landmark is found, also where another symbol is chosen");
	is_str(name_at(&symbols, 0x150), "first", "a symbol");
	symbol = symbols_find(&symbols, 0x1050);
	is_str(symbol && symbol->part ? symbol->part : "none", "ext4", "one of a module");
	is_str(name_at(&symbols, 0x4fff), "none", "the last of a module ends with its page");
	is_str(name_at(&symbols, 0x5000), "last", "the last line needs no newline");
	symbols_deinit(&symbols);

	write_file(path, "0000000000000000 T hidden\n", 26);
	err = kallsyms_read(path, &symbols, NULL, NULL);
	ok(err && strstr(err->message, "shows no addresses"), "hidden addresses are an error");
	error_free(err);
	symbols_deinit(&symbols);
}

static struct map map_of(uint64_t start, uint64_t end, struct dso *dso)
{
	return (struct map){ .start = start, .end = end, .dso = dso };
}

static const char *mapped(const struct maps *maps, uint64_t address)
{
	const struct map *map = maps_find(maps, address);

	return map ? map->dso->name : "none";
}

static void test_maps(void)
{
	struct dso a = { .name = (char *)"a" }, b = { .name = (char *)"b" };
	struct map map = map_of(0x1000, 0x9000, &a);
	struct maps *maps, *child;
	uint64_t version;

	if (maps_create(&maps) || maps_create(&child))
		abort();
	is_str(mapped(maps, 0x1000), "none", "nothing is mapped at first");
	error_free(maps_add(maps, &map));
	maps_copy(child, maps);
	version = maps->version;
	map = map_of(0x3000, 0x4000, &b);
	error_free(maps_add(maps, &map));
	ok(maps->version != version, "a change has another version");
	is_str(mapped(maps, 0x2fff), "a", "before the new one");
	is_str(mapped(maps, 0x3000), "b", "the new one");
	is_str(mapped(maps, 0x4000), "a", "behind it");
	is_u64(map_address(maps_find(maps, 0x4000), 0x4000), 0x3000, "whose offset goes on");
	is_str(mapped(child, 0x3000), "a", "the child has the maps of the time when it began");
	map = map_of(0, 0x20000, &b);
	error_free(maps_add(maps, &map));
	is_u64(maps_count(maps), 1, "one that covers all takes the place of all");
	map = map_of(0x30000, 0x40000, &a);
	error_free(maps_add(maps, &map));
	map = map_of(0x10000, 0x50000, &b);
	error_free(maps_fill(maps, &map));
	is_u64(maps_count(maps), 4, "filling leaves the old maps");
	is_str(mapped(maps, 0x30000), "a", "unchanged");
	is_str(mapped(maps, 0x4ffff), "b", "filling adds the rest");
	maps_put(maps);
	maps_put(child);
}

/* Against an array that says of each page whose it is. */
#define PAGES	4096

static bool is_as(const struct maps *maps, struct dso *const *pages, const uint64_t *offsets)
{
	uint64_t at = 0;

	for (uint64_t page = 0; page < PAGES; page++) {
		const struct map *map = maps_find(maps, page);

		if ((map ? map->dso : NULL) != pages[page] ||
		    (map && map_address(map, page) != offsets[page]))
			return false;
	}
	for (const struct map *map = maps_next(maps, 0); map; map = maps_next(maps, map->end)) {
		if (map->start < at || map->end <= map->start)
			return false;
		at = map->end;
	}
	return true;
}

static void test_many_maps(void)
{
	static struct dso *pages[PAGES], *kept_pages[PAGES];
	static uint64_t offsets[PAGES], kept_offsets[PAGES];
	struct dso dsos[7];
	struct maps *maps, *child;
	bool same = true;

	if (maps_create(&maps) || maps_create(&child))
		abort();
	srand(1);
	for (int n = 0; n < 20000 && same; n++) {
		uint64_t start = rand() % PAGES, size = 1 + rand() % (n % 97 ? 4 : 600);
		struct map map = map_of(start, start + size < PAGES ? start + size : PAGES,
					&dsos[rand() % 7]);
		bool fills = rand() % 4 == 0;

		map.offset = 8ULL * n;
		error_free(fills ? maps_fill(maps, &map) : maps_add(maps, &map));
		for (uint64_t page = map.start; page < map.end; page++) {
			if (fills && pages[page])
				continue;
			pages[page] = map.dso;
			offsets[page] = map.offset + (page - map.start);
		}
		if (n % 1000 == 500) {
			maps_copy(child, maps);
			memcpy(kept_pages, pages, sizeof(pages));
			memcpy(kept_offsets, offsets, sizeof(offsets));
		}
		if (n % 50 == 0)
			same = is_as(maps, pages, offsets) &&
			       (n < 500 || is_as(child, kept_pages, kept_offsets));
	}
	ok(same, "20,000 changes of %zu maps leave the right ones, and copies unchanged",
	   maps_count(maps));
	maps_put(maps);
	maps_put(child);
}

/* ---- damaged binaries -------------------------------------------------------- */

static const char source[] =
	"static inline int in(int x) { volatile int k = x; for (int i = 0; i < 9; i++) k += i;\n"
	"return k; }\n"
	"int puts(const char *);\n"
	"int out(int x) { return in(x) + puts(\"\"); }\n"
	"int main(int argc, char **argv) { return out(argc); }\n";

/* The program is the same in each run, although its folder is not. */
static bool build(const char *path)
{
	char command[256], name[64];

	snprintf(name, sizeof(name), "%s/source.c", folder);
	write_file(name, source, sizeof(source) - 1);
	snprintf(command, sizeof(command),
		 "cd %s && cc -O1 -g -ffile-prefix-map=%s=/source -o %s source.c >/dev/null 2>&1",
		 folder, folder, path);
	return !system(command);
}

static const struct symbol_options options = { .symfs = NULL };

/* The one map there is. */
static bool next_map(const void *arg, uint64_t address, struct unwind_map *ret)
{
	const struct unwind_map *map = arg;

	*ret = *map;
	return map->end > address;
}

/* The number of source locations in the code of a program. */
static size_t find_lines(const char *path)
{
	struct source_place places[8];
	struct dso *dso;
	size_t found = 0;

	if (dso_create(DSO_FILE, path, path, &dso))
		abort();
	error_free(dso_load(dso, &options));
	for (uint64_t at = 0x1000; at < 0x1200; at += 3)
		found += dso_find_source(dso, at, places, 8);
	dso_destroy(dso);
	return found;
}

/* All doors a binary can come in by. */
static size_t look_at(const char *path)
{
	uint64_t words[4] = { 0 }, ips[16], registers[24] = { [7] = 0x7000 };
	struct unwind_map map = { .start = 0x1000, .end = 0x2000, .offset = 0x1000 };
	struct unwind_state state = { .mask = 0xffffff, .registers = registers,
				      .stack = words, .stack_size = sizeof(words) };
	struct unwind_space space = { .id = 1, .next = next_map, .arg = &map };
	struct unwinder *unwinder;
	struct dso *dso;
	size_t found = find_lines(path);

	if (dso_create(DSO_FILE, path, path, &dso) || unwinder_create(&options, &unwinder))
		abort();
	map.dso = dso;
	error_free(dso_load(dso, &options));
	for (uint64_t at = 0x1000; at < 0x1200; at += 3)
		found += dso_find(dso, at) != NULL;
	for (registers[8] = 0x1000; registers[8] < 0x1200; registers[8] += 41)
		found += unwinder_run(unwinder, &space, &state, ips, 16);
	unwinder_destroy(unwinder);
	dso_destroy(dso);
	return found;
}

/* libdw reads strings up to their NUL. */
static void test_unterminated(void)
{
	static const char *const sections[] = { ".debug_str", ".debug_line_str" };
	char path[64], command[256];

	snprintf(path, sizeof(path), "%s/program", folder);
	if (!build(path)) {
		printf("ok %d - strings without an end # SKIP there is no C compiler\n", ++tap_nr);
		return;
	}
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		snprintf(command, sizeof(command),
			 "cd %s && objcopy --dump-section %s=strings program && "
			 "truncate -s -1 strings && printf x >>strings && "
			 "objcopy --update-section %s=strings program damaged", folder,
			 sections[i], sections[i]);
		if (system(command)) {
			printf("ok %d - %s # SKIP there is no objcopy\n", ++tap_nr, sections[i]);
			continue;
		}
		snprintf(path, sizeof(path), "%s/damaged", folder);
		ok(!find_lines(path), "%s without its last NUL is not read", sections[i]);
	}
}

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* libelf and libdw leak a little where they give up: that is not ours to find. */
extern void __lsan_disable(void) __attribute__((weak));

static void test_damaged(void)
{
	char *image, *copy, path[64], other[64];
	uint64_t random = 1;
	size_t size, sound;

	snprintf(path, sizeof(path), "%s/program", folder);
	snprintf(other, sizeof(other), "%s/damaged", folder);
	if (!build(path)) {
		printf("ok %d - damaged binaries # SKIP there is no C compiler\n", ++tap_nr);
		return;
	}
	sound = look_at(path);
	ok(sound > 100, "a sound binary has symbols, lines and unwind tables");
	if (file_read(path, &image, &size))
		abort();
	copy = malloc(size);
	if (!copy)
		abort();
	if (__lsan_disable)
		__lsan_disable();
	for (int i = 0; i < 600; i++) {
		/* Half of them where headers are. */
		size_t span = i & 1 ? size : 4096, start = i & 2 ? size - span : 0;

		memcpy(copy, image, size);
		for (int k = 0; k < 1 + i % 8; k++)
			copy[start + next_random(&random) % span] ^=
				1 << next_random(&random) % 8;
		write_file(other, copy, size);
		look_at(other);
	}
	ok(true, "600 binaries with flipped bits do no harm");
	for (size_t cut = 0; cut < size; cut += size / 150) {
		write_file(other, image, cut);
		look_at(other);
	}
	ok(true, "binaries cut anywhere do none");
	free(copy);
	free(image);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(folder))
		abort();
	test_table();
	test_demangle();
	test_demangle_bomb();
	test_kallsyms();
	test_maps();
	test_many_maps();
	test_unterminated();
	test_damaged();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		abort();
	return tap_done();
}
