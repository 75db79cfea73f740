// SPDX-License-Identifier: GPL-2.0
/* Code of functions from ELF files, also damaged ones, and its instructions. */
#include "symbol/disassembler.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "symbol/elf/dwarf_lines.h"
#include "tap.h"

static char file_path[] = "/tmp/ktrace-code-XXXXXX";

/* xor %eax,%eax; test %rdi,%rdi; je +4; lock xadd %eax,(%rdi); mov 0x10(%rip),%eax; ret */
static const unsigned char x86_code[] = {
	0x31, 0xc0, 0x48, 0x85, 0xff, 0x74, 0x04, 0xf0, 0x0f, 0xc1, 0x07,
	0x8b, 0x05, 0x10, 0x00, 0x00, 0x00, 0xc3,
};

/* cbz x1, +12; ldaddal x9, x10, [x10]; an undefined word; ret */
static const unsigned char arm64_code[] = {
	0x61, 0x00, 0x00, 0xb4, 0x4a, 0x01, 0xe9, 0xf8, 0x00, 0x00, 0x00, 0x00,
	0xc0, 0x03, 0x5f, 0xd6,
};

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned char code[64];
};

static struct image make_image(uint16_t machine, const void *code, size_t size)
{
	struct image image = {
		.header = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = machine, .e_version = EV_CURRENT,
			.e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			.e_shentsize = sizeof(Elf64_Shdr),
		},
		.segment = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000,
			.p_filesz = sizeof(image), .p_memsz = sizeof(image),
		},
	};

	memcpy(image.code, code, size);
	return image;
}

