// SPDX-License-Identifier: GPL-2.0
#include "vmcore/session_formats.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/cleanup.h"
#include "lib/strbuf.h"
#include "perfdata/module_events.h"
#include "perfdata/write/description.h"

/* Whether @like was recorded under this kernel; true if its release is unknown. */
static bool is_of_kernel(const struct description *like, const char *release)
{
	const struct strbuf *feature = &like->features[FEATURE_OSRELEASE];

	return feature->len <= sizeof(uint32_t) ||
	       !strncmp(feature->data + sizeof(uint32_t), release, feature->len - sizeof(uint32_t));
}

struct error *session_formats_check(const char *release, const struct description *like)
{
	struct utsname uts;

	if (like && (!*release || is_of_kernel(like, release)))
		return NULL;
	if (like)
		return error_new(ENODATA, "The recording that --formats names is not of Linux %s, which "
				 "has died", release);
	if (!uname(&uts) && !strcmp(uts.release, release))
		return NULL;
	return error_hint(error_new(ENODATA, "The events are those of Linux %s, whose formats are not "
				    "here", *release ? release : "of an unknown release"),
			  "--formats FILE takes them from another recording of that kernel");
}

struct error *session_formats_describe(struct vmcore_session *session,
				       const struct module_event *items, size_t nr, int clockid,
				       const struct description *like)
{
	_cleanup_(strbuf) struct strbuf made = STRBUF_INIT;
	struct error *err = module_events_describe(items, nr, clockid, like, &made);

	if (err)
		return err;
	session->is_borrowed = like;
	session->description_size = made.len;
	session->description = made.data;
	made = (struct strbuf)STRBUF_INIT;
	return NULL;
}
