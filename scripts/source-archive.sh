#!/usr/bin/env bash
# Writes kcontrol-VERSION.tar.gz into a folder: what is committed, which builds without a network.
# usage: source-archive.sh FOLDER [COMMIT]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
(($# >= 1)) || { sed -n '2,3s/^# \?//p' "${BASH_SOURCE[0]}"; exit 2; }
version=$(library_version)
mkdir -p "$1"
git -C "$ROOT" archive --prefix="kcontrol-$version/" --format=tar.gz -o "$(cd "$1" && pwd)/kcontrol-$version.tar.gz" "${2:-HEAD}"
say "$1/kcontrol-$version.tar.gz"
