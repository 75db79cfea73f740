# SPDX-License-Identifier: GPL-2.0
# The targets for people. `make help` lists them.

VERSION := 0.1.0

PREFIX	?= /usr/local
prefix	= $(PREFIX)
DESTDIR	?=
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
NM ?= $(CROSS_COMPILE)nm
# Debian's python3, even if another one comes first in PATH.
PYTHON_CONFIG ?= /usr/bin/python3-config

PKG_CONFIG ?= pkg-config
LLVM_CONFIG ?= llvm-config

# WITHOUT="NAME..." builds without libraries of user/lib/libraries.def, as do perf's switches NO_*=1.
# V=1 shows the commands.  SAN=1 builds with sanitizers, WERROR=1 with warnings as errors,
# each into a folder of its own.  CCACHE= compiles without a cache (scripts/cached).
Q := $(if $(V),,@)
silent = $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
say = $(if $(V)$(silent),,@printf '  %-7s %s\n' $(1) $(2))
B := build$(if $(FUZZ),/fuzz)$(if $(SAN),/san)$(if $(WERROR),/werror)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# ---- the tool ----------------------------------------------------------------

# What SQLite calls of the extension is no part of the tool.
SRCS := $(filter-out user/sql/extension.c,$(sort $(wildcard user/*.c user/*/*.c user/*/*/*.c)))
OBJS := $(SRCS:%.c=$(B)/obj/%.o)
# For `import ktrace`, which runs no scripts. The linker leaves out what the module does not use.
MODULE_OBJS := $(filter-out $(B)/obj/user/main.o $(foreach d,cmd/ output/ check/ probe/ browser/ \
	symbol/llvm/ symbol/debuginfod/ sql/ script/script script/run/ script/handlers/,$(B)/obj/user/$(d)%),$(OBJS))
