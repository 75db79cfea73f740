// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/held_folder.h"
#include "lib/log.h"
#include "lib/own_path.h"
#include "lib/spawn.h"
#include "script/script.h"
#include "script/script_list.h"
#include "terminal/options.h"
#include "terminal/pager.h"
#include "terminal/terminal.h"

#define REPORT "-report"
/* Hidden, as the command that is recorded may list the folder. */
#define LIVE_PREFIX ".ktrace-script"
#define LIVE_MBYTES 4096

/* One analysis, as described in its report file. */
struct analysis {
	char name[64];
	char args[128], description[256];
	char runs[32];		/* the command of ktrace that reports; "": a script of this name */
	char live[8];		/* not "": it reads while the recorder writes */
	bool printed;
};

struct analyses {
	struct analysis *items;
	size_t nr, alloc;
};

static void analyses_deinit(struct analyses *list)
{
	free(list->items);
}

DEFINE_CLEANUP(analyses, struct analyses, analyses_deinit)

static char *step_path(const char *name, const char *step)
{
	char *path;

	if (asprintf(&path, "%s/scripts/python/bin/%s-%s", script_exec_path(), name, step) < 0)
		return NULL;
	return path;
}

static bool has_script(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/scripts/python/%s.py", script_exec_path(), name);
	return access(path, R_OK) == 0;
}

/*
 * If @line is "# KEY: TEXT", copy the text without blanks around it.  Returns false for
 * any other line.
 */
static bool take_comment(const char *line, const char *key, char *text, size_t size)
{
	size_t len;

	if (*line++ != '#')
		return false;
	line += strspn(line, " \t");
	if (strncmp(line, key, strlen(key)) || line[strlen(key)] != ':')
		return false;
	line += strlen(key) + 1;
	line += strspn(line, " \t");
	len = strcspn(line, "\n");
	snprintf(text, size, "%.*s", (int)len, line);
	return true;
}

static bool read_analysis(const char *name, struct analysis *ret)
{
	_cleanup_free_ char *path = step_path(name, "report");
	_cleanup_fclose_ FILE *file = NULL;
	char line[512];

	if (!path || strlen(name) >= sizeof(ret->name))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	memset(ret, 0, sizeof(*ret));
	strcpy(ret->name, name);
	while (fgets(line, sizeof(line), file))
		if (!take_comment(line, "args", ret->args, sizeof(ret->args)) &&
		    !take_comment(line, "live", ret->live, sizeof(ret->live)) &&
		    !take_comment(line, "runs", ret->runs, sizeof(ret->runs)))
			take_comment(line, "description", ret->description,
				     sizeof(ret->description));
	return *ret->runs || has_script(name);
}

DEFINE_COMPARISON(compare_analyses, struct analysis, strcmp(x->name, y->name))

static struct error *read_analyses(struct analyses *ret)
{
	struct analysis analysis;
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/scripts/python/bin", script_exec_path());
	folder = opendir(path);
	if (!folder)
		return error_hint(error_errno(errno, "Cannot read the scripts in '%s'", path),
				  "PERF_EXEC_PATH names the folder that holds scripts/python");
	while ((entry = readdir(folder))) {
		size_t len = strlen(entry->d_name);
		char name[NAME_MAX + 1];

		if (len <= strlen(REPORT) || strcmp(entry->d_name + len - strlen(REPORT), REPORT))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(len - strlen(REPORT)), entry->d_name);
		if (!read_analysis(name, &analysis))
			continue;
		if (!array_push(ret, analysis)) {
			closedir(folder);
			return &error_no_memory;
		}
	}
	closedir(folder);
	array_sort(ret, compare_analyses);
	return NULL;
}

static void print_analysis(struct analysis *analysis)
{
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	char usage[256];

	snprintf(usage, sizeof(usage), "%s %s", analysis->name, analysis->args);
	terminal_add_wrapped(&text, analysis->description, 39, 39, terminal_columns());
	printf("  %-36s %s\n", usage, strbuf_str(&text));
	analysis->printed = true;
}

