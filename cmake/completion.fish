# Completion of the flags of kcontrol's tools, for fish: those that --help lists, as for bash; files otherwise. Installed under
# the name of each tool, as fish looks for it.
function __kcontrol_flags
    set -l words (commandline -opc)
    $words[1] --help 2>/dev/null | string match -ar -- '--[a-z][a-z0-9-]*' | sort -u
end
# Behind -- stands another program.
function __kcontrol_wants_flag
    string match -q -- '-*' (commandline -ct); and not contains -- -- (commandline -opc)
end
for tool in kcontrol-gen kcontrol-new kcontrol-lint kcontrol-transcode kcontrol-apiserver
    complete -c $tool -n __kcontrol_wants_flag -a '(__kcontrol_flags)'
end
