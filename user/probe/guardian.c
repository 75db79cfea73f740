// SPDX-License-Identifier: GPL-2.0
#include "probe/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/held_folder.h"
#include "probe/store.h"

#define GUARDIAN_FOLDER "/run"
#define GUARDIAN_PREFIX "ktrace-probes"

/* How long an event may be in use after its recorder has ended, in steps of 10 ms. */
#define GUARDIAN_STEPS 1000

struct guardian {
	struct held_folder folder;	/* has a file with the events; both processes lock it */
	int list;	/* that file: a line "u GROUP/NAME" or "k GROUP/NAME" for each event */
	int pipe;	/* its end shows the guardian that we have ended */
	pid_t pid;	/* 0: there is no guardian */
};

static struct guardian guardian = { HELD_FOLDER_INIT, -1, -1, 0 };

/* Remove an event as soon as nobody uses it. */
static void guardian_remove_event(const char *name, bool is_user)
{
	for (int i = 0; i < GUARDIAN_STEPS; i++) {
		struct error *err = probe_store_remove_name(name, is_user);
		bool busy = err && err->code == EBUSY;

		error_free(err);
		if (!busy)
			return;
		usleep(10000);
	}
}

/* Remove the events that the file in a folder lists, and both. */
static void guardian_remove(const char *folder)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	char *state;
	size_t len;

	if (asprintf(&path, "%s/events", folder) < 0) {
		path = NULL;
		return;
	}
	error_free(file_read_regular(path, &text, &len));
	for (char *line = text ? strtok_r(text, "\n", &state) : NULL; line;
	     line = strtok_r(NULL, "\n", &state))
		if ((*line == 'u' || *line == 'k') && line[1] == ' ')
			guardian_remove_event(line + 2, *line == 'u');
	unlink(path);
	rmdir(folder);
}

/* The guardian: wait for the end of its parent, then remove the events. */
static void __attribute__((noreturn)) guardian_run(int pipe)
{
	char byte;

	/* It outlives the terminal and its signals, and keeps none of our files open. */
	setsid();
	prctl(PR_SET_NAME, "ktrace-guardian");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	for (int fd = 0; fd < 1024; fd++)
		if (fd != pipe && fd != guardian.folder.fd)
			close(fd);
	while (read(pipe, &byte, 1) < 0 && errno == EINTR)
		;
	guardian_remove(guardian.folder.path);
	_exit(0);
}

static struct error *guardian_open_list(void)
{
	_cleanup_free_ char *path = NULL;

	held_folder_sweep(GUARDIAN_FOLDER, GUARDIAN_PREFIX, guardian_remove);
	if (asprintf(&path, "%s/events", guardian.folder.path) < 0) {
		path = NULL;
		return &error_no_memory;
	}
	guardian.list = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	return guardian.list < 0 ? error_errno(errno, "Cannot create %s", path) : NULL;
}

struct error *guardian_start(void)
{
	struct error *err;
	int ends[2];

	if (guardian.pid)
		return NULL;
	err = held_folder_create(&guardian.folder, GUARDIAN_FOLDER, GUARDIAN_PREFIX);
	if (err)
		return error_hint(err, "Run ktrace as root");
	err = guardian_open_list();
	if (!err && pipe2(ends, O_CLOEXEC))
		err = error_errno(errno, "Cannot create a pipe");
	if (err) {
		guardian_remove(guardian.folder.path);
		return err;
	}
	guardian.pid = fork();
	if (!guardian.pid) {
		close(ends[1]);
		guardian_run(ends[0]);
	}
	close(ends[0]);
	guardian.pipe = ends[1];
	if (guardian.pid > 0)
		return NULL;
	guardian.pid = 0;
	close(ends[1]);
	err = error_errno(errno, "Cannot create a process");
	guardian_remove(guardian.folder.path);
	return err;
}

struct error *guardian_watch(const struct probe_event *event)
{
	_cleanup_(strbuf) struct strbuf line = STRBUF_INIT;
	int code;

	strbuf_addf(&line, "%c %s/%s\n", event->is_user ? 'u' : 'k', event->group, event->name);
	if (line.failed)
		return &error_no_memory;
	code = fd_write_all(guardian.list, line.data, line.len);
	return code ? error_errno(-code, "Cannot write to %s", guardian.folder.path) : NULL;
}

void guardian_finish(void)
{
	if (!guardian.pid)
		return;
	close(guardian.pipe);
	close(guardian.list);
	while (waitpid(guardian.pid, NULL, 0) < 0 && errno == EINTR)
		;
	held_folder_release(&guardian.folder);
	guardian = (struct guardian){ HELD_FOLDER_INIT, -1, -1, 0 };
}
