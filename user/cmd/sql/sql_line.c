// SPDX-License-Identifier: GPL-2.0
#include "cmd/sql/sql_line.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/library.h"
#include "sql/interruption.h"

/* Where prompts go: results may go to a file. */
static int prompt_fd(void)
{
	return isatty(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO;
}

#ifdef HAVE_EDIT

#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <wchar.h>

#include "lib/escape.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "lib/strbuf.h"
#include "terminal/terminal.h"

#define HISTORY_LINES	2000

struct sql_completion {
	char **items;	/* to insert for the word, in quotes where SQL needs them; owned */
	size_t nr, alloc;
	size_t start;	/* where the word begins in the line, in bytes */
	size_t common;	/* so many bytes are the same in all items */
};

/* Names that a query can use, and their kinds: tables come first. */
#define TABLES	"SELECT name FROM pragma_table_list WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
#define COLUMNS	"SELECT c.name FROM pragma_table_list t, pragma_table_xinfo(t.name, t.schema) c " \
		"WHERE t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"

struct word_search {
	sqlite3 *db;
	const char *prefix;
	bool quoted;			/* the word begins with a double quote */
	struct sql_completion *found;
};

static void sql_completion_deinit(struct sql_completion *completion)
{
	array_free_each(completion);
}

DEFINE_CLEANUP(sql_completion, struct sql_completion, sql_completion_deinit)

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':' || c == '$' || (c & 0x80);
}

static bool needs_quotes(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return true;
	return !*name || isdigit((unsigned char)*name) || sqlite3_keyword_check(name, strlen(name));
}

static struct error *push_word(const struct word_search *search, char *word)
{
	for (size_t i = 0; word && i < search->found->nr; i++)
		if (!strcmp(search->found->items[i], word)) {
			free(word);
			return NULL;
		}
	if (word && array_push(search->found, word))
		return NULL;
	free(word);
	return &error_no_memory;
}

static bool begins_so(const struct word_search *search, const char *name)
{
	return !sqlite3_strnicmp(name, search->prefix, strlen(search->prefix));
}

static struct error *add_name(const struct word_search *search, const char *name)
{
	char *quoted, *word;

	if (!begins_so(search, name))
		return NULL;
	if (!search->quoted && !needs_quotes(name))
		return push_word(search, strdup(name));
	quoted = sqlite3_mprintf("\"%w\"", name);
	word = quoted ? strdup(quoted) : NULL;
	sqlite3_free(quoted);
	return push_word(search, word);
}

