// A directory that exists as long as a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <string_view>

namespace kcontrol::test {

class temporary_directory {
public:
    temporary_directory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "kcontrol-test-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("can't make a temporary directory");
        path_ = pattern;
    }
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    /// The path of `name` inside, or of the directory itself for "".
    std::string path(std::string_view name) const { return name.empty() ? path_.string() : (path_ / name).string(); }
    void write(std::string_view name, std::string_view text) const {
        std::ofstream(path(name), std::ios::binary) << text;
    }

private:
    std::filesystem::path path_;
};

}  // namespace kcontrol::test
