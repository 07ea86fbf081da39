# What is installed, and where: the one list for contrib/install and contrib/package, which source this.
#
# They set the folders in which programs and data of the user's system are, before they call anything here:
#   folders    by name: bin, libexec, units, man, bash, zsh, fish, vim, nvim, share
#   project    the sources
# They choose among these parts:
#   daemon     pickerd and pickerctl
#   plugins    those of contrib/plugins, and what plugins in Python are made with
#   pickers    those of contrib/pickers for terminals, menus, bars and editors
#   entry      pickerd-open, which a click on a bar or in a menu starts, the entry of menus, and the icon
#   desktop    pickerd-desktop, and what desktops find it by

: "${project:?the sources}"
declare -A folders=()

# list_installed PART…: a line for each file of these parts, MODE HOW SOURCE PLACE. A PLACE begins with the name of a
# folder. HOW says what the SOURCE is:
#   program      a program of the build, by its name
#   file         a file of the project; links are followed, so each plugin has a kit of its own, which no later version
#                changes
#   template     the same, with the folder of the programs put in
#   completion   a shell, for which pickerctl prints what it completes
#   link         the place that the link leads to
# The daemon looks for plugins in share, where they are off, and in lib, where they would be on. Programs that depend on
# the machine are not to be in share, so those in Swift have links.
list_installed() {
    local part line
    while read -r part line; do
        if [[ -n $part && " $* " == *" $part "* ]]; then printf '%s\n' "$line"; fi
    done <<'LIST'
daemon 755 program pickerd bin/pickerd
daemon 755 program pickerctl bin/pickerctl
daemon 644 template systemd/pickerd.service units/pickerd.service
daemon 644 template systemd/pickerd.socket units/pickerd.socket
daemon 644 file contrib/man/pickerd.1 man/man1/pickerd.1
daemon 644 file contrib/man/pickerctl.1 man/man1/pickerctl.1
daemon 644 file contrib/man/pickerd-protocol.7 man/man7/pickerd-protocol.7
daemon 644 completion bash bash/pickerctl
daemon 644 completion bash bash/pickerd
daemon 644 completion zsh zsh/_pickerctl
daemon 644 completion fish fish/pickerctl.fish
daemon 644 completion fish fish/pickerd.fish

plugins 644 file contrib/clients/pickerd_plugin.py share/pickerd/python/pickerd_plugin.py
plugins 755 file contrib/plugins/git/git-state share/pickerd/plugins/git/git-state
plugins 644 file contrib/plugins/git/pickerd_plugin.py share/pickerd/plugins/git/pickerd_plugin.py
plugins 644 file contrib/plugins/git/plugin.json share/pickerd/plugins/git/plugin.json
plugins 755 file contrib/plugins/image/image-facts share/pickerd/plugins/image/image-facts
plugins 644 file contrib/plugins/image/imagefacts.py share/pickerd/plugins/image/imagefacts.py
plugins 644 file contrib/plugins/image/pickerd_plugin.py share/pickerd/plugins/image/pickerd_plugin.py
plugins 644 file contrib/plugins/image/plugin.json share/pickerd/plugins/image/plugin.json
plugins 755 file contrib/plugins/image-strip/image-strip share/pickerd/plugins/image-strip/image-strip
plugins 644 file contrib/plugins/image-strip/imagestrip.py share/pickerd/plugins/image-strip/imagestrip.py
plugins 644 file contrib/plugins/image-strip/pickerd_plugin.py share/pickerd/plugins/image-strip/pickerd_plugin.py
plugins 644 file contrib/plugins/image-strip/plugin.json share/pickerd/plugins/image-strip/plugin.json
plugins 644 file contrib/plugins/recent/pickerd_plugin.py share/pickerd/plugins/recent/pickerd_plugin.py
plugins 644 file contrib/plugins/recent/plugin.json share/pickerd/plugins/recent/plugin.json
plugins 755 file contrib/plugins/recent/recent share/pickerd/plugins/recent/recent
plugins 755 program text-facts libexec/pickerd/text-facts
plugins 777 link libexec/pickerd/text-facts share/pickerd/plugins/text/text-facts
plugins 644 file contrib/plugins/text/plugin.json share/pickerd/plugins/text/plugin.json
plugins 755 program thumbnailer libexec/pickerd/thumbnailer
plugins 777 link libexec/pickerd/thumbnailer share/pickerd/plugins/thumbnails/thumbnailer
plugins 644 file contrib/plugins/thumbnails/plugin.json share/pickerd/plugins/thumbnails/plugin.json

pickers 644 file contrib/pickers/documents.bash share/pickerd/pickers/documents.bash
pickers 755 file contrib/pickers/pickerd-fzf share/pickerd/pickers/pickerd-fzf
pickers 755 file contrib/pickers/pickerd-menu share/pickerd/pickers/pickerd-menu
pickers 755 file contrib/pickers/pickerd-rofi share/pickerd/pickers/pickerd-rofi
pickers 755 file contrib/pickers/pickerd-waybar share/pickerd/pickers/pickerd-waybar
pickers 777 link share/pickerd/pickers/pickerd-fzf bin/pickerd-fzf
pickers 777 link share/pickerd/pickers/pickerd-menu bin/pickerd-menu
pickers 777 link share/pickerd/pickers/pickerd-rofi bin/pickerd-rofi
pickers 777 link share/pickerd/pickers/pickerd-waybar bin/pickerd-waybar
pickers 644 file contrib/man/pickerd-fzf.1 man/man1/pickerd-fzf.1
pickers 777 link man/man1/pickerd-fzf.1 man/man1/pickerd-menu.1
pickers 777 link man/man1/pickerd-fzf.1 man/man1/pickerd-rofi.1
pickers 777 link man/man1/pickerd-fzf.1 man/man1/pickerd-waybar.1
pickers 644 file contrib/pickers/vim/plugin/pickerd.vim vim/plugin/pickerd.vim
pickers 644 file contrib/pickers/nvim/plugin/pickerd.lua nvim/plugin/pickerd.lua
pickers 644 file contrib/pickers/nvim/lua/pickerd.lua nvim/lua/pickerd.lua
pickers 644 file contrib/pickers/nvim/lua/telescope/_extensions/pickerd.lua nvim/lua/telescope/_extensions/pickerd.lua

entry 755 file contrib/pickers/pickerd-open share/pickerd/pickers/pickerd-open
entry 777 link share/pickerd/pickers/pickerd-open bin/pickerd-open
entry 644 file contrib/man/pickerd-open.1 man/man1/pickerd-open.1
entry 644 template contrib/pickers/pickerd-pick.desktop share/applications/pickerd-pick.desktop
entry 644 file contrib/pickers/pickerd.svg share/icons/hicolor/scalable/apps/pickerd.svg

desktop 755 program pickerd-desktop bin/pickerd-desktop
desktop 644 template systemd/pickerd-desktop.service units/pickerd-desktop.service
desktop 644 template contrib/desktop/org.pickerd.Desktop.service share/dbus-1/services/org.pickerd.Desktop.service
desktop 644 file contrib/desktop/gnome-shell.ini share/gnome-shell/search-providers/pickerd.ini
desktop 644 file contrib/desktop/krunner.desktop share/krunner/dbusplugins/pickerd.desktop
desktop 644 file contrib/desktop/pickerd.portal share/xdg-desktop-portal/portals/pickerd.portal
desktop 644 file contrib/man/pickerd-desktop.1 man/man1/pickerd-desktop.1
LIST
}

