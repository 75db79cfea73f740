// SPDX-License-Identifier: GPL-2.0
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/recording.h"
#include "lib/array.h"
#include "lib/build_id.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/new_file.h"
#include "lib/strbuf.h"
#include "profile/hit_binaries.h"
#include "symbol/binary_cache.h"
#include "symbol/binary_files.h"
#include "terminal/options.h"

/*
 * An archive of binaries in the layout of perf's cache.  ktrace, tar and other programs that read
 * tar files can unpack it there.
 */

/* The result of archive_file_unpack(). */
struct archive_contents {
	size_t binaries, recordings;	/* binaries also counts files that the cache already has */
};

#define BLOCK_BYTES	(1 << 16)

struct archive_file {
	struct archive *archive;
	struct new_file out;
	const char *path;	/* borrowed */
	bool failed;		/* writing has failed: the rest would fail, too */
};

/* Drop it; the file exists only after archive_file_finish(). */
static void archive_file_destroy(struct archive_file *file)
{
	if (!file)
		return;
	if (file->archive) {
		archive_write_fail(file->archive);
		archive_write_free(file->archive);
	}
	new_file_deinit(&file->out);
	free(file);
}
DEFINE_CLEANUP_PTR(archive_file, struct archive_file, archive_file_destroy)

static struct error *writing_failed(struct archive_file *file)
{
	int code = archive_errno(file->archive);
	const char *why = archive_error_string(file->archive);

	file->failed = true;
	return error_new(code > 0 ? code : EIO, "%s cannot be written: %s", file->path,
			 why ? why : "libarchive gives no reason");
}

/* Choose the compression by the end of the path; "": none, NULL: no archive ends so. */
static const char *choose_filter(const char *path)
{
	static const struct { const char *end, *filter; } filters[] = {
		{ ".tar.bz2", "bzip2" }, { ".tar.gz", "gzip" }, { ".tgz", "gzip" },
		{ ".tar.xz", "xz" }, { ".tar.zst", "zstd" }, { ".tar", "" },
	};
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		size_t end = strlen(filters[i].end);

		if (len > end && !strcmp(path + len - end, filters[i].end))
			return filters[i].filter;
	}
	return NULL;
}

/*
 * Begin an archive.  The end of @path selects the compression: .tar, .tar.bz2, .tar.gz, .tar.xz or
 * .tar.zst.  The file gets its name when it is complete.
 */
static struct error *archive_file_create(const char *path, struct archive_file **ret)
{
	_cleanup_(archive_file) struct archive_file *file = calloc(1, sizeof(*file));
	const char *filter = choose_filter(path);
	struct error *err;

	if (!file)
		return &error_no_memory;
	file->out = (struct new_file)NEW_FILE_INIT;
	file->path = path;
	if (!filter)
		return error_hint(error_new(EINVAL, "The name %s has no ending of a known archive "
					    "format",
					    path),
				  "It can end in .tar, .tar.bz2, .tar.gz, .tar.xz or .tar.zst");
	file->archive = archive_write_new();
	if (!file->archive)
		return &error_no_memory;
	err = new_file_create_unnamed(&file->out, path);
	if (err)
		return err;
	if ((*filter && archive_write_add_filter_by_name(file->archive, filter) < ARCHIVE_WARN) ||
	    archive_write_set_format_pax_restricted(file->archive) != ARCHIVE_OK ||
	    archive_write_open_fd(file->archive, file->out.fd) != ARCHIVE_OK)
		return writing_failed(file);
	*ret = take_ptr(file);
	return NULL;
}

/* Write the head of an entry; @size is that of a file, @target that of a link or NULL. */
static struct error *archive_add_entry(struct archive_file *file, const char *name,
				       const char *target, int64_t size)
{
	struct archive_entry *entry = archive_entry_new();
	struct error *err = NULL;

	if (!entry)
		return &error_no_memory;
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, target ? AE_IFLNK : AE_IFREG);
	archive_entry_set_perm(entry, target ? 0777 : 0644);
	archive_entry_set_size(entry, size);
	if (target)
		archive_entry_set_symlink(entry, target);
	if (archive_write_header(file->archive, entry) < ARCHIVE_WARN)
		err = writing_failed(file);
	archive_entry_free(entry);
	return err;
}

