# SPDX-License-Identifier: GPL-2.0
"""/proc/schedstat as text, and the recording that perf 7's sched stats record makes of two
readings, without a line of ktrace's or perf's code.

    before, after = [Reading(17, jiffies, {0: (cpu numbers, {0: ('MC', '3', '0-1', domain numbers)})}) ...]
    write('stats.data', recording(before, after))
"""
import perfdata_writer as pw

CPU_DOMAIN_INFO, SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN = 32, 85, 86
NUMBERS = {15: 36, 16: 36, 17: 45}      # of a domain


class Reading:
    def __init__(self, version, jiffies, cpus):
        self.version, self.jiffies, self.cpus = version, jiffies, cpus

    def text(self):
        lines = [f'version {self.version}', f'timestamp {self.jiffies}']
        for cpu, (numbers, domains) in self.cpus.items():
            lines.append(f'cpu{cpu} ' + ' '.join(map(str, numbers)))
            for domain, (name, mask, _, counts) in domains.items():
                words = [name] if self.version >= 17 else []
                lines.append(f'domain{domain} ' + ' '.join([*words, mask, *map(str, counts)]))
        return '\n'.join(lines) + '\n'

    def records(self, writer):
        for cpu, (numbers, domains) in self.cpus.items():
            head = writer.pack('QIH', self.jiffies, cpu, self.version)
            writer.record(SCHEDSTAT_CPU, head + writer.pack('H6I3Q', 0, *numbers))
            for domain, (_, _, _, counts) in domains.items():
                body = head + writer.pack(f'H{len(counts)}I', domain, *counts)
                writer.record(SCHEDSTAT_DOMAIN, body.ljust(len(body) + 7 & ~7, b'\0'))

    def domain_info(self, writer):
        def string(text):
            size = len(text) + 1 + 63 & ~63
            return writer.pack('I', size) + text.encode().ljust(size, b'\0')
        out = writer.pack('II', self.version, max(len(domains) for _, domains in self.cpus.values()))
        for cpu, (_, domains) in self.cpus.items():
            out += writer.pack('II', cpu, len(domains))
            for domain, (name, mask, cpus, _) in domains.items():
                out += writer.pack('I', domain) + (string(name) if self.version >= 17 else b'')
                out += string(mask) + string(cpus)
        return out


def recording(before, after, order='<'):
    writer = pw.Writer(order=order, features=(pw.HOSTNAME, pw.NRCPUS, CPU_DOMAIN_INFO))
    writer.contents[CPU_DOMAIN_INFO] = after.domain_info(writer)
    before.records(writer)
    after.records(writer)
    return writer


def readings(version=17, jiffies=500, calls=100, cpus=2):
    """Two readings by numbers that are easy to add up: schedule() was called @calls times on CPU 0,
    twice as often on CPU 1 ..., and left the CPU idle in a quarter of them."""
    def at(step):
        n = NUMBERS[version]
        return Reading(version, 4295000000 + step * jiffies, {
            cpu: ((7 + step, 0, 2 ** 32 - 10 + step * calls * (cpu + 1) & 2 ** 32 - 1,
                   10 + step * calls * (cpu + 1) // 4, 20 + step * 40, 5 + step * 10,
                   10 ** 9 + step * 10 ** 8, 10 ** 9 + step * 5 * 10 ** 7, 90 + step),
                  {0: ('MC', '3', '0-1', [100 + step * (n - i) for i in range(n)])})
            for cpu in range(cpus)})
    return at(0), at(1)
