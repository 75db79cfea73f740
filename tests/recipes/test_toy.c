// SPDX-License-Identifier: GPL-2.0
#include "lib/strbuf.h"
#include "tap.h"

int main(void)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "toy");
	is_str(strbuf_str(&text), "toy", "a buffer has the text that was added");
	return tap_done();
}
