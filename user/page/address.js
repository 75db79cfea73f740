// SPDX-License-Identifier: GPL-2.0
/*
 * The shown state, as the part of the page's address behind "#": it is kept up to date, and a page
 * that is opened with it shows the same.
 */
const ADDRESS_PAUSE = 150;	// ms; browsers refuse changes that follow each other very fast

class Address {
	// entries: by key { get(): a text, or '' for nothing, set(text): false if there is no such
	// thing }, in the order in which they are set.
	constructor(entries) {
		this.entries = entries;
		this.first = Object.fromEntries(Object.entries(entries).map(([key, { get }]) => [key, get()]));
		this.last = '';
	}

	// Only differences from the first state of the page.
	text() {
		const words = new URLSearchParams();
		for (const [key, { get }] of Object.entries(this.entries))
			if (get() !== this.first[key])
				words.set(key, get());
		return words.toString();
	}

	// Frames without an address of their own, as notebooks have, refuse it.
	write() {
		const text = this.text();
		if (text === this.last)
			return;
		this.last = text;
		try {
			history.replaceState(null, '', `${location.href.split('#')[0]}${text ? `#${text}` : ''}`);
		} catch {
			this.save = () => {};
		}
	}

	save() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.write(), ADDRESS_PAUSE);
	}

	// Apply the address; keys that it lacks get their first values. Returns the unknown names
	// in it; null: nothing has changed.
	read() {
		const text = location.hash.slice(1), words = new URLSearchParams(text);
		if (text === this.last)
			return null;
		const refused = [...words.keys()].filter((key) => !(key in this.entries));
		for (const [key, { get, set }] of Object.entries(this.entries)) {
			const value = words.has(key) ? words.get(key) : this.first[key];
			if (value !== get() && set(value) === false)
				refused.push(key);
		}
		this.last = text;
		return refused.map((key) => `${key}=${words.get(key)}`);
	}
}