/*
 * A program that reads the list through a pipe gets one line for each, as from perf, and no titles.
 */
static void print_group_title(const char *title)
{
	if (pager_is_terminal())
		printf("\n%s:\n", title);
}

/* Print the analyses that @line, "TITLE: NAME NAME...", names. */
static void script_list_print_group(const struct analyses *list, char *line)
{
	char *names = strchr(line, ':'), *name;
	bool titled = false;

	if (*line == '#' || !names)
		return;
	*names++ = '\0';
	while ((name = strsep(&names, " \n")))
		for (size_t i = 0; i < list->nr; i++) {
			if (list->items[i].printed || strcmp(list->items[i].name, name))
				continue;
			if (!titled)
				print_group_title(line);
			titled = true;
			print_analysis(&list->items[i]);
		}
}

/* Returns whether there are groups: another folder of scripts may have none. */
static bool script_list_print_groups(const struct analyses *list)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[PATH_MAX], line[512];

	snprintf(path, sizeof(path), "%s/scripts/python/bin/groups", script_exec_path());
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		script_list_print_group(list, line);
	return file;
}

struct error *script_list_print(void)
{
	_cleanup_(analyses) struct analyses list = { 0 };
	struct error *err = read_analyses(&list);
	bool titled;

	if (err)
		return err;
	printf("List of available trace scripts:\n");
	titled = !script_list_print_groups(&list);
	for (size_t i = 0; i < list.nr; i++) {
		if (list.items[i].printed)
			continue;
		if (!titled)
			print_group_title("Others");
		titled = true;
		print_analysis(&list.items[i]);
	}
	return NULL;
}

struct error *script_list_add_names(struct strbuf *ret)
{
	_cleanup_(analyses) struct analyses list = { 0 };
	struct error *err = read_analyses(&list);

	for (size_t i = 0; i < list.nr && !err; i++)
		if (!*list.items[i].live)
			strbuf_addf(ret, "%s\n", list.items[i].name);
	return err;
}

bool script_list_has(const char *name)
{
	struct analysis analysis;

	return !strchr(name, '/') && read_analysis(name, &analysis);
}

struct error *script_list_refuse(const char *name)
{
	static const struct {
		const char *name, *what, *instead;
	} scripts[] = {
#define PERF_SCRIPT(name, what, instead) { name, what, instead },
#include "script/perf_scripts.def"
#undef PERF_SCRIPT
	};
	size_t len = strlen(name);

	if (len > 3 && !strcmp(name + len - 3, ".py"))
		len -= 3;
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		if (strlen(scripts[i].name) == len && !strncmp(scripts[i].name, name, len))
			return error_hint(error_new(EINVAL, "perf's script '%s' %s", scripts[i].name,
						    scripts[i].what), "%s", scripts[i].instead);
	return NULL;
}

static struct error *unknown(const char *name)
{
	_cleanup_(analyses) struct analyses list = { 0 };
	_cleanup_error_ struct error *err = read_analyses(&list);
	const char *near = NULL;
	struct error *result = script_list_refuse(name);

	if (result)
		return result;
	result = error_new(EINVAL, "There is no script '%s' to record or report with", name);
	for (size_t i = 0; i < list.nr; i++)
		near = word_nearer(name, near, list.items[i].name);
	if (near)
		return error_hint(result, "Did you mean '%s'? 'ktrace script -l' lists them", near);
	return error_hint(result, "'ktrace script -l' lists them");
}

/*
 * Make the scripts in bin/ run this ktrace: those written for perf find it as `perf` in
 * PATH.
 */
static void set_step_environment(void)
{
	const char *path = getenv("PATH"), *own = own_path();
	_cleanup_free_ char *longer = NULL;
	char self[PATH_MAX];
	ssize_t len;

	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len > 0) {
		self[len] = '\0';
		setenv("KTRACE", self, 1);
	}
	if (asprintf(&longer, "%s/scripts/python/shim:%s", own, path ? path : "/usr/bin:/bin") >= 0)
		setenv("PATH", longer, 1);
}

