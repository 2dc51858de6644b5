"""The C++ files of a folder."""
import os
import pathlib

SUFFIXES = {".c++", ".cc", ".cpp", ".cppm", ".cxx", ".h", ".h++", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".ixx", ".tpp"}


def below(root):
    """All of them, sorted; not those of hidden folders, and of what CMake builds in."""
    for folder, folders, files in os.walk(root):
        here = pathlib.Path(folder)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not (here / name / "CMakeCache.txt").exists())
        for name in sorted(files):
            if pathlib.Path(name).suffix in SUFFIXES:
                yield here / name