static void write_image(const void *data, size_t size)
{
	FILE *file = fopen(file_path, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
}

typedef struct error *(*take_apart_fn)(const struct code *code,
				       const struct disassembly_options *options,
				       struct disassembly *ret);

static struct error *take_apart_file(size_t size, take_apart_fn take_apart, struct code *code,
				     struct disassembly *ret)
{
	struct error *err;

	err = code_read_file(file_path, offsetof(struct image, code), size, code);
	return err ? err : take_apart(code, &(struct disassembly_options){ 0 }, ret);
}

static bool has_llvm(void)
{
	struct code code = { .machine = EM_X86_64, .is_64 = true, .path = "x",
			     .bytes = (unsigned char *)"\xc3", .size = 1 };
	_cleanup_(disassembly) struct disassembly found = { 0 };
	const struct disassembly_options none = { 0 };
	_cleanup_error_ struct error *err = llvm_disassemble(&code, &none, &found);

	return !err;
}

static void test_x86(take_apart_fn take_apart)
{
	struct image image = make_image(EM_X86_64, x86_code, sizeof(x86_code));
	_cleanup_(disassembly) struct disassembly d = { 0 };
	_cleanup_(code) struct code code = { 0 };
	uint64_t offset = 0;

	write_image(&image, sizeof(image));
	ok(!take_apart_file(sizeof(x86_code), take_apart, &code, &d), "the code is found");
	ok(code.address == 0x400000 + offsetof(struct image, code) &&
	   code.size == sizeof(x86_code) && code_file_offset(&code, code.address, &offset) &&
	   offset == offsetof(struct image, code),
	   "it has its address and its place in the file");
	ok(d.nr == 6 && d.items[1].address == code.address + 2 && d.items[3].size == 4,
	   "a prefix and its instruction are one");
	ok(d.nr == 6 && d.items[2].branches && d.items[2].target == d.items[4].address,
	   "the target of a jump");
	ok(d.nr == 6 && d.items[4].refers && d.items[4].target == d.items[5].address + 0x10,
	   "the address of data");
	ok(d.nr == 6 && !strncmp(d.items[3].text, "lock xadd", 9), "the text of an instruction");
}

static void test_arm64(void)
{
	struct image image = make_image(EM_AARCH64, arm64_code, sizeof(arm64_code));
	_cleanup_(disassembly) struct disassembly d = { 0 };
	_cleanup_(code) struct code code = { 0 };

	write_image(&image, sizeof(image));
	ok(!take_apart_file(sizeof(arm64_code), llvm_disassemble, &code, &d) &&
	   d.nr == 4, "four instructions");
	ok(d.nr == 4 && d.items[0].branches && d.items[0].target == d.items[3].address,
	   "the target of a jump");
	ok(d.nr == 4 && !strncmp(d.items[1].text, "ldaddal", 7), "an atomic instruction");
	ok(d.nr == 4 && d.items[2].size == 4, "a word that is no instruction has its place");
}

/* The file may claim anything: reads stay inside of it, and small. */
static void test_limits(void)
{
	struct image image = make_image(EM_X86_64, x86_code, sizeof(x86_code));
	_cleanup_(code) struct code code = { 0 };
	struct error *err;

	write_image(&image, sizeof(image));
	ok(!code_read_file(file_path, offsetof(struct image, code), UINT64_MAX, &code) &&
	   code.cut && code.size == sizeof(image.code), "a function without end ends with its segment");
	err = code_read_file(file_path, sizeof(image) + 1, 16, &code);
	ok(err && strstr(err->message, "has no code"), "code behind the end of the file");
	error_free(err);
	image.segment.p_filesz = UINT64_MAX;
	write_image(&image, sizeof(image));
	code_deinit(&code);
	ok(!code_read_file(file_path, offsetof(struct image, code), UINT64_MAX, &code) &&
	   code.size == sizeof(image.code), "a segment that is longer than the file");
	image.segment.p_flags = PF_R;
	write_image(&image, sizeof(image));
	err = code_read_file(file_path, offsetof(struct image, code), 16, &code);
	ok(err && strstr(err->message, "has no code"), "data is no code");
	error_free(err);
	err = code_read_file("/nowhere/at/all", 0, 16, &code);
	ok(err && err->code == ENOENT, "a file that is not here");
	error_free(err);
	image.segment.p_flags = PF_R | PF_X;
	image.header.e_machine = EM_SPARCV9;
	write_image(&image, sizeof(image));
	{
		_cleanup_(disassembly) struct disassembly d = { 0 };

		code_deinit(&code);
		err = take_apart_file(16, objdump_disassemble, &code, &d);
		ok(err && err->code == ENOENT && strstr(err->message, "machine"),
		   "a machine that nobody knows here");
		error_free(err);
	}
}

static void test_mutations(void)
{
	struct image image = make_image(EM_X86_64, x86_code, sizeof(x86_code));
	size_t done = 0;

	srandom(1);
	for (size_t i = 0; i < 3000; i++) {
		unsigned char bytes[sizeof(image)];
		_cleanup_(disassembly) struct disassembly d = { 0 };
		_cleanup_(code) struct code code = { 0 };
		struct error *err;

		memcpy(bytes, &image, sizeof(bytes));
		for (int k = random() % 6; k >= 0; k--)
			bytes[(size_t)random() % sizeof(bytes)] = random();
		write_image(bytes, 1 + (size_t)random() % sizeof(bytes));
		err = code_read_file(file_path, (size_t)random() % 300, (size_t)random() % 100,
				     &code);
		if (!err && code.machine == EM_X86_64)
			err = llvm_disassemble(&code, &(struct disassembly_options){ 0 }, &d);
		done += !err;
		error_free(err);
		dwarf_lines_destroy(dwarf_lines_open(file_path));
	}
	ok(done > 100, "damaged files are read without harm, %zu of 3000 with a result", done);
}

int main(void)
{
	int fd = mkstemp(file_path);

	if (fd < 0)
		return 1;
	close(fd);
	about("objdump");
	test_x86(objdump_disassemble);
	if (has_llvm()) {
		about("LLVM");
		test_x86(llvm_disassemble);
		about("LLVM, arm64");
		test_arm64();
		about_nothing();
		test_mutations();
	} else {
		printf("ok %d - LLVM # SKIP ktrace was built without it\n", ++tap_nr);
	}
	about("limits");
	test_limits();
	unlink(file_path);
	return tap_done();
}