static struct error *archive_add_bytes(struct archive_file *file, const void *bytes, size_t size)
{
	return archive_write_data(file->archive, bytes, size) < 0 ? writing_failed(file) : NULL;
}

/* Read a file whose size the kernel does not report, as in /proc, into a temporary one. */
static struct error *copy_unsized(int *fd, const char *path)
{
	_cleanup_free_ char *text = NULL;
	struct error *err;
	int failed;
	size_t len;

	err = file_read(path, &text, &len);
	if (err)
		return err;
	close(*fd);
	*fd = memfd_create("ktrace-archive", MFD_CLOEXEC);
	if (*fd < 0)
		return error_errno(errno, "There is no room for a copy of %s", path);
	failed = fd_write_all(*fd, text, len);
	if (failed || lseek(*fd, 0, SEEK_SET))
		return error_errno(failed ? -failed : errno, "%s cannot be copied", path);
	return NULL;
}

/* The size in the entry's head holds: a file that was cut meanwhile is an error. */
static struct error *archive_add_open_file(struct archive_file *file, int fd,
					   const char *path, int64_t size)
{
	_cleanup_free_ char *block = malloc(BLOCK_BYTES);
	struct error *err = NULL;

	if (!block)
		return &error_no_memory;
	while (size > 0 && !err) {
		size_t want = size < BLOCK_BYTES ? size : BLOCK_BYTES;
		ssize_t got = fd_read_all(fd, block, want);

		if (got < 0)
			return error_errno(-got, "%s cannot be read", path);
		if (!got)
			return error_new(EIO, "%s was cut while it was read", path);
		err = archive_add_bytes(file, block, got);
		size -= got;
	}
	return err;
}

/* Add the regular file @path under the name @name. */
static struct error *archive_file_add(struct archive_file *file, const char *name, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct error *err = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return error_errno(errno, "%s cannot be read", path);
	if (!S_ISREG(st.st_mode))
		return error_new(EINVAL, "%s is no regular file", path);
	if (!st.st_size) {
		err = copy_unsized(&fd, path);
		if (!err && fstat(fd, &st))
			err = error_errno(errno, "%s cannot be read", path);
	}
	if (!err)
		err = archive_add_entry(file, name, NULL, st.st_size);
	return err ? err : archive_add_open_file(file, fd, path, st.st_size);
}

/* Add a binary: its files, and the link that leads from its build id to them. */
static struct error *archive_file_add_binary(struct archive_file *file, const char *name,
					     const struct build_id *id,
					     const struct binary_files *files)
{
	_cleanup_(strbuf) struct strbuf folder = STRBUF_INIT, path = STRBUF_INIT;
	struct error *err = NULL;

	if (!binary_cache_add_path(name, id, &folder))
		return NULL;
	for (size_t i = 0; i < files->nr && !err; i++) {
		const struct binary_file *part = &files->items[i];

		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", strbuf_str(&folder), part->name);
		if (path.failed)
			return &error_no_memory;
		if (part->path) {
			err = archive_file_add(file, path.data, part->path);
			continue;
		}
		err = archive_add_entry(file, path.data, NULL, part->size);
		if (!err)
			err = archive_add_bytes(file, part->image, part->size);
	}
	if (err)
		return err;
	strbuf_reset(&path);
	binary_cache_add_link(id, &path);
	strbuf_reset(&folder);
	strbuf_addstr(&folder, "../../");
	binary_cache_add_path(name, id, &folder);
	if (path.failed || folder.failed)
		return &error_no_memory;
	return archive_add_entry(file, path.data, folder.data, 0);
}

static struct error *archive_file_finish(struct archive_file *file)
{
	if (archive_write_close(file->archive) != ARCHIVE_OK)
		return writing_failed(file);
	return new_file_commit(&file->out);
}

/*
 * Whether an entry belongs to the cache.  The paths of its files have folders, recordings have
 * none.
 */
static bool is_of_cache(const char *name)
{
	return strchr(name, '/') != NULL;
}

/* Put an entry where it belongs: below @cache, or into the current folder. */
static struct error *place_entry(struct archive_entry *entry, const char *cache,
				 struct archive_contents *ret)
{
	const char *name = archive_entry_pathname(entry);
	_cleanup_(strbuf) struct strbuf target = STRBUF_INIT;

