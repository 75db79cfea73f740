// SPDX-License-Identifier: GPL-2.0
/*
 * The recorded command, by the words of the recorder's command line; and the processes of a
 * recording: first that of the command and its children, then other ones, and the kernel's last.
 */
const KTHREADD = 2;

// The words of the command that was recorded; none: it was another kind of recording.
function commandOf(data) {
	const { words } = data.recording.command, end = words.indexOf('--');
	if (end >= 0)
		return words.slice(end + 1);
	// Without "--", its first word is the name of a process.
	const comms = new Set(data.tasks.map((task) => task.comm));
	const first = words.findIndex((word, i) => i > 1 && !words[i - 1].startsWith('-') && comms.has(commOf(word)));
	return first < 0 ? [] : words.slice(first);
}

// The kernel keeps 15 characters of a name.
function commOf(word) {
	return word.split('/').pop().slice(0, 15);
}

function isSystemWide(data) {
	const { words } = data.recording.command, end = words.indexOf('--');
	return (end < 0 ? words : words.slice(0, end)).some((word) => /^(-[a-zA-Z]*a|--all-cpus|-C.*|--cpu)$/.test(word));
}

// The title of the page.
function titleOf(data) {
	const { file, host } = data.recording, command = commandOf(data);
	const name = file && file !== '-' ? file : 'recording';
	if (command.length && !(isSystemWide(data) && commOf(command[0]) === 'sleep'))
		return command.join(' ');
	if (isSystemWide(data) && host)
		return `all CPUs of ${host} for ${wordsOfNs(data.time.end - data.time.start)}`;
	const processes = new Set(data.tasks.map((task) => task.pid));
	return processes.size === 1 && data.recording.command.words.length ? `${processesOf(data)[0].comm}, process ${[...processes][0]}` : name;
}

// { pid, comm, threads, isOwn: of the command, isKernel, weight: samples }, in their order.
function processesOf(data) {
	const byPid = new Map(), weights = new Float64Array(data.tasks.length), command = commandOf(data);
	for (const lane of data.lanes)
		for (let i = lane.first; i < lane.first + lane.cells; i++)
			weights[lane.task] += data.samples.samples[i];
	data.tasks.forEach((task, i) => {
		if (!byPid.has(task.pid))
			byPid.set(task.pid, { pid: task.pid, comm: '', tids: new Set(), parent: task.parent, weight: 0 });
		const process = byPid.get(task.pid);
		process.tids.add(task.tid);
		process.weight += weights[i];
		// The last name that the first thread had, after exec().
		if (task.tid === task.pid || !process.comm)
			process.comm = task.comm;
	});
	const own = command.length ? data.tasks.find((task) => task.comm === commOf(command[0])) : undefined;
	const isBelow = (pid, left) => own && (pid === own.pid || (left > 0 && byPid.has(pid) && isBelow(byPid.get(pid).parent, left - 1)));
	const rank = (process) => process.isKernel ? 2 : process.isOwn ? 0 : 1;
	const list = [...byPid.values()].map((process) => ({ ...process, threads: process.tids.size, isOwn: !!isBelow(process.pid, 50),
		isFirst: !!own && process.pid === own.pid, isKernel: process.pid === 0 || process.pid === KTHREADD || process.parent === KTHREADD }));
	return list.sort((a, b) => rank(a) - rank(b) || b.isFirst - a.isFirst || b.weight - a.weight);
}

// "shopd and its 9 threads"
function wordsOfProcess({ comm, pid, threads }) {
	return `${comm} ${pid}` + (threads > 1 ? ` and its ${wordsOfCount(threads - 1)} other ${threads === 2 ? 'thread' : 'threads'}` : '');
}
