"""Builds the wheel: the package, libkcontrol_service.so and what that needs and a system may lack.

`pip wheel python/` compiles the library with CMake (preset `service`) in build/service. Settings (pip's --config-settings):
  library=PATH   this libkcontrol_service.so.0, already built, in its place
  jobs=N         compilations at a time (default: the number of processors)
The tag is py3-none-linux_MACHINE; `auditwheel repair` finds the manylinux one. Needed: CMake, Ninja, g++, cc, patchelf.
"""
from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parents[1]
ROOT = HERE.parent
SERVICE = "libkcontrol_service.so.0"
# What every system with glibc and Python has, in the version that the tag promises.
OF_SYSTEM = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+)\.so\..*|linux-vdso.*)$")
FIXED_TIME = (1980, 1, 1, 0, 0, 0)  # the same input gives the same wheel


def version():
    text = (ROOT / "include/kcontrol/version.hpp").read_text()
    return re.search(r'^#define KCONTROL_VERSION_STRING "(.*)"$', text, re.M).group(1)


def build_library(settings):
    if "library" in settings:
        return pathlib.Path(settings["library"]).resolve()
    build = pathlib.Path(os.environ.get("KCONTROL_BUILD_DIR", ROOT / "build")) / "service"
    subprocess.run(["cmake", "-S", ROOT, "--preset", "service", "-B", build], check=True)
    jobs = settings.get("jobs", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", build, "--target", "kcontrol_service_c", "--parallel", jobs], check=True)
    return (build / SERVICE).resolve()


def needs(library):
    """Paths of the libraries that it needs, the system's own left out."""
    listed = subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout
    if missing := re.findall(r"^\s*(\S+) => not found", listed, re.M):
        raise SystemExit(f"{library} needs {', '.join(missing)}, which are not installed")
    found = re.findall(r"^\s*(\S+) => (/\S+)", listed, re.M)
    return {name: pathlib.Path(path) for name, path in found if not OF_SYSTEM.match(name)}


def collect_libraries(folder, settings):
    """The library, what it needs and the callbacks, in one folder, each found beside the other."""
    if shutil.which("patchelf") is None:
        raise SystemExit("patchelf is missing, which makes the libraries find each other: apt-get install patchelf")
    library = build_library(settings)
    files = {SERVICE: library, **needs(library)}
    for name, source in files.items():
        target = folder / name
        shutil.copyfile(source, target)
        target.chmod(0o755)
        subprocess.run(["strip", "--strip-unneeded", target], check=True)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", target], check=True)
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-s",
                    HERE / "native/notify.c", "-o", folder / "libkcontrol_notify.so"], check=True)


def metadata():
    readme = (HERE / "README.md").read_text()
    return (f"Metadata-Version: 2.1\nName: kcontrol\nVersion: {version()}\n"
            "Summary: What a service needs of Kubernetes: lead, register, follow, route\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nOperating System: Linux\nDescription-Content-Type: text/markdown\n"
            f"\n{readme}")


def tag():
    return f"py3-none-linux_{platform.machine()}"


class Wheel:
    """A zip with a record of its files."""

    def __init__(self, path, info):
        self.zip, self.info, self.rows = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), info, []

    def add(self, name, data, executable=False):
        entry = zipfile.ZipInfo(name, FIXED_TIME)
        entry.external_attr = (0o755 if executable else 0o644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.rows.append(f"{name},sha256={digest},{len(data)}")

    def close(self):
        record = f"{self.info}/RECORD"
        text = "\n".join([*self.rows, f"{record},,"]) + "\n"
        self.zip.writestr(zipfile.ZipInfo(record, FIXED_TIME), text)
        self.zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"kcontrol-{version()}.dist-info"
    name = f"kcontrol-{version()}-{tag()}.whl"
    wheel = Wheel(pathlib.Path(wheel_directory) / name, info)
    for path in sorted((HERE / "kcontrol").glob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            wheel.add(f"kcontrol/{path.name}", path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        collect_libraries(pathlib.Path(folder), config_settings or {})
        for path in sorted(pathlib.Path(folder).iterdir()):
            wheel.add(f"kcontrol/lib/{path.name}", path.read_bytes(), executable=True)
    wheel.add(f"{info}/METADATA", metadata().encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: kcontrol_build\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode())
    wheel.add(f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.close()
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("there is no source distribution: the library's sources are outside of python/; use pip wheel")
