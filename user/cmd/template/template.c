// SPDX-License-Identifier: GPL-2.0
#include "cmd/template/template.h"
#include "cmd/command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/ktrace/device.h"
#include "format/tracefs.h"
#include "lib/array.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/strbuf.h"
#include "terminal/options.h"

/* The exit status is 0 if each event has a template. */
#define STATUS_LACKING 1
#define STATUS_NOT_BUILT 2

struct template_options {
	const char *kernel, *output;
	bool load;
	struct template template;
};

/* The folder that modules are built against: a path, or that of a release's headers. */
static struct error *find_kernel(struct template *template, const char *kernel)
{
	_cleanup_free_ char *installed = NULL, *unpacked = NULL, *release = NULL, *text = NULL;
	const char *quote;
	struct utsname name;
	struct error *err;

	if (!kernel && uname(&name))
		return error_errno(errno, "Cannot find the release of the running kernel");
	if (!kernel)
		kernel = name.release;
	if (asprintf(&installed, "/lib/modules/%s/build", kernel) < 0 ||
	    asprintf(&unpacked, "/usr/src/linux-headers-%s", kernel) < 0)
		return &error_no_memory;
	if (strchr(kernel, '/'))
		template->kernel = realpath(kernel, NULL);
	else if (!access(installed, F_OK))
		template->kernel = realpath(installed, NULL);
	else
		template->kernel = realpath(unpacked, NULL);
	if (!template->kernel)
		return error_hint(error_new(ENOENT, "There are no headers of the kernel %s here", kernel),
				  "Install linux-headers-%s, or name the folder of a kernel's build "
				  "with --kernel", strchr(kernel, '/') ? "RELEASE" : kernel);
	if (asprintf(&release, "%s/include/generated/utsrelease.h", template->kernel) < 0)
		return &error_no_memory;
	err = file_read_text(release, &text);
	quote = text ? strchr(text, '"') : NULL;
	template->release = quote ? strndup(quote + 1, strcspn(quote + 1, "\"")) : NULL;
	if (template->release && path_is_plain(template->release))
		return NULL;
	err = err ? err : error_new(EINVAL, "%s has no UTS_RELEASE", release);
	return error_hint(err, "--kernel takes a release whose headers are installed, or the folder of a "
			  "kernel that was built");
}

/* Add "@prefix/@path" if it exists. */
static struct error *add_existing(struct path_list *list, const char *prefix, const char *path,
				  const char *file)
{
	_cleanup_free_ char *whole = NULL, *known = NULL;

	if (asprintf(&whole, "%s/%s", prefix, path) < 0 || asprintf(&known, "%s/%s", whole, file) < 0)
		return &error_no_memory;
	if (access(known, R_OK))
		return NULL;
	return path_list_add(list, strdup(whole)) ? NULL : &error_no_memory;
}

/* Find the installed files, or those built in the sources of this ktrace. */
static struct error *find_ktrace(struct template *template)
{
	_cleanup_free_ char *symbols = NULL, *built = NULL;
	struct path_list found = { 0 };
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct error *err = NULL;

	if (len < 0)
		return error_errno(errno, "Cannot read the location of ktrace from /proc/self/exe");
	self[len] = '\0';
	for (int i = 0; i < 2 && strrchr(self, '/'); i++)
		*strrchr(self, '/') = '\0';
	if (asprintf(&symbols, "/lib/modules/%s/extra", template->release) < 0 ||
	    asprintf(&built, "kbuild/%s", template->release) < 0)
		return &error_no_memory;

	err = add_existing(&found, self, "../kmod/probes", "ktrace/templates.h");
	if (!err && !found.nr)
		err = add_existing(&found, self, "include", "ktrace/templates.h");
	if (!err && !found.nr)
		err = add_existing(&found, "/usr/local", "include", "ktrace/templates.h");
	if (!err && !found.nr)
		err = add_existing(&found, "/usr", "include", "ktrace/templates.h");
	if (!err && !found.nr)
		err = error_hint(error_new(ENOENT, "The header ktrace/templates.h is not here"),
				 "'make install' in ktrace's sources puts it into /usr/local/include");
	if (!err && !path_list_add(&template->include, found.items[0]))
		err = &error_no_memory;
	found.nr = 0;

