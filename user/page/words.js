// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers and times as people read them.
 */
const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

function wordsOfCount(value) {
	return GROUPED.format(value);
}

function wordsOfNs(ns) {
	const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
	const [size, unit] = units.find(([least]) => Math.abs(ns) >= least) || units[3];
	const value = ns / size;
	return `${value >= 100 || size === 1 ? value.toFixed(0) : value.toPrecision(3)} ${unit}`;
}

// A weight of an event, whose unit may be ns.
function wordsOfWeight(value, unit) {
	return unit === 'ns' ? wordsOfNs(value) : `${wordsOfCount(value)} ${value === 1 ? unit.replace(/^(sample|event)s$/, '$1') : unit}`;
}

// The unit of an event that counts no time: 'events', or the name of a counter.
function unitOfEvent({ name, unit }) {
	const plain = name.replace(/:[a-zA-Z]{1,9}$/, (modifiers) => /^:[ukhpPGHSDWIe]+$/.test(modifiers) ? '' : modifiers);
	return unit || (/[:/]/.test(plain) ? 'events' : plain);
}

function wordsOfShare(part, whole) {
	return whole > 0 ? `${(100 * part / whole).toFixed(2)} %` : '0.00 %';
}

// A difference of shares, with its sign.
function wordsOfPoints(share) {
	return `${share > 0 ? '+' : ''}${(100 * share).toFixed(2)} %`;
}

// Seconds since the first sample.
function wordsOfSince(ns) {
	return `${(ns / 1e9).toFixed(6)} s`;
}

// Seconds since 1970, where the page is read.
function wordsOfDate(seconds) {
	const date = new Date(seconds * 1000), two = (value) => String(value).padStart(2, '0');
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

// A name may be continued in the next line behind a separator of its words, or else when it is very
// long.
const NAME_PARTS = /.{1,80}?(?:(?:::|[<>(),;/ -])+|$)|.{80}/gsu;

function breakable(text) {
	return (text.match(NAME_PARTS) || []).flatMap((part, i) => i ? [element('wbr'), part] : [part]);
}

function plural(count, one, many) {
	return `${wordsOfCount(count)} ${count === 1 ? one : many}`;
}
