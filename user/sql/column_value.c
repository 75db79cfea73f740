// SPDX-License-Identifier: GPL-2.0
#include "sql/column_value.h"

int64_t column_integer(const struct column *column, size_t row)
{
	const char *at = (const char *)column->values + row * column->size;

	switch (column->size) {
	case 1:
		if (column->is_signed)
			return *(const int8_t *)at;
		return *(const uint8_t *)at;
	case 2:
		if (column->is_signed)
			return *(const int16_t *)at;
		return *(const uint16_t *)at;
	case 4:
		if (column->is_signed)
			return *(const int32_t *)at;
		return *(const uint32_t *)at;
	default:
		return *(const int64_t *)at;
	}
}

static void text_value(const struct column *column, size_t row, sqlite3_context *context)
{
	const struct byte_strings *texts = &column->strings;
	int32_t number = ((const int32_t *)column->values)[row];

	if (number < 0 || (size_t)number >= texts->nr)
		sqlite3_result_null(context);
	else
		sqlite3_result_text(context, texts->bytes + texts->offsets[number],
				    texts->offsets[number + 1] - texts->offsets[number],
				    SQLITE_TRANSIENT);
}

void column_result(const struct column *column, size_t row, sqlite3_context *context)
{
	const struct byte_strings *rows = &column->strings;

	switch (column->type) {
	case COLUMN_INTEGER:
	case COLUMN_TIME:
		sqlite3_result_int64(context, column_integer(column, row));
		break;
	case COLUMN_FLOAT:
		sqlite3_result_double(context, ((const double *)column->values)[row]);
		break;
	case COLUMN_TEXT:
		text_value(column, row, context);
		break;
	case COLUMN_BYTES:
		sqlite3_result_blob(context, rows->bytes + rows->offsets[row],
				    rows->offsets[row + 1] - rows->offsets[row],
				    SQLITE_TRANSIENT);
		break;
	}
}