# path_of PLACE: where it is.
path_of() { printf '%s\n' "${folders[${1%%/*}]}/${1#*/}"; }

# remove_installed PLACE: takes it away again, and the folders around it that are empty then, as dpkg does, up to those
# that everything else is below. Fails if nothing is there.
remove_installed() {
    local file folder
    file=$(path_of "$1")
    [[ -e $file || -L $file ]] || return 1
    rm -- "$file"
    folder=${file%/*}
    while [[ $folder != "${folders[bin]}" && $folder != "${folders[libexec]}" && $folder != "${folders[share]}" &&
        $folder != "${folders[units]}" ]] && rmdir -- "$folder" 2>/dev/null; do
        folder=${folder%/*}
    done
}

# programs_of PART…: the programs that are to be built for them.
programs_of() { list_installed "$@" | sed -n 's/^[0-7]* program \([^ ]*\) .*/\1/p'; }

# put_installed ROOT BINARIES PART…: puts these parts below ROOT, which is empty for the system itself. BINARIES is the
# folder of what was built.
put_installed() {
    local root=$1 binaries=$2 lines line mode how source place target
    shift 2
    mapfile -t lines < <(list_installed "$@")
    for line in "${lines[@]}"; do
        read -r mode how source place <<<"$line"
        target=$root$(path_of "$place")
        mkdir -p -- "${target%/*}"
        case $how in
            program) install -m "$mode" -- "$binaries/$source" "$target" ;;
            file) install -m "$mode" -- "$project/$source" "$target" ;;
            template) sed "s|@BINDIR@|${folders[bin]//&/\\&}|" "$project/$source" >"$target" ;;
            # They are read by shells, and executed by none.
            completion)
                "$binaries/pickerctl" --generate-completion-script "$source" </dev/null | sed '1{/^#!/d}' >"$target"
                ;;
            # Beside each other, so that the link holds wherever ROOT is seen from.
            link) ln -sfn --relative -- "$root$(path_of "$source")" "$target" ;;
        esac
        if [[ $how != link ]]; then chmod "$mode" -- "$target"; fi
    done
}
