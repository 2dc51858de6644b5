// Decodes pods a given number of times, for tests/instructions/run.py, which counts the instructions of that.
//
// usage: decode_count PODS_NDJSON VARIANT ROUNDS      every '%' of the text becomes a digit that differs by round
//
// Variants "protobuf-…" read the same pods as Protocol Buffers.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/json/cursor.hpp>
#include <kcontrol/json/reader.hpp>

#include "seen_pod.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using kcontrol::any_object;

std::string filled(std::string text, char digit) {
    std::replace(text.begin(), text.end(), '%', digit);
    return text;
}

std::string as_protobuf(const std::string& event) {
    kcontrol::json::document document;
    const auto pod = document.parse(event).value()["object"];
    return kcontrol::json_to_protobuf(*kcontrol::api::find_protobuf("", "v1", "Pod"), pod).value();
}

/// The bytes of a watch event, or of a message, of which some places are of one object alone, as names, UIDs and
/// addresses are: those in which two texts differ.
class pod_text {
public:
    pod_text(std::string text, const std::string& other) : text_(std::move(text)) {
        for (std::size_t at = 0; at < text_.size(); ++at) {
            if (text_[at] != other.at(at)) places_.push_back(at);
        }
    }
    static pod_text of_json(const std::string& line) { return {filled(line, '0'), filled(line, '1')}; }
    static pod_text of_protobuf(const std::string& line) {
        return {as_protobuf(filled(line, '0')), as_protobuf(filled(line, '1'))};
    }

    const std::string& of_round(unsigned round) {
        const unsigned mixed = (round + 1) * 2654435761U;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            text_[places_[i]] = "0123456789abcdef"[(mixed >> (i * 4 % 32)) & 15U];
        }
        return text_;
    }

private:
    std::string text_;
    std::vector<std::size_t> places_;
};

kcontrol::resource_info variant(std::string_view name) {
    const kcontrol::group_version_kind pod{"", "v1", "Pod"};
    if (name == "full" || name == "alone") return kcontrol::resource_of<kcontrol::api::core::v1::pod>();
    if (name == "projection") return kcontrol::resource_of<kcontrol_bench::seen_pod>();
    if (name == "metadata") return kcontrol::metadata_resource(pod, "pods");
    if (name == "dynamic") return kcontrol::dynamic_resource(pod, "pods");
    throw std::runtime_error("no such variant: " + std::string(name));
}

/// As a watch does it.
any_object decode(const std::string& event, const kcontrol::resource_info& info, kcontrol::share_pool* pool) {
    kcontrol::json::cursor text(event);
    if (!text.take("{\"type\":\"ADDED\",\"object\":")) throw std::runtime_error("not an event");
    auto object = info.decode(text, pool);
    if (!object || !text.take('}')) throw std::runtime_error("not written as servers write");
    return object;
}

int run(const char* path, std::string_view name, unsigned rounds) {
    constexpr std::string_view prefix = "protobuf-";
    const bool protobuf = name.starts_with(prefix);
    if (protobuf) name.remove_prefix(prefix.size());
    std::vector<pod_text> pods;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        pods.push_back(protobuf ? pod_text::of_protobuf(line) : pod_text::of_json(line));
    }
    if (pods.empty()) throw std::runtime_error(std::string(path) + ": no lines");
    const auto info = variant(name);
    // An optimiser once took a projection's optionals for non-zero: it decoded, in pieces.
    if (info.type != nullptr && !kcontrol::is_blockable(*info.type)) throw std::runtime_error("not one block");
    const kcontrol::protobuf_kind_codec codec(info, *kcontrol::api::find_protobuf("", "v1", "Pod"));
    kcontrol::share_pool pool;
    // What comes again is recalled from the pool; "alone" is read, each time.
    kcontrol::share_pool* const with = name == "alone" ? nullptr : &pool;
    std::vector<any_object> objects;
    objects.reserve(pods.size() * rounds);
    for (unsigned round = 0; round < rounds; ++round) {
        for (auto& pod : pods) {
            const std::string& bytes = pod.of_round(round);
            objects.push_back(protobuf ? codec.decode(bytes, with).value() : decode(bytes, info, with));
        }
    }
    std::printf("objects\t%zu\nkernel\t%s\n", objects.size(), kcontrol::json::kernel_name().c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    unsigned rounds = 0;
    const std::string_view count = argc == 4 ? argv[3] : "";
    if (std::from_chars(count.data(), count.data() + count.size(), rounds).ec != std::errc() || rounds == 0) {
        return std::fprintf(stderr,
                            "usage: decode_count PODS_NDJSON "
                            "[protobuf-]full|alone|projection|metadata|dynamic ROUNDS\n"),
               2;
    }
    try {
        return run(argv[1], argv[2], rounds);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "decode_count: %s\n", failed.what()), 1;
    }
}