	if (!err)
		err = add_existing(&found, self, built, "Module.symvers");
	if (!err && !found.nr)
		err = add_existing(&found, symbols, ".", "ktrace.symvers");
	if (!err && !found.nr)
		err = error_hint(error_new(ENOENT, "The symbols of ktrace.ko for %s are not here",
					   template->release),
				 "'make modules KVER=%s' and 'make install' in ktrace's sources put them "
				 "into %s", template->release, symbols);
	for (size_t i = 0; i < found.nr; i++) {
		char *path;

		if (asprintf(&path, "%s/%s", found.items[i], strncmp(found.items[i], symbols,
			     strlen(symbols)) ? "Module.symvers" : "ktrace.symvers") < 0 ||
		    !path_list_add(&template->symbols, path))
			err = err ? err : &error_no_memory;
		free(found.items[i]);
	}
	free(found.items);
	/* The symbols that the module itself exports. */
	if (!err)
		err = add_existing(&template->symbols, template->folder, "Module.symvers", ".");
	return err;
}

static struct error *set_folders(struct template_options *options, const char *folder)
{
	struct template *template = &options->template;
	const char *name;
	char *output;
	char here[PATH_MAX];

	template->folder = realpath(folder, NULL);
	if (!template->folder)
		return error_errno(errno, "Cannot read %s", folder);
	name = strrchr(template->folder, '/') + 1;
	if (!getcwd(here, sizeof(here)))
		return error_errno(errno, "Cannot find the path of the current folder");
	if ((options->output ? asprintf(&output, "%s%s%s", *options->output == '/' ? "" : here,
					*options->output == '/' ? "" : "/", options->output) :
	     asprintf(&output, "%s/%s_probes", here, name)) < 0)
		return &error_no_memory;
	template->output = output;
	if (asprintf(&template->log, "%s/build.log", output) < 0)
		return &error_no_memory;
	if (!path_is_plain(output) || !path_is_plain(template->folder))
		return error_hint(error_new(EINVAL, "The kernel's build does not accept this "
					    "folder's name: %s",
					    path_is_plain(output) ? template->folder : output),
				  "Use letters, digits, '_', '.', '-' and '+' alone");
	return NULL;
}

/* Whether TP_PROTO() has a va_list that is not a pointer to one. */
static bool event_takes_va_list(const struct trace_header *parsed, const struct header_event *event)
{
	const struct header_part *part = trace_header_part(parsed, event, PART_PROTO);
	size_t at = part ? trace_header_find_word(parsed, part, part->place, "va_list") : 0;

	if (!at)
		return false;
	for (at += strlen("va_list"); isspace((unsigned char)parsed->text[at]); at++)
		;
	return parsed->text[at] != '*';
}

/* Why the running kernel does not use the template; NULL: it does, or it is unknown. */
static const char *kernel_why_not(int device, const struct header_event *event)
{
	_cleanup_free_ char *name = NULL;
	uint64_t id;
	struct error *err;

	if (device < 0)
		return NULL;
	err = tracefs_event_id(event->system, event->name, &id);
	if (err) {
		error_free(err);
		return "this kernel does not have the event: load its module";
	}
	if (asprintf(&name, "%s:%s", event->system, event->name) < 0)
		return NULL;
	return device_why_no_template(device, id, name);
}

/* Print why an event lacks a template; returns whether it has one. */
static bool template_print_event(const struct template *template,
				 const struct template_header *header,
				 const struct header_event *event, int device)
{
	const char *why = template_why_not(header, event->class_name), *live;

	if (why) {
		printf("  %s:%s: none: %s.\n", event->system, event->name, why);
		return false;
	}
	live = kernel_why_not(device, event);
	if (live) {
		printf("  %s:%s: not used: %s.\n", event->system, event->name, live);
		return false;
	}
	if (event_takes_va_list(header->parsed, event))
		printf("  %s:%s: a template, but only the first recorder of an event gets the arguments "
		       "of a va_list (%s:%zu). Pass a struct va_format *, and copy it with __vstring().\n",
		       event->system, event->name, template_shown(template, header->path),
		       event->line);
	return true;
}

/* Whether the header has the event in this configuration, if that is known. */
static bool is_there(const struct template *template, const struct template_header *header,
		     const struct header_event *event)
{
	return !event->is_class && (header->failed || template_why_not(header, event->class_name) ||
				    template_is_built(template, header, event));
}

