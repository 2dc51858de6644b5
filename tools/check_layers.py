#!/usr/bin/env python3
"""The include-direction check: an include points to the same room or a lower floor.

Also: impl/ and detail/ of a room only from that room; testing/ only from tests and examples; Beast,
OpenSSL and Asio's sockets only in transport/; simdjson only in json/impl/, libyaml in documents/impl/, RE2 in
schema/impl/, prometheus-cpp in metrics/impl/, c-ares and nghttp2 in transport/impl/, zlib in http/impl/, SQLite in records/impl/; and no public header reaches any of them in compiled mode (by following the includes, as a user's compiler
would).
kcontrol::testing is compiled: src/testing/ has the definitions and private headers of include/kcontrol/testing/, and
src/testserver/, below it, the API server. The latter includes of testing/ only the server's vocabulary. Private headers of both
are included from these two directories, and those of src/testserver/ from tests/testserver/. src/service_c/, the C library, stands
on the floor of service/; its private headers are included there and from tests/service_c/.
The directories of a product have floors as well: examples/apps/NAME/FLOORS has a line for each floor, the lowest one first.
A line names directories, and files beside them without their suffix. The files of one line may include each other. A
product without directories needs no such file. Products share guarded_serving/ and commands/, and include nothing else of each other.
usage: check_layers.py [ROOT] [--self-test]
"""
import functools
import re

import lint

FLOORS = {
    "base": 0, "runtime": 0,
    "json": 1, "http": 1, "workqueue": 1, "metrics": 1,
    "documents": 2, "values": 2, "tracing": 2,
    "model": 3, "logging": 3,
    "codec": 4,
    "schema": 5, "api": 5, "auth": 5, "transport": 5, "serve": 5,
    "client": 6, "api_beta": 6, "cel": 6,
    "access": 7, "watch": 7, "leader": 7, "record": 7, "controllerutil": 7,
    "cache": 8,
    "cluster": 9, "service": 9,
    "controller": 10,
    "manager": 11,
    "multicluster": 12, "webhook": 12,
    "testing": 13, "records": 13, "scheduling": 13,
}
# Headers at the top of include/kcontrol: below all rooms, or above all.
TOP = {"config.hpp": -1, "version.hpp": -1, "kcontrol.hpp": 99, "src.hpp": 99}

# Headers of testing/ that are about the API server alone: what src/testserver/ may include of it, and defines.
VOCABULARY = {"access_control", "api_server_options", "change", "delete_request", "failure", "fault", "group_resource",
              "pod_streams", "request_info", "request_log", "resource_type", "store_snapshot"}
# Directories of src/ with private headers: what each may include of them.
COMPILED = {"testserver": {"testserver"}, "testing": {"testing", "testserver"}, "service_c": {"service_c"}}
# The room of include/kcontrol/ whose includes theirs may be, and the tests that see their private headers.
FLOOR_OF_COMPILED = {"testserver": "testing", "testing": "testing", "service_c": "service"}
SEEN_BY_TESTS = ("testserver", "service_c")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
NETWORK = re.compile(r"^(boost/beast|openssl/|boost/asio/ssl|boost/asio/ip/|boost/asio/(local|generic)/)"
                     r"|^boost/asio\.hpp$")
ASKS_KUBELET = re.compile(r"^boost/asio/local/")
# Heavy headers that one room alone may include, behind its wall.
WALLED = {
    "json": re.compile(r"^simdjson"),
    "http": re.compile(r"^zlib\.h$"),
    "documents": re.compile(r"^yaml\.h$"),
    "schema": re.compile(r"^re2/"),
    "metrics": re.compile(r"^prometheus/"),
    "transport": re.compile(r"^(ares(_\w+)?\.h$|nghttp2/)"),
    "records": re.compile(r"^sqlite3\.h$"),
}


def room_of(path):
    """(room, is_private) of a path below include/kcontrol; the room of a top header is its own name."""
    parts = path.split("/")
    return parts[0], len(parts) > 2 and parts[1] in ("impl", "detail")


def floor_of(room):
    return FLOORS.get(room, TOP.get(room))


@functools.cache
def includes(path):
    text = lint.strip(path.read_text(), keep_strings=True)
    return [(lint.line_of(text, match.start(1)), match.group(1)) for match in INCLUDE.finditer(text)]