/* How many arguments come before the first option. */
static int count_arguments(int argc, char **argv)
{
	int nr = 0;

	while (nr < argc && argv[nr][0] != '-')
		nr++;
	return nr;
}

/*
 * Run a step.  For a recorder @options come first, so that they are before its command.  For a
 * report, they come after the script's arguments.
 */
static struct error *exec_step(const char *name, const char *step,
			       const struct script_list_options *options, int argc, char **argv)
{
	int first = strcmp(step, "record") ? count_arguments(argc, argv) : 0;
	_cleanup_free_ char *path = step_path(name, step);
	_cleanup_free_ char **args = NULL;
	size_t nr = 0;

	args = calloc(argc + options->nr + 2, sizeof(*args));
	if (!path || !args)
		return &error_no_memory;
	args[nr++] = path;
	for (int i = 0; i < first; i++)
		args[nr++] = argv[i];
	for (size_t i = 0; i < options->nr; i++)
		args[nr++] = options->words[i];
	for (int i = first; i < argc; i++)
		args[nr++] = argv[i];
	set_step_environment();
	execv(path, args);
	return error_errno(errno, "Cannot run '%s'", path);
}

struct error *script_list_exec(const char *name, const char *step,
			       const struct script_list_options *options, int argc, char **argv)
{
	if (!script_list_has(name))
		return unknown(name);
	return exec_step(name, step, options, argc, argv);
}

/* Whether the script's arguments, "[-o FILE] <comm>", have an option of that name. */
static bool has_option(const struct analysis *analysis, const char *word)
{
	char option[64];

	snprintf(option, sizeof(option), "[%s ", word);
	return *word == '-' && strstr(analysis->args, option);
}

/* perf's scripts of such names print while they read, and record everybody. */
static bool is_top(const struct analysis *analysis)
{
	size_t len = strlen(analysis->name);

	return len > 3 && !strcmp(analysis->name + len - 3, "top");
}

/* The number of the script's arguments: its options with their values, or its words. */
static int nr_script_words(const struct analysis *analysis, int argc, char **argv)
{
	int required = 0;

	while (required < argc && has_option(analysis, argv[required]))
		required += 2;
	if (required)
		return required;

	if (is_top(analysis)) {
		int before = 0;

		while (before < argc && strcmp(argv[before], "--"))
			before++;
		return before;
	}
	for (const char *p = analysis->args; (p = strchr(p, '<')); p++)
		required++;
	return required;
}

struct live {
	const char *name;
	const struct script_list_options *options;	/* for the report */
	int argc;		/* arguments of the script, then those of the recorder */
	char **argv;
	int nr_script;
	char *file;		/* the recording, complete before it is read; NULL: a pipe */
	uint64_t max_mbytes;	/* the recording ends there; 0: no limit */
	int pipe[2];
};

static void run_recorder(const struct live *live)
{
	char limit[32], *words[] = { "-q", "-o", live->file ? live->file : "-", limit };
	const struct script_list_options options = { words,
						     ARRAY_SIZE(words) - !live->max_mbytes };

	snprintf(limit, sizeof(limit), "--max-size=%" PRIu64 "M", live->max_mbytes);

	/* The recorder must not go on if we are killed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, SIG_DFL);
	/* Our output is the report's alone. */
	dup2(live->file ? STDERR_FILENO : live->pipe[1], STDOUT_FILENO);
	if (!live->file) {
		close(live->pipe[0]);
		close(live->pipe[1]);
	}
	error_report(exec_step(live->name, "record", &options, live->argc - live->nr_script,
			       live->argv + live->nr_script));
	_exit(127);
}

static void run_reporter(const struct live *live)
{
	char *words[] = { "-i", live->file ? live->file : "-" };
	struct script_list_options options = { NULL, live->options->nr + ARRAY_SIZE(words) };

	signal(SIGINT, SIG_DFL);
	if (!live->file) {
		/* Only now does the task's state in /proc belong to the same task. */
		setenv("KTRACE_LIVE", "1", 1);
		dup2(live->pipe[0], STDIN_FILENO);
		close(live->pipe[0]);
		close(live->pipe[1]);
	}
	options.words = calloc(options.nr, sizeof(*options.words));
	if (options.words) {
		memcpy(options.words, words, sizeof(words));
		for (size_t i = 0; i < live->options->nr; i++)
			options.words[ARRAY_SIZE(words) + i] = live->options->words[i];
		error_report(exec_step(live->name, "report", &options, live->nr_script,
				       live->argv));
	}
	_exit(127);
}

