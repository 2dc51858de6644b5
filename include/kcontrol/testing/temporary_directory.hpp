// A directory on the disk that exists as long as a test.
#pragma once

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// A new empty directory below the system's one for temporary files; it is removed with all that is in it. For code
/// under test that opens real files; what reads through an environment is tested with a manual_environment.
///
/// Thread-safety: shared objects safe for const access.
class temporary_directory {
public:
    /// Throws std::runtime_error if it can't be made.
    temporary_directory();
    ~temporary_directory();
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    /// The path of `name` inside, or of the directory itself for "".
    std::string path(std::string_view name = {}) const;
    /// Writes a file inside, replacing one that is there. Throws std::runtime_error if that fails.
    void write(std::string_view name, std::string_view text) const;

private:
    std::string path_;
};

}  // namespace kcontrol::testing
