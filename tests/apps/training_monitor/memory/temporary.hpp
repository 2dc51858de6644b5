// Files of bytes in a test's directory, and a job to put into the state file there.
#pragma once

#include <kcontrol/testing/temporary_directory.hpp>

#include "table/job_table.hpp"

#include <fstream>
#include <string>

namespace training_monitor::tests {

using kcontrol::testing::temporary_directory;

inline void write_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

inline observed_job some_job(std::string name, job_state state, std::string version = "1") {
    observed_job out;
    out.view.cluster = "a";
    out.view.namespace_ = "ml";
    out.view.uid = "uid-of-" + name;
    out.view.name = std::move(name);
    out.view.kind = "PyTorchJob";
    out.view.api_version = "kubeflow.org/v1";
    out.view.state = state;
    out.view.reason = "Because";
    out.view.message = "it’s so";
    out.view.start_time = 1'700'000'000;
    out.view.gpus = 8;
    out.resource_version = std::move(version);
    return out;
}

}  // namespace training_monitor::tests