static pid_t start_step(const struct live *live, void (*run)(const struct live *live))
{
	pid_t pid = fork();

	if (pid == 0)
		run(live);
	return pid;
}

/* The step that pass_on() sends signals to; 0: not started yet. */
static volatile sig_atomic_t live_recorder;

/* Set by a signal that asked us to end.  A recorder that then ends by a signal is no failure. */
static volatile sig_atomic_t live_asked;

/*
 * Pass on a signal, so that the recorder ends, and then the report with it.  Ctrl-C is
 * sent by the kernel to all of us, so it is not passed on.
 */
static void pass_on(int number, siginfo_t *info, void *context)
{
	live_asked = 1;
	if (live_recorder && info->si_code != SI_KERNEL)
		kill(live_recorder, number);
}

static void pass_signals_on(void)
{
	struct sigaction action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* Whether the recorder has closed its end of the pipe, because it has finished. */
static bool is_closed(int fd)
{
	struct pollfd end = { .fd = fd };

	return poll(&end, 1, 0) > 0 && end.revents & POLLHUP;
}

/* End the recorder if it still runs.  Returns its status if it has ended by itself, else 0. */
static int finish_recorder(const struct live *live, pid_t recorder)
{
	bool ended = is_closed(live->pipe[0]);
	int status;

	/* A recorder that waits on a full pipe must notice that there is no reader. */
	close(live->pipe[0]);
	if (!ended)
		kill(recorder, SIGTERM);
	status = spawn_wait(recorder);
	live_recorder = 0;
	return ended && !live_asked ? status : 0;
}

/*
 * For the recorder, as for that of perf, -i means to leave out child tasks, and a command follows.
 * A user who gives a recording there wants to read it.
 */
static struct error *refuse_recording(const struct live *live)
{
	for (int i = live->nr_script; i + 1 < live->argc; i++) {
		const char *file = live->argv[i + 1];
		struct stat st;

		if (live->argv[i][0] != '-' || !strcmp(live->argv[i], "--"))
			break;
		if (strcmp(live->argv[i], "-i") || stat(file, &st) || !S_ISREG(st.st_mode) ||
		    st.st_mode & 0111)
			continue;
		return error_hint(error_new(EINVAL, "script %s makes a new recording of a command, "
					    "and '%s' is not a command", live->name, file),
				  "'ktrace script report %s -i %s' reads a recording", live->name,
				  file);
	}
	return NULL;
}

static void remove_live_folder(const char *path)
{
	_cleanup_free_ char *file = NULL;

	if (asprintf(&file, "%s/perf.data", path) < 0)
		return;
	unlink(file);
	rmdir(path);
}

/* The folder of a recording until it is reported: large ones need room. */
static const char *live_parent(void)
{
	const char *chosen = getenv("TMPDIR");

	if (chosen && *chosen)
		return chosen;
	return access(".", W_OK) ? "/tmp" : ".";
}

/*
 * Megabytes at which the recording in @folder ends by itself, so that it fills no disk: half of the
 * free ones, and LIVE_MBYTES at most.  0: rings or the user limit it.
 */
static uint64_t live_max_mbytes(const struct live *live, const char *folder)
{
	static const char *const limits[] = { "--max-size", "--overwrite", "--snapshot", "--last" };
	struct statvfs fs;
	uint64_t half;

	for (int i = live->nr_script; i < live->argc && strcmp(live->argv[i], "--"); i++)
		for (size_t j = 0; j < ARRAY_SIZE(limits); j++)
			if (!strncmp(live->argv[i], limits[j], strlen(limits[j])))
				return 0;
	if (statvfs(folder, &fs))
		return 0;
	half = (uint64_t)fs.f_bavail * fs.f_frsize / 2 >> 20;
	return half < 1 ? 1 : half < LIVE_MBYTES ? half : LIVE_MBYTES;
}

static int run_live_step(const struct live *live, void (*run)(const struct live *live))
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = start_step(live, run);
	if (pid < 0)
		return -1;
	live_recorder = pid;
	status = spawn_wait(pid);
	live_recorder = 0;
	return status;
}