# These are compiled once more for the extension of SQLite, which calls the program that loads it.
# `import ktrace` has them, too, so that the package is complete without the tool.
EXTENSION_OBJS := $(patsubst %.c,$(B)/obj/extension/%.o,$(wildcard user/sql/*.c))
EXTENSION := $(B)/lib/ktrace/sqlite_ktrace.so
# Everything but main() and the module.  Unit tests link what they need of it.
LIB_OBJS := $(filter-out $(B)/obj/user/module/% $(B)/obj/user/main.o,$(OBJS))

# $(call once,NAME,COMMAND) runs the command once, when NAME is first used.  Goals that
# compile nothing never use it.
once = $(eval $(1) := $$(shell $(2)))$($(1))

# What scripts/find-libraries found, which is asked when something is to be compiled.
COMPILING := $(filter-out clean help style man uninstall modules deb rpm wheel demo bench check test \
	test-all torture releases modules-for-%,$(or $(MAKECMDGOALS),all))
quoted = $(1)='$(subst ','\'',$($(1)))'
ifneq ($(COMPILING),)
FOUND = $(call once,FOUND,$(foreach v,CC CFLAGS CPPFLAGS LDFLAGS PKG_CONFIG PYTHON_CONFIG LLVM_CONFIG \
	$(filter NO_%,$(.VARIABLES)),$(call quoted,$(v))) scripts/find-libraries $(B) $(WITHOUT))
endif
found = $(patsubst $(1):%,%,$(filter $(1):%,$(FOUND)))

# Parts of the tool that are loaded only when they are needed (lib/plugin.h).  They alone
# use libpython, SQLite, libbpf, json-c, LLVM, ncurses, libedit, libarchive and libdebuginfod, which
# take longer to load than all the rest.  Those whose libraries are missing are left out.
objs = $(filter $(1:%=$(B)/obj/user/%.o),$(LIB_OBJS))
PLUGINS := python check probe sqlite llvm ncurses archive sql debuginfod metrics
OBJS_python := $(call objs,$(foreach d,run handlers objects columns python,script/$(d)/%))
OBJS_check := $(call objs,cmd/check/% check/%)
OBJS_probe := $(call objs,cmd/probe/% probe/%)
OBJS_sqlite := $(call objs,output/sqlite/%)
OBJS_ncurses := $(call objs,browser/ncurses/%)
OBJS_llvm := $(call objs,symbol/llvm/%)
OBJS_archive := $(call objs,cmd/archive/%)
OBJS_debuginfod := $(call objs,symbol/debuginfod/%)
OBJS_metrics := $(call objs,spec/metrics/%)
OBJS_sql := $(call objs,cmd/sql/% sql/%)
# The symbol by which the tool calls each plugin.
SYMBOL_python := script_python
SYMBOL_check := cmd_check
SYMBOL_probe := cmd_probe; probe_temporary; probe_temporary_end; probe_functions
SYMBOL_sqlite := output_sqlite_open
SYMBOL_ncurses := browser_ncurses
SYMBOL_llvm := llvm_disassemble
SYMBOL_archive := cmd_archive
SYMBOL_sql := cmd_sql
SYMBOL_debuginfod := debuginfod_request
SYMBOL_metrics := metric_file_read
LEFT_OUT_OBJS = $(foreach p,$(call found,left-out),$(OBJS_$(p)))
PLUGINS_FOUND = $(filter-out $(call found,left-out),$(PLUGINS))
PLUGIN_FILES = $(PLUGINS_FOUND:%=$(B)/lib/ktrace/%.so)
PLUGIN_OBJS := $(foreach p,$(PLUGINS),$(OBJS_$(p)))
TOOL_OBJS := $(filter-out $(PLUGIN_OBJS),$(LIB_OBJS)) $(B)/obj/user/main.o

LIBRARIES = $(call found,found)
# What all sources are compiled with, and what only some are.
GENERAL = $(foreach l,$(LIBRARIES),$(if $(filter all,$(call found,$(l):for)),$(l)))
SPECIAL = $(eval SPECIAL := $$(foreach l,$$(filter-out $$(GENERAL),$$(LIBRARIES)),$$(if \
	$$(call found,$$(l):cflag),$$(l))))$(SPECIAL)
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(foreach l,$$(GENERAL),$$(call found,$$(l):cflag)))$(PKG_CFLAGS)
# Those of Python and LLVM are linked where they are used.
PKG_LIBS = $(foreach l,$(filter-out libpython llvm,$(LIBRARIES)),$(call found,$(l):lib)) -lm -lpthread
PYTHON_CFLAGS = $(call found,libpython:cflag)
PYTHON_LIBS = $(call found,libpython:lib)
LLVM_LIBS = $(call found,llvm:lib)

# The flags are those of Debian's packages, so that what they find is found by each build.  Who
# gives one of these three gives all of them, as debhelper does.
ifeq ($(origin CFLAGS)$(origin CPPFLAGS)$(origin LDFLAGS),undefinedundefinedundefined)
PACKAGE_FLAGS = $(call once,PACKAGE_FLAGS,scripts/package-flags)
flags = $(patsubst $(1)=%,%,$(filter $(1)=%,$(PACKAGE_FLAGS)))
ifeq ($(SAN)$(FUZZ),)
CFLAGS = $(or $(call flags,CFLAGS),-O2 -g)
CPPFLAGS = $(call flags,CPPFLAGS)
LDFLAGS = $(call flags,LDFLAGS)
else
# With sanitizers, the optimizer takes longer than all the tests run.
CFLAGS = -O0 -g1 $(if $(FUZZ),,$(filter -W%,$(call flags,CFLAGS)))
endif
endif
# Objects tell of files relative to this folder, so that those of another tree are right here.
relative = $(if $(findstring -prefix-map,$(CFLAGS)),,-ffile-prefix-map=$(CURDIR)=.)

comma := ,
WARNINGS := -Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes \
	-Werror=implicit-function-declaration -Werror=implicit-int \
	-Werror=incompatible-pointer-types -Werror=int-conversion -Werror=return-type
SAN_FLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-omit-frame-pointer)
ifdef FUZZ
CC := clang
SAN_FLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer
WARNINGS := -Wno-everything -Werror=incompatible-pointer-types -Werror=int-conversion \
	-Werror=implicit-function-declaration
endif
BASE_FLAGS = -std=gnu11 $(CFLAGS) $(relative) $(WARNINGS) $(if $(WERROR),-Werror) $(SAN_FLAGS) -D_GNU_SOURCE \
	-DKTRACE_VERSION='"$(VERSION)"' -fPIC -fno-semantic-interposition -Iuser -Ikmod/uapi -I$(B) \
	$(PKG_CFLAGS) $(CPPFLAGS)
# These know where the tool is installed; all other objects are the same for each prefix.
INSTALLED_SRCS := user/lib/own_path.c user/module/py_source.c user/lib/plugin.c
# The compiler's messages go to a file first, for `make warnings`.
COLOR = $(call once,COLOR,[ ! -t 2 ] || echo -fdiagnostics-color=always)
# Only this file includes the page.  Which include the headers of a library is in libraries.def.
FOLDER_FLAGS = $(if $(filter user/output/page/page_template.c,$<),-DPAGE_FILE='"$(B)/page.html"') \
	$(if $(filter user/cmd/option_texts.c,$<),-DOPTION_TEXTS='"option_texts.def"') \
	$(if $(filter $(INSTALLED_SRCS),$<),-DKTRACE_LIBEXEC='"$(libexec)"' \
		-DKTRACE_BINDIR='"$(bindir)"' -DKTRACE_LIB='"$(patsubst $(exec_prefix)/%,%,$(libdir))"') \
	$(foreach l,$(SPECIAL),$(if $(filter $(call found,$(l):for),$<),$(call found,$(l):cflag)))

EXTENSIONS = $(if $(filter sqlite_ktrace,$(call found,left-out)),,$(EXTENSION))
MODULE = $(if $(filter _ktrace,$(call found,left-out)),,$(B)/python/ktrace/_ktrace.so)

all: $(B)/bin/ktrace $(PLUGIN_FILES) $(EXTENSIONS) $(MODULE)	## build build/bin/ktrace, build/lib and build/python (SAN=1: in build/san)

# Link without libraries that are not used, and export only the symbols in the file $(1).
link = $(CC) $(CFLAGS) $(SAN_FLAGS) $(LDFLAGS) -Wl,--as-needed -Wl,--version-script=$(1)

# The tool exports what plugins use of it.
$(B)/obj/tool.symbols: $(filter-out $(LEFT_OUT_OBJS),$(PLUGIN_OBJS)) $(B)/libraries.h
	$(Q){ echo '{ global:'; $(NM) -u $(filter %.o,$^) /dev/null 2>/dev/null | sed -n 's/^ *[Uw] \(.*\)/\1;/p' | sort -u; echo 'local: *; };'; } > $@

$(B)/obj/%.symbols: $(B)/obj/flags Makefile
	$(Q)echo '{ global: $(SYMBOL_$*); local: *; };' > $@

$(B)/bin/ktrace: $(TOOL_OBJS) $(B)/obj/tool.symbols $(B)/libraries.h
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call link,$(B)/obj/tool.symbols) -rdynamic -o $@.new $(TOOL_OBJS) $(PKG_LIBS)
	$(Q)mv $@.new $@

define plugin
$(B)/lib/ktrace/$(1).so: $(OBJS_$(1)) $(B)/obj/$(1).symbols $(B)/libraries.h
	$$(call say,LD,$$@)
	$(Q)mkdir -p $$(@D)
	$(Q)$$(call link,$(B)/obj/$(1).symbols) -shared -o $$@.new $$(OBJS_$(1)) $$(PKG_LIBS) \
		$$(if $$(filter python,$(1)),$$(PYTHON_LIBS)) $$(if $$(filter llvm,$(1)),$$(LLVM_LIBS))
	$(Q)mv $$@.new $$@
endef
$(foreach p,$(PLUGINS),$(eval $(call plugin,$(p))))

# SQLite loads it without the tool, so it has all that it uses of it.
SYMBOL_sqlite_ktrace := sqlite3_extension_init
$(EXTENSION): $(EXTENSION_OBJS) $(filter-out $(LEFT_OUT_OBJS) $(B)/obj/user/module/% \
		$(B)/obj/user/script/%,$(MODULE_OBJS)) $(B)/obj/sqlite_ktrace.symbols $(B)/libraries.h
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call link,$(B)/obj/sqlite_ktrace.symbols) -shared -Wl,--gc-sections -o $@.new \
		$(filter %.o,$^) $(PKG_LIBS) -ldl
	$(Q)mv $@.new $@

PACKAGE := $(wildcard scripts/python/ktrace/*)
BINDING := $(wildcard scripts/python/binding/*.py)

# The package in the layout that Python imports with PYTHONPATH=build/python.
SYMBOL_module := PyInit__ktrace; sqlite3_extension_init
$(B)/python/ktrace/_ktrace.so: $(filter-out $(LEFT_OUT_OBJS),$(MODULE_OBJS)) $(if $(EXTENSIONS),$(EXTENSION_OBJS)) $(PACKAGE) $(BINDING) \
		$(B)/obj/module.symbols $(B)/libraries.h
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && cp $(PACKAGE) $(@D) && cp $(BINDING) $(@D)/..
	$(Q)$(call link,$(B)/obj/module.symbols) -shared -Wl,--gc-sections -o $@.new $(filter %.o,$^) \
		$(PKG_LIBS) -ldl
	$(Q)mv $@.new $@

# The page that report --html completes, in one file.
PAGE_PARTS := $(sort $(wildcard user/page/*))

$(B)/page.html: scripts/gen-page $(PAGE_PARTS)
	$(call say,PAGE,$@)
	$(Q)mkdir -p $(@D)
	$(Q)scripts/gen-page > $@

$(B)/obj/user/output/page/page_template.o: $(B)/page.html

# What the manual pages say of options.
OPTION_PAGES := $(sort $(wildcard Documentation/ktrace-*.1.rst))

$(B)/option_texts.def: scripts/gen-options $(OPTION_PAGES)
	$(call say,OPTIONS,$@)
	$(Q)mkdir -p $(@D)
	$(Q)scripts/gen-options $(OPTION_PAGES) > $@.new && mv $@.new $@

$(B)/obj/user/cmd/option_texts.o: $(B)/option_texts.def

define compile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)scripts/cached $(CC) $(BASE_FLAGS) $(FOLDER_FLAGS) $(COLOR) -MMD -MP -c -o $@ $< \
		2>$(@:.o=.warnings) || \
		{ cat $(@:.o=.warnings) >&2; exit 1; }; cat $(@:.o=.warnings) >&2
endef

$(B)/obj/%.o: %.c $(B)/obj/flags | $(B)/obj/deps
	$(compile)

$(INSTALLED_SRCS:%.c=$(B)/obj/%.o): $(B)/obj/prefix

$(B)/obj/extension/%.o: FOLDER_FLAGS := -DKTRACE_SQLITE_EXTENSION
$(B)/obj/extension/%.o: %.c $(B)/obj/flags Makefile | $(B)/obj/deps
	$(compile)

warnings: all	## build, and fail if any file of the tool was compiled with a warning
	@cat $(OBJS:.o=.warnings) $(EXTENSION_OBJS:.o=.warnings) >$(B)/obj/warnings && ! grep . $(B)/obj/warnings

-include $(OBJS:.o=.d) $(EXTENSION_OBJS:.o=.d)

$(B)/obj/libktrace.a: $(filter-out $(LEFT_OUT_OBJS),$(LIB_OBJS)) $(B)/libraries.h
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsT $@ $(filter %.o,$^)

TEST_SRCS := $(sort $(wildcard tests/unit/test_*.c tests/oracle/*.c))
TEST_OBJS := $(TEST_SRCS:%.c=$(B)/obj/%.o)
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(filter tests/unit/%,$(TEST_SRCS)))

# Each has most of the tool, which lld links in a third of the time. The tool itself is linked as its
# packages are.
TEST_LINKER = $(call once,TEST_LINKER,command -v ld.lld >/dev/null && echo -fuse-ld=lld)

# All symbols are exported, as the sanitizers look for a test's __asan_default_options().
$(TEST_OBJS): FOLDER_FLAGS = -fvisibility=default -Itests/unit $(foreach l,$(SPECIAL),$(call found,$(l):cflag))

# These are compiled with flags of libraries, and libraries.h has all these flags.
$(TEST_OBJS) $(foreach l,$(SPECIAL),$(filter $(foreach f,$(call found,$(l):for),$(B)/obj/$(f:.c=.o)), \
	$(OBJS))): $(B)/libraries.h

define test_program
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SAN_FLAGS) $(LDFLAGS) $(TEST_LINKER) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^) \
		$(B)/obj/libktrace.a $(PYTHON_LIBS) -Wl,--as-needed $(PKG_LIBS) $(LLVM_LIBS)
endef

# This test calls the Python plugin's symbol, which is linked in.
$(B)/unit/test_script_python: TEST_LDFLAGS := -u $(SYMBOL_python) \
	-Wl$(comma)--export-dynamic-symbol=$(SYMBOL_python)

$(B)/unit/%: $(B)/obj/tests/unit/%.o $(B)/obj/libktrace.a
	$(test_program)

$(B)/oracle/%: $(B)/obj/tests/oracle/%.o $(B)/obj/tests/oracle/made_up.o $(B)/obj/libktrace.a
	$(test_program)

-include $(TEST_OBJS:.o=.d)

FUZZ_SRCS := $(sort $(wildcard tests/fuzz/*.c))
FUZZ_OBJS := $(FUZZ_SRCS:%.c=build/fuzz/obj/%.o)

# Make would remove these, of which only rules by pattern tell.
.SECONDARY: $(TEST_OBJS) $(FUZZ_OBJS)

unit: $(UNIT)	## build the unit tests into build/unit (SAN=1: build/san/unit)

FUZZERS := $(FUZZ_SRCS:tests/fuzz/%.c=build/fuzz/fuzz_%)

build/fuzz/fuzz_%: build/fuzz/obj/tests/fuzz/%.o build/fuzz/obj/libktrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SAN_FLAGS) $(TEST_LINKER) -fsanitize=fuzzer -o $@ $< build/fuzz/obj/libktrace.a \
		-Wl,--as-needed $(PKG_LIBS)

-include $(FUZZ_OBJS:.o=.d)

ifdef FUZZ
fuzzers: $(FUZZERS)
else
fuzzers:	## build the fuzzers into build/fuzz, with clang
	@$(MAKE) --no-print-directory FUZZ=1 fuzzers
endif

# The files change with what objects are built with, so that these are built again.
remember = @mkdir -p $(@D); echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' > $@

$(B)/obj/flags: FORCE
	$(call remember,$(BASE_FLAGS) $(LDFLAGS) 2>warnings)

$(B)/obj/prefix: FORCE
	$(call remember,$(libexec) $(bindir) $(libdir))

# What is missing was said when it was looked for.
$(B)/obj/deps: FORCE
	@mkdir -p $(@D)
	@test -z '$(filter failed,$(FOUND))'

$(B)/libraries.h: ;

# ---- the module --------------------------------------------------------------

# Build for the running kernel.  KVER=release picks one of the installed headers, KVER=all
# takes them all, KDIR=folder is any kernel build tree.
INSTALLED := $(patsubst /lib/modules/%/build/Makefile,%,$(wildcard /lib/modules/*/build/Makefile))
ifdef KDIR
# `make kernelrelease` does not do: in Debian's headers it lacks the name of the ABI.
KVERS := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
else ifeq ($(KVER),all)
KVERS := $(INSTALLED)
else
KVERS := $(or $(KVER),$(shell uname -r))
endif
kdir = $(if $(KDIR),$(abspath $(KDIR)),/lib/modules/$(1)/build)
ifneq ($(filter modules,$(MAKECMDGOALS)),)
MODULES := $(KVERS:%=modules-for-%)
endif
K := $(B)/kbuild