static struct error *complete_names(const struct word_search *search, const char *query)
{
	struct error *err = NULL;
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(search->db, query, -1, &statement, NULL))
		return error_new(EIO, "The tables cannot be listed: %s", sqlite3_errmsg(search->db));
	while (!err && sqlite3_step(statement) == SQLITE_ROW)
		err = add_name(search, (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return err;
}

/* In upper or lower case, as the first letter of the word. */
static struct error *add_keywords(const struct word_search *search)
{
	bool upper = isupper((unsigned char)*search->prefix);
	struct error *err = NULL;

	for (int i = 0; !err && i < sqlite3_keyword_count(); i++) {
		const char *name;
		char *word;
		int len;

		sqlite3_keyword_name(i, &name, &len);
		word = strndup(name, len);
		for (char *c = word; c && *c && !upper; c++)
			*c = tolower((unsigned char)*c);
		if (word && !begins_so(search, word))
			free(word);
		else
			err = push_word(search, word);
	}
	return err;
}

static struct error *add_plain(const struct word_search *search, const char *const *words)
{
	struct error *err = NULL;

	for (; !err && *words; words++)
		if (begins_so(search, *words))
			err = push_word(search, strdup(*words));
	return err;
}

/* Find the beginning of the last word; false: it is in a string, which is not completed. */
static bool find_last_word(const char *line, size_t *ret_start, bool *ret_quoted)
{
	size_t at, len = strlen(line);
	char quote = '\0';

	for (at = 0; at < len; at++) {
		if (quote ? line[at] == quote : line[at] == '\'' || line[at] == '"') {
			quote = quote ? '\0' : line[at];
			*ret_start = at;
		}
	}
	*ret_quoted = quote == '"';
	if (quote)
		return *ret_quoted;
	while (at && is_word_character(line[at - 1]))
		at--;
	*ret_start = at;
	return true;
}

static struct error *find_names(const struct word_search *search)
{
	struct error *err = complete_names(search, TABLES);

	/* All columns and keywords would be too many. */
	if (err || (!*search->prefix && !search->quoted))
		return err;
	err = complete_names(search, COLUMNS);
	return err || search->quoted ? err : add_keywords(search);
}

static struct error *find_arguments(const struct word_search *search, const char *line)
{
	static const char *const modes[] = { "table", "csv", "json", NULL };

	if (!strncmp(line, ".mode ", 6))
		return add_plain(search, modes);
	return strncmp(line, ".schema ", 8) ? NULL : complete_names(search, TABLES);
}

static size_t common_bytes(const struct sql_completion *completion)
{
	size_t common = completion->nr ? strlen(completion->items[0]) : 0;

	for (size_t i = 1; i < completion->nr; i++)
		while (strncmp(completion->items[0], completion->items[i], common))
			common--;
	return common;
}

/*
 * @line ends where the cursor is.  @commands are the names of the shell's commands, which begin
 * with a dot; a list that ends with NULL.  *ret is empty before; without items, there is nothing.
 */
static struct error *sql_completion_find(sqlite3 *db, const char *const *commands,
					 const char *line, struct sql_completion *ret)
{
	struct word_search search = { .db = db, .found = ret };
	struct error *err;

	if (*line == '.' && !strchr(line, ' ')) {
		search.prefix = line;
		err = add_plain(&search, commands);
	} else {
		if (!find_last_word(line, &ret->start, &search.quoted))
			return NULL;
		search.prefix = line + ret->start + search.quoted;
		err = *line == '.' ? find_arguments(&search, line) : find_names(&search);
	}
	if (err)
		return err;
	array_sort(ret, array_compare_texts);
	ret->common = common_bytes(ret);
	return NULL;
}

struct sql_line_editor {
	sqlite3 *db;		/* borrowed */
	const char *const *commands;	/* borrowed */
	FILE *in, *out;
	EditLine *edit;
	History *history;
	char *path;		/* of the history; NULL: it is not saved */
	const char *prompt;
	sigset_t taken;		/* the signals that were blocked before a line is read */
};

static volatile sig_atomic_t resized;

bool sql_line_can_edit(void)
{
	return true;
}

static struct sql_line_editor *editor_of(EditLine *edit)
{
	struct sql_line_editor *editor = NULL;

	el_get(edit, EL_CLIENTDATA, &editor);
	return editor;
}

static const char *give_prompt(EditLine *edit)
{
	return editor_of(edit)->prompt;
}

static void note_resize(int signal)
{
	resized = 1;
}

/* libedit keeps the old position of the cursor, which may be outside of the new size. */
static void take_new_size(struct sql_line_editor *editor)
{
	resized = 0;
	el_resize(editor->edit);
	fputc('\r', editor->out);
	el_set(editor->edit, EL_REFRESH);
}

/*
 * Wait for a byte; false: a signal arrived instead. libedit rebuilds its copy of the screen in the
 * handlers of these signals.  So they are unblocked only here, where it does not use that copy.
 */
static bool wait_for_key(struct sql_line_editor *editor)
{
	struct sigaction resize = { .sa_handler = note_resize };
	struct pollfd key = { .fd = fileno(editor->in), .events = POLLIN };
	int nr;

	/* libedit has put its own handler there. */
	sigaction(SIGWINCH, &resize, NULL);
	nr = ppoll(&key, 1, NULL, &editor->taken);
	if (resized)
		take_new_size(editor);
	return nr > 0;
}

/* libedit's own function would go on after the first Ctrl-C. */
static int read_character(EditLine *edit, wchar_t *ret)
{
	struct sql_line_editor *editor = editor_of(edit);
	mbstate_t state = { 0 };
	char byte;

	for (;;) {
		ssize_t nr;

		if (sql_interrupted)
			return -1;
		if (!wait_for_key(editor))
			continue;
		nr = read(fileno(editor->in), &byte, 1);
		if (nr <= 0)
			return nr;
		switch (mbrtowc(ret, &byte, 1, &state)) {
		case (size_t)-1:
			memset(&state, 0, sizeof(state));
			break;
		case (size_t)-2:
			break;
		default:
			return 1;
		}
	}
}

/* Set @text to a word in printable form: a name may have any bytes.  Returns its columns. */
static unsigned int show_word(struct strbuf *text, const char *word)
{
	strbuf_reset(text);
	strbuf_addstr(text, word);
	escape_controls(text, 0);
	return terminal_width(strbuf_str(text));
}

static void list_completions(FILE *out, const struct sql_completion *completion)
{
	unsigned int columns = terminal_columns(), width = 0, at = 0;
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < completion->nr; i++) {
		unsigned int len = show_word(&text, completion->items[i]);

		width = len > width ? len : width;
	}
	fputc('\n', out);
	for (size_t i = 0; i < completion->nr; i++) {
		unsigned int len = show_word(&text, completion->items[i]);

		if (at && at + width > columns) {
			fputc('\n', out);
			at = 0;
		}
		fprintf(out, "%s%*s", strbuf_str(&text), (int)(width - len + 2), "");
		at += width + 2;
	}
	fputc('\n', out);
	fflush(out);
}

