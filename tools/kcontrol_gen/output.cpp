#include "output.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kcontrol_gen {

kcontrol::result<void> write_file(const std::string& path, const std::string& text) {
    namespace fs = std::filesystem;
    const auto fail = [&](const std::string& what) {
        return kcontrol::error(kcontrol::errc::file_failed, path + ": " + what);
    };
    std::error_code failed;
    const auto folder = fs::path(path).parent_path();
    if (!folder.empty()) fs::create_directories(folder, failed);
    if (failed) return fail("its directory can't be made: " + failed.message());
    const auto beside = path + "." + std::to_string(::getpid()) + ".new";
    {
        std::ofstream file(beside, std::ios::binary | std::ios::trunc);
        if (!file) return fail(std::string("can't be written: ") + std::strerror(errno));
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        file.close();
        if (!file) {
            const int reason = errno;
            fs::remove(beside, failed);
            return fail(std::string("can't be written: ") + std::strerror(reason));
        }
    }
    fs::rename(beside, path, failed);
    if (!failed) return {};
    const auto reason = failed.message();
    fs::remove(beside, failed);
    return fail("can't be replaced: " + reason);
}

}  // namespace kcontrol_gen
