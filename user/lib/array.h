/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Growing arrays: ARRAY_OF(type), or any structure with its members.  array_push() evaluates to
 * false when memory is out.
 */
#ifndef KTRACE_LIB_ARRAY_H
#define KTRACE_LIB_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The type of a variable or a member; all zero: it is empty. */
#define ARRAY_OF(type)	struct { type *items; size_t nr, alloc; }

static inline bool array_grow(void **items, size_t nr, size_t *alloc, size_t size)
{
	size_t want;
	void *grown;

	if (nr < *alloc)
		return true;
	want = *alloc ? *alloc * 2 : 8;
	grown = reallocarray(*items, want, size);
	if (!grown)
		return false;
	*items = grown;
	*alloc = want;
	return true;
}

#define array_push(array, item)						\
	(array_grow((void **)&(array)->items, (array)->nr, &(array)->alloc, \
		    sizeof(*(array)->items)) &&				\
	 ((array)->items[(array)->nr++] = (item), true))

/*
 * Returns the item at @index, up to which the array grows; NULL: memory is out.  The rest of the
 * arguments initializes each new item, as between { and }.
 */
#define array_at(array, index, ...)					\
	({								\
		const size_t index_ = (index);				\
									\
		while ((array)->nr <= index_ && array_push(array,	\
				((typeof(*(array)->items)){ __VA_ARGS__ }))) \
			;						\
		(array)->nr > index_ ? &(array)->items[index_] : NULL;	\
	})

/*
 * Free the memory that each item points to, or with ".name" that member of each item, and then the
 * items.  The array must be set again before it is used.
 */
#define array_free_each(array, ...)					\
	do {								\
		for (size_t i_ = 0; i_ < (array)->nr; i_++)		\
			free((array)->items[i_] __VA_ARGS__);		\
		free((array)->items);					\
	} while (0)

/* Sort the items, if there are any.  @compare is a comparison for qsort(). */
#define array_sort(array, compare)					\
	do {								\
		if ((array)->nr)					\
			qsort((array)->items, (array)->nr, sizeof(*(array)->items), compare); \
	} while (0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Count the numbers from 0 to @nr - 1 for which @condition is true, by a binary search.  In
 * @condition, @i is the number.  Behind the first number for which it is false, it is always false.
 */
#define array_count_while(nr, i, condition)				\
	({								\
		size_t low_ = 0, high_ = (nr);				\
									\
		while (low_ < high_) {					\
			const size_t i = low_ + (high_ - low_) / 2;	\
									\
			if (condition)					\
				low_ = i + 1;				\
			else						\
				high_ = i;				\
		}							\
		low_;							\
	})

/* Count the items whose @member is at most @limit; the items ascend by it. */
#define array_count_until(array, member, limit) \
	array_count_while((array)->nr, i_, (array)->items[i_].member <= (limit))

/*
 * Returns the first item for which @condition is true, or NULL.  In @condition, @it points to the
 * item.
 */
#define array_find(array, it, condition)				\
	({								\
		typeof((array)->items + 0) found_ = NULL;		\
									\
		for (size_t i_ = 0; i_ < (array)->nr && !found_; i_++) { \
			typeof(found_) it = &(array)->items[i_];	\
									\
			if (condition)					\
				found_ = it;				\
		}							\
		found_;							\
	})

/* Whether @condition is true for an item; @it is as in array_find(). */
#define array_any(array, it, condition) (array_find(array, it, condition) != NULL)

/* Returns a number below, equal to or above 0: a is less than, equal to or greater than b. */
#define array_order(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * Define a comparison of items of @type for qsort().  Its result is the rest of the arguments, in
 * which x and y point to the items:
 *
 *	DEFINE_COMPARISON(compare_marks, struct mark, array_order(x->time, y->time) ?:
 *			  strcmp(x->name, y->name))
 */
#define DEFINE_COMPARISON(name, type, ...)				\
	static int name(const void *x_, const void *y_)			\
	{								\
		const typeof(type) *x = x_, *y = y_;			\
									\
		return __VA_ARGS__;					\
	}

/* A comparison for qsort(): larger numbers come first. */
static inline int array_descending(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* A comparison for qsort() and bsearch() of an array of texts. */
static inline int array_compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#endif
