// SPDX-License-Identifier: GPL-2.0
/*
 * Shared code of all pictures: sharp canvases, colours and texts that fit.
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

// Asking for a style takes long, and nothing else than the mode changes it.
const cssColors = new Map();
darkMode.addEventListener('change', () => cssColors.clear());

function cssColor(name) {
	if (!cssColors.has(name))
		cssColors.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
	return cssColors.get(name);
}

function hashOf(text) {
	let hash = 2166136261;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return hash >>> 0;
}

// By kind: the first hue and how many follow it, saturation and lightness on dark and on light
// ground. Which one a function has is chosen by its name.
const FUNCTION_COLORS = {
	[KIND_USER]: { hue: 18, hues: 24, saturation: [55, 85], lightness: [33, 70] },
	[KIND_INLINED]: { hue: 100, hues: 24, saturation: [34, 50], lightness: [32, 74] },
	[KIND_KERNEL]: { hue: 196, hues: 12, saturation: [42, 62], lightness: [34, 72] },
	[KIND_JIT]: { hue: 270, hues: 24, saturation: [34, 60], lightness: [36, 76] },
	[KIND_UNKNOWN]: { hue: 0, hues: 0, saturation: [0, 0], lightness: [32, 72] },
	[KIND_ALL]: { hue: 0, hues: 0, saturation: [0, 0], lightness: [24, 84] },
	[KIND_REST]: { hue: 0, hues: 0, saturation: [0, 0], lightness: [24, 84] },
};
const LIGHTNESSES = 9;

// share: which of a kind's colours, from 0 to 1.
function colorOfKind(kind, hueShare, lightShare) {
	const { hue, hues, saturation, lightness } = FUNCTION_COLORS[kind], at = darkMode.matches ? 0 : 1;
	return `hsl(${hue + hues * hueShare} ${saturation[at]}% ${lightness[at] + Math.floor(LIGHTNESSES * lightShare)}%)`;
}

function colorOfFunction(f) {
	const hash = hashOf(f.name);
	return colorOfKind(f.kind, hash % 24 / 24, (hash >>> 8) % LIGHTNESSES / LIGHTNESSES);
}

// The meaning of the colours of some kinds, with the range of each.
function legendOfKinds(kinds) {
	return kinds.map((kind) => {
		const swatch = element('span', { className: 'swatch', 'aria-hidden': 'true' });
		swatch.style.background = `linear-gradient(90deg, ${[0, 0.5, 0.99].map((share) => colorOfKind(kind, share, share)).join(', ')})`;
		return element('li', {}, swatch, ` ${KIND_LEGEND[kind]}`);
	});
}

// A box of a function with as much of its name as fits. searched: boxes that are not found fade.
function paintFunction(context, { left, top, width, height, text, character, color, found, searched }) {
	context.globalAlpha = searched && !found ? 0.35 : 1;
	context.fillStyle = color;
	context.fillRect(left, top, Math.max(width - (width > 3 ? 1 : 0.2), 0.4), height - 1);
	if (found) {
		context.fillStyle = cssColor('--mark');
		context.fillRect(left, top + height - 4, Math.max(width - 1, 1), 3);
	}
	if (width > 24) {
		context.fillStyle = darkMode.matches ? '#fff' : '#111';
		context.fillText(clipText(plainText(text), width - 6, character), left + 3, top + height / 2);
	}
	context.globalAlpha = 1;
}

function outline(context, left, top, width, height) {
	context.strokeStyle = cssColor('--text');
	context.lineWidth = 2;
	context.strokeRect(left + 1, top + 1, Math.max(width - 3, 1), height - 3);
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
