/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libdw and libdwfl, or stand-ins that find nothing in any file: no DWARF, no lines, no frames.
 * Only the constants of DWARF are right, because written files have these.
 */
#ifndef KTRACE_WITH_LIBDW_H
#define KTRACE_WITH_LIBDW_H

#include <libraries.h>

#ifdef HAVE_DW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#else

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	DW_UT_skeleton = 0x04,
	DW_TAG_array_type = 0x01, DW_TAG_class_type = 0x02, DW_TAG_enumeration_type = 0x04,
	DW_TAG_formal_parameter = 0x05, DW_TAG_lexical_block = 0x0b, DW_TAG_member = 0x0d,
	DW_TAG_pointer_type = 0x0f, DW_TAG_reference_type = 0x10, DW_TAG_compile_unit = 0x11,
	DW_TAG_structure_type = 0x13, DW_TAG_subroutine_type = 0x15, DW_TAG_typedef = 0x16,
	DW_TAG_union_type = 0x17, DW_TAG_inheritance = 0x1c, DW_TAG_inlined_subroutine = 0x1d,
	DW_TAG_const_type = 0x26, DW_TAG_subprogram = 0x2e, DW_TAG_variable = 0x34,
	DW_TAG_volatile_type = 0x35, DW_TAG_restrict_type = 0x37, DW_TAG_namespace = 0x39,
	DW_TAG_rvalue_reference_type = 0x42,
	DW_CHILDREN_no = 0,
	DW_AT_location = 0x02, DW_AT_name = 0x03, DW_AT_stmt_list = 0x10, DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12, DW_AT_comp_dir = 0x1b, DW_AT_abstract_origin = 0x31,
	DW_AT_data_member_location = 0x38, DW_AT_decl_file = 0x3a, DW_AT_declaration = 0x3c,
	DW_AT_external = 0x3f, DW_AT_frame_base = 0x40, DW_AT_type = 0x49, DW_AT_ranges = 0x55,
	DW_AT_call_file = 0x58, DW_AT_call_line = 0x59, DW_AT_data_bit_offset = 0x6b,
	DW_AT_linkage_name = 0x6e, DW_AT_MIPS_linkage_name = 0x2007,
	DW_FORM_addr = 0x01, DW_FORM_data4 = 0x06, DW_FORM_string = 0x08,
	DW_FORM_sec_offset = 0x17,
	DW_CFA_def_cfa = 0x0c, DW_CFA_val_expression = 0x16, DW_CFA_offset = 0x80,
	DW_OP_deref = 0x06, DW_OP_bra = 0x28, DW_OP_eq = 0x29, DW_OP_skip = 0x2f,
	DW_OP_addr = 0x03, DW_OP_const4u = 0x0c, DW_OP_const8u = 0x0e, DW_OP_plus_uconst = 0x23,
	DW_OP_reg0 = 0x50, DW_OP_reg31 = 0x6f, DW_OP_breg0 = 0x70, DW_OP_breg31 = 0x8f,
	DW_OP_regx = 0x90, DW_OP_fbreg = 0x91, DW_OP_bregx = 0x92, DW_OP_form_tls_address = 0x9b,
	DW_OP_call_frame_cfa = 0x9c, DW_OP_stack_value = 0x9f, DW_OP_addrx = 0xa1,
	DW_OP_constx = 0xa2, DW_OP_GNU_push_tls_address = 0xe0, DW_OP_GNU_const_index = 0xfc,
	DW_LANG_Mips_Assembler = 0x8001,
	DW_LNS_copy = 1, DW_LNS_advance_pc = 2, DW_LNS_advance_line = 3, DW_LNS_set_file = 4,
	DW_LNE_end_sequence = 1, DW_LNE_set_address = 2,
	DW_EH_PE_udata4 = 0x03, DW_EH_PE_sdata4 = 0x0b, DW_EH_PE_datarel = 0x30,
};

typedef uint64_t Dwarf_Addr, Dwarf_Word, Dwarf_Off;
typedef uint16_t Dwarf_Half;
typedef struct Dwarf Dwarf;
typedef struct Dwarf_CU Dwarf_CU;
typedef struct Dwarf_CFI Dwarf_CFI;
typedef struct Dwarf_Frame Dwarf_Frame;
typedef struct Dwarf_Files Dwarf_Files;
typedef struct Dwarf_Line Dwarf_Line;
typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Thread Dwfl_Thread;
typedef struct Dwfl_Frame Dwfl_Frame;

typedef struct {
	void *addr;
	Dwarf_CU *cu;
} Dwarf_Die;

