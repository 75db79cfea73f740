// SPDX-License-Identifier: GPL-2.0
#include "probe/btf_argument.h"

#include "lib/library.h"

#ifdef HAVE_BPF

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "probe/argument.h"
#include "probe/operand.h"
#include "probe/registers.h"
#include "spec/caret.h"
#include "terminal/options.h"

/* The state of one argument. */
struct btf_value {
	const struct btf *btf;
	const struct probe_arg *arg;
	const char *text;	/* the definition */
	const struct btf_type *type;	/* without qualifiers; NULL: void */
	uint32_t id;
	unsigned int bits, first_bit;	/* of a bit field; bits 0: it is none */
	struct operand operand;
};

static int btf_no_print(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

/* Load the BTF once; NULL: there is none. */
static const struct btf *btf_argument_load(const char *module)
{
	static struct btf *kernel, *of_module;
	static char name[64];

	libbpf_set_print(btf_no_print);
	if (!kernel)
		kernel = btf__load_vmlinux_btf();
	if (!module || !kernel)
		return kernel;
	if (strcmp(name, module)) {
		btf__free(of_module);
		of_module = btf__load_module_btf(module, kernel);
		snprintf(name, sizeof(name), "%s", module);
	}
	return of_module;
}

static const struct btf_type *btf_skip(const struct btf *btf, uint32_t *id)
{
	const struct btf_type *type = *id ? btf__type_by_id(btf, *id) : NULL;

	while (type && (btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type))) {
		*id = type->type;
		type = *id ? btf__type_by_id(btf, *id) : NULL;
	}
	return type;
}

static void btf_set_type(struct btf_value *v, uint32_t id)
{
	v->id = id;
	v->type = btf_skip(v->btf, &v->id);
}

static const char *btf_name(const struct btf_value *v)
{
	const char *name = v->type ? btf__name_by_offset(v->btf, v->type->name_off) : "void";

	return name && *name ? name : "without a name";
}

static size_t btf_position(const struct btf_value *v)
{
	return v->arg->at + (v->arg->name ? strlen(v->arg->name) + 1 : 0);
}

static const struct btf_type *btf_function(const struct btf *btf, const char *module,
					   const char *function, struct error **err)
{
	int id = btf ? btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) : -ENOENT;
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, id) : NULL;

	type = type ? btf__type_by_id(btf, type->type) : NULL;
	if (type && btf_is_func_proto(type))
		return type;
	if (!btf)
		*err = error_hint(error_new(ENOENT, "%s%s has neither debug information nor BTF, so "
					    "arguments have no names", module ? "The module " : "The kernel",
					    module ? module : ""),
				  "Read registers (%%di, %%si ...), or install the kernel's debug "
				  "symbols");
	else
		*err = error_hint(error_new(ENOENT, "The kernel's BTF does not know the arguments of "
					    "%s", function),
				  "Read registers (%%di, %%si ...), or install the kernel's debug "
				  "symbols");
	return NULL;
}

/* The number of registers for a value of this type; 0: it is passed in memory or in another way. */
static unsigned int btf_registers(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf_skip(btf, &id);

	if (!type || btf_is_float(type))
		return 0;
	return btf_is_int(type) || btf_is_ptr(type) || btf_is_any_enum(type) ?
	       (type->size > 8 && !btf_is_ptr(type) ? 2 : 1) : 0;
}

/* Put parameter @index where the calling convention has it; false: it cannot be known. */
static bool btf_place(struct btf_value *v, const struct btf_type *proto, unsigned int index)
{
	const struct btf_param *params = btf_params(proto);
	unsigned int machine = probe_register_machine(), used = 0;
	const char *name;

	for (unsigned int i = 0; i < index; i++) {
		unsigned int need = btf_registers(v->btf, params[i].type);

		/* The registers of structs that are passed by value are unknown here. */
		if (need != 1)
			return false;
		used += need;
	}
	if (btf_registers(v->btf, params[index].type) != 1)
		return false;
	name = probe_register_of_argument(machine, used);
	if (name) {
		snprintf(v->operand.base, sizeof(v->operand.base), "%s", name);
		return true;
	}
	if (!probe_register_arguments(machine))
		return false;
	/* x86 has the return address in front of them. */
	strcpy(v->operand.base, "%sp");
	used -= probe_register_arguments(machine);
	return operand_follow(&v->operand, 8 * (used + (machine == 62 /* EM_X86_64 */)));
}

static bool btf_find_member(const struct btf *btf, const struct btf_type *type, const char *name,
			    unsigned int *bit, unsigned int *bits, uint32_t *ret_id,
			    const char **near, unsigned int depth)
{
	const struct btf_member *members = btf_members(type);

	for (int i = 0; depth < 16 && i < btf_vlen(type); i++) {
		const char *own = btf__name_by_offset(btf, members[i].name_off);
		uint32_t id = members[i].type;
		const struct btf_type *inner;
		unsigned int below = 0;

		if (own && !strcmp(own, name)) {
			*bit += btf_member_bit_offset(type, i);
			*bits = btf_member_bitfield_size(type, i);
			*ret_id = id;
			return true;
		}
		if (own && *own) {
			*near = word_nearer(name, *near, own);
			continue;
		}
		inner = btf_skip(btf, &id);
		if (inner && btf_is_composite(inner) &&
		    btf_find_member(btf, inner, name, &below, bits, ret_id, near, depth + 1)) {
			*bit += btf_member_bit_offset(type, i) + below;
			return true;
		}
	}
	return false;
}