	while (name && !strncmp(name, "./", 2))
		name += 2;
	if (!name || !*name)
		return error_new(EBADMSG, "the archive has an entry without a name");
	if (!is_of_cache(name)) {
		archive_entry_copy_pathname(entry, name);
		return NULL;
	}
	if (*name == '/' || !strncmp(name, "../", 3) || strstr(name, "/../"))
		return error_new(EBADMSG, "the entry '%s' would be written outside of the cache",
				 name);
	ret->binaries += archive_entry_filetype(entry) == AE_IFREG &&
			 strcmp(strrchr(name, '/'), "/debug") != 0 &&
			 strcmp(strrchr(name, '/'), "/probes") != 0;
	strbuf_addf(&target, "%s/%s", cache, name);
	if (target.failed)
		return &error_no_memory;
	archive_entry_copy_pathname(entry, target.data);
	return NULL;
}

/*
 * The current folder is the user's, so only one recording is unpacked there, under a name that ls
 * shows.  *ret: its first bytes, which were already read.
 */
static bool is_recording(struct archive *from, struct archive_entry *entry,
			 const struct archive_contents *contents, const void **ret,
			 size_t *ret_size)
{
	int64_t offset;

	return !contents->recordings && archive_entry_filetype(entry) == AE_IFREG &&
	       *archive_entry_pathname(entry) != '.' &&
	       archive_read_data_block(from, ret, ret_size, &offset) == ARCHIVE_OK && !offset &&
	       bytes_are_recording(*ret, *ret_size);
}

/* Copy the bytes of an entry. */
static int copy_entry(struct archive *from, struct archive *to)
{
	const void *block;
	int64_t offset;
	size_t size;
	int status;

	while ((status = archive_read_data_block(from, &block, &size, &offset)) == ARCHIVE_OK)
		if (archive_write_data_block(to, block, size, offset) < 0)
			return ARCHIVE_FATAL;
	return status == ARCHIVE_EOF ? ARCHIVE_OK : status;
}

static struct error *unpack_entry(struct archive *from, struct archive *to,
				  struct archive_entry *entry, const char *cache,
				  struct archive_contents *ret)
{
	mode_t type = archive_entry_filetype(entry);
	const void *first = NULL;
	struct error *err;
	size_t size = 0;

	if (type == AE_IFDIR)
		return NULL;
	if ((type != AE_IFREG && type != AE_IFLNK) || archive_entry_hardlink(entry))
		return error_new(EBADMSG, "'%s' is neither a file nor a symbolic link",
				 archive_entry_pathname(entry));
	err = place_entry(entry, cache, ret);
	if (err)
		return err;
	if (!is_of_cache(archive_entry_pathname(entry))) {
		if (!is_recording(from, entry, ret, &first, &size)) {
			log_warning("%s is left out: beside binaries, an archive has one recording",
				    archive_entry_pathname(entry));
			return NULL;
		}
		if (!access(archive_entry_pathname(entry), F_OK))
			return error_hint(error_new(EEXIST, "%s exists already",
						    archive_entry_pathname(entry)),
					  "Move it away, or unpack in another folder");
		ret->recordings++;
	} else if (!faccessat(AT_FDCWD, archive_entry_pathname(entry), F_OK, AT_SYMLINK_NOFOLLOW)) {
		/* Files that the cache already has are kept. */
		return NULL;
	}
	archive_entry_set_perm(entry, 0644);
	if (archive_write_header(to, entry) < ARCHIVE_WARN)
		return error_new(EIO, "%s", archive_error_string(to));
	if ((size && archive_write_data_block(to, first, size, 0) < 0) ||
	    copy_entry(from, to) != ARCHIVE_OK || archive_write_finish_entry(to) < ARCHIVE_WARN)
		return error_new(EIO, "%s", archive_error_string(archive_errno(to) ? to : from));
	return NULL;
}

/*
 * Unpack an archive: binaries into the folder @cache, which is created if it is missing, and its
 * recording into the current folder, where it replaces nothing.  Entries with paths outside of
 * these folders are refused.  Other entries are left out, with a warning.
 */
static struct error *archive_file_unpack(const char *path, const char *cache,
					 struct archive_contents *ret)
{
	struct archive *from = archive_read_new(), *to = archive_write_disk_new();
	struct archive_entry *entry;
	struct error *err = NULL;
	int status = ARCHIVE_EOF;

