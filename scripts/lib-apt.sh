# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# lib-apt.sh - Debian packages that are unpacked in the cache, not installed.
#
# Sourced after lib.sh, never run. Each suite and processor other than the machine's own
# has a private configuration of apt in the cache, with the machine's mirrors and an empty
# list of installed packages. It only downloads: nothing can be installed with it.

# The suites with kernels that are newer than the machine's release.
NEWER_SUITES="sid trixie-backports"
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Options of every apt command; empty for the machine's own configuration.
APT=()

# apt_get ARG...: apt-get without its download sandbox, which cannot write here.
apt_get()
{
	if [ "$(id -u)" -eq 0 ]; then
		set -- -o APT::Sandbox::User=root "$@"
	fi
	apt-get -qq ${APT[@]+"${APT[@]}"} "$@"
}

apt_cache() { apt-cache ${APT[@]+"${APT[@]}"} "$@"; }

# apt_update: fetch the package lists of the configuration in use.
apt_update()
{
	if [ ${#APT[@]} -gt 0 ]; then
		locked apt-newer apt_get update >&2
	else
		as_root apt-get -qq update >&2
	fi
}

need_apt()
{
	[ "$(uname -m)" = x86_64 ] || die "works on x86-64 only, and this is $(uname -m)"
	is_debian_12 || die "kernels come from Debian packages; on this distribution build against your own: make KDIR=..."
	if ! apt-cache show "$SOURCE_PACKAGE" >/dev/null 2>&1; then
		note "no package lists: apt-get update"
		as_root apt-get -qq update >&2
	fi
}

# machine_suites: print "LABEL MIRROR SUITE" for each of Debian's suites that this machine uses.
machine_suites()
{
	need_apt
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(ORIGIN)|$(COMPONENT)|$(LABEL) $(REPO_URI) $(RELEASE)' \
		"Created-By: Packages" | sed -n 's/^Debian|main|//p' | sort -u
}

# private_apt NAME ARCH SOURCES: configure apt for the rest of this shell: packages of ARCH
# from SOURCES, lines "MIRROR SUITE". Call it in a subshell to keep the machine's suites.
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
	APT=(-c "$dir/apt.conf")
	if ! cmp -s "$dir/sources.list.$$" "$dir/sources.list"; then
		mv -f "$dir/sources.list.$$" "$dir/sources.list"
		note "fetching the package lists of $(cut -d' ' -f2 <<<"$3" | xargs) for $2"
		# A mirror may lack one of the suites.
		apt_update || note "not all of the package lists could be fetched"
	fi
	rm -f "$dir/sources.list.$$"
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
	APT=()
	if [ "$1" = amd64 ]; then
		need_apt
		return
	fi
	sources=$(machine_suites | cut -d' ' -f2-)
	[ -n "$sources" ] || die "this machine's apt names no mirror of Debian"
	private_apt "own-$1" "$1" "$sources"
}

# newest_package PATTERN: print the newest of the packages whose whole name matches. If
# there is none, update the lists and try again.
newest_package()
{
	local name version newest='' newest_version='' attempt
	for attempt in 1 2; do
		while read -r name _; do
			version=$(candidate_version "$name")
			if [ -z "$newest" ] || dpkg --compare-versions "$version" gt "$newest_version"; then
				newest=$name newest_version=$version
			fi
		done < <(apt_cache search --names-only "^$1\$")
		[ -z "$newest" ] || break
		[ "$attempt" -eq 2 ] || apt_update || true
	done
	echo "$newest"
}

# download DIR PACKAGE[=VERSION]...: download into DIR; on failure update the lists and repeat.
download()
{
	local dir=$1
	shift
	(cd "$dir" && apt_get download "$@" >&2) && return
	note "download failed: apt-get update, and again"
	apt_update
	(cd "$dir" && apt_get download "$@" >&2)
}

# unpack DIR PACKAGE_FILE...: unpack into DIR, without documentation.
unpack()
{
	local dir=$1 deb
	shift
	for deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" --exclude ./usr/share .
	done
}

# first_dependency PACKAGE PATTERN: print the first dependency of PACKAGE that matches.
first_dependency()
{
	apt_cache depends --important "$1" 2>/dev/null |
		awk -v re="^$2" '/Depends:/ && $NF ~ re { print $NF; exit }'
}

candidate_version() { apt_cache policy "$1" | awk '/Candidate:/ { print $2 }'; }
