#!/usr/bin/env python3
"""What Doxygen reads of a header: the header, with a text for members that mean the same everywhere and have none.

usage: doxygen_filter.py HEADER

The standard members of containers and iterators, copies and comparisons, the plugin points of schedulers, and the
function that gives back what the setter of its name was given. Lines stay where they are, so that warnings name the header's own.
"""
import re
import sys

STANDARD = [(re.compile(pattern), text) for pattern, text in (
    (r"using (value_type|reference|const_reference|pointer|difference_type|size_type|iterator|const_iterator|"
     r"iterator_category|iterator_concept|error_type) =", "As standard containers and iterators name it."),
    (r"[^(]*\bbegin\(\) (const|noexcept|{)", "An iterator to the first one."),
    (r"[^(]*\bend\(\) (const|noexcept|{)", "An iterator past the last one."),
    (r"[^(]*\bsize\(\) const", "How many elements there are; of a text, bytes."),
    (r"[^(]*\bempty\(\) const", "Whether there is none."),
    (r"[^(]*\boperator->\(\)", "Access to the value that it stands for."),
    (r"[^(]*\boperator\*\(\)", "The value that it stands for."),
    (r"[^(]*\boperator\+\+\(", "Goes on to the next one."),
    (r"explicit (constexpr )?operator bool\(\)", "Whether there is a value."),
    (r"(friend .*|(constexpr )?bool )\boperator==\(", "Whether both are equal."),
    (r"friend .*\boperator<=>\(.*= default", "Orders by the members, in the order of their declaration."),
    (r"friend .*\boperator<=>\(", "The order of the two."),
    (r"std::size_t operator\(\)\(", "The hash of the value."),
    (r"(KCONTROL_DECL |constexpr )*(?P<copied>\w+)\(const (?P=copied)&( \w+)?\)", "Copies the other."),
    (r"(KCONTROL_DECL |constexpr )*(?P<moved>\w+)\((?P=moved)&&( \w+)?\)",
     "Takes over what the other has, which may then be assigned to or destroyed."),
    (r"[^(]*\boperator=\(const \w+&( \w+)?\)", "Copies the other."),
    (r"[^(]*\boperator=\(\w+&&( \w+)?\)", "Takes over what the other has, which may then be assigned to or destroyed."),
    (r"struct (hash_of|custom_codec|field_list_of)<", "What the library asks about this type."),
    # The plugin points of a scheduler, and what they have in common.
    (r"static constexpr std::string_view name = ", "The plugin's name in configurations and messages."),
    (r"[^(]*\bevents\(\)", "What may change the plugin's answer."),
    (r"[^(]*\bpre_filter\(", "Once for each pod: what filter needs. Skip: no node is refused."),
    (r"[^(]*\bfilter\(", "Whether a node can take the pod."),
    (r"[^(]*\badd_pod\(", "As if the other pod were on the node: filter counts it from now on."),
    (r"[^(]*\bremove_pod\(", "As if the other pod were not on the node: filter counts it no longer."),
    (r"[^(]*\bpre_score\(", "Once for each pod that nodes can take: what score needs. Skip: all nodes are alike."),
    (r"[^(]*\bnormalize_score\(", "Brings the scores of all nodes onto the scale from 0 to 100."),
    (r"[^(]*\bscore\(", "How good a node is for the pod."),
)]
TYPE = re.compile(r"\s*(template .*)?(class|struct) \w+")
SETTER = re.compile(r"\s+(?:KCONTROL_DECL |constexpr )*[\w:]+& (\w+)\([^)]")
GETTER = re.compile(r"\s+(?:KCONTROL_DECL |constexpr )*[^()=]+[ &*](\w+)\(\) const")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["--help"], ["-h"]) else 2
    setters = set()
    has_text = False
    for line in open(sys.argv[1], encoding="utf-8"):
        # A specialisation of std::hash would be documented in a namespace that is not here.
        line = re.sub(r"^struct std::hash<", "struct hash_of<", line)
        code = line.lstrip()
        if code.startswith("///"):
            has_text = True
        else:
            if TYPE.match(line):
                setters = set()
            if setter := SETTER.match(line):
                setters.add(setter[1])
            if not has_text and "///<" not in line and not code.startswith(("//", "return ")):
                text = next((text for pattern, text in STANDARD if pattern.match(code)), None)
                getter = GETTER.match(line)
                if text is None and getter and getter[1] in setters:
                    text = f"What {getter[1]}() was given, else its default."
                if text is not None:
                    line = f"{line[:len(line) - len(code)]}/** {text} */ {code}"
            # The text of a template stands before its parameters.
            has_text = has_text and code.startswith(("template", "requires"))
        sys.stdout.write(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