static struct error *btf_follow(struct btf_value *v, const struct probe_field *field)
{
	if (!operand_follow(&v->operand, 0))
		return caret_error(v->text, field->at, "Too many pointers are followed");
	btf_set_type(v, v->type->type);
	return NULL;
}

static struct error *btf_index(struct btf_value *v, const struct probe_field *field)
{
	struct error *err = NULL;
	int64_t size;

	if (v->type && btf_is_ptr(v->type))
		err = btf_follow(v, field);
	else if (v->type && btf_is_array(v->type) && v->operand.nr)
		btf_set_type(v, btf_array(v->type)->type);
	else
		return caret_error(v->text, field->at, "This is neither a pointer nor an array");
	size = v->type ? btf__resolve_size(v->btf, v->id) : -1;
	if (!err && size < 0)
		return caret_error(v->text, field->at, "The size of the elements is not known");
	if (!err)
		operand_move(&v->operand, size * field->index);
	return err;
}

static struct error *btf_field(struct btf_value *v, const struct probe_field *field)
{
	bool pointer = v->type && btf_is_ptr(v->type);
	unsigned int bit = 0;
	const char *near = NULL;
	struct error *err = NULL;
	uint32_t id;

	if (pointer != field->arrow)
		return caret_error(v->text, field->at - 1 - field->arrow, pointer ?
				   "This is a pointer, whose members are reached by '->'" :
				   "This is no pointer; members are reached by '.'");
	if (pointer)
		err = btf_follow(v, field);
	if (err)
		return err;
	if (!v->type || !btf_is_composite(v->type) || !v->operand.nr)
		return caret_error(v->text, field->at, "The type %s is no struct or union",
				   btf_name(v));
	if (!btf_find_member(v->btf, v->type, field->name, &bit, &v->bits, &id, &near, 0)) {
		err = caret_error(v->text, field->at, "The struct %s has no member %s", btf_name(v),
				  field->name);
		return near ? error_hint(err, "Did you mean %s?", near) : err;
	}
	btf_set_type(v, id);
	if (v->bits) {
		int64_t size = v->type ? btf__resolve_size(v->btf, v->id) : 0;
		unsigned int unit = size > 0 && size <= 8 ? size * 8 : 64;

		v->first_bit = bit % unit;
		bit -= v->first_bit;
	}
	operand_move(&v->operand, bit / 8);
	return NULL;
}

static struct error *btf_string(struct btf_value *v)
{
	bool pointer = v->type && btf_is_ptr(v->type);

	if (!pointer && !(v->type && btf_is_array(v->type)))
		return caret_error(v->text, v->arg->at, "%s is no string: it is neither a pointer nor an "
				   "array", v->arg->text);
	if (pointer && !operand_follow(&v->operand, 0))
		return caret_error(v->text, v->arg->at, "Too many pointers are followed");
	return NULL;
}

static struct error *btf_add_type(struct btf_value *v, struct strbuf *out)
{
	const char *cast = v->arg->type;
	bool is_signed;
	int64_t size;

	if (cast && (!strcmp(cast, "string") || !strcmp(cast, "ustring"))) {
		strbuf_addstr(out, cast);
		return btf_string(v);
	}
	if (cast && cast[1]) {
		strbuf_addstr(out, cast);
		return NULL;
	}
	size = v->type ? btf__resolve_size(v->btf, v->id) : -1;
	if (size <= 0)
		return NULL;
	if (size > 8)
		size = 8;
	if (v->bits) {
		strbuf_addf(out, "b%u@%u/%u", v->bits, v->first_bit, (unsigned int)size * 8);
		return NULL;
	}
	is_signed = btf_is_int(v->type) && btf_int_encoding(v->type) & BTF_INT_SIGNED;
	strbuf_addf(out, "%c%u", cast ? *cast : is_signed ? 's' : 'x', (unsigned int)size * 8);
	return NULL;
}

static struct error *btf_finish(struct btf_value *v, struct probe_event *event)
{
	_cleanup_(strbuf) struct strbuf type = STRBUF_INIT;
	struct error *err = NULL;

	v->operand.user = v->arg->user;
	for (size_t i = 0; !err && i < v->arg->fields.nr; i++) {
		const struct probe_field *field = &v->arg->fields.items[i];

		err = field->name ? btf_field(v, field) : btf_index(v, field);
	}
	if (!err)
		err = btf_add_type(v, &type);
	return err ? err : probe_arg_add(v->arg, &v->operand, &type, event);
}

