// SPDX-License-Identifier: GPL-2.0
#include "cmd/template/template.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

void template_deinit(struct template *template)
{
	struct path_list *lists[] = { &template->include, &template->words, &template->symbols };

	for (size_t i = 0; i < template->headers.nr; i++) {
		struct template_header *header = &template->headers.items[i];

		for (size_t j = 0; j < header->left_out.nr; j++) {
			free(header->left_out.items[j].class_name);
			free(header->left_out.items[j].reason);
		}
		free(header->left_out.items);
		trace_header_destroy(header->parsed);
		free(header->path);
		free(header->source);
		free(header->object);
		free(header->before);
		free(header->failed);
	}
	free(template->headers.items);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		for (size_t j = 0; j < lists[i]->nr; j++)
			free(lists[i]->items[j]);
		free(lists[i]->items);
	}
	free((char *)template->folder);
	free((char *)template->output);
	free((char *)template->kernel);
	free(template->release);
	free(template->log);
}

const char *template_shown(const struct template *template, const char *path)
{
	size_t len = strlen(template->folder);

	return !strncmp(path, template->folder, len) && path[len] == '/' ? path + len + 1 : path;
}

bool template_leave_out(struct template_header *header, const char *class_name, char *reason)
{
	struct left_out left_out = { strdup(class_name), reason };

	if (template_why_not(header, class_name)) {
		free(left_out.class_name);
		free(reason);
		return true;
	}
	if (left_out.class_name && array_push(&header->left_out, left_out))
		return true;
	free(left_out.class_name);
	free(reason);
	return false;
}

const char *template_why_not(const struct template_header *header, const char *class_name)
{
	for (size_t i = 0; i < header->left_out.nr; i++)
		if (!strcmp(header->left_out.items[i].class_name, class_name))
			return header->left_out.items[i].reason;
	return NULL;
}

bool path_is_plain(const char *path)
{
	return !path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "_./+-@~,")];
}

bool path_list_add(struct path_list *list, char *path)
{
	for (size_t i = 0; path && i < list->nr; i++)
		if (!strcmp(list->items[i], path)) {
			free(path);
			return true;
		}
	if (path && array_push(list, path))
		return true;
	free(path);
	return false;
}
