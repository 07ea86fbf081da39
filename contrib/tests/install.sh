#!/usr/bin/env bash
# contrib/install: that each choice puts what it is to put, and nothing else; and that all of it goes away again. The
# programs are stand-ins.
#
# usage: contrib/tests/install.sh BINARIES
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
project=$(readlink -f "$here/../..")
source "$here/checks.bash"

place=$(mktemp -d --suffix=-pickerd-install-test)
trap 'rm -rf -- "$place"' EXIT
export HOME=$place/home PICKERD_BINARIES=$place/built
unset XDG_DATA_HOME XDG_CONFIG_HOME
mkdir "$place/home" "$place/built"
for program in pickerd pickerctl pickerd-desktop text-facts thumbnailer; do
    printf '#!/bin/sh\necho "%s $*"\n' "$program" >"$place/built/$program"
done
chmod 755 "$place"/built/*

prefix=$place/prefix
install_with() { "$project/contrib/install" --prefix "$prefix" "$@"; }
files() { (cd "$prefix" && find . ! -type d -printf '%P\n' | LC_ALL=C sort); }
folders() { (cd "$prefix" && find . -mindepth 1 -type d -printf '%P\n' | LC_ALL=C sort); }
expected() { printf '%s\n' "$@" | LC_ALL=C sort; }

daemon=(
    bin/pickerctl bin/pickerd lib/systemd/user/pickerd.service lib/systemd/user/pickerd.socket
    share/bash-completion/completions/{pickerctl,pickerd} share/fish/vendor_completions.d/{pickerctl,pickerd}.fish
    share/man/man1/{pickerctl,pickerd}.1 share/man/man7/pickerd-protocol.7 share/zsh/site-functions/_pickerctl
)
entry=(
    bin/pickerd-open share/pickerd/pickers/pickerd-open share/man/man1/pickerd-open.1
    share/applications/pickerd-pick.desktop share/icons/hicolor/scalable/apps/pickerd.svg
)
pickers=(
    {bin,share/pickerd/pickers}/pickerd-{fzf,menu,rofi,waybar} share/man/man1/pickerd-{fzf,menu,rofi,waybar}.1
    share/pickerd/pickers/documents.bash share/pickerd/vim/plugin/pickerd.vim share/nvim/site/plugin/pickerd.lua
    share/nvim/site/lua/pickerd.lua share/nvim/site/lua/telescope/_extensions/pickerd.lua
)
desktop=(
    bin/pickerd-desktop lib/systemd/user/pickerd-desktop.service share/man/man1/pickerd-desktop.1
    share/dbus-1/services/org.pickerd.Desktop.service share/gnome-shell/search-providers/pickerd.ini
    share/krunner/dbusplugins/pickerd.desktop share/xdg-desktop-portal/portals/pickerd.portal
)

# ---- Each choice ----------------------------------------------------------------------------------

check "the daemon is installed" install_with
check "that is all unless more is asked for" equal "$(files)" "$(expected "${daemon[@]}")"
check "it is uninstalled" install_with --uninstall
check "the pickers are installed" install_with --pickers
check "they are these" equal "$(files)" "$(expected "${daemon[@]}" "${entry[@]}" "${pickers[@]}")"
check "they are uninstalled" install_with --uninstall
check "what a desktop needs is installed" install_with --desktop
check "it is this" equal "$(files)" "$(expected "${daemon[@]}" "${entry[@]}" "${desktop[@]}")"
check "for one who uninstalls, the linked service of the desktop is named" \
    grep -qF pickerd-desktop.service <<<"$(install_with --uninstall)"
check "and not for one who has none" fails grep -qF pickerd-desktop.service <<<"$(install_with --uninstall)"

# ---- All of it, beside what somebody else has -------------------------------------------------------

mkdir -p "$prefix"/{bin,share/applications,share/pickerd/plugins/own,share/nvim/site/lua}
echo other | tee "$prefix"/{bin/other,share/applications/other.desktop,share/pickerd/plugins/own/plugin.json} \
    >"$prefix/share/nvim/site/lua/other.lua"
before=$(files)
all_folders=$(folders)
said=$(install_with --plugins --pickers --desktop || echo "failed")
check "all is installed" fails grep -qx failed <<<"$said"
# In the folders whose files are installed, but for what people read.
left_out() {
    source "$project/contrib/installed.bash"
    local listed
    listed=$(list_installed daemon plugins pickers entry desktop | cut -d' ' -f3)
    (cd "$project" && find systemd contrib/{desktop,man,pickers} contrib/plugins/*/ ! -type d ! -name README.md \
        ! -name '*.swift' ! -path '*/__pycache__/*') | sed 's|//*|/|g' | grep -vxF "$listed"
}
check "no file of these folders is left out" silent "$(left_out)"
check "no folder of the programs is still to be put in" silent "$(grep -rl @BINDIR@ "$prefix")"
check "the entry of the menu starts a program that is there" \
    test -x "$(sed -n 's/^Exec=//p' "$prefix/share/applications/pickerd-pick.desktop")"
check "so does the bus" test -x "$(sed -n 's/^Exec=//p' "$prefix/share/dbus-1/services/org.pickerd.Desktop.service")"
check "all links lead to files" silent "$(find "$prefix" -xtype l)"
executed() { (cd "$prefix" && find . -type f -perm /111 -printf '%P\n' | LC_ALL=C sort); }
check "what is executed is executable, and nothing else" equal "$(executed)" "$(expected \
    bin/{pickerd,pickerctl,pickerd-desktop} libexec/pickerd/{text-facts,thumbnailer} \
    share/pickerd/pickers/pickerd-{fzf,menu,open,rofi,waybar} \
    share/pickerd/plugins/{git/git-state,image/image-facts,image-strip/image-strip,recent/recent})"
check "the sources are noted, for plugins in Swift" equal "$(<"$prefix/share/pickerd/swift-package")" "$project"
check "systemd is shown the units that it would not find" \
    grep -qE "^    systemctl --user link( $prefix/lib/systemd/user/pickerd(-desktop)?\.(socket|service)){3}$" <<<"$said"
check "another version is put over it" install_with --plugins --pickers --desktop
check "all is uninstalled" install_with --uninstall
check "what somebody else has is left, and nothing more" equal "$(files)" "$before"
check "folders that are empty are gone, too" equal "$(folders)" "$(expected "$all_folders" libexec)"
check "there is nothing more to uninstall" grep -q '^Removed 0 files' <<<"$(install_with --uninstall)"

# ---- What is wrong ----------------------------------------------------------------------------------

refused() { # refused WORDS ARGUMENT…: with status 2 and these words
    local status=0 said
    said=$("$project/contrib/install" "${@:2}" 2>&1) || status=$?
    [[ $status == 2 && $said == *"$1"* ]] || { echo "status $status: $said"; return 1; }
}
check "an unknown argument is refused" refused "unknown argument '--picker'" --prefix "$prefix" --picker
check "so is a prefix that a unit can't hold" refused "can't stand in a unit file" --prefix "$place/two words"
check "and one that a desktop entry can't hold" refused "can't stand in a desktop entry" --prefix "$place/a;b" --desktop
check "without one, that is no matter" install_with --prefix "$place/a;b"
check "nothing was put there" silent "$(find "$place" -name 'two words')"
finish
