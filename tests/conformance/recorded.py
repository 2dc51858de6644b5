"""Whole answers in the cases: expect.answer, and ours.answer of kcontrol-apiserver where it differs.

An answer is a document, in which "*" is any value but null, or a text. What only one run says is "*" when it is recorded:
uids, versions, times, addresses, ports, and who owns which fields. What a case has saved is ${its name}.
"""
import datetime
import json
import re

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
BY_SERVER = ("uid", "resourceVersion", "managedFields", "clusterIP", "clusterIPs", "nodePort", "healthCheckNodePort", "continue")
NOTHING = (None, "", "None", ["None"])


def is_whole(expect):
    """Whether it has nothing but the code and the whole answer, which is what is recorded."""
    return expect.keys() <= {"code", "answer"}


def content(text):
    return json.loads(text) if text.lstrip().startswith(("{", "[")) else text


def is_now(text):
    then = datetime.datetime.fromisoformat(text[:19] + "+00:00")
    return abs(datetime.datetime.now(datetime.timezone.utc) - then) < datetime.timedelta(hours=1)


def blank(value, saved, key=""):
    if isinstance(value, dict):
        out = {k: "*" if k == "managedFields" else blank(v, saved, k) for k, v in value.items()}
        if "generateName" in out and not out.get("name", "$").startswith("$"):
            out["name"] = "*"
        return out
    if isinstance(value, str):
        for name, known in sorted(saved.items(), key=lambda item: -len(item[1])):
            if len(known) >= 8:  # a shorter one, such as a version, may be anything else
                value = value.replace(known, "${" + name + "}")
        if "${" in value:
            return value
        if UID.search(value) or any(map(is_now, TIME.findall(value))):
            return "*"
    if key in BY_SERVER and value not in NOTHING:
        return "*"
    return [blank(item, saved) for item in value] if isinstance(value, list) else value


def template(text, saved):
    return blank(content(text), saved)


def difference(expected, found, path=""):
    """The first one, or None."""
    if expected == "*" and found is not None:
        return None
    if isinstance(expected, dict) and isinstance(found, dict):
        pairs = [(key, expected.get(key), found.get(key)) for key in {**expected, **found}]
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = [(i, *both) for i, both in enumerate(zip(expected, found))]
    else:
        same = json.dumps(expected) == json.dumps(found)
        return None if same else f"{path or 'the answer'} is {json.dumps(found)}, not {json.dumps(expected)}"
    return next(filter(None, (difference(a, b, f"{path}/{key}") for key, a, b in pairs)), None)


def with_member(piece, case, member, value):
    """The text of a case in which `member` has another value."""
    for found in re.finditer(rf'"{member}": ', piece):
        there, end = json.JSONDecoder().raw_decode(piece, found.end())
        if there == case[member]:
            return piece[:found.end()] + json.dumps(value, ensure_ascii=False) + piece[end:]
    raise ValueError(f"{case['name']}: no {member} in its text")


def write(path, member, answers):
    """Puts parts of what is expected, by number of the case, into a file of cases: all else stays to the letter."""
    text, number = path.read_text(), 0
    at = text.index('"cases": [') + len('"cases": [')
    out = [text[:at]]
    while (next_case := re.compile(r"[\s,]*").match(text, at).end()) < len(text) and text[next_case] == "{":
        case, end = json.JSONDecoder().raw_decode(text, next_case)
        piece = text[next_case:end]
        if number in answers:
            piece = with_member(piece, case, member, {**case[member], **answers[number]})
        out += text[at:next_case], piece
        at, number = end, number + 1
    path.write_text("".join(out) + text[at:])
