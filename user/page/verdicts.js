// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that became slower or faster since another recording: ktrace diff's verdicts on each
 * function itself, without its callees. Verdicts are about the whole recordings, independent of the
 * selection.
 */
const VERDICTS = {
	'slower': { mark: '▲', meaning: 'it grew, by more than chance' },
	'faster': { mark: '▼', meaning: 'it fell, by more than chance' },
	'unchanged': { mark: '=', meaning: 'a change of 5 % would have shown' },
	'can\'t tell': { mark: '?', meaning: 'a change might not have shown' },
	'not compared': { mark: '', meaning: 'too few samples, or no function of its own' },
};

// The larger the change, the stronger the colour; words and marks say the same.
function colorOfVerdict(row) {
	const dark = darkMode.matches, change = row && row.mean ? Math.abs(row.change / row.mean) : 1;
	const strong = 0.35 + 0.65 * Math.min(1, change);
	switch (row && row.verdict) {
	case 'slower':
		return dark ? `hsl(4 ${60 * strong + 10}% ${30 + 12 * strong}%)` : `hsl(8 90% ${86 - 24 * strong}%)`;
	case 'faster':
		return dark ? `hsl(212 ${60 * strong + 10}% ${28 + 14 * strong}%)` : `hsl(210 85% ${88 - 22 * strong}%)`;
	case 'unchanged':
		return dark ? 'hsl(90 10% 30%)' : 'hsl(90 22% 84%)';
	case 'can\'t tell':
		return dark ? 'hsl(48 28% 26%)' : 'hsl(48 70% 86%)';
	default:
		return dark ? 'hsl(0 0% 24%)' : 'hsl(0 0% 91%)';
	}
}

// "+12.3%", "<4.5%" if no smaller change would have shown, or ''.
function wordsOfChange(row) {
	const percent = (share) => `${(100 * share).toFixed(1)}%`;
	if (row.verdict === 'slower' || row.verdict === 'faster')
		return row.mean ? `${row.change > 0 ? '+' : ''}${percent(row.change / row.mean)}` : 'new';
	return row.detectable !== null && row.mean ? `<${percent(row.detectable / row.mean)}` : '';
}

class Verdicts {
	constructor(data) {
		this.data = data;
		this.numbers = new Map(data.functions.map((f, number) => [this.keyOf(f), number]));
		this.events = new Map(data.diff.events.map((event) => [event.event, this.read(event)]));
	}

	keyOf(f) {
		return JSON.stringify([f.name, f.binary, f.kind]);
	}

	// Rows that few samples are in were not judged: nothing is known of their noise.
	read(event) {
		const rows = event.functions.map((row) => ({ ...row, verdict: row.detectable === null ? 'not compared' : row.verdict }));
		const byFunction = new Map();
		for (const row of rows) {
			row.number = this.numbers.get(this.keyOf(row));
			if (row.number !== undefined)
				byFunction.set(row.number, row);
		}
		return { ...event, functions: rows, byFunction };
	}

	// The row of a function; undefined: there is none.
	rowOf(event, number) {
		const found = this.events.get(event);
		return found && found.byFunction.get(number);
	}

	// The compared quantity.
	quantity(event) {
		return event.absolute ? 'costs' : 'shares';
	}

	describe(row) {
		if (!row)
			return 'not compared';
		const change = wordsOfChange(row);
		return `in itself ${row.verdict}${change ? ` (${change})` : ''}: ${wordsOfShare(row.before, 1)} before, ${wordsOfShare(row.after, 1)} now`;
	}

	// The meaning of the colours, with the number of functions of each.
	legend(event) {
		const found = this.events.get(event), counts = {};
		for (const row of found ? found.functions : [])
			counts[row.verdict] = (counts[row.verdict] || 0) + 1;
		return Object.entries(VERDICTS).map(([verdict, { mark, meaning }]) => {
			const swatch = element('span', { className: 'swatch', 'aria-hidden': 'true' }, mark);
			swatch.style.background = colorOfVerdict({ verdict, change: 1, mean: 1 });
			return element('li', { title: meaning }, swatch, ` ${verdict}`, verdict === 'not compared' ? '' : ` (${wordsOfCount(counts[verdict] || 0)})`);
		});
	}

	words(event) {
		const found = this.events.get(event), names = this.data.diff.names.map(plainText).join(', ');
		if (!found)
			return `${names} has no samples of this event.`;
		const kind = found.runs ? 'runs' : 'blocks of samples';
		const left = found.rows - found.functions.length;
		return `Compared with ${names}: ${wordsOfCount(found.after)} ${kind} now, ${wordsOfCount(found.before)} before, by their ${this.quantity(found)}${found.absolute ? ', in parts of all cost before' : ''}, whatever time and thread are selected.` +
			(left ? ` ${plural(left, 'function', 'functions')} with smaller shares are left out.` : '');
	}
}