modules: $(MODULES)	## build build/modules/RELEASE/ktrace.ko for the running kernel (or KVER=RELEASE, KVER=all, KDIR=)
	@test -n '$(KVERS)' || { \
		echo "$(if $(KDIR),$(KDIR) is no built kernel tree,no kernel headers here: apt-get \
install linux-headers-amd64 (or run scripts/install-deps))" >&2; exit 1; }

# Kbuild writes its output next to the sources.  So each release gets a folder with links
# to them: releases do not mix, and the tree stays clean.  With W=1, the compiler has more
# warnings, which the stage 15-warnings looks at; kernel-doc, which needs more of perl than a small
# Debian has, is left to 16-upstream.
modules-for-%: FORCE
	@test -e $(call kdir,$*)/Makefile || { \
		echo "there are no headers of $*$(if $(KVER),,$(comma) the running kernel$(comma)) here: \
apt-get install linux-headers-$*$(if $(INSTALLED),; installed are those of $(INSTALLED) (make modules KVER=RELEASE or KVER=all))" >&2; \
		exit 1; }
	@scripts/check-kernel-tree $(call kdir,$*) $*
	$(Q)scripts/mirror-sources $(K)/$*
	$(Q)flock $(K)/$* $(MAKE) --no-print-directory -C $(call kdir,$*) \
		M=$(CURDIR)/$(K)/$* W=$(or $(W),1) cmd_checkdoc= KEEP_WARNINGS='sh $(CURDIR)/scripts/keep-warnings' \
		$(if $(WERROR),KCFLAGS='-Werror -g0' CONFIG_DEBUG_INFO_BTF_MODULES=) modules
	@mkdir -p $(B)/modules/$*
	@for ko in $$(find $(K)/$* -name '*.ko'); do \
		out=$(B)/modules/$*/$${ko##*/}; \
		cmp -s $$ko $$out || { cp $$ko $$out.tmp$$$$ && mv $$out.tmp$$$$ $$out; }; \
	done
	@scripts/count-templates $(if $(silent),--quiet) $(K)/$* $*

# ---- tests and installation --------------------------------------------------

check:	## run the quick tests: no root, no guest, two minutes
	@tests/run --size check

test:	## run the tests that find most mistakes, twelve minutes (tests/run STAGE... runs some of all)
	@tests/run --size test

test-all:	## run all tests, about forty minutes
	@tests/run --size all

torture:	## run the tests that take long
	@tests/run --torture

releases:	## what works on which kernel and Debian release, in two tables; takes hours (ROWS="7.3 trixie:demo": some of it)
	@tests/releases $(ROWS)

demo:	## from the source to a Python answer, in a guest
	@scripts/demo

bench:	## cost per event and reading speed, beside peers
	@tests/bench/run

metrics: all	## how the sources depend on each other: circles, folders, headers
	@scripts/structure

style:	## check the style of the sources, scripts, includes and names of checks
	@status=0; for check in style includes commands names; do \
		scripts/check-$$check || status=1; \
	done; scripts/gen-fields --check || status=1; exit $$status

MAN := $(patsubst Documentation/%.rst,build/man/%,$(sort $(wildcard Documentation/*.1.rst))) \
	build/man/ktrace-script-python.7 build/man/ktrace-python-module.7

build/man/%.1: Documentation/%.1.rst
	$(call say,MAN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)rst2man $< $@

build/man/%.7: Documentation/%.rst
	$(call say,MAN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)rst2man $< $@

man: $(MAN)	## build the manual pages into build/man (package python3-docutils)

DOCS := $(shell find Documentation -name '*.rst' -o -name '*.png' -o -name '*.css' -o -name conf.py)

build/docs/index.html: $(DOCS)
	$(call say,DOCS,$(@D))
	$(Q)/usr/bin/python3 -c 'import sphinx, furo' 2>/dev/null || \
		{ echo "make docs needs Sphinx and its theme furo: packages python3-sphinx and furo." >&2; exit 1; }
	$(Q)/usr/bin/python3 -m sphinx -q -W --keep-going $(if $(filter %/conf.py,$?),-E) -d build/obj/docs Documentation $(@D)

docs: build/docs/index.html	## build the book, build/docs/index.html (packages python3-sphinx, furo)

# The folders have the names that GNU gives them, so that packages can set each.
exec_prefix = $(prefix)
bindir	= $(exec_prefix)/bin
libdir	= $(exec_prefix)/lib
libexecdir = $(exec_prefix)/libexec
includedir = $(prefix)/include
datadir	= $(prefix)/share
mandir	= $(datadir)/man
docdir	= $(datadir)/doc/ktrace
# Where this Python looks for packages, if it is /usr/bin/python3.
debian = $(wildcard /etc/debian_version)
pythondir = $(if $(debian),$(if $(filter /usr,$(prefix)),/usr/lib/python3,$(python_lib))/dist-packages,\
$(python_lib)/site-packages)
python_lib = $(libdir)/$(shell $(PYTHON_CONFIG) --includes | sed 's/.*-I[^ ]*\(python3[.0-9]*\).*/\1/')
plugindir = $(libdir)/ktrace
libexec	= $(libexecdir)/ktrace
incdir	= $(includedir)/linux
# The headers that modules with templates of their own include.
probesdir = $(includedir)/ktrace
compdir	= $(datadir)/bash-completion/completions
# The folder in which Debian's zsh looks.
zshdir	= $(datadir)/zsh/$(if $(debian),$(if $(filter /usr,$(prefix)),vendor-completions,site-functions),site-functions)
fishdir	= $(datadir)/fish/vendor_completions.d
# Of modules; the kernel's own folder is fixed.
moddir	= $(DESTDIR)/lib/modules

install: all $(if $(shell command -v rst2man),man)	## install the tool, its manual, scripts, completion, and modules that were built
	$(Q)install -D -m 755 build/bin/ktrace $(DESTDIR)$(bindir)/ktrace
	$(Q)for f in $(PLUGIN_FILES) $(EXTENSIONS); do install -D -m 644 $$f $(DESTDIR)$(plugindir)/$${f##*/} || exit; done
	$(Q)for f in ktrace.h ktrace_dump.h ktrace_fields.def ktrace_vmcore.h; do \
		install -D -m 644 kmod/uapi/linux/$$f $(DESTDIR)$(incdir)/$$f || exit; \
	done
	$(Q)for f in kmod/probes/ktrace/*.h; do \
		install -D -m 644 $$f $(DESTDIR)$(probesdir)/$${f##*/} || exit; \
	done
	$(Q)for f in $$(find scripts/python -type f ! -name '*.pyc'); do \
		if [ -x $$f ]; then mode=755; else mode=644; fi; \
		install -D -m $$mode $$f $(DESTDIR)$(libexec)/$$f || exit; \
	done
	$(Q)for f in scripts/guest scripts/fetch-kernel scripts/release-root \
			$$(find scripts/lab -type f ! -name '*.pyc'); do \
		if head -n 1 $$f | grep -q '^#!.*sh$$'; then mode=755; else mode=644; fi; \
		install -D -m $$mode $$f $(DESTDIR)$(libexec)/$$f || exit; \
	done
	$(Q)install -D -m 644 user/page/colors.css $(DESTDIR)$(libexec)/user/page/colors.css
	$(Q)for f in scripts/metrics/* scripts/monitors/*; do install -D -m 644 $$f $(DESTDIR)$(libexec)/$$f || exit; done
	$(Q)for f in $(if $(MODULE),$$(find build/python/ktrace -type f ! -name '*.pyc')); do \
		install -D -m 644 $$f $(DESTDIR)$(pythondir)/ktrace/$${f##*/} || exit; \
	done
	$(if $(MODULE),$(Q)install -m 644 $(BINDING) $(DESTDIR)$(pythondir))
	$(Q)for f in $(MAN); do \
		[ ! -e $$f ] || install -D -m 644 $$f $(DESTDIR)$(mandir)/man$${f##*.}/$${f##*/} || exit; \
	done
	$(Q)for f in README.rst $(filter-out %.1.rst,$(wildcard Documentation/*.rst)); do \
		install -D -m 644 $$f $(DESTDIR)$(docdir)/$${f##*/} || exit; \
	done
	$(Q)for f in $(wildcard Documentation/pictures/*); do \
		install -D -m 644 $$f $(DESTDIR)$(docdir)/pictures/$${f##*/} || exit; \
	done
	$(Q)[ ! -e build/docs/index.html ] || (cd build/docs && find . -type f \
		-exec install -D -m 644 {} $(abspath $(DESTDIR)$(docdir))/html/{} \;)
	$(Q)for f in $$(find scripts/examples -type f); do \
		install -D -m 644 $$f $(DESTDIR)$(docdir)/$${f#scripts/} || exit; \
	done
	$(Q)complete() { \
		scripts/gen-completion --$$1 build/bin/ktrace > build/ktrace.$$1 && \
		install -D -m 644 build/ktrace.$$1 $(DESTDIR)$$2 || exit; \
	}; \
	if build/bin/ktrace --version >/dev/null 2>&1; then \
		complete bash $(compdir)/ktrace; \
		complete zsh $(zshdir)/_ktrace; \
		complete fish $(fishdir)/ktrace.fish; \
	else \
		echo "build/bin/ktrace does not run on this machine, so that completion is not installed"; \
	fi
	$(Q)for ko in $(wildcard build/modules/*/ktrace.ko build/modules/*/ktrace_probes.ko); do \
		rel=$${ko#build/modules/}; rel=$${rel%/*}; \
		install -D -m 644 $$ko $(moddir)/$$rel/extra/$${ko##*/} || exit; \
		grep kmod/ktrace build/kbuild/$$rel/Module.symvers \
			> $(moddir)/$$rel/extra/ktrace.symvers || exit; \
		[ -n "$(DESTDIR)" ] || depmod $$rel; \
	done

deb:	## build the Debian packages into build/deb
	@scripts/build-deb

rpm:	## build the packages for Fedora and openSUSE into build/rpm
	@scripts/build-rpm

wheel:	## build the wheel of `import ktrace` for /usr/bin/python3 into build/wheel (pip: pip install ./scripts/wheel)
	@/usr/bin/python3 scripts/wheel/build_ktrace.py

uninstall:	## remove what install put there
	rm -rf $(addprefix $(DESTDIR),$(plugindir) $(libexec) $(pythondir)/ktrace \
		$(patsubst scripts/python/binding/%,$(pythondir)/%,$(BINDING)) \
		$(probesdir) $(docdir))
	rm -f $(addprefix $(DESTDIR),$(bindir)/ktrace $(incdir)/ktrace.h $(incdir)/ktrace_dump.h \
		$(incdir)/ktrace_fields.def $(incdir)/ktrace_vmcore.h $(mandir)/man1/ktrace.1 \
		$(mandir)/man[17]/ktrace-*.[17] $(compdir)/ktrace $(zshdir)/_ktrace $(fishdir)/ktrace.fish)
	$(Q)for ko in $(moddir)/*/extra/ktrace.ko $(moddir)/*/extra/ktrace_probes.ko; do \
		[ -e $$ko ] || continue; \
		rm -f $$ko $${ko%/*}/ktrace.symvers; rel=$${ko%/extra/*}; [ -n "$(DESTDIR)" ] || depmod $${rel##*/}; \
	done

# In `make clean all`, clean must end before all begins.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

clean:	## remove everything that was built
	rm -rf build

help:	## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

FORCE:
.PHONY: all warnings unit modules check test test-all torture releases demo bench metrics style man docs install deb rpm wheel uninstall clean help FORCE
