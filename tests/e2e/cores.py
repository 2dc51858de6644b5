"""Whether a crash leaves a core: the memory of the program, with all that it held."""
import os
import resource
import signal
import subprocess


def dumps_core(process):
    """Ends the program with SIGSEGV. Whether the kernel dumped its memory."""
    resource.prlimit(process.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    process.send_signal(signal.SIGSEGV)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = -os.WTERMSIG(status)
    assert process.returncode == -signal.SIGSEGV, status
    return os.WCOREDUMP(status)


def are_dumped(folder):
    """Whether another program's core is dumped here, into the folder where it runs."""
    return resource.getrlimit(resource.RLIMIT_CORE)[1] == resource.RLIM_INFINITY and \
        dumps_core(subprocess.Popen(["sleep", "60"], cwd=folder))
