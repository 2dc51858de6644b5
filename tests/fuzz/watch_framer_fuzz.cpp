// The framer must find the same documents however the stream is cut.
#include <kcontrol/http/watch_framer.hpp>

#include "require.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

// Documents, and then what the end was: "" or the error. Cut into pieces of `step` bytes.
std::vector<std::string> frames(std::string_view stream, std::size_t step) {
    kcontrol::http::watch_framer framer(64);
    std::vector<std::string> out;
    bool failed = false;
    const auto take = [&](kcontrol::result<kcontrol::http::watch_frame> next) {
        failed = !next;
        if (failed) {
            out.push_back("error " + std::to_string(next.error().code().value()));
        } else if (!next->text.empty()) {
            out.emplace_back(next->text);
            if (next->cut()) out.push_back("of " + std::to_string(next->size));
            return true;
        }
        return false;
    };
    while (!stream.empty()) {
        framer.feed(stream.substr(0, step));
        stream.remove_prefix(std::min(step, stream.size()));
        while (take(framer.next())) {
        }
        if (failed) return out;
    }
    while (take(framer.finish())) {
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t step = data[0] % 16 + 1u;
    const auto pieces = frames(stream, step);
    const auto whole = frames(stream, stream.size() + 1);
    kcontrol::fuzz::require(pieces == whole);
    for (const auto& frame : whole) kcontrol::fuzz::require(frame.find('\n') == std::string::npos);
    return 0;
}
