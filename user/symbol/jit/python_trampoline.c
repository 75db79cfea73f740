// SPDX-License-Identifier: GPL-2.0
#include "symbol/jit/python_trampoline.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "with/libdw.h"

/* Registers by DWARF's numbers. */
#define RBP	6
#define RSP	7
#define RETURN	16

/*
 * A trampoline is "sub rsp, 8; call; add rsp, 8; ret", later "push rbp; mov rbp, rsp; call; pop rbp;
 * ret".  In the call, the return address is 8 bytes above rsp in both.  Only in the second rbp
 * equals rsp, and then the caller's rbp is stored there.
 */
static const uint8_t frame_rules[] = {
	DW_CFA_def_cfa, RSP, 16,
	DW_CFA_offset | RETURN, 1,
	DW_CFA_val_expression, RBP, 17,
		DW_OP_breg0 + RBP, 0,
		DW_OP_breg0 + RSP, 0,
		DW_OP_eq,
		DW_OP_bra, 5, 0,
		DW_OP_breg0 + RBP, 0,
		DW_OP_skip, 3, 0,
		DW_OP_breg0 + RSP, 0,
		DW_OP_deref,
};

struct trampoline_tables {
	uint32_t cie_size, cie_id;
	uint8_t version, augmentation, code_align, data_align, return_register;
	uint8_t rules[sizeof(frame_rules)];
	uint8_t cie_padding[(7 - sizeof(frame_rules) % 4) % 4];	/* nops */
	uint32_t fde_size, fde_cie;
	uint64_t start, size;
	uint32_t end;
} __attribute__((packed));

static struct trampoline_image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];
	struct trampoline_tables tables;
	char names[24];
} image;

static const char section_names[] = "\0.eh_frame\0.shstrtab";

static void fill_tables(struct trampoline_tables *tables)
{
	*tables = (struct trampoline_tables){
		.cie_size = offsetof(struct trampoline_tables, fde_size) - sizeof(uint32_t),
		.version = 1, .code_align = 1, .data_align = 0x78 /* -8 */,
		.return_register = RETURN,
		.fde_size = offsetof(struct trampoline_tables, end) -
			    offsetof(struct trampoline_tables, fde_cie),
		.fde_cie = offsetof(struct trampoline_tables, fde_cie),
		.start = PYTHON_TRAMPOLINE_PAGE, .size = PYTHON_TRAMPOLINE_PAGE,
	};
	memcpy(tables->rules, frame_rules, sizeof(frame_rules));
}

static void fill_image(void)
{
	uint64_t tables = offsetof(struct trampoline_image, tables);

	image.header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = offsetof(struct trampoline_image, segment),
		.e_shoff = offsetof(struct trampoline_image, sections),
		.e_ehsize = sizeof(image.header),
		.e_phentsize = sizeof(image.segment), .e_phnum = 1,
		.e_shentsize = sizeof(image.sections[0]), .e_shnum = 3, .e_shstrndx = 2,
	};
	image.segment = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = PYTHON_TRAMPOLINE_PAGE,
		.p_filesz = sizeof(image), .p_memsz = PYTHON_TRAMPOLINE_PAGE,
		.p_align = PYTHON_TRAMPOLINE_PAGE,
	};
	image.sections[1] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_offset = tables,
		.sh_addr = PYTHON_TRAMPOLINE_PAGE + tables, .sh_size = sizeof(image.tables),
		.sh_addralign = 4,
	};
	image.sections[2] = (Elf64_Shdr){
		.sh_name = 11, .sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct trampoline_image, names),
		.sh_size = sizeof(image.names),
		.sh_addralign = 1,
	};
	fill_tables(&image.tables);
	memcpy(image.names, section_names, sizeof(section_names));
}

bool python_trampoline_is(const struct symbol *symbol)
{
	return symbol && !strncmp(symbol->name, "py::", strlen("py::"));
}

bool python_trampoline_open(struct elf_file *ret)
{
	fill_image();
	return elf_file_open_memory(ret, &image, sizeof(image));
}
