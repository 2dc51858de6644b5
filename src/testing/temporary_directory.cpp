#include <kcontrol/testing/temporary_directory.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <stdlib.h>
#include <system_error>

namespace kcontrol::inline v0_1::testing {

temporary_directory::temporary_directory()
    : path_((std::filesystem::temp_directory_path() / "kcontrol-test-XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) throw std::runtime_error("can't make a temporary directory like " + path_);
}

temporary_directory::~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string temporary_directory::path(std::string_view name) const {
    return name.empty() ? path_ : path_ + "/" + std::string(name);
}

void temporary_directory::write(std::string_view name, std::string_view text) const {
    std::ofstream file(path(name), std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error("can't write " + path(name));
}

}  // namespace kcontrol::testing
