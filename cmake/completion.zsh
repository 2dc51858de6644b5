#compdef kcontrol-gen kcontrol-new kcontrol-lint kcontrol-transcode kcontrol-apiserver
# Completion of the flags of kcontrol's tools, for zsh: those that --help lists, as for bash; files otherwise.
local behind=${words[(i)--]}
if (( behind < CURRENT )); then
    # Behind -- stands another program.
    words=("${(@)words[behind+1,-1]}")
    (( CURRENT -= behind ))
    _normal
elif [[ $PREFIX == -* ]]; then
    local -a flags
    flags=(${(fu)"$($words[1] --help 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*')"})
    compadd -- $flags
else
    _files
fi
