// SPDX-License-Identifier: GPL-2.0
#include "table/timechart/svg.h"

#include <math.h>

#include "lib/number.h"
#include "lib/xml.h"

double svg_x(const struct svg_scale *scale, uint64_t time)
{
	double ns = time < scale->begin ? 0 : time - scale->begin;

	return scale->left + ns * scale->width / (scale->end - scale->begin);
}

double svg_pixel(const struct svg_scale *scale)
{
	return (double)(scale->end - scale->begin) / scale->width;
}

/* Append "." and the last @digits digits of @value, without the zeros at their end. */
static void svg_add_fraction(struct strbuf *out, uint64_t value, unsigned int digits)
{
	if (!value)
		return;
	while (!(value % 10)) {
		value /= 10;
		digits--;
	}
	strbuf_addch(out, '.');
	number_add_digits(out, value, digits);
}

void svg_add_number(struct strbuf *out, double number)
{
	int64_t thousandths = llround(number * 1000);

	if (thousandths < 0) {
		strbuf_addch(out, '-');
		thousandths = -thousandths;
	}
	number_add_unsigned(out, thousandths / 1000, 0, ' ');
	svg_add_fraction(out, thousandths % 1000, 3);
}

static void svg_add_attribute(struct strbuf *out, const char *name, double value)
{
	strbuf_addf(out, " %s=\"", name);
	svg_add_number(out, value);
	strbuf_addch(out, '"');
}

void svg_add_box(struct strbuf *out, const char *class, const struct svg_box *box,
		 const char *title)
{
	strbuf_addf(out, "<rect class=\"%s\"", class);
	svg_add_attribute(out, "x", box->x);
	svg_add_attribute(out, "y", box->y);
	svg_add_attribute(out, "width", box->width);
	svg_add_attribute(out, "height", box->height);
	if (!title) {
		strbuf_addstr(out, "/>");
		return;
	}
	strbuf_addstr(out, "><title>");
	xml_add_text(out, title);
	strbuf_addstr(out, "</title></rect>");
}

void svg_add_text(struct strbuf *out, const char *class, double x, double y, const char *text)
{
	strbuf_addf(out, "<text class=\"%s\"", class);
	svg_add_attribute(out, "x", x);
	svg_add_attribute(out, "y", y);
	strbuf_addch(out, '>');
	xml_add_text(out, text);
	strbuf_addstr(out, "</text>");
}

static const struct {
	uint64_t ns;
	unsigned int digits;
	const char *name;
} svg_units[] = {
	{ 1000000000, 9, "s" }, { 1000000, 6, "ms" }, { 1000, 3, "us" }, { 1, 0, "ns" },
};

static unsigned int svg_unit(uint64_t ns)
{
	unsigned int unit = 0;

	while (svg_units[unit].ns > 1 && ns < svg_units[unit].ns)
		unit++;
	return unit;
}

void svg_add_time(struct strbuf *out, uint64_t ns, uint64_t total)
{
	unsigned int unit = svg_unit(total);

	number_add_unsigned(out, ns / svg_units[unit].ns, 0, ' ');
	svg_add_fraction(out, ns % svg_units[unit].ns, svg_units[unit].digits);
	strbuf_addf(out, " %s", svg_units[unit].name);
}

void svg_add_duration(struct strbuf *out, uint64_t ns)
{
	unsigned int unit = svg_unit(ns);

	number_add_unsigned(out, ns / svg_units[unit].ns, 0, ' ');
	if (svg_units[unit].digits) {
		strbuf_addch(out, '.');
		number_add_digits(out, ns % svg_units[unit].ns / (svg_units[unit].ns / 1000), 3);
	}
	strbuf_addf(out, " %s", svg_units[unit].name);
}
