# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib-apt.sh - Debian packages that are unpacked in the cache, not installed.
#
# Sourced after lib.sh, never run. The suites of the machine and the newer ones have, for each
# processor, a private configuration of apt in the cache, with the machine's mirrors and an empty
# list of installed packages. It only downloads: nothing can be installed with it.

# A function that fills the cache may run in $(...), where bash would clear set -e, and a failed
# download would leave a directory that is marked as complete.
shopt -s inherit_errexit

SOURCE_PACKAGE=linux-source-6.12

# The suites with kernels that are newer than the machine's release.
NEWER_SUITES="sid trixie-backports"
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_get ARG..., apt_cache ARG...: with the configuration in use. apt-get of root would download as
# another user, who cannot write here.
apt_get()
{
	if [ "$(id -u)" -eq 0 ]; then
		set -- -o APT::Sandbox::User=root "$@"
	fi
	apt-get -qq -c "$APT" "$@"
}

apt_cache() { apt-cache -c "$APT" "$@"; }

# machine_suites: print "LABEL MIRROR SUITE" for each of Debian's suites that this machine uses.
machine_suites()
{
	[ "$(uname -m)" = x86_64 ] || die "works on x86-64 only, and this is $(uname -m)"
	is_debian_12 || die "kernels come from Debian packages; on this distribution build against your own: make KDIR=..."
	if ! apt-cache show "$SOURCE_PACKAGE" >/dev/null 2>&1; then
		note "no package lists: apt-get update"
		as_root apt-get -qq update >&2 || note "not all of the package lists could be fetched"
	fi
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(ORIGIN)|$(COMPONENT)|$(LABEL) $(REPO_URI) $(RELEASE)' \
		"Created-By: Packages" | sed -n 's/^Debian|main|//p' | sort -u
}

# private_apt NAME ARCH SOURCES: configure apt for the rest of this shell: packages of ARCH
# from SOURCES, lines "MIRROR SUITE". Fetches the package lists.
private_apt()
{
	local dir=$CACHE/apt/$1 mirror suite
	[ -e "$KEYRING" ] || die "no $KEYRING: install the package debian-archive-keyring"
	mkdir -p "$dir/lists/partial" "$dir/archives/partial"
	touch "$dir/status"
	while read -r mirror suite; do
		echo "deb [signed-by=$KEYRING] $mirror $suite main"
	done <<<"$3" >"$dir/sources.list.$$"
	cat >"$dir/apt.conf.$$" <<-CONF
		#clear APT::Architectures;
		APT::Architecture "$2";
		APT::Architectures { "$2"; };
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State "$dir";
		Dir::State::lists "$dir/lists";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir";
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	CONF
	mv -f "$dir/apt.conf.$$" "$dir/apt.conf"
	mv -f "$dir/sources.list.$$" "$dir/sources.list"
	APT=$dir/apt.conf
	note "fetching the package lists of $(cut -d' ' -f2 <<<"$3" | xargs) for $2"
	# A mirror may lack one of the suites.
	locked apt-newer apt_get update >&2 || note "not all of the package lists could be fetched"
}

# newer_suites [ARCH]: configure apt for $NEWER_SUITES.
newer_suites()
{
	local arch=${1:-amd64} mirror suite name=newer
	mirror=$(machine_suites | awk '$1 == "Debian" { print $2; exit }')
	[ -n "$mirror" ] || die "this machine's apt names no mirror of Debian: newer kernels cannot be fetched"
	[ "$arch" = amd64 ] || name=newer-$arch
	private_apt "$name" "$arch" "$(for suite in $NEWER_SUITES; do echo "$mirror $suite"; done)"
}

# own_suites ARCH: configure apt for the suites of this machine, and for ARCH.
own_suites()
{
	local sources
	sources=$(machine_suites | cut -d' ' -f2-)
	[ -n "$sources" ] || die "this machine's apt names no mirror of Debian"
	private_apt "own-$1" "$1" "$sources"
}

# newest_package PATTERN: print the newest of the packages whose whole name matches.
newest_package()
{
	local name version newest='' newest_version=''
	while read -r name _; do
		version=$(candidate_version "$name")
		if [ -z "$newest" ] || dpkg --compare-versions "$version" gt "$newest_version"; then
			newest=$name newest_version=$version
		fi
	done < <(apt_cache search --names-only "^$1\$")
	echo "$newest"
}

# download DIR PACKAGE[=VERSION]...: download into DIR.
download() { (cd "$1" && apt_get download "${@:2}" >&2); }

# unpack DIR PACKAGE_FILE...: unpack into DIR, without documentation.
unpack()
{
	local dir=$1 deb
	shift
	for deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" --exclude ./usr/share .
	done
}

# begin_dir DIR: make the directory $tmp, which gets the name DIR when it is complete, and $tmp/deb.
begin_dir()
{
	mkdir -p "${1%/*}"
	tmp=$(mktemp -d "${1%/*}/.tmp.XXXXXX")
	# shellcheck disable=SC2064
	trap "rm -rf '$tmp'" EXIT
	mkdir -p "$tmp/deb/partial"
}

# end_dir DIR: the directory is complete, without $tmp/deb.
end_dir()
{
	rm -r "$tmp/deb"
	touch "$tmp/complete"
	rm -rf "$1"
	mv -T "$tmp" "$1"
	trap - EXIT
}

# first_dependency PACKAGE PATTERN: print the first dependency of PACKAGE that matches; nothing if
# the package lists do not have PACKAGE.
first_dependency()
{
	apt_cache depends --important "$1" 2>/dev/null |
		awk -v re="^$2" '/Depends:/ && $NF ~ re && !n++ { print $NF }' || true
}

candidate_version() { apt_cache policy "$1" | awk '/Candidate:/ { print $2 }'; }
