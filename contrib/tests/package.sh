#!/usr/bin/env bash
# The packages of contrib/package: what is in them, that they are reproducible, that lintian accepts them; and how they
# are installed, upgraded, removed and purged in a new Debian 12 (made by debootstrap) under a real systemd, while a user's
# manager runs. That system is kept beside the programs for the next run.
#
# usage: contrib/tests/package.sh BINARIES   (a folder below the project that holds the programs)
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
project=$(readlink -f "$here/../..")
source "$here/checks.bash"

binaries=$(readlink -f "${*: -1}")
place=$binaries/packages
system=$place/system
debs() { printf '%s\n' "$place/$1"/*.deb; } # debs one|two
name() { basename "$(debs one | grep "/$1_")"; }

if [[ ${1:-} == --inside ]]; then
    source "$here/package_inside.bash"
    finish
fi
[[ $binaries == "$project"/* ]] || { echo "not ok - $binaries is not below $project"; exit 1; }
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" >/dev/null || skip_all "the packages: $tool is missing (Debian: apt-get install dpkg-dev)"
done

# ---- A system, in the meantime --------------------------------------------------------------------

mirror=${PICKERD_TEST_MIRROR:-http://deb.debian.org/debian}
# Why there can be none, if so.
no_system() {
    if ((EUID != 0)); then echo "it takes root"; return; fi
    command -v debootstrap >/dev/null || { echo "debootstrap is missing (Debian: apt-get install debootstrap)"; return; }
    [[ -e $system.made ]] || timeout 20 /usr/lib/apt/apt-helper download-file "$mirror/dists/bookworm/Release" \
        "$place/Release" >/dev/null 2>&1 || echo "$mirror can't be reached"
}
make_system() {
    [[ -e $system.made ]] && return
    rm -rf --one-file-system -- "$system"
    # With what the packages depend on, but for libraries: those are asked for by name once they are known.
    debootstrap --variant=minbase --include=systemd,python3 bookworm "$system" "$mirror"
}
mkdir -p "$place"
reason=$(no_system)
making=''
if [[ -z $reason ]]; then
    make_system >"$system.log" 2>&1 &
    making=$!
fi

# ---- The packages ---------------------------------------------------------------------------------

# Fast, and not small: how they are compressed is not what is tested.
export DPKG_DEB_COMPRESSOR_TYPE=gzip DPKG_DEB_COMPRESSOR_LEVEL=1 SOURCE_DATE_EPOCH=1790000000
rm -rf -- "$place"/{one,again,two}
package() { "$project/contrib/package" deb --binaries "$binaries" --output "$place/$1" "${@:2}"; }
elsewhere() {
    umask 077
    cd /
    TZ=Asia/Tokyo LC_ALL=C LANG=C HOME=/nonexistent package again
}
check "the packages are made" package one
check "and again, in other circumstances" elsewhere
check "another version is made" package two --revision 2
for package in pickerd pickerd-plugins pickerd-desktop; do
    check "the same sources and programs give the same bytes of $package" \
        cmp "$place/one/$(name "$package")" "$place/again/$(name "$package")"
done
version=$("$binaries/pickerd" --version)
version=${version#pickerd }-1
check "the version is that of the programs" equal "$(dpkg-deb -f "$place/one/$(name pickerd)" Version)" "$version"
field_has() { grep -qF -- "$3" <<<"$(dpkg-deb -f "$place/one/$(name "$1")" "$2")"; } # field_has PACKAGE FIELD WORDS
for library in libjson-c5 libsqlite3-0 libsystemd0 libutf8proc2 zlib1g; do
    check "pickerd depends on $library" field_has pickerd Depends "$library ("
done
for needed in "pickerd (= $version)" libjson-c5 "python3 (>= 3.11)"; do
    check "pickerd-plugins depends on $needed" field_has pickerd-plugins Depends "$needed"
done
for needed in "pickerd (= $version)" libsystemd0 "dbus-session-bus"; do
    check "pickerd-desktop depends on $needed" field_has pickerd-desktop Depends "$needed"
done
check "pickerd-plugins recommends what it calls" \
    field_has pickerd-plugins Recommends "git, libgdk-pixbuf2.0-bin, poppler-utils"

# Lines such as "-rwxr-xr-x root/root usr/bin/pickerd".
contents=$(for deb in "$place"/one/*.deb; do dpkg-deb -c "$deb"; done | awk '{ print $1, $2, substr($6, 3) }')
has() { grep -qxF -- "$1 root/root $2" <<<"$contents" || { grep -F -- "$2" <<<"$contents"; false; }; } # has MODE PATH
for file in usr/bin/{pickerd,pickerctl,pickerd-desktop} usr/libexec/pickerd/{text-facts,thumbnailer} \
    usr/share/pickerd/plugins/git/git-state usr/share/pickerd/plugins/recent/recent \
    usr/share/pickerd/pickers/pickerd-{fzf,menu,open,rofi,waybar}; do
    check "$file can be executed" has -rwxr-xr-x "$file"
done
for file in usr/lib/systemd/user/{pickerd.socket,pickerd.service,pickerd-desktop.service} \
    usr/share/man/man1/{pickerctl,pickerd-desktop,pickerd-fzf,pickerd-open}.1.gz \
    usr/share/{dbus-1/services/org.pickerd.Desktop.service,gnome-shell/search-providers/pickerd.ini} \
    usr/share/{krunner/dbusplugins/pickerd.desktop,xdg-desktop-portal/portals/pickerd.portal} \
    usr/share/{applications/pickerd-pick.desktop,icons/hicolor/scalable/apps/pickerd.svg} \
    usr/share/man/man7/pickerd-protocol.7.gz usr/share/bash-completion/completions/pickerctl \
    usr/share/zsh/vendor-completions/_pickerctl usr/share/fish/vendor_completions.d/pickerctl.fish \
    usr/share/doc/pickerd/{copyright,changelog.Debian.gz,README.md,README.Debian} \
    usr/share/doc/pickerd-{plugins,desktop}/{copyright,changelog.Debian.gz} \
    usr/share/pickerd/python/pickerd_plugin.py; do
    check "$file is there" has -rw-r--r-- "$file"
done
check "all is root's, and written by nobody else" silent \
    "$(grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) root/root ' <<<"$contents")"
files=$(grep -vE '^d|usr/share/(doc|lintian)/' <<<"$contents")
listed=$(grep -cE '^[a-z]+ [0-7]{3} ' "$project/contrib/installed.bash")
check "what is in the list is in the packages" equal "$(wc -l <<<"$files")" "$listed"
check "and no file is in two" silent "$(sort <<<"$files" | uniq -d)"
# Swift's sources are not, nor what builds and tests leave; links to kits are files there.
unpacked() {
    (cd "$project/contrib/plugins" && find ./*/ ! -type d ! -name '*.swift' ! -path '*/__pycache__/*' -print) |
        sed 's|^\./||' |
        while read -r file; do
            grep -qE -- "^-rw.r..r.. root/root usr/share/pickerd/plugins/$file\$" <<<"$contents" || echo "$file"
        done
}
check "all files of the plugins are there" silent "$(unpacked)"

