# What is installed, and where: the one list for contrib/install and contrib/package, which source this.
#
# They set the folders in which programs and data of the user's system are, before they call anything here:
#   folders    by name: bin, libexec, units, man, bash, zsh, fish, share
#   project    the sources

: "${project:?the sources}"
declare -A folders=()

# list_installed PART…: a line for each file of these parts, MODE HOW SOURCE PLACE. The parts are the packages of Debian.
# A PLACE begins with the name of a folder. HOW says what the SOURCE is:
#   program      a program of the build, by its name
#   file         a file of the project; links are followed, so each plugin has a kit of its own, which no later version
#                changes
#   unit         the same, with the folder of the programs put in
#   completion   a shell, for which pickerctl prints what it completes
#   link         the place that the link leads to
# The daemon looks for plugins in share, where they are off, and in lib, where they would be on. Programs that depend on
# the machine are not to be in share, so those in Swift have links.
list_installed() {
    local part line
    while read -r part line; do
        if [[ -n $part && " $* " == *" $part "* ]]; then printf '%s\n' "$line"; fi
    done <<'LIST'
pickerd 755 program pickerd bin/pickerd
pickerd 755 program pickerctl bin/pickerctl
pickerd 644 unit systemd/pickerd.service units/pickerd.service
pickerd 644 unit systemd/pickerd.socket units/pickerd.socket
pickerd 644 file contrib/man/pickerd.1 man/man1/pickerd.1
pickerd 644 file contrib/man/pickerctl.1 man/man1/pickerctl.1
pickerd 644 file contrib/man/pickerd-protocol.7 man/man7/pickerd-protocol.7
pickerd 644 completion bash bash/pickerctl
pickerd 644 completion bash bash/pickerd
pickerd 644 completion zsh zsh/_pickerctl
pickerd 644 completion fish fish/pickerctl.fish
pickerd 644 completion fish fish/pickerd.fish

pickerd-plugins 644 file contrib/clients/pickerd_plugin.py share/pickerd/python/pickerd_plugin.py
pickerd-plugins 755 file contrib/plugins/git/git-state share/pickerd/plugins/git/git-state
pickerd-plugins 644 file contrib/plugins/git/pickerd_plugin.py share/pickerd/plugins/git/pickerd_plugin.py
pickerd-plugins 644 file contrib/plugins/git/plugin.json share/pickerd/plugins/git/plugin.json
pickerd-plugins 755 file contrib/plugins/image/image-facts share/pickerd/plugins/image/image-facts
pickerd-plugins 644 file contrib/plugins/image/imagefacts.py share/pickerd/plugins/image/imagefacts.py
pickerd-plugins 644 file contrib/plugins/image/pickerd_plugin.py share/pickerd/plugins/image/pickerd_plugin.py
pickerd-plugins 644 file contrib/plugins/image/plugin.json share/pickerd/plugins/image/plugin.json
pickerd-plugins 755 file contrib/plugins/image-strip/image-strip share/pickerd/plugins/image-strip/image-strip
pickerd-plugins 644 file contrib/plugins/image-strip/imagestrip.py share/pickerd/plugins/image-strip/imagestrip.py
pickerd-plugins 644 file contrib/plugins/image-strip/pickerd_plugin.py share/pickerd/plugins/image-strip/pickerd_plugin.py
pickerd-plugins 644 file contrib/plugins/image-strip/plugin.json share/pickerd/plugins/image-strip/plugin.json
pickerd-plugins 644 file contrib/plugins/recent/pickerd_plugin.py share/pickerd/plugins/recent/pickerd_plugin.py
pickerd-plugins 644 file contrib/plugins/recent/plugin.json share/pickerd/plugins/recent/plugin.json
pickerd-plugins 755 file contrib/plugins/recent/recent share/pickerd/plugins/recent/recent
pickerd-plugins 755 program text-facts libexec/text-facts
pickerd-plugins 777 link libexec/text-facts share/pickerd/plugins/text/text-facts
pickerd-plugins 644 file contrib/plugins/text/plugin.json share/pickerd/plugins/text/plugin.json
pickerd-plugins 755 program thumbnailer libexec/thumbnailer
pickerd-plugins 777 link libexec/thumbnailer share/pickerd/plugins/thumbnails/thumbnailer
pickerd-plugins 644 file contrib/plugins/thumbnails/plugin.json share/pickerd/plugins/thumbnails/plugin.json
LIST
}

# path_of PLACE: where it is.
path_of() { printf '%s\n' "${folders[${1%%/*}]}/${1#*/}"; }

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
            unit) sed "s|@BINDIR@|${folders[bin]//&/\\&}|" "$project/$source" >"$target" ;;
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
