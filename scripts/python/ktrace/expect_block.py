# SPDX-License-Identifier: GPL-2.0
"""Properties of block requests on a healthy kernel (record -a).

Requests without sectors (flushes) are left out, because nothing identifies them."""

from ktrace.expect import Has, every

EXPECT = [
    every('block:block_rq_issue').is_followed_by('block:block_rq_complete',
                                                 same=('dev', 'sector'), within='30 s'),
    Has('block:block_rq_issue', 'a device', lambda e: e.dev != 0, 'dev', 'dev != 0'),
    Has('block:block_rq_complete', 'no error', lambda e: e['error'] == 0, 'error', 'error == 0'),
    every('block:block_rq_issue').has_values('nr_sector', 0, 2**31 - 1),
]
