// The stand-in for NVML, with an inventory of the test's own.
#pragma once

#include <kcontrol/testing/temporary_directory.hpp>

#include "nvml/session.hpp"
#include "support/folders.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gpu_labeler::test {

/// The stand-in's file, and that of one as it was in 2018.
std::string fake_nvml_library();
std::string fake_nvml_of_2018_library();

/// The machine with the inventory `text`; one at a time.
class fake_nvml {
public:
    explicit fake_nvml(const std::string& text, std::string library = fake_nvml_library())
        : library_(std::move(library)) {
        write(text);
        void* handle = ::dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) throw std::runtime_error(::dlerror());
        use_ = reinterpret_cast<void (*)(const char*)>(::dlsym(handle, "fakeNvmlUse"));
        hanging_ = reinterpret_cast<int (*)()>(::dlsym(handle, "fakeNvmlHanging"));
        use_(file().c_str());
    }
    ~fake_nvml() { use_("/nonexistent"); }  // which also ends what hangs
    fake_nvml(const fake_nvml&) = delete;
    fake_nvml& operator=(const fake_nvml&) = delete;

    /// Changes the inventory while it is in use; at once, as a file that is half written tells nonsense.
    void write(const std::string& text) {
        directory_.write("new", text);
        std::filesystem::rename(directory_.path("new"), file());
    }

    /// How many calls hang now.
    int hanging() const { return hanging_(); }

    const std::string& library() const { return library_; }

    std::shared_ptr<nvml_session> make_session(const kcontrol::environment& env) const {
        return std::make_shared<nvml_session>(env, library_, "/nonexistent",
                                              [](const std::string&) { return std::nullopt; });
    }

private:
    std::string file() const { return directory_.path("inventory.txt"); }

    kcontrol::testing::temporary_directory directory_;
    std::string library_;
    void (*use_)(const char*) = nullptr;
    int (*hanging_)() = nullptr;
};

/// A recorded inventory.
inline std::string recorded(const std::string& name) {
    std::ifstream file(kcontrol::test::tests_file("fake_nvml/inventories/" + name + ".txt"));
    if (!file) throw std::runtime_error("no inventory " + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace gpu_labeler::test
