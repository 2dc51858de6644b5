# Completion of the flags of kcontrol's tools, for bash: those that --help lists, so that it is always that of the program
# that is installed; files otherwise. Installed under the name of each tool, as bash-completion looks for it.
_kcontrol_tool() {
    local word=${COMP_WORDS[COMP_CWORD]} flags at
    COMPREPLY=()
    # Behind -- stands another program.
    for ((at = 1; at < COMP_CWORD; ++at)); do
        [[ ${COMP_WORDS[at]} == -- ]] || continue
        if declare -F _command_offset >/dev/null; then _command_offset $((at + 1)); fi
        return
    done
    if [[ $word == -* ]]; then
        flags=$("${COMP_WORDS[0]}" --help 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
    fi
}
complete -o default -F _kcontrol_tool kcontrol-gen kcontrol-new kcontrol-lint kcontrol-transcode kcontrol-apiserver
