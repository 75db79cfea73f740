// SPDX-License-Identifier: GPL-2.0
/* v6.5 ("arm64: use XPACLRI to strip PAC") */
#include <linux/compiler.h>
#include <asm/pointer_auth.h>

unsigned long probe(unsigned long ip);
unsigned long probe(unsigned long ip)
{
	return ptrauth_strip_user_insn_pac(ip);
}