def check_library_include(where, own, private, target):
    room, _ = own
    if target.startswith("kcontrol/"):
        other, other_private = room_of(target[len("kcontrol/"):])
        if floor_of(other) is None:
            return f"{where}: {other}/ is not a room of the house"
        if room != other and floor_of(other) == floor_of(room):
            # Rooms of one floor may use each other where the design says so: base is the ground of runtime.
            if (room, other) not in {("runtime", "base")}:
                return f"{where}: {room}/ includes {target}, a neighbour on the same floor"
        if floor_of(other) > floor_of(room):
            return f"{where}: {room}/ includes {target}, which is on a higher floor"
        if other_private and other != room and not where.split(":")[0].endswith("/src.hpp"):
            return f"{where}: {target} is private to {other}/"
        return None
    # The kubelet is asked over gRPC, on a Unix socket.
    asks_kubelet = room == "service" and private and ASKS_KUBELET.search(target)
    if NETWORK.search(target) and room != "transport" and not asks_kubelet:
        return f"{where}: only transport/ may include <{target}>"
    for owner, walled in WALLED.items():
        if walled.search(target) and not (room == owner and private) and not asks_kubelet:
            return f"{where}: only {owner}/impl/ may include <{target}>"
    return None


def check_rooms(root):
    base = root / "include" / "kcontrol"
    for path in lint.code_files(root, ("include",)):
        name = path.relative_to(base).as_posix()
        own = room_of(name)
        if floor_of(own[0]) is None:
            yield f"{path.relative_to(root)}: {own[0]} is not a room of the house"
            continue
        for line, target in includes(path):
            message = check_library_include(f"{path.relative_to(root)}:{line}", own, own[1], target)
            if message:
                yield message


def check_outside(root):
    """Tests see their own room's private headers (white box); examples and benches see none."""
    for path in lint.code_files(root, ("examples", "tests", "bench", "src")):
        relative = path.relative_to(root)
        for line, target in includes(path):
            if not target.startswith("kcontrol/"):
                # Tests are the other side: they compress what the library decodes, serve HTTP/2 and write records.
                other_side = relative.parts[0] == "tests" and target in ("zlib.h", "nghttp2/nghttp2.h", "sqlite3.h")
                # The monitor's state file has more in it than records of clusters.
                keeps_state = target == "sqlite3.h" and relative.parts[:4] == ("examples", "apps", "training_monitor", "memory")
                # The library decodes gzip; the monitor's answers are the only ones that are compressed.
                compresses = target == "zlib.h" and relative.parts == ("examples", "apps", "training_monitor", "web", "gzip.cpp")
                for owner, walled in WALLED.items():
                    if walled.search(target) and not (other_side or keeps_state or compresses):
                        yield f"{relative}:{line}: only {owner}/impl/ may include <{target}>"
                continue
            room, private = room_of(target[len("kcontrol/"):])
            if floor_of(room) is None:
                yield f"{relative}:{line}: {room}/ is not a room of the house"
            own = relative.stem if relative.parts[0] == "src" and len(relative.parts) == 2 else relative.parts[1]
            # src/ROOM.cpp, or src/ROOM_PART.cpp where one file would be too heavy.
            mine = own == room or (relative.parts[0] == "src" and own.startswith(room + "_"))
            mine = mine or relative.parts[:2] == ("tests", "fuzz")
            if private and not mine:
                yield f"{relative}:{line}: {target} is private to {room}/"


def reachable_headers(root, header, seen):
    """All that a user's compiler reads for a public header in compiled mode (impl/*.ipp are then not included)."""
    for _, target in includes(header):
        if target in seen:
            continue
        seen.add(target)
        file = root / "include" / target
        if target.startswith("kcontrol/") and file.is_file() and file.suffix == ".hpp":
            reachable_headers(root, file, seen)
    return seen


def check_public(root):
    for path in lint.code_files(root, ("include",)):
        name = path.relative_to(root / "include").as_posix()
        if path.suffix != ".hpp" or {"impl", "detail"} & set(path.parts) or name == "kcontrol/src.hpp":
            continue
        for target in sorted(reachable_headers(root, path, set())):
            if NETWORK.search(target) or any(walled.search(target) for walled in WALLED.values()):
                yield f"include/{name}: a public header reaches <{target}>"