mkdir -p "$place/unpacked"
rm -rf -- "$place/unpacked"
for deb in "$place"/one/*.deb; do dpkg-deb -x "$deb" "$place/unpacked"; done
for program in bin/pickerd bin/pickerctl bin/pickerd-desktop libexec/pickerd/text-facts libexec/pickerd/thumbnailer; do
    check "$program is stripped" silent "$(readelf -SW "$place/unpacked/usr/$program" | grep -E '\.(symtab|debug_)')"
done
check "the unit starts the program of the package" \
    grep -qx 'ExecStart=/usr/bin/pickerd' "$place/unpacked/usr/lib/systemd/user/pickerd.service"
check "the bus starts that of the package" \
    grep -qx 'Exec=/usr/bin/pickerd-desktop' "$place/unpacked/usr/share/dbus-1/services/org.pickerd.Desktop.service"
check "so do menus" \
    grep -qx 'Exec=/usr/bin/pickerd-open' "$place/unpacked/usr/share/applications/pickerd-pick.desktop"
check "all links lead to files of the packages" silent "$(find "$place/unpacked" -xtype l)"
# has_pick EDITOR FOLDER: as a user of it would, whose editor looks for packages in that folder.
has_pick() {
    "$1" -es -u NONE --cmd "set packpath^=$place/unpacked/usr/share/$2" -c 'packadd pickerd' \
        -c 'execute exists(":Pick") ? "qa!" : "cq"' </dev/null
}
if command -v vim >/dev/null; then check "Vim adds the package" has_pick vim vim/vimfiles; fi
if command -v nvim >/dev/null; then check "Neovim adds the package" has_pick nvim nvim/runtime; fi
rm -rf -- "$place/unpacked"

if command -v lintian >/dev/null; then
    # Programs of a debug build look for the libraries of the toolchain, in its folder.
    suppressed=()
    if readelf -d "$binaries/pickerd" | grep -q 'NEEDED.*libswiftCore'; then
        suppressed=(--suppress-tags custom-library-search-path)
    fi
    mapfile -t found < <(debs one)
    check "lintian has no error and no warning" silent \
        "$(lintian --allow-root --fail-on none "${suppressed[@]}" "${found[@]}" 2>&1)"
else
    echo "skip - what lintian says: it is missing (Debian: apt-get install lintian)"
fi

# ---- In the system --------------------------------------------------------------------------------

if [[ -n $reason ]]; then
    echo "skip - the packages in a new system: $reason"
    finish
fi
made=0
wait "$making" || made=$?
check "debootstrap makes a system" equal "$made" 0
if ((made)); then
    tail -n 20 "$system.log" | sed 's/^/    /'
    finish
fi
touch "$system.made"
# The packages' own come with them, and these are what apt finds.
needed=$(for deb in "$place"/one/*.deb; do dpkg-deb -f "$deb" Depends; done | tr '\n' ',' |
    sed 's/,$//; s/pickerd (= [^)]*), //g')
check "what the packages depend on is installed" env DEBIAN_FRONTEND=noninteractive \
    chroot "$system" apt-get satisfy -qq -y --no-install-recommends "$needed"
# Libraries of the toolchain, with which programs of a debug build are linked, at their place.
for program in pickerd pickerctl pickerd-desktop text-facts thumbnailer; do ldd "$binaries/$program"; done |
    sed -n 's|.* => \(/.*\) (0x.*|\1|p' | sort -u | while read -r library; do
    [[ -e $system$library ]] || install -D -m 755 "$library" "$system$library"
done
status=0
"$project/contrib/with-systemd" --seconds 300 --system "$system" contrib/tests/package.sh --inside \
    "/project/${binaries#"$project"/}" 2>"$place/reason" || status=$?
if ((status == 77)); then
    echo "skip - the packages in a new system: $(<"$place/reason")"
else
    cat "$place/reason" >&2
    if ((status)); then failures=$((failures + 1)); fi
    if ((status > 1)); then echo "not ok - the packages in a new system: ended with status $status"; fi
fi
finish