typedef struct {
	unsigned char *valp;
	Dwarf_CU *cu;
} Dwarf_Attribute;

typedef struct {
	uint8_t atom;
	Dwarf_Word number, number2;
} Dwarf_Op;

typedef struct {
	int (*find_elf)(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			char **file_name, Elf **elf);
	int (*find_debuginfo)(Dwfl_Module *module, void **userdata, const char *name,
			      Dwarf_Addr base, const char *file_name, const char *link,
			      GElf_Word crc, char **ret);
} Dwfl_Callbacks;

typedef struct {
	pid_t (*next_thread)(Dwfl *dwfl, void *arg, void **thread_arg);
	bool (*get_thread)(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg);
	bool (*memory_read)(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *arg);
	bool (*set_initial_registers)(Dwfl_Thread *thread, void *arg);
} Dwfl_Thread_Callbacks;

enum { DWARF_C_READ, DWARF_CB_OK, DWARF_CB_ABORT };

/* NULL, -1 or 0 mean that nothing is there. */
static inline void *dw_null(int dummy, ...)
{
	return NULL;
}

static inline int dw_failed(int dummy, ...)
{
	return -1;
}

static inline int dw_no(int dummy, ...)
{
	return 0;
}

#define dwarf_attr(...)			dw_null(0, __VA_ARGS__)
#define dwarf_attr_integrate(...)	dw_null(0, __VA_ARGS__)
#define dwarf_begin_elf(...)		dw_null(0, __VA_ARGS__)
#define dwarf_cu_die(...)		dw_null(0, __VA_ARGS__)
#define dwarf_diename(...)		dw_null(0, __VA_ARGS__)
#define dwarf_filesrc(...)		dw_null(0, __VA_ARGS__)
#define dwarf_formref_die(...)		dw_null(0, __VA_ARGS__)
#define dwarf_formstring(...)		dw_null(0, __VA_ARGS__)
#define dwarf_getcfi(...)		dw_null(0, __VA_ARGS__)
#define dwarf_getcfi_elf(...)		dw_null(0, __VA_ARGS__)
#define dwarf_getelf(...)		dw_null(0, __VA_ARGS__)
#define dwarf_getsrc_die(...)		dw_null(0, __VA_ARGS__)
#define dwarf_linesrc(...)		dw_null(0, __VA_ARGS__)
#define dwarf_offdie(...)		dw_null(0, __VA_ARGS__)
#define dwfl_addrmodule(...)		dw_null(0, __VA_ARGS__)
#define dwfl_begin(...)			dw_null(0, __VA_ARGS__)
#define dwfl_module_info(...)		dw_null(0, __VA_ARGS__)
#define dwfl_report_module(...)		dw_null(0, __VA_ARGS__)
#define dwarf_aggregate_size(...)	dw_failed(0, __VA_ARGS__)
#define dwarf_cfi_addrframe(...)	dw_failed(0, __VA_ARGS__)
#define dwarf_child(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_cu_info(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_decl_line(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_entrypc(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_formaddr(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_formudata(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_frame_cfa(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_get_units(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_getfuncs(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_getlocation(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_getlocation_addr(...)	dw_failed(0, __VA_ARGS__)
#define dwarf_getlocation_attr(...)	dw_failed(0, __VA_ARGS__)
#define dwarf_getsrcfiles(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_haspc(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_lineno(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_nextcu(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_peel_type(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_ranges(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_siblingof(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_srclang(...)		dw_failed(0, __VA_ARGS__)
#define dwarf_tag(...)			dw_failed(0, __VA_ARGS__)
#define dwfl_getthread_frames(...)	dw_failed(0, __VA_ARGS__)
#define dwarf_cfi_end(...)		dw_no(0, __VA_ARGS__)
#define dwarf_end(...)			dw_no(0, __VA_ARGS__)
#define dwarf_hasattr(...)		dw_no(0, __VA_ARGS__)
#define dwarf_whatform(...)		dw_no(0, __VA_ARGS__)
#define dwfl_attach_state(...)		dw_no(0, __VA_ARGS__)
#define dwfl_end(...)			dw_no(0, __VA_ARGS__)
#define dwfl_frame_pc(...)		dw_no(0, __VA_ARGS__)
#define dwfl_report_begin_add(...)	dw_no(0, __VA_ARGS__)
#define dwfl_report_end(...)		dw_no(0, __VA_ARGS__)
#define dwfl_thread_state_register_pc(...)	dw_no(0, __VA_ARGS__)
#define dwfl_thread_state_registers(...)	dw_no(0, __VA_ARGS__)

#endif
#endif