static unsigned char complete_word(EditLine *edit, int key)
{
	const LineInfo *line = el_line(edit);
	const struct sql_line_editor *editor = editor_of(edit);
	_cleanup_(sql_completion) struct sql_completion completion = { 0 };
	_cleanup_(strbuf) struct strbuf text = STRBUF_INIT;
	struct error *err;
	size_t typed;

	strbuf_add(&text, line->buffer, line->cursor - line->buffer);
	err = text.failed ? &error_no_memory :
	      sql_completion_find(editor->db, editor->commands, strbuf_str(&text), &completion);
	if (err || !completion.nr) {
		error_free(err);
		return CC_ERROR;
	}
	typed = text.len - completion.start;
	if (completion.nr > 1 && completion.common <= typed) {
		list_completions(editor->out, &completion);
		return CC_REDISPLAY;
	}
	strbuf_reset(&text);
	strbuf_add(&text, completion.items[0], completion.common);
	if (completion.nr == 1)
		strbuf_addch(&text, ' ');
	el_deletestr(edit, typed);
	return text.failed || el_insertstr(edit, text.data) ? CC_ERROR : CC_REFRESH;
}

/* The file for state that is kept between runs; NULL without a home folder. */
static char *history_path(void)
{
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		strbuf_addf(&path, "%s/ktrace/sql_history", state);
	else if (home && *home == '/')
		strbuf_addf(&path, "%s/.local/state/ktrace/sql_history", home);
	return path.len && !path.failed ? strdup(path.data) : NULL;
}

static void make_folders(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	for (char *slash = copy; slash && (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = '\0';
		mkdir(copy, 0700);
	}
}

static struct error *write_history(struct sql_line_editor *editor)
{
	_cleanup_(new_file) struct new_file file = NEW_FILE_INIT;
	struct error *err;
	HistEvent event;
	FILE *out;
	int fd, status;

	make_folders(editor->path);
	err = new_file_create(&file, editor->path);
	if (err)
		return err;
	fd = dup(file.fd);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		err = error_errno(errno, "Cannot write %s", editor->path);
		if (fd >= 0)
			close(fd);
		return err;
	}
	status = history(editor->history, &event, H_SAVE_FP, out);
	if (fclose(out) || status < 0)
		return error_errno(errno, "Cannot write %s", editor->path);
	return new_file_commit(&file);
}

static void keep_history(struct sql_line_editor *editor)
{
	HistEvent event;
	struct error *err;

	if (!editor->path || history(editor->history, &event, H_GETSIZE) < 0 || !event.num)
		return;
	err = write_history(editor);
	if (err)
		log_notice("The history of queries is not saved: %s.", err->message);
	error_free(err);
}

