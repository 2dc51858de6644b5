"""Pretty-printers for gdb: text, list, dict, boxed, nullable, timestamp and result as what they hold.

In gdb:  source tools/gdb/kcontrol_printers.py
"""

import datetime

import gdb
import gdb.printing

INLINE, OWNED, MARKS = 1, 2, 3


def handle(value):
    return int(value["word_"]) & 0xFFFF_FFFF_FFFF_FFFF


def is_pointer(word):
    return word != 0 and not word & INLINE


def memory(address, size):
    return gdb.selected_inferior().read_memory(address, size).tobytes()


def text_of(word):
    """The bytes of a text, or None if it is absent."""
    if word == 0:
        return None
    if word & INLINE:  # little-endian: the mark and the length, then the characters
        raw = word.to_bytes(8, "little")
        return raw[1 : 1 + (raw[0] >> 2)]
    address = word & ~MARKS
    return memory(address + 4, int.from_bytes(memory(address, 4), "little"))


class Text:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        found = text_of(handle(self.value))
        return "absent" if found is None else found.decode("utf-8", "replace")

    def display_hint(self):
        return "string" if handle(self.value) else None


def elements(word, kind):
    if not is_pointer(word):
        return []
    address = word & ~MARKS
    count = int.from_bytes(memory(address, 4), "little")
    first = gdb.Value(address + 8).cast(kind.pointer())
    return [first[i] for i in range(count)]


class List:
    def __init__(self, value):
        self.value = value
        self.found = elements(handle(value), value.type.strip_typedefs().template_argument(0))

    def to_string(self):
        return f"list of {len(self.found)}" if handle(self.value) else "absent"

    def children(self):
        return ((f"[{i}]", element) for i, element in enumerate(self.found))

    def display_hint(self):
        return "array"


class Dict:
    def __init__(self, value):
        entries = value["entries_"]
        self.word = handle(entries)
        self.found = elements(self.word, entries.type.strip_typedefs().template_argument(0))

    def to_string(self):
        return f"dict of {len(self.found)}" if self.word else "absent"

    def children(self):
        for i, entry in enumerate(self.found):
            yield f"key {i}", entry["first"]
            yield f"value {i}", entry["second"]

    def display_hint(self):
        return "map"


class Boxed:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        word = handle(self.value)
        return "present" if is_pointer(word) else "null" if word else "absent"

    def children(self):
        word = handle(self.value)
        if is_pointer(word):
            kind = self.value.type.strip_typedefs().template_argument(0)
            yield "value", gdb.Value(word & ~MARKS).cast(kind.pointer()).dereference()


class Timestamp:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        biased = int(self.value["biased_"])
        if biased == 0:
            return "absent"
        nanoseconds = biased ^ -(1 << 63)
        start = datetime.datetime(1970, 1, 1)
        return (start + datetime.timedelta(microseconds=nanoseconds // 1000)).isoformat() + "Z"


class Result:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "a value" if self.value["has_value_"] else "an error"

    def children(self):
        name = "value_" if self.value["has_value_"] else "error_"
        yield name.rstrip("_"), self.value[name]


def printers():
    made = gdb.printing.RegexpCollectionPrettyPrinter("kcontrol")
    made.add_printer("text", "^kcontrol::(?:v[0-9_]+::)?text$", Text)
    made.add_printer("list", "^kcontrol::(?:v[0-9_]+::)?list<.*>$", List)
    made.add_printer("dict", "^kcontrol::(?:v[0-9_]+::)?dict<.*>$", Dict)
    made.add_printer("boxed", "^kcontrol::(?:v[0-9_]+::)?(boxed|nullable)<.*>$", Boxed)
    made.add_printer("timestamp", "^kcontrol::(?:v[0-9_]+::)?(timestamp|micro_time)$", Timestamp)
    made.add_printer("result", "^kcontrol::(?:v[0-9_]+::)?basic_result<(?!void).*>$", Result)
    return made


gdb.printing.register_pretty_printer(None, printers(), replace=True)