/*
 * Record first, and then report: a report that is too slow would delay the recorder, which then
 * loses records.
 */
static struct error *live_in_turn(struct live *live, int *ret_status)
{
	struct held_folder folder = HELD_FOLDER_INIT;
	struct error *err;
	struct stat st;
	int status;
	bool full;

	held_folder_sweep(live_parent(), LIVE_PREFIX, remove_live_folder);
	err = held_folder_create(&folder, live_parent(), LIVE_PREFIX);
	if (err)
		return error_hint(err, "TMPDIR names a folder for the recording");
	if (asprintf(&live->file, "%s/perf.data", folder.path) < 0) {
		live->file = NULL;
		remove_live_folder(folder.path);
		held_folder_release(&folder);
		return &error_no_memory;
	}
	live->max_mbytes = live_max_mbytes(live, folder.path);
	/* With options alone it is unknown whether a command follows. */
	if (live->argc == live->nr_script && live->max_mbytes)
		log_notice("Recording until Ctrl-C, or until there are %" PRIu64 " MB; 'ktrace script %s -- "
			   "COMMAND' ends with COMMAND.", live->max_mbytes, live->name);
	pass_signals_on();
	status = run_live_step(live, run_recorder);
	*ret_status = 0;
	if (stat(live->file, &st))
		st.st_size = 0;
	full = live->max_mbytes && (uint64_t)st.st_size >> 20 >= live->max_mbytes;
	if (full)
		log_notice("The recording was ended at %" PRIu64 " MB, to leave room on the disk; --max-size "
			   "sets another limit, and TMPDIR another folder.", live->max_mbytes);
	if (st.st_size)
		*ret_status = run_live_step(live, run_reporter);
	/* A recorder that ended by a signal is no failure if we or the limit asked it to end. */
	if (!*ret_status && !((live_asked || full) && status >= 128))
		*ret_status = status;
	remove_live_folder(folder.path);
	held_folder_release(&folder);
	free(live->file);
	return NULL;
}

struct error *script_list_live(const char *name, const struct script_list_options *options,
			       int argc, char **argv, int *ret_status)
{
	struct live live = { .name = name, .options = options, .argc = argc, .argv = argv };
	struct analysis analysis;
	struct error *err;
	pid_t recorder, reporter;
	int status;

	if (!read_analysis(name, &analysis))
		return unknown(name);
	live.nr_script = nr_script_words(&analysis, argc, argv);
	if (live.nr_script > argc)
		return error_hint(error_new(EINVAL, "'%s' needs more arguments", name),
				  "usage: ktrace script %s %s [COMMAND]", name, analysis.args);
	err = refuse_recording(&live);
	if (err)
		return err;
	if (!*analysis.live && !is_top(&analysis))
		return live_in_turn(&live, ret_status);
	if (pipe2(live.pipe, 0) < 0)
		return error_errno(errno, "Cannot make a pipe");
	fflush(NULL);
	/* We only pass signals on: the two end by them, and we wait for both. */
	pass_signals_on();
	recorder = start_step(&live, run_recorder);
	live_recorder = recorder > 0 ? recorder : 0;
	reporter = recorder < 0 ? -1 : start_step(&live, run_reporter);
	close(live.pipe[1]);
	if (reporter < 0) {
		int code = errno;

		close(live.pipe[0]);
		if (recorder > 0)
			kill(recorder, SIGTERM);
		return error_errno(code, "Cannot start the recorder and the report");
	}
	*ret_status = spawn_wait(reporter);
	status = finish_recorder(&live, recorder);
	if (!*ret_status)
		*ret_status = status;
	return NULL;
}
