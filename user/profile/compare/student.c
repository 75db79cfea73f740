// SPDX-License-Identifier: GPL-2.0
#include "profile/compare/student.h"

#include <math.h>

#define TINY	1e-300
#define STEPS	300

static double not_zero(double value)
{
	return fabs(value) < TINY ? TINY : value;
}

/* The continued fraction of the incomplete beta function, evaluated from the front (Lentz). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), result = d;

	for (int m = 1; m < STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		result *= c * d;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = c * d;
		result *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return result;
}

/* The regularized incomplete beta function; 0 <= x <= 1, and @y is 1 - x without rounding. */
static double incomplete_beta(double a, double b, double x, double y)
{
	double front;

	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
	/* Each of the two fractions converges fast on its side of this limit. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double student_two_sided(double t, double freedom)
{
	double square = t * t;

	if (isinf(square))
		return 0;
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square),
			       square / (freedom + square));
}

double student_quantile(double probability, double freedom)
{
	double low = 0, high = 1;

	while (high < 1e12 && student_two_sided(high, freedom) > probability)
		high *= 2;
	for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;

		if (student_two_sided(middle, freedom) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}
