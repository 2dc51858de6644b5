# shellcheck shell=bash
# Debian and Ubuntu systems in folders of their own, for worlds.sh and clean-machine.sh, which read this file after lib.sh.

SYSTEM_ARGUMENTS=("$@")

# What making and entering one takes. The script begins anew with mounts of its own: however it ends, this machine's /proc is not
# left in a folder that somebody will remove.
need_systems() {
    command -v debootstrap >/dev/null || die "debootstrap is not installed: apt-get install debootstrap"
    ((EUID == 0)) || die "only root can make a system in a folder: run this as root"
    [[ -n ${KCONTROL_OWN_MOUNTS-} ]] ||
        KCONTROL_OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "${SYSTEM_ARGUMENTS[@]}"
}

# make_system ROOT SUITE: a minimal system in the folder ROOT, unless it is there already.
make_system() {
    local root=$1 suite=$2 mirror=http://deb.debian.org/debian components=main script=sid
    case $suite in
    noble) mirror=http://archive.ubuntu.com/ubuntu components=main,universe script=gutsy ;;
    esac
    [[ -e $root/.made ]] || { mkdir -p "$root" && debootstrap --variant=minbase --components="$components" "$suite" "$root" "$mirror" "$script" &&
        touch "$root/.made"; } || return 1
    [[ -e $root/etc/hosts ]] || printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
}

# A program in one gets nothing of this shell's environment: chroot ROOT "${CLEAN_ENVIRONMENT[@]}" PROGRAM...
CLEAN_ENVIRONMENT=(/usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8)

# inside ROOT COMMAND: in that system.
inside() {
    local path
    for path in proc dev/pts; do mountpoint -q "$1/$path" || mount --bind "/$path" "$1/$path" || return 1; done
    chroot "$1" "${CLEAN_ENVIRONMENT[@]}" bash -ec "$2"
}

# leave_system ROOT: after the last `inside`.
leave_system() { umount "$1/dev/pts" "$1/proc" 2>/dev/null || true; }