def private_header(root, path, target):
    """The directory of src/ whose private header an #include finds, or None."""
    parts = target.split("/")
    beside = path.parent / target
    if len(parts) == 1 and beside.is_file() and beside.parent.parent == root / "src":
        return beside.parent.name
    is_tests_own = path.relative_to(root).parts[0] == "tests" and (root / "tests" / target).is_file()
    return parts[0] if len(parts) == 2 and parts[0] in COMPILED and not is_tests_own else None


def is_above_server(target):
    return target.startswith("kcontrol/testing/") and target[len("kcontrol/testing/"):].removesuffix(".hpp") not in VOCABULARY


def check_compiled(root):
    """Sources of kcontrol::testing, and who includes their headers. Tests see those of the server (white box)."""
    for path in lint.code_files(root, ("include", "src", "examples", "tests", "bench")):
        relative = path.relative_to(root)
        room = relative.parts[1] if relative.parts[0] == "src" and len(relative.parts) > 2 else None
        if room is not None and room not in COMPILED:
            yield f"{relative}: src/{room} is not a room of the house"
            continue
        seen = relative.parts[0] == "tests" and relative.parts[1] in SEEN_BY_TESTS
        allowed = COMPILED.get(room) or ({relative.parts[1]} if seen else set())
        for line, target in includes(path):
            where, other = f"{relative}:{line}", private_header(root, path, target)
            if other is not None and other not in allowed:
                yield f"{where}: {target} is private to src/{other}/"
            if room is None:
                continue
            message = check_library_include(where, (FLOOR_OF_COMPILED[room], False), False, target)
            if message:
                yield message
            if room == "testserver" and is_above_server(target):
                yield f"{where}: {target} is above src/testserver/"
    for name in sorted(VOCABULARY):
        header = root / "include/kcontrol/testing" / f"{name}.hpp"
        for line, target in includes(header) if header.is_file() else []:
            if is_above_server(target):
                yield f"include/kcontrol/testing/{name}.hpp:{line}: {target} is above src/testserver/"