static const char *btf_param_name(const struct btf *btf, const struct btf_param *param)
{
	const char *name = btf__name_by_offset(btf, param->name_off);

	return name && *name ? name : NULL;
}

/* Add all parameters: $params and $vars. */
static struct error *btf_add_all(struct btf_value *v, const struct btf_type *proto,
				 struct probe_event *event)
{
	struct error *err = NULL;

	for (int i = 0; !err && i < btf_vlen(proto); i++) {
		const struct btf_param *param = btf_params(proto) + i;
		struct probe_arg arg = { .variable = (char *)btf_param_name(v->btf, param),
					 .type = v->arg->type, .at = v->arg->at };
		struct btf_value one = { .btf = v->btf, .arg = &arg, .text = v->text };

		arg.text = arg.variable;
		if (!arg.variable || !btf_place(&one, proto, i))
			continue;
		btf_set_type(&one, param->type);
		err = btf_finish(&one, event);
	}
	return err;
}

static struct error *btf_no_parameter(const struct btf_value *v, const struct btf_type *proto,
				      const char *function)
{
	_cleanup_(strbuf) struct strbuf names = STRBUF_INIT;
	const char *near = NULL;
	struct error *err;

	for (int i = 0; i < btf_vlen(proto); i++) {
		const char *name = btf_param_name(v->btf, btf_params(proto) + i);

		if (!name)
			continue;
		near = word_nearer(v->arg->variable, near, name);
		strbuf_addf(&names, "%s%s", names.len ? ", " : "", name);
	}
	err = caret_error(v->text, btf_position(v), "%s has no parameter %s", function,
			  v->arg->variable);
	if (near)
		return error_hint(err, "Did you mean %s?", near);
	return names.len ? error_hint(err, "It has %s; local variables need debug information",
				      names.data) :
			   error_hint(err, "It has none; local variables need debug information");
}

struct error *btf_argument_add(const char *module, const char *function,
			       const struct probe_arg *arg,
			       const struct probe_definition *definition,
			       struct probe_event *event)
{
	struct btf_value v = {
		.btf = btf_argument_load(module), .arg = arg, .text = definition->text,
	};
	const struct btf_type *proto;
	struct error *err = NULL;

	proto = btf_function(v.btf, module, function, &err);
	if (!proto)
		return err;
	if (arg->kind == PROBE_ARG_RETVAL) {
		strcpy(v.operand.base, "$retval");
		btf_set_type(&v, proto->type);
		return btf_finish(&v, event);
	}
	if (definition->offset)
		return caret_error(v.text, btf_position(&v), "Without debug information, arguments are "
				   "known only where the function is entered");
	if (arg->kind != PROBE_ARG_VARIABLE)
		return btf_add_all(&v, proto, event);
	for (int i = 0; i < btf_vlen(proto); i++) {
		const char *name = btf_param_name(v.btf, btf_params(proto) + i);

		if (!name || strcmp(name, arg->variable))
			continue;
		if (!btf_place(&v, proto, i))
			return caret_error(v.text, btf_position(&v), "Without debug information, nobody "
					   "knows where %s is: it, or a parameter in front of it, is a "
					   "struct", name);
		btf_set_type(&v, btf_params(proto)[i].type);
		return btf_finish(&v, event);
	}
	return btf_no_parameter(&v, proto, function);
}

struct error *btf_argument_list(const char *module, const char *function, const char *indent,
				struct strbuf *out)
{
	const struct btf *btf = btf_argument_load(module);
	const struct btf_type *proto;
	struct error *err = NULL;

	proto = btf_function(btf, module, function, &err);
	for (int i = 0; proto && i < btf_vlen(proto); i++) {
		const struct btf_param *param = btf_params(proto) + i;
		const char *name = btf_param_name(btf, param);
		uint32_t id = param->type;
		const struct btf_type *type = btf__type_by_id(btf, id);
		size_t stars = 0;

		while (type && (btf_is_ptr(type) || btf_is_mod(type))) {
			stars += btf_is_ptr(type);
			type = type->type ? btf__type_by_id(btf, type->type) : NULL;
		}
		strbuf_addf(out, "%s%s%s", indent, type && btf_is_struct(type) ? "struct " :
			    type && btf_is_union(type) ? "union " :
			    type && btf_is_any_enum(type) ? "enum " : "",
			    type ? btf__name_by_offset(btf, type->name_off) : "void");
		while (stars--)
			strbuf_addch(out, '*');
		strbuf_addf(out, "\t%s\n", name ? name : "(unnamed)");
	}
	return err;
}

#else /* !HAVE_BPF */

struct error *btf_argument_add(const char *module, const char *function,
			       const struct probe_arg *arg,
			       const struct probe_definition *definition,
			       struct probe_event *event)
{
	return error_prefix(library_missing(LIBRARY_BPF), "Without debug information, arguments are "
			    "known by BTF alone");
}

struct error *btf_argument_list(const char *module, const char *function, const char *indent,
				struct strbuf *out)
{
	return error_prefix(library_missing(LIBRARY_BPF), "Without debug information, arguments are "
			    "known by BTF alone");
}

#endif
