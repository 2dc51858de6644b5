// A directory for one test, and a job to put into the file there.
#pragma once

#include "table/job_table.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace training_monitor::tests {

class temporary_directory {
public:
    temporary_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "training_monitor.XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

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
