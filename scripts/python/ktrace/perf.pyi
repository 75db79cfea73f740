# SPDX-License-Identifier: GPL-2.0
# Types of the binding; the constants TYPE_*, COUNT_*, SAMPLE_*, FORMAT_* and RECORD_* are ints.
from io import TextIOWrapper
from typing import Any, Callable, Iterator, NamedTuple, NoReturn, Union

def __getattr__(constant: str) -> int: ...

def tracepoint(sys: str, name: str) -> int: ...
def parse_events(events: str, cpus: cpu_map | None = None,
                 threads: thread_map | None = None) -> evlist: ...

def pmus() -> Iterator[pmu]: ...
def metrics() -> NoReturn: ...
def parse_metrics(text: str, pmu: str | None = None, cpus: cpu_map | None = None,
                  threads: thread_map | None = None) -> NoReturn: ...

def syscall_name(id: int, elf_machine: int | None = None) -> str | None: ...
def syscall_id(name: str, elf_machine: int | None = None) -> int: ...
def arch_strerrno(err: int, elf_machine: int | None = None) -> str | None: ...
def config_get(name: str) -> str | None: ...

class data:
    def __init__(self, path: str = 'perf.data', fd: int = -1) -> None: ...

class thread:
    pid: int
    tid: int
    ppid: int
    cpu: int
    def comm(self) -> str: ...

class session:
    e_machine: int
    is_64_bit: bool
    def __init__(self, data: data, sample: Callable[[sample_event], Any] | None = None,
                 stat: Callable[[stat_event | stat_round_event, str | None], Any] | None = None,
                 context_switch: Callable[[switch_event], Any] | None = None,
                 call_return: None = None, itrace: None = None, vmlinux: str | None = None,
                 kallsyms: str | None = None, symfs: str | None = None) -> None: ...
    def process_events(self) -> None: ...
    def find_thread(self, pid: int, tid: int = -1, /) -> thread | None: ...
    def process(self, pid: int, tid: int = -1, /) -> thread | None: ...

class pmu:
    def __init__(self, name: str) -> None: ...
    def name(self) -> str: ...
    def events(self) -> list[dict[str, str]]: ...

class cpu_map:
    def __init__(self, cpustr: str | None = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> int: ...
    def __iter__(self) -> Iterator[int]: ...

class thread_map:
    def __init__(self, pid: int = -1, tid: int = -1) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> int: ...
    def __iter__(self) -> Iterator[int]: ...

class counts_values(NamedTuple):
    val: int
    ena: int
    run: int
    id: int
    lost: int

class evsel:
    type: int
    config: int
    sample_period: int
    sample_type: int
    read_format: int
    wakeup_events: int
    tracking: bool
    @property
    def ids(self) -> list[int]: ...
    @property
    def size(self) -> int: ...
    def __init__(self, type: int = 0, config: int = 0, sample_freq: int = 0,
                 sample_period: int = 0, sample_type: int = ..., read_format: int = 0,
                 disabled: int = 0, inherit: int = 0, pinned: int = 0, exclusive: int = 0,
                 exclude_user: int = 0, exclude_kernel: int = 0, exclude_hv: int = 0,
                 exclude_idle: int = 0, mmap: int = 0, context_switch: int = 0, comm: int = 0,
                 freq: int = 1, inherit_stat: int = 0, enable_on_exec: int = 0, task: int = 0,
                 watermark: int = 0, precise_ip: int = 0, mmap_data: int = 0,
                 sample_id_all: int = 1, wakeup_events: int = 0, bp_type: int = 0,
                 bp_addr: int = 0, bp_len: int = 0) -> None: ...
    def open(self, cpus: cpu_map | None = None, threads: thread_map | None = None,
             group: int = 0, inherit: int = ...) -> None: ...
    def close(self) -> None: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def cpus(self) -> cpu_map: ...
    def threads(self) -> thread_map: ...
    def read(self, cpu: int, thread: int) -> counts_values: ...

class _record:
    type: int
    misc: int
    sample_ip: int
    sample_pid: int
    sample_tid: int
    sample_time: int
    sample_addr: int
    sample_id: int
    sample_stream_id: int
    sample_period: int
    sample_cpu: int
    evsel: evsel | None
    machine_pid: int
    vcpu: int

class mmap_event(_record):
    pid: int
    tid: int
    addr: int
    start: int
    len: int
    pgoff: int
    filename: str

class mmap2_event(_record):
    pid: int
    tid: int
    start: int
    len: int
    pgoff: int
    maj: int | None
    min: int | None
    ino: int | None
    ino_generation: int | None
    build_id: bytes | None
    prot: int
    flags: int
    filename: str

class task_event(_record):
    pid: int
    ppid: int
    tid: int
    ptid: int
    time: int

class comm_event(_record):
    pid: int
    tid: int
    comm: str

class throttle_event(_record):
    time: int
    id: int
    stream_id: int

class lost_event(_record):
    id: int
    lost: int

class read_event(_record):
    pid: int
    tid: int
    values: list[int]

class switch_event(_record):
    next_prev_pid: int
    next_prev_tid: int

class stat_event(_record):
    id: int
    cpu: int
    thread: int
    val: int
    ena: int
    run: int

class stat_round_event(_record):
    time: int
    stat_round_type: int

class callchain_node(NamedTuple):
    ip: int
    symbol: str
    dso: str
    sym_offset: int | None

class branch_entry(NamedTuple):
    from_ip: int
    to_ip: int
    mispred: bool
    predicted: bool
    in_tx: bool
    abort: bool
    cycles: int
    type: int

callchain = tuple[callchain_node, ...]
branch_stack = tuple[branch_entry, ...]

class sample_event(_record):
    raw_buf: bytearray
    sample_phys_addr: int
    sample_weight: int
    sample_data_src: int
    sample_insn_count: int
    sample_cyc_count: int
    transaction: int
    flags: int
    branch_type: int
    in_tx: int
    dso: str | None
    dso_long_name: str | None
    dso_bid: str | None
    map_start: int | None
    map_end: int | None
    map_pgoff: int | None
    symbol: str | None
    sym_start: int | None
    sym_end: int | None
    sym_offset: int | None
    addr_dso: str | None
    addr_symbol: str | None
    addr_sym_offset: int | None
    callchain: tuple[callchain_node, ...] | None
    brstack: tuple[branch_entry, ...] | None
    def srccode(self, addr: int = ...) -> tuple[str | None, int, str | None]: ...
    def insn(self) -> bytes | None: ...
    def __getattr__(self, field: str) -> Any: ...

Event = Union[mmap_event, mmap2_event, task_event, comm_event, throttle_event, lost_event,
              read_event, switch_event, sample_event]

class evlist:
    def __init__(self, cpus: cpu_map, threads: thread_map) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> evsel: ...
    def __iter__(self) -> Iterator[evsel]: ...
    def add(self, evsel: evsel) -> int: ...
    def open(self, group: int = 0) -> None: ...
    def mmap(self, pages: int = 128) -> None: ...
    def poll(self, timeout: int = -1) -> int: ...
    def get_pollfd(self) -> list[TextIOWrapper]: ...
    def read_on_cpu(self, cpu: int) -> Event | None: ...
    def config(self) -> None: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def all_cpus(self) -> cpu_map: ...
    def close(self) -> None: ...
