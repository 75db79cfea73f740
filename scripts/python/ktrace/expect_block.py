# SPDX-License-Identifier: GPL-2.0
"""What holds of block requests on a healthy kernel (record -a).

Requests without sectors (flushes) are left out, as nothing identifies them."""

from ktrace.expect import every

EXPECT = [
    every('block:block_rq_issue').is_followed_by('block:block_rq_complete',
                                                 same=('dev', 'sector'), within='30 s'),
    every('block:block_rq_issue').has('a device', lambda e: e.dev != 0),
    every('block:block_rq_complete').has('no error', lambda e: e['error'] == 0),
    every('block:block_rq_issue').has_values('nr_sector', 0, 2**31 - 1),
]