def read_floors(file):
    """{name: floor} of a product, from its FLOORS."""
    lines = [line.split() for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {name: floor for floor, line in enumerate(lines) for name in line}


def app_room(name):
    """The directory of a file below a product, or the file's own name without suffix."""
    return name.split("/")[0] if "/" in name else name.rpartition(".")[0]


def app_target(apps, app, path, target):
    """(product, its file) that an #include in a file of `app` finds, or None: a product's own files are on the include path,
    and all products' directories."""
    for file in (path.parent / target, apps / app / target, apps / target):
        if file.is_file():
            owner, _, name = file.resolve().relative_to(apps.resolve()).as_posix().partition("/")
            return owner, name
    return None


def check_app(root, app):
    folder = root / "examples" / "apps" / app
    table = folder / "FLOORS"
    files = list(lint.code_files(root, (f"examples/apps/{app}",)))
    rooms = {app_room(path.relative_to(folder).as_posix()) for path in files}
    floors = read_floors(table) if table.is_file() else {}
    if floors or any(path.parent != folder for path in files):
        for room in sorted(rooms - set(floors)):
            yield f"examples/apps/{app}/FLOORS: {room} has no floor"
        for room in sorted(set(floors) - rooms):
            yield f"examples/apps/{app}/FLOORS: there is no {room}"
    for path in files:
        room = app_room(path.relative_to(folder).as_posix())
        for line, target in includes(path):
            where, found = f"{path.relative_to(root)}:{line}", app_target(folder.parent, app, path, target)
            if found is None:
                continue
            if found[0] != app:
                if found[0] not in ("guarded_serving", "commands"):
                    yield f"{where}: {target} is of another product, {found[0]}"
                continue
            other = app_room(found[1])
            if other == room or not {room, other} <= set(floors):
                continue
            if floors[other] > floors[room]:
                yield f"{where}: {room} includes {target}, which is on a higher floor"
            # Files beside the directories are one room with those of their floor.
            elif floors[other] == floors[room] and ((folder / other).is_dir() or (folder / room).is_dir()):
                yield f"{where}: {room} includes {target}, a neighbour on the same floor"


def check_apps(root):
    for folder in sorted((root / "examples" / "apps").glob("*/")):
        yield from check_app(root, folder.name)


def check(root):
    return [*check_rooms(root), *check_outside(root), *check_compiled(root), *check_public(root), *check_apps(root)]


def app_tree(path=None, text=None):
    """A product, for self-tests, with one file that is another one."""
    files = {
        "FLOORS": "texts\n# A comment.\ntable pods\nweb\noptions config main\n",
        "texts.hpp": "#pragma once\n",
        "table/a.hpp": "#include \"texts.hpp\"\n#include \"b.hpp\"\n",
        "table/b.hpp": "#include <string>\n",
        "pods/a.hpp": "#include \"texts.hpp\"\n",
        "web/a.hpp": "#include \"table/a.hpp\"\n#include \"guarded_serving/a.hpp\"\n#include \"shop/page.hpp\"\n",
        "options.hpp": "#include \"web/a.hpp\"\n",
        "options.cpp": "#include \"options.hpp\"\n#include \"config.hpp\"\n",
        "config.hpp": "#include \"options.hpp\"\n",
        "main.cpp": "#include \"options.hpp\"\n",
    }
    others = {"examples/apps/guarded_serving/a.hpp": "#include \"guarded_serving/b.hpp\"\n",
              "examples/apps/guarded_serving/b.hpp": "\n", "examples/apps/bank/a.hpp": "\n"}
    return others | {f"examples/apps/shop/{name}": of for name, of in (files | ({path: text} if path else {})).items()}


PLANTED = [
    ("include/kcontrol/base/a.hpp", "#include <kcontrol/client/client.hpp>\n", "higher floor"),
    ("include/kcontrol/watch/a.hpp", '#  include "kcontrol/leader/lease.hpp"\n', "same floor"),
    ("include/kcontrol/cache/a.hpp", "#include <kcontrol/watch/impl/a.ipp>\n", "private to watch/"),
    ("include/kcontrol/cache/a.hpp", "#include <kcontrol/watch/detail/a.hpp>\n", "private to watch/"),
    ("include/kcontrol/manager/a.hpp", "#include <kcontrol/testing/server.hpp>\n", "higher floor"),
    ("include/kcontrol/client/a.hpp", "#include <boost/beast/http.hpp>\n", "only transport/"),
    ("include/kcontrol/client/impl/a.ipp", "#include <openssl/ssl.h>\n", "only transport/"),
    ("include/kcontrol/runtime/a.hpp", "#include <boost/asio/ip/tcp.hpp>\n", "only transport/"),
    ("include/kcontrol/runtime/a.hpp", "#include <boost/asio.hpp>\n", "only transport/"),
    ("include/kcontrol/json/a.hpp", "#include <simdjson.h>\n", "only json/impl/"),
    ("include/kcontrol/service/impl/a.ipp", "#include <nghttp2/nghttp2.h>\n", "only transport/impl/"),
    ("include/kcontrol/service/a.hpp", "#include <boost/asio/local/stream_protocol.hpp>\n", "only transport/"),
    ("include/kcontrol/service/impl/a.ipp", "#include <boost/asio/ip/tcp.hpp>\n", "only transport/"),
    ("include/kcontrol/model/impl/a.ipp", "#include <yaml.h>\n", "only documents/impl/"),
    ("include/kcontrol/model/a.hpp", "#include <re2/re2.h>\n", "only schema/impl/"),
    ("include/kcontrol/transport/a.hpp", "#include <boost/asio/ssl/context.hpp>\n", "a public header reaches"),
    ("include/kcontrol/transport/a.hpp", "#include <ares.h>\n", "only transport/impl/"),
    ("include/kcontrol/multicluster/impl/a.ipp", "#include <sqlite3.h>\n", "only records/impl/"),
    ("include/kcontrol/attic/a.hpp", "\n", "not a room"),
    ("include/kcontrol/client/a.hpp", "#include <kcontrol/attic/a.hpp>\n", "not a room"),
    ("examples/apps/demo/a.cpp", "#include <kcontrol/cache/impl/a.ipp>\n", "private to cache/"),
    ("tests/watch/a_test.cpp", "#include <kcontrol/cache/detail/a.hpp>\n", "private to cache/"),
    ("tests/watch/a_test.cpp", "#include <kcontrol/attic/a.hpp>\n", "not a room"),
    ("src/http.cpp", "#include <kcontrol/base/impl/error.ipp>\n", "private to base/"),
    ("include/kcontrol/testing/a.hpp", '#include "testserver/a.hpp"\n', "private to src/testserver/"),
    ("include/kcontrol/testing/fault.hpp", "#include <kcontrol/testing/sim_world.hpp>\n", "above src/testserver/"),
    ("src/testserver/a.cpp", '#include "testing/a.hpp"\n', "private to src/testing/"),
    ("src/testserver/a.cpp", "#include <kcontrol/testing/sim_world.hpp>\n", "above src/testserver/"),
    ("src/testserver/a.cpp", "#include <kcontrol/testing/detail/spawned.hpp>\n", "above src/testserver/"),
    ("src/testing/a.cpp", "#include <kcontrol/cache/detail/a.hpp>\n", "private to cache/"),
    ("src/testing/a.cpp", "#include <boost/beast/http.hpp>\n", "only transport/"),
    ("src/attic/a.cpp", "\n", "not a room"),
    ({"src/testing/a.hpp": "\n", "tests/testing/a_test.cpp": '#include "testing/a.hpp"\n'}, "private to src/testing/"),
    ("tests/cache/a_test.cpp", '#include "testserver/a.hpp"\n', "private to src/testserver/"),
    (app_tree("table/a.hpp", "#include \"web/a.hpp\"\n"), "table includes web/a.hpp, which is on a higher floor"),
    (app_tree("table/a.cpp", "#include \"shop/web/a.hpp\"\n"), "on a higher floor"),
    (app_tree("table/a.cpp", "#include \"../web/a.hpp\"\n"), "on a higher floor"),
    (app_tree("web/a.cpp", "#include \"options.hpp\"\n"), "web includes options.hpp, which is on a higher floor"),
    (app_tree("pods/a.hpp", "#include \"table/a.hpp\"\n"), "a neighbour on the same floor"),
    (app_tree("attic/a.cpp", "\n"), "attic has no floor"),
    (app_tree("stray.cpp", "\n"), "stray has no floor"),
    (app_tree("FLOORS", "texts\ntable pods\nweb\noptions config main\nattic\n"), "there is no attic"),
    ({"examples/apps/shop/web/a.cpp": "\n"}, "web has no floor"),
    (app_tree("web/a.cpp", "#include \"bank/a.hpp\"\n"), "bank/a.hpp is of another product"),
]
CLEAN = {
    "include/kcontrol/config.hpp": "#pragma once\n",
    "include/kcontrol/base/a.hpp": "#include <kcontrol/config.hpp>\n",
    "include/kcontrol/runtime/a.hpp": "#include <kcontrol/base/a.hpp>\n#include <boost/asio/steady_timer.hpp>\n",
    "include/kcontrol/transport/a.hpp": "// #include <boost/beast/core.hpp>\n#include <kcontrol/runtime/a.hpp>\n"
                                        "#if defined(KCONTROL_HEADER_ONLY)\n"
                                        "#include <kcontrol/transport/impl/a.ipp>\n#endif\n",
    "include/kcontrol/transport/impl/a.ipp": "#include <boost/beast/core.hpp>\n#include <openssl/ssl.h>\n",
    "include/kcontrol/json/impl/a.ipp": "#include <simdjson.h>\n",
    "include/kcontrol/service/impl/a.ipp": "#include <boost/asio/local/stream_protocol.hpp>\n",
    "include/kcontrol/documents/impl/a.ipp": "#include <yaml.h>\n",
    "tests/json/a_test.cpp": "#include <kcontrol/json/impl/a.ipp>\n#include <kcontrol/testing/a.hpp>\n",
    "src/base.cpp": "#include <kcontrol/base/impl/a.ipp>\n",
    "include/kcontrol/testing/a.hpp": "#include <kcontrol/testing/detail/a.hpp>\n#include <kcontrol/testing/fault.hpp>\n",
    "include/kcontrol/testing/fault.hpp": "#include <kcontrol/testing/failure.hpp>\n",
    "src/testserver/a.hpp": "#include <kcontrol/testing/fault.hpp>\n",
    "src/testserver/a.cpp": '#include "testserver/a.hpp"\n',
    "src/testing/a.hpp": "#include <kcontrol/testing/detail/a.hpp>\n",
    "src/testing/a.cpp": '#include "testing/a.hpp"\n#include "testserver/a.hpp"\n',
    "tests/testserver/a_test.cpp": '#include "testserver/a.hpp"\n',
    "tests/testing/b.hpp": "\n",
    "tests/testing/b_test.cpp": '#include "b.hpp"\n#include "testing/b.hpp"\n',
    "tests/hostile/b_test.cpp": '#include "testing/b.hpp"\n',
    **app_tree(),
}

if __name__ == "__main__":
    lint.main(check, PLANTED, CLEAN, __doc__)
