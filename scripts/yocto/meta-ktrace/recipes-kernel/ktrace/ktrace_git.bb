# SPDX-License-Identifier: GPL-2.0
SUMMARY = "Tracer for Linux kernel events, with Python scripts"
DESCRIPTION = "Records events of the Linux kernel, prints them, and hands them to Python scripts. \
It works on any kernel with perf_event; the module in ktrace-module makes recording cheaper."
SECTION = "devel"
require ktrace.inc

inherit pkgconfig python3-dir ${@bb.utils.contains('PACKAGECONFIG', 'libpython', 'python3targetconfig', '', d)}

DEPENDS = "libtraceevent elfutils"

# Each library by its name in user/lib/libraries.def: what is not chosen is named to make.
PACKAGECONFIG ??= "libdw libpython zstd sqlite ncurses lzma zlib libiberty"
PACKAGECONFIG[libdw] = ",libdw,elfutils"
PACKAGECONFIG[libpython] = ",libpython,python3"
PACKAGECONFIG[zstd] = ",zstd,zstd"
PACKAGECONFIG[libbpf] = ",libbpf,libbpf"
PACKAGECONFIG[sqlite] = ",sqlite,sqlite3"
PACKAGECONFIG[ncurses] = ",ncurses,ncurses"
PACKAGECONFIG[libedit] = ",libedit,libedit"
PACKAGECONFIG[llvm] = ",llvm,llvm"
PACKAGECONFIG[libdebuginfod] = ",libdebuginfod,elfutils"
PACKAGECONFIG[libarchive] = ",libarchive,libarchive"
PACKAGECONFIG[json-c] = ",json-c,json-c"
PACKAGECONFIG[lzma] = ",lzma,xz"
PACKAGECONFIG[zlib] = ",zlib,zlib"
PACKAGECONFIG[lzo] = ",lzo,lzo"
PACKAGECONFIG[libiberty] = ",libiberty,binutils"

EXTRA_OEMAKE = "'CC=${CC}' 'NM=${NM}' 'CFLAGS=${CFLAGS}' 'CPPFLAGS=${CPPFLAGS}' 'LDFLAGS=${LDFLAGS}' \
    'WITHOUT=${PACKAGECONFIG_CONFARGS}' PYTHON_CONFIG=python3-config CCACHE= \
    prefix=${prefix} exec_prefix=${exec_prefix} bindir=${bindir} libdir=${libdir} \
    libexecdir=${libexecdir} includedir=${includedir} datadir=${datadir} mandir=${mandir} \
    docdir=${docdir}/ktrace sysconfdir=${sysconfdir} pythondir=${PYTHON_SITEPACKAGES_DIR} \
    zshdir=${datadir}/zsh/site-functions"

do_configure[noexec] = "1"

do_compile() {
    oe_runmake all
}

do_install() {
    oe_runmake install DESTDIR=${D}
}

PACKAGES =+ "python3-ktrace-perf python3-ktrace"
FILES:python3-ktrace-perf = "${PYTHON_SITEPACKAGES_DIR}/perf*.py"
FILES:python3-ktrace = "${PYTHON_SITEPACKAGES_DIR}"
FILES:${PN} += "${datadir}/zsh ${datadir}/fish ${datadir}/bash-completion"
RDEPENDS:${PN} += "bash ${@bb.utils.contains('PACKAGECONFIG', 'libpython', 'python3-core', '', d)}"
RDEPENDS:python3-ktrace = "python3-core"
RDEPENDS:python3-ktrace-perf = "python3-ktrace"
RRECOMMENDS:${PN} = "ktrace-module"
