// SPDX-License-Identifier: GPL-2.0
/*
 * Listings of the functions with the most samples: of the whole recording. Only the selected event
 * matters.
 */
class Code {
	constructor(selection, box) {
		this.selection = selection;
		this.list = element('select', { id: 'code-function' });
		this.lines = element('tbody');
		this.words = element('caption', { className: 'hint' });
		this.shown = selection.data.code[0];
		box.append(element('div', { className: 'bar' }, element('label', {}, 'Function ', this.list)),
			element('div', { className: 'scroll', tabIndex: -1 },
				element('table', { className: 'listing' }, this.words, this.lines)));
		fillSelect(this.list, selection.data.code.map((f) => [f, `${f.name} (${f.binary}): ${plural(f.samples, 'sample', 'samples')}`]), (f) => {
			this.shown = f;
			this.show();
		});
	}

	show() {
		const { event, data } = this.selection, f = this.shown;
		const samplesOf = (line) => line.samples && event < line.samples.length ? line.samples[event] : 0;
		const all = f.lines.reduce((sum, line) => sum + samplesOf(line), 0);
		this.words.textContent = f.missing ? `The code cannot be shown: ${plainText(f.missing)}.` :
			`${plural(all, 'sample', 'samples')} of ${plainText(data.events[event].name)} in this function, whatever time is selected`;
		this.lines.replaceChildren(...f.lines.map((line) => this.lineOf(line, samplesOf(line), all)));
	}

	lineOf(line, samples, all) {
		const share = all ? samples / all : 0, isCode = line.kind === 'instruction';
		const number = element('td', { className: 'number' }, samples ? wordsOfShare(samples, all) : '');
		if (share)
			number.style.background = `hsl(15 85% ${darkMode.matches ? 14 + 40 * share : 94 - 34 * share}%)`;
		const where = isCode ? line.address.toString(16) : line.line || '';
		return element('tr', { className: line.kind }, number, element('td', { className: 'number' }, String(where)),
			element('td', {}, plainText((isCode ? '    ' : '') + (line.text === null ? '' : line.text).replaceAll('\t', '    '))));
	}
}
