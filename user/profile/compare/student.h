/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Student's distribution, for comparing two means with estimated variances.
 */
#ifndef KTRACE_PROFILE_COMPARE_STUDENT_H
#define KTRACE_PROFILE_COMPARE_STUDENT_H

/*
 * The probability that a value of the distribution is at least as far from 0 as @t, on either side.
 * @freedom is more than 0 and need not be an integer.
 */
double student_two_sided(double t, double freedom);

/* The t > 0 for which student_two_sided() is @probability, which is between 0 and 1. */
double student_quantile(double probability, double freedom);

#endif
