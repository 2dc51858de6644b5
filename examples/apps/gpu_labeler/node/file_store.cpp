// The store that is a file of Node Feature Discovery's directory features.d.
#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/staged_file.hpp>

#include "node/label_store.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace gpu_labeler {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t large = std::size_t{1} << 20;

node_marks marks_of_text(std::string_view text) {
    node_marks out;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        const auto equals = line.find('=');
        if (equals == line.npos || line.front() == '#') continue;
        out.labels.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return out;
}

std::string text_of(const node_marks& marks) {
    std::string out;
    for (const auto& [key, value] : marks.labels) out.append(key).append("=").append(value).append("\n");
    return out;
}

error failed(const std::string& path, const char* what) {
    return error(errc::file_failed, path + ": " + what + ": " + std::strerror(errno));
}

class file_store final : public label_store {
public:
    file_store(kcontrol::environment& env, std::string path) : env_(env), path_(std::move(path)) {}

    const std::string& name() const noexcept override { return path_; }

    kcontrol::awaitable<result<node_marks>> look(std::stop_token) override {
        if (::access(path_.c_str(), F_OK) != 0 && errno == ENOENT) co_return node_marks();
        const auto text = env_.read_file(path_, large);
        if (!text) co_return text.error();
        co_return marks_of_text(*text);
    }

    kcontrol::awaitable<result<void>> write(node_marks wanted, std::stop_token) override {
        // Node Feature Discovery never sees half a file. It passes over names that begin with a dot.
        co_return kcontrol::replace_file(path_, text_of(wanted));
    }

    kcontrol::awaitable<result<void>> clear(std::stop_token) override {
        if (::unlink(path_.c_str()) != 0 && errno != ENOENT) co_return failed(path_, "can't be removed");
        co_return result<void>();
    }

private:
    kcontrol::environment& env_;
    std::string path_;
};

}  // namespace

std::unique_ptr<label_store> make_file_store(kcontrol::environment& env, std::string path) {
    return std::make_unique<file_store>(env, std::move(path));
}

}  // namespace gpu_labeler
