// SPDX-License-Identifier: GPL-2.0
/* The bytes of the page from scripts/gen-page, with a NUL behind them. */
#include "output/page/page.h"

asm(".pushsection .rodata\n"
    ".globl page_template\n"
    ".type page_template, %object\n"
    "page_template: .incbin \"" PAGE_FILE "\"\n"
    ".byte 0\n"
    ".size page_template, . - page_template\n"
    ".popsection");