/* Print the state of each event; returns the number of events without a template. */
static size_t print_report(const struct template *template, int device)
{
	size_t lacking = 0;

	for (size_t i = 0; i < template->headers.nr; i++) {
		const struct template_header *header = &template->headers.items[i];
		size_t all = 0, with = 0;

		for (size_t j = 0; j < header->parsed->events.nr; j++) {
			const struct header_event *event = &header->parsed->events.items[j];

			all += is_there(template, header, event);
			with += !header->failed && is_there(template, header, event) &&
				!template_why_not(header, event->class_name);
		}
		lacking += all - with;
		printf("%s: %zu of %zu event%s ha%s a template%s\n", template_shown(template, header->path),
		       with, all, all == 1 ? "" : "s", with == 1 ? "s" : "ve", header->failed ? ":" : "");
		if (header->failed)
			printf("  none: %s.\n", header->failed);
		for (size_t j = 0; !header->failed && j < header->parsed->events.nr; j++) {
			const struct header_event *event = &header->parsed->events.items[j];

			if (!is_there(template, header, event))
				continue;
			if (!template_print_event(template, header, event, device) &&
			    !template_why_not(header, event->class_name))
				lacking++;
		}
	}
	return lacking;
}

static void print_next(const struct template *template, bool loaded)
{
	for (size_t i = 0; i < template->headers.nr; i++) {
		const struct template_header *header = &template->headers.items[i];

		if (header->failed)
			continue;
		if (loaded)
			printf("Loaded %s.\n", header->object);
		else
			printf("After ktrace.ko and the module: insmod %s/%s.ko\n", template->output,
			       header->object);
	}
}

static struct error *make_templates(struct template_options *options, const char *folder,
				    int *ret_status)
{
	struct template *template = &options->template;
	_cleanup_free_ char *notes = NULL;
	struct ktrace_info info;
	size_t built = 0, lacking;
	struct error *err;
	int device = -1;

	err = set_folders(options, folder);
	if (!err)
		err = find_kernel(template, options->kernel);
	if (!err)
		err = template_scan(template);
	if (!err)
		err = find_ktrace(template);
	if (!err)
		err = template_prepare(template);
	if (!err)
		err = template_build(template);
	if (!err)
		err = template_add_btf(template, &notes);
	if (err)
		return err;
	for (size_t i = 0; i < template->headers.nr; i++)
		built += !template->headers.items[i].failed;
	if (built && options->load)
		err = template_load(template);
	if (!err && built && options->load)
		err = device_open(&device, &info);
	if (err)
		return err;
	lacking = print_report(template, device);
	if (device >= 0)
		close(device);
	if (notes)
		fputs(notes, stdout);
	print_next(template, options->load);
	if (lacking)
		printf("%s has all messages of the compiler.\n", template->log);
	*ret_status = !built ? STATUS_NOT_BUILT : lacking ? STATUS_LACKING : 0;
	return NULL;
}

static struct error *add_include(void *data, const char *argument)
{
	struct template *template = data;
	char *path = realpath(argument, NULL);

	if (!path)
		return error_errno(errno, "Cannot read %s", argument);
	if (!path_is_plain(path)) {
		free(path);
		return error_new(EINVAL, "The kernel's build does not accept this folder's name: "
				 "%s",
				 argument);
	}
	return path_list_add(&template->include, path) ? NULL : &error_no_memory;
}

struct error *cmd_template(int argc, char **argv, int *ret_status)
{
	struct template_options options = { 0 };
	const struct option_spec specs[] = {
		OPT_STRING("kernel", &options.kernel),
		OPT_STRING("output", &options.output),
		OPT_CALL("include", &options.template, add_include),
		OPT_FLAG("load", &options.load),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "template",
		.synopsis = "[OPTIONS] FOLDER",
		.details = "; FOLDER has the sources of the module",
		.options = specs,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (!err && index >= 0 && index != argc - 1)
		err = error_hint(error_new(EINVAL, "template takes one folder"),
				 "It is the one with the sources of your module, as in 'ktrace template "
				 "~/src/mydrv'");
	if (!err && index >= 0) {
		err = make_templates(&options, argv[index], ret_status);
		if (err) {
			error_report(err);
			err = NULL;
			*ret_status = STATUS_NOT_BUILT;
		}
	}
	template_deinit(&options.template);
	return err;
}