	*ret = (struct archive_contents){ 0, 0 };
	if (!from || !to) {
		err = &error_no_memory;
	} else {
		archive_read_support_filter_all(from);
		archive_read_support_format_tar(from);
		/* No link of an archive may lead its other entries elsewhere. */
		archive_write_disk_set_options(to, ARCHIVE_EXTRACT_SECURE_NODOTDOT |
					       ARCHIVE_EXTRACT_SECURE_SYMLINKS);
		if (archive_read_open_filename(from, path, BLOCK_BYTES) != ARCHIVE_OK)
			err = error_new(EBADMSG, "%s", archive_error_string(from));
	}
	while (!err && (status = archive_read_next_header(from, &entry)) >= ARCHIVE_WARN &&
	       status != ARCHIVE_EOF)
		err = unpack_entry(from, to, entry, cache, ret);
	if (!err && status != ARCHIVE_EOF)
		err = error_new(EBADMSG, "%s", archive_error_string(from));
	if (to)
		archive_write_free(to);
	if (from)
		archive_read_free(from);
	return err ? error_prefix(err, "%s cannot be unpacked", path) : NULL;
}

/* How many binaries that are not here are named. */
#define NAMED_MISSING	5

struct archive_command {
	const char *input, *output, *unpack;
	bool all, force;
	struct symbol_options symbols;
	size_t added;
	/* Binaries that are not on this machine, and those whose build id was not recorded. */
	struct lacking {
		size_t nr;
		struct strbuf names;	/* of the first ones */
	} missing, unknown;
};

static void lack_binary(struct lacking *lacking, const char *name)
{
	if (lacking->nr++ < NAMED_MISSING)
		strbuf_addf(&lacking->names, "%s%s", lacking->names.len ? ", " : "", name);
}

static void tell_lacking(const struct lacking *lacking, const char *why)
{
	if (lacking->nr)
		log_warning("%s: %s%s", why, strbuf_str(&lacking->names),
			    lacking->nr > NAMED_MISSING ? " and others" : "");
}

/* Whether an address in it may have a name at all. */
static bool is_nameable(const struct dso *dso)
{
	return dso->kind == DSO_FILE || dso->kind == DSO_VDSO || dso->kind == DSO_KERNEL ||
	       dso->kind == DSO_MODULE;
}

static struct error *archive_binary(struct archive_command *c, struct archive_file *file,
				const struct dso *dso, const struct header *header)
{
	_cleanup_(binary_files) struct binary_files files = { .nr = 0 };
	_cleanup_(strbuf) struct strbuf path = STRBUF_INIT;
	const struct build_id *id = hit_binary_id(dso, header);
	const char *name = hit_binary_name(dso);
	struct error *err;

	if (!is_nameable(dso))
		return NULL;
	if (!id) {
		lack_binary(&c->unknown, dso->name);
		return NULL;
	}
	err = binary_files_find(name, id, &c->symbols, &files);
	if (!err && !files.nr && dso->kind == DSO_FILE)
		err = binary_files_find_live(dso, &files);
	if (err)
		return err;
	/* kallsyms has the symbols of modules, too. */
	if (!files.nr && dso->kind == DSO_MODULE)
		return NULL;
	/* A name that leads upwards cannot be unpacked. */
	if (!files.nr || !binary_cache_add_path(name, id, &path)) {
		lack_binary(&c->missing, dso->name);
		return NULL;
	}
	c->added++;
	return archive_file_add_binary(file, name, id, &files);
}

static struct error *archive_binaries(struct archive_command *c, struct archive_file *file,
				  struct reader *reader)
{
	struct selection everything = { .cpus = NULL };
	_cleanup_(machine) struct machine *machine = NULL;
	_cleanup_(hit_binaries) struct hit_binaries hits;
	struct error *err;

	hit_binaries_init(&hits);
	err = recording_machine(reader, &c->symbols, &machine);
	if (!err)
		err = recording_run(reader, machine, &everything, &hits.consumer, false, NULL);
	for (size_t i = 0; i < hits.nr && !err; i++)
		err = archive_binary(c, file, hits.items[i], reader_header(reader));
	return err;
}

