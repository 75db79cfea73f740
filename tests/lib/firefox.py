# SPDX-License-Identifier: GPL-2.0
"""Profiles of the Firefox Profiler (processed format, version 60), by the rules that its
documentation gives: the faults and the contents of one."""
import json
import re

TABLES = {
    'stackTable': 'frame prefix', 'nativeSymbols': 'libIndex address name functionSize',
    'frameTable': 'address inlineDepth category subcategory func nativeSymbol innerWindowID line column',
    'funcTable': 'name isJS relevantForJS resource source lineNumber columnNumber',
    'resourceTable': 'lib name host type', 'sources': 'uuid filename',
}
META = ('interval startTime processType categories product stackwalk version '
        'preprocessedProfileVersion markerSchema sampleUnits symbolicated').split()
THREAD = ('name processName isMainThread pid tid processType processStartupTime processShutdownTime '
          'registerTime unregisterTime pausedRanges samples markers').split()
LIB = {'arch', 'name', 'path', 'debugName', 'debugPath', 'breakpadId', 'codeId'}
FORMATS = {'string', 'unique-string', 'integer'}


def load(name):
    with open(name, encoding='utf-8') as f:
        return json.load(f)


class Rules:
    """Collects the broken rules in `wrong`."""

    def __init__(self, profile):
        self.wrong = []
        self.profile, self.meta, self.shared = profile, profile['meta'], profile['shared']
        self.strings = self.shared['stringArray']
        self.schemas = {s['name']: {f['key']: f['format'] for f in s['fields']}
                        for s in self.meta['markerSchema']}
        self.check_meta()
        self.check_tables()
        for thread in profile['threads']:
            self.check_thread(thread)

    def need(self, holds, what):
        if not holds:
            self.wrong.append(what)

    def columns(self, table, name, columns, length=None):
        length = table['length'] if length is None else length
        for column in columns.split():
            self.need(len(table[column]) == length, f'{name}.{column} has not {length} values')

    def indexes(self, values, end, what, none=()):
        bad = [v for v in values if v not in none and not (isinstance(v, int) and 0 <= v < end)]
        self.need(not bad, f'{what}: {bad[:3]} are no numbers below {end}')

    def times(self, values, what):
        self.need(all(isinstance(v, (int, float)) and v >= 0 for v in values), f'{what} has no time')
        self.need(values == sorted(values), f'{what} decreases')

    def check_meta(self):
        meta = self.meta
        self.need(not [m for m in META if m not in meta], 'meta lacks members')
        self.need(meta['preprocessedProfileVersion'] == 60, 'the version is not 60')
        self.need(meta['interval'] > 0, 'the interval is not above 0')
        self.need('grey' in [c['color'] for c in meta['categories']], 'no category is grey')
        self.need(all(c['subcategories'] for c in meta['categories']), 'a category has no subcategories')
        self.need(all(isinstance(s, str) for s in self.strings), 'a string is none')
        for schema in meta['markerSchema']:
            keys = [f['key'] for f in schema['fields']]
            self.need(len(keys) == len(set(keys)) and not {'type', 'cause'} & {*keys}, f'keys {keys}')
            self.need({f['format'] for f in schema['fields']} <= FORMATS, f'formats of {schema}')
            used = re.findall(r'\{marker\.data\.([^}]*)\}', schema.get('tableLabel', ''))
            self.need({*used} <= {*keys}, f'the label of {schema["name"]} names {used}')
        self.need(len(self.schemas) == len(meta['markerSchema']), 'two schemas have the same name')

    def check_tables(self):
        shared, libs, strings = self.shared, self.profile['libs'], len(self.strings)
        for name, columns in TABLES.items():
            self.columns(shared[name], name, columns)
        stacks, frames, functions = shared['stackTable'], shared['frameTable'], shared['funcTable']
        resources, categories = shared['resourceTable'], self.meta['categories']
        self.indexes(stacks['frame'], frames['length'], 'frames of stacks')
        self.indexes(stacks['prefix'], stacks['length'], 'prefixes', [None])
        self.need(all(p is None or p < i for i, p in enumerate(stacks['prefix'])),
                  'a prefix is not before its stack')
        self.indexes(frames['func'], functions['length'], 'functions of frames')
        self.indexes(frames['category'], len(categories), 'categories of frames')
        self.indexes(frames['subcategory'], min(len(c['subcategories']) for c in categories),
                     'subcategories of frames')
        self.need(all(a >= -1 for a in frames['address']), 'an address is below -1')
        self.indexes(functions['name'], strings, 'names of functions')
        self.indexes(functions['resource'], resources['length'], 'resources of functions', [-1])
        pairs = [*zip(functions['name'], functions['resource'])]
        self.need(len(pairs) == len(set(pairs)), 'a function is there twice')
        self.indexes(resources['lib'], len(libs), 'libraries of resources')
        self.indexes(resources['name'], strings, 'names of resources')
        self.need(all(set(lib) == LIB and re.fullmatch('[0-9A-F]{33}', lib['breakpadId'])
                      for lib in libs), 'a library is not described')

    def check_thread(self, thread):
        name = thread['name']
        self.need(not [m for m in THREAD if m not in thread], f'{name} lacks members')
        self.need(isinstance(thread['pid'], str), f'the pid of {name} is no text')
        samples, markers, stacks = thread['samples'], thread['markers'], self.shared['stackTable']['length']
        columns = [c for c in ('weight', 'threadCPUDelta') if samples.get(c) is not None]
        self.columns(samples, 'samples', ' '.join(['stack', 'time', *columns]))
        self.need(samples['weightType'] in ('samples', 'tracing-ms', 'bytes'), 'the type of weights')
        self.indexes(samples['stack'], stacks, f'stacks of samples of {name}', [None])
        self.times(samples['time'], f'samples.time of {name}')
        self.columns(markers, 'markers', 'data name startTime endTime phase category')
        self.indexes(markers['name'], len(self.strings), f'names of markers of {name}')
        self.indexes(markers['category'], len(self.meta['categories']), f'categories of markers of {name}')
        for start, end, phase in zip(markers['startTime'], markers['endTime'], markers['phase']):
            self.need(phase == 0 and end is None or phase == 1 and start <= end,
                      f'a marker of {name} is neither an instant nor an interval')
        self.times([end or start for start, end in zip(markers['startTime'], markers['endTime'])],
                   f'times of markers of {name}')
        self.need(min(markers['startTime'], default=0) >= 0, f'a marker of {name} begins too early')
        for data in markers['data']:
            self.check_marker(data, stacks)

    def check_marker(self, data, stacks):
        formats = self.schemas.get(data['type'], {})
        self.need(data['type'] in self.schemas, f'no schema of {data["type"]}')
        self.need({*data} <= {*formats, 'type', 'cause'}, f'no fields of all {data}')
        self.indexes([v for k, v in data.items() if formats.get(k) == 'unique-string'],
                     len(self.strings), f'texts of {data}')
        if 'cause' in data:
            self.indexes([data['cause']['stack']], stacks, f'the stack of {data}')


def rules(profile):
    """The broken rules of the format, as sentences."""
    try:
        return Rules(profile).wrong
    except (KeyError, TypeError) as error:
        return [repr(error)]


def chain(profile, stack):
    """The names of a stack's functions, the outermost first."""
    shared, names = profile['shared'], []
    while stack is not None:
        function = shared['frameTable']['func'][shared['stackTable']['frame'][stack]]
        names.insert(0, shared['stringArray'][shared['funcTable']['name'][function]])
        stack = shared['stackTable']['prefix'][stack]
    return names


def fields(profile, data):
    """The fields of a marker, with texts in place of their numbers."""
    formats = next({f['key']: f['format'] for f in s['fields']} for s in profile['meta']['markerSchema']
                   if s['name'] == data['type'])
    return {k: profile['shared']['stringArray'][v] if formats[k] == 'unique-string' else v
            for k, v in data.items() if k not in ('type', 'cause')}