static bool start_editing(struct sql_line_editor *editor)
{
	int in = dup(STDIN_FILENO), out = dup(prompt_fd());
	HistEvent event;

	setlocale(LC_CTYPE, "");
	/* Output to stdout is escaped, but the control sequences of an editor must not be. */
	editor->in = fdopen(in, "r");
	editor->out = fdopen(out, "w");
	editor->history = history_init();
	if (!editor->in || !editor->out || !editor->history)
		return false;
	editor->edit = el_init("ktrace", editor->in, editor->out, editor->out);
	if (!editor->edit)
		return false;
	history(editor->history, &event, H_SETSIZE, HISTORY_LINES);
	history(editor->history, &event, H_SETUNIQUE, 1);
	if (editor->path)
		history(editor->history, &event, H_LOAD, editor->path);
	el_set(editor->edit, EL_CLIENTDATA, editor);
	el_set(editor->edit, EL_PROMPT, give_prompt);
	el_set(editor->edit, EL_EDITOR, "emacs");
	el_set(editor->edit, EL_SIGNAL, 1);
	el_set(editor->edit, EL_HIST, history, editor->history);
	el_set(editor->edit, EL_GETCFN, read_character);
	el_set(editor->edit, EL_ADDFN, "ktrace-complete", "Complete a word of SQL", complete_word);
	el_set(editor->edit, EL_BIND, "^I", "ktrace-complete", NULL);
	el_set(editor->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_source(editor->edit, NULL);
	return true;
}

struct error *sql_line_editor_create(sqlite3 *db, const char *const *commands,
				     struct sql_line_editor **ret)
{
	struct sql_line_editor *editor = calloc(1, sizeof(*editor));

	if (!editor)
		return &error_no_memory;
	editor->db = db;
	editor->commands = commands;
	editor->path = history_path();
	if (!start_editing(editor)) {
		/* Lines that were not read need not be kept. */
		free(editor->path);
		editor->path = NULL;
		sql_line_editor_destroy(editor);
		return error_hint(error_new(ENOTSUP, "Lines cannot be edited on this terminal"),
				  "'ktrace sql FILE QUERY' needs no terminal");
	}
	*ret = editor;
	return NULL;
}

void sql_line_editor_destroy(struct sql_line_editor *editor)
{
	if (!editor)
		return;
	if (editor->edit)
		el_end(editor->edit);
	if (editor->history) {
		keep_history(editor);
		history_end(editor->history);
	}
	if (editor->in)
		fclose(editor->in);
	if (editor->out)
		fclose(editor->out);
	free(editor->path);
	free(editor);
}

enum sql_line_status sql_line_read(struct sql_line_editor *editor, const char *prompt,
				   const char **ret)
{
	HistEvent event;
	sigset_t held;
	int count = 0;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGCONT);
	sigaddset(&held, SIGWINCH);
	sigprocmask(SIG_BLOCK, &held, &editor->taken);
	editor->prompt = prompt;
	/*
	 * libedit itself does so after it has shown the prompt.  Until then the terminal takes a
	 * Ctrl-D for the end of a line, and it is lost.
	 */
	el_set(editor->edit, EL_PREP_TERM, 1);
	*ret = el_gets(editor->edit, &count);
	sigprocmask(SIG_SETMASK, &editor->taken, NULL);
	if (!*ret || count <= 0) {
		fputc('\n', editor->out);
		fflush(editor->out);
		return sql_interrupted ? SQL_LINE_ABANDONED : SQL_LINE_END;
	}
	if (strspn(*ret, " \t\n") < strlen(*ret))
		history(editor->history, &event, H_ENTER, *ret);
	return SQL_LINE_READ;
}

#else /* !HAVE_EDIT */

struct sql_line_editor {
	char *line;		/* owned */
	size_t alloc;
};

bool sql_line_can_edit(void)
{
	if (isatty(STDIN_FILENO))
		library_notice(LIBRARY_EDIT);
	return false;
}

struct error *sql_line_editor_create(sqlite3 *db, const char *const *commands,
				     struct sql_line_editor **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? NULL : &error_no_memory;
}

void sql_line_editor_destroy(struct sql_line_editor *editor)
{
	if (!editor)
		return;
	free(editor->line);
	free(editor);
}

enum sql_line_status sql_line_read(struct sql_line_editor *editor, const char *prompt,
				   const char **ret)
{
	fflush(stdout);
	dprintf(prompt_fd(), "%s", prompt);
	if (!sql_interrupted && getline(&editor->line, &editor->alloc, stdin) > 0) {
		*ret = editor->line;
		return SQL_LINE_READ;
	}
	clearerr(stdin);
	dprintf(prompt_fd(), "\n");
	return sql_interrupted ? SQL_LINE_ABANDONED : SQL_LINE_END;
}

#endif
