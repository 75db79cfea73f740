// SPDX-License-Identifier: GPL-2.0
/*
 * What all pictures share: sharp canvases, colours and texts that fit.
 */
const darkMode = matchMedia('(prefers-color-scheme: dark)');

// Give a canvas a size in CSS pixels; returns its context, in which these are the unit.
function fitCanvas(canvas, width, height) {
	const scale = devicePixelRatio || 1;
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	const context = canvas.getContext('2d');
	context.setTransform(scale, 0, 0, scale, 0, 0);
	return context;
}

function cssColor(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function hashOf(text) {
	let hash = 2166136261;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return hash >>> 0;
}

// The kernel is blue-green, inlined functions are green, programs are warm colours by name.
function colorOfFunction(f) {
	const hash = hashOf(f.name), some = hash % 24, light = darkMode.matches;
	const at = (low, high) => light ? low : high;
	const shade = (hash >>> 8) % 9;
	switch (f.kind) {
	case KIND_KERNEL:
		return `hsl(${196 + some / 2} ${at(42, 62)}% ${at(34, 72) + shade}%)`;
	case KIND_INLINED:
		return `hsl(${100 + some} ${at(34, 50)}% ${at(32, 74) + shade}%)`;
	case KIND_USER:
		return `hsl(${18 + some} ${at(55, 85)}% ${at(33, 70) + shade}%)`;
	default:
		return `hsl(0 0% ${at(32, 76) + shade}%)`;
	}
}

// As much of the text as fits; the width of each character is the same.
function clipText(text, width, characterWidth) {
	const fits = Math.floor(width / characterWidth);
	return text.length <= fits ? text : fits < 3 ? '' : `${text.slice(0, fits - 1)}…`;
}

// Control characters would change how the rest of a line looks.
function plainText(text) {
	return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
