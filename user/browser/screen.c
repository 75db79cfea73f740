// SPDX-License-Identifier: GPL-2.0
#include "browser/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "browser/cells.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/plugin.h"

struct screen {
	const struct screen_ops *ops;
	struct browser_picture picture;
	off_t shown;		/* bytes of the messages that were seen */
};

/* The data of signal handlers. */
static struct {
	struct termios before;
	const char *leave;	/* NULL: no screen is open */
	size_t leave_len;
	int errors, messages;	/* standard error, and the file that replaces it; -1 */
	volatile sig_atomic_t caught;
} terminal = { .errors = -1, .messages = -1 };

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };

static struct sigaction before_ending[ARRAY_SIZE(ending_signals)];
static struct sigaction before_fatal[ARRAY_SIZE(fatal_signals)];

bool screen_is_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

/* Print the messages that were held back, and restore standard error.  Safe in signal handlers. */
static void screen_release_errors(void)
{
	char buffer[4096];
	off_t at = 0;
	ssize_t n;

	if (terminal.errors < 0)
		return;
	dup2(terminal.errors, STDERR_FILENO);
	while ((n = pread(terminal.messages, buffer, sizeof(buffer), at)) > 0) {
		if (write(STDERR_FILENO, buffer, n) < 0)
			break;
		at += n;
	}
	close(terminal.errors);
	close(terminal.messages);
	terminal.errors = terminal.messages = -1;
}

static void screen_on_fatal_signal(int number)
{
	if (terminal.leave) {
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
		if (write(STDOUT_FILENO, terminal.leave, terminal.leave_len) < 0)
			errno = 0;
		terminal.leave = NULL;
		screen_release_errors();
	}
	/* The handler was reset, so that this ends the process. */
	raise(number);
}

static void screen_on_ending_signal(int number)
{
	terminal.caught = number;
}

int screen_signal(void)
{
	return terminal.caught;
}

static void screen_catch_signals(bool signals)
{
	const struct sigaction fatal = {
		.sa_handler = screen_on_fatal_signal, .sa_flags = SA_RESETHAND | SA_NODEFER,
	};
	const struct sigaction ending = { .sa_handler = screen_on_ending_signal };

	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++) {
		sigaction(fatal_signals[i], NULL, &before_fatal[i]);
		if (before_fatal[i].sa_handler == SIG_DFL)
			sigaction(fatal_signals[i], &fatal, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ending_signals); i++) {
		sigaction(ending_signals[i], NULL, &before_ending[i]);
		if (signals && before_ending[i].sa_handler == SIG_DFL)
			sigaction(ending_signals[i], &ending, NULL);
	}
}

static void screen_restore_signals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		sigaction(fatal_signals[i], &before_fatal[i], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(ending_signals); i++)
		sigaction(ending_signals[i], &before_ending[i], NULL);
}

/* If standard error is the terminal, hold back its output. */
static void screen_keep_errors(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	terminal.messages = memfd_create("messages", MFD_CLOEXEC);
	if (terminal.messages < 0)
		return;
	terminal.errors = dup(STDERR_FILENO);
	if (terminal.errors < 0) {
		close(terminal.messages);
		terminal.messages = -1;
		return;
	}
	fflush(stderr);
	dup2(terminal.messages, STDERR_FILENO);
}

struct error *screen_open(bool signals, struct screen **ret)
{
	struct screen *screen;
	struct error *err;
	void *found;

	err = plugin_find("ncurses", "browser_ncurses", &found);
	if (err)
		return error_prefix(err, "There is no browser");
	screen = calloc(1, sizeof(*screen));
	if (!screen)
		return &error_no_memory;
	screen->ops = found;
	terminal.caught = 0;
	tcgetattr(STDIN_FILENO, &terminal.before);
	cells_begin();
	/* ncurses handles the signals that nobody else does: it would end the process. */
	screen_catch_signals(signals);
	err = screen->ops->open(&terminal.leave);
	if (err) {
		screen_restore_signals();
		free(screen);
		return error_prefix(err, "There is no browser");
	}
	terminal.leave_len = strlen(terminal.leave);
	screen_keep_errors();
	*ret = screen;
	return NULL;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	screen->ops->close();
	terminal.leave = NULL;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
	fflush(stderr);
	screen_release_errors();
	screen_restore_signals();
	browser_picture_deinit(&screen->picture);
	free(screen);
}

void screen_wait(struct screen *screen, unsigned int ms)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	poll(&fd, 1, ms);
}

bool screen_take_keys(struct screen *screen, struct browser *browser)
{
	bool any = false;
	int key;

	while (!browser->ended && (key = screen->ops->key()) != BROWSER_NO_KEY) {
		any = true;
		browser_tell_error(browser, browser_take_key(browser, key));
	}
	return any;
}

/* Show the last line of the messages that came since the last time. */
static void screen_tell_message(struct screen *screen, struct browser *browser)
{
	char text[512], *line;
	struct stat st;
	ssize_t n;

	if (terminal.messages < 0)
		return;
	fflush(stderr);
	if (fstat(terminal.messages, &st) || st.st_size <= screen->shown)
		return;
	n = sizeof(text) - 1;
	if (n > st.st_size)
		n = st.st_size;
	n = pread(terminal.messages, text, n, st.st_size - n);
	screen->shown = st.st_size;
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n > 0 ? n : 0] = '\0';
	line = strrchr(text, '\n');
	browser_tell(browser, "%s", line ? line + 1 : text);
}

void screen_show(struct screen *screen, struct browser *browser)
{
	size_t lines, cells;
	struct error *err;

	screen_tell_message(screen, browser);
	screen->ops->size(&lines, &cells);
	err = browser_paint(browser, lines, cells, &screen->picture);
	if (err)
		error_free(err);
	else
		screen->ops->draw(&screen->picture);
}