static void tell_archive(const struct archive_command *c, const char *output)
{
	log_notice("%s has %zu %s%s. 'ktrace archive --unpack %s' puts them where ktrace and perf "
		   "find them, and so does 'tar xf %s -C ~/.debug'.", output, c->added,
		   c->added == 1 ? "binary" : "binaries", c->all ? " and the recording" : "",
		   output, output);
	tell_lacking(&c->missing, "The recorded builds of these binaries are not on this machine, "
		     "so the archive lacks them and their functions will have no names");
	tell_lacking(&c->unknown, "The recording has no build ids of these binaries, so they are "
		     "not in the archive");
}

static struct error *archive_recording(struct archive_command *c, const char *output)
{
	const char *input = c->input ? c->input : RECORDING_DEFAULT;
	_cleanup_(archive_file) struct archive_file *file = NULL;
	_cleanup_(reader) struct reader *reader = NULL;
	const char *slash = strrchr(input, '/');
	struct error *err;

	err = recording_open(c->input, &reader);
	if (!err)
		err = archive_file_create(output, &file);
	if (!err)
		err = archive_binaries(c, file, reader);
	if (!err && c->all)
		err = archive_file_add(file, slash ? slash + 1 : input, input);
	if (!err)
		err = archive_file_finish(file);
	if (!err)
		tell_archive(c, output);
	return err;
}

/* Create the folder of the cache, and resolve symbolic links in its path. */
static struct error *open_cache(char **ret)
{
	_cleanup_(strbuf) struct strbuf folder = STRBUF_INIT;

	binary_cache_add_folder(&folder);
	if (folder.failed)
		return &error_no_memory;
	if (mkdir(folder.data, 0755) && errno != EEXIST)
		return error_errno(errno, "The folder %s cannot be created", folder.data);
	*ret = realpath(folder.data, NULL);
	return *ret ? NULL : error_errno(errno, "The folder %s cannot be used", folder.data);
}

static struct error *unpack_archive(const char *path)
{
	_cleanup_free_ char *cache = NULL;
	struct archive_contents contents;
	struct error *err = open_cache(&cache);

	if (!err)
		err = archive_file_unpack(path, cache, &contents);
	if (!err)
		log_notice("%zu %s in %s now%s.", contents.binaries,
			   contents.binaries == 1 ? "binary is" : "binaries are", cache,
			   contents.recordings ? ", and the recording is here" : "");
	return err;
}

static struct error *archive_run(struct archive_command *c)
{
	const char *input = c->input ? c->input : RECORDING_DEFAULT;
	_cleanup_(strbuf) struct strbuf output = STRBUF_INIT;
	bool is_pipe = !strcmp(input, "-");

	if (c->unpack)
		return unpack_archive(c->unpack);
	if (is_pipe && (c->all || !c->output))
		return error_hint(error_new(EINVAL, "A recording from a pipe has no name"),
				  "-o FILE names the archive; without --all it has the binaries only");
	if (c->output)
		strbuf_addstr(&output, c->output);
	else
		strbuf_addf(&output, "%s.tar.bz2", input);
	return output.failed ? &error_no_memory : archive_recording(c, output.data);
}

struct error *cmd_archive(int argc, char **argv, int *ret_status)
{
	struct archive_command c = {
		.missing.names = STRBUF_INIT, .unknown.names = STRBUF_INIT,
	};
	const struct option_spec options[] = {
		RECORDING_INPUT_OPTION(c.input),
		OPT_STRING("output", &c.output),
		OPT_FLAG("all", &c.all),
		OPT_STRING("unpack", &c.unpack),
		RECORDING_SYMBOL_OPTIONS(c.symbols),
		RECORDING_QUIET_OPTION,
		RECORDING_FORCE_OPTION(c.force),
		{ 0 },
	};
	const struct command_usage usage = {
		.name = "archive",
		.synopsis = "[OPTIONS] [RECORDING]",
		.options = options,
	};
	struct error *err;
	int index;

	err = command_parse(&usage, argc, argv, &index);
	if (err || index < 0)
		return err;
	if (index < argc && !c.input)
		c.input = argv[index++];
	err = options_no_argument(&usage, argc, argv, index);
	if (!err && c.unpack && (c.input || c.output || c.all))
		err = error_new(EINVAL, "archive --unpack takes no recording, -o or --all");
	if (!err)
		err = archive_run(&c);
	strbuf_deinit(&c.missing.names);
	strbuf_deinit(&c.unknown.names);
	return err;
}
