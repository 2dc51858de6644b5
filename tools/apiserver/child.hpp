// A program that runs beside the server, in a process of its own.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>
#include <sys/types.h>
#include <vector>

namespace kcontrol_apiserver {

/// environment::run_process() runs a helper from / and kills it at its end; this one runs what a user would type: where
/// he is, found in PATH, with his variables, and it may be asked to end.
///
/// Thread-safety: shared objects unsafe. Destruction kills the program and its process group.
class child {
public:
    child() = default;
    ~child();
    child(const child&) = delete;
    child& operator=(const child&) = delete;

    /// Starts it in a process group of its own, without input. Both outputs go to the file `output`. Of this process's
    /// variables it gets all but those that lead to a cluster, and KUBECONFIG.
    /// Errors: file_failed, naming the program and the remedy.
    kcontrol::result<void> start(std::vector<std::string> arguments, const std::string& kubeconfig,
                                 const std::string& output);

    /// Whether it has ended, or was never started. What it leaves behind in its group is killed.
    bool ended();
    /// Sends a signal to its group.
    void signal(int number);

    // Once it has ended:

    bool well() const noexcept { return status_ == 0; }
    /// "with status 3", or "by signal 11 (Segmentation fault)".
    std::string how() const;

private:
    pid_t pid_ = -1;
    int status_ = 0;  ///< as waitpid() gives it
};

}  // namespace kcontrol_apiserver
