// PB-1 and PB-13: what it takes to decode one object, and what the object takes afterwards.
//
// usage: decode PODS_NDJSON      watch events, one a line; prints "variant TAB value TAB unit". The Protocol Buffers
// are
//                                made of the same events
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/json/cursor.hpp>

#include "seen_pod.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <string>
#include <vector>

namespace {

using kcontrol::any_object;
using kcontrol_bench::seen_pod;

std::vector<std::string> read_lines(const char* path) {
    std::vector<std::string> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
    return lines;
}

std::size_t live_bytes() {
    const auto all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

/// The pods of the same events as messages.
std::vector<std::string> as_protobuf(const std::vector<std::string>& lines) {
    std::vector<std::string> messages;
    const auto& pod = *kcontrol::api::find_protobuf("", "v1", "Pod");
    for (const auto& line : lines) {
        kcontrol::json::document document;
        messages.push_back(kcontrol::json_to_protobuf(pod, document.parse(line).value()["object"]).value());
    }
    return messages;
}

std::vector<any_object> decode_all(const std::vector<std::string>& messages, const kcontrol::protobuf_kind_codec& codec,
                                   kcontrol::share_pool& pool) {
    std::vector<any_object> objects;
    objects.reserve(messages.size());
    for (const auto& message : messages) objects.push_back(codec.decode(message, &pool).value());
    return objects;
}

/// As a watch_stream does it.
std::vector<any_object> decode_all(const std::vector<std::string>& lines, const kcontrol::resource_info& info,
                                   kcontrol::share_pool& pool) {
    std::vector<any_object> objects;
    objects.reserve(lines.size());
    for (const auto& line : lines) {
        kcontrol::json::cursor text(line);
        if (!text.take("{\"type\":\"ADDED\",\"object\":"))
            throw std::runtime_error("no such event: " + line.substr(0, 80));
        auto object = info.decode(text, &pool);
        if (!object || !text.take('}') || text.left() != 0) throw std::runtime_error("not as servers write: " + line);
        objects.push_back(std::move(object));
    }
    return objects;
}

void print(const char* variant, double value, const char* unit) { std::printf("%s\t%.1f\t%s\n", variant, value, unit); }

/// The best of five passes, and what one of them leaves behind. The pool is a stream's, as in an informer.
template <class Kind>
void measure(const char* variant, const std::vector<std::string>& lines, const Kind& info) {
    const auto count = static_cast<double>(lines.size());
    double best = 1e9;
    for (int pass = 0; pass < 5; ++pass) {
        kcontrol::share_pool pool;
        const auto start = std::chrono::steady_clock::now();  // seam: ok, a benchmark's stop watch
        const auto objects = decode_all(lines, info, pool);
        const auto end = std::chrono::steady_clock::now();  // seam: ok, likewise
        best = std::min(best, std::chrono::duration<double, std::micro>(end - start).count());
    }
    print(variant, best / count, "us/object");
    const std::size_t before = live_bytes();
    kcontrol::share_pool pool;
    const auto objects = decode_all(lines, info, pool);
    print(variant, static_cast<double>(live_bytes() - before) / count - sizeof(any_object), "B live/object");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: decode PODS_NDJSON\n"), 2;
    try {
        const auto lines = read_lines(argv[1]);
        if (lines.empty()) return std::fprintf(stderr, "%s: no lines; it should hold watch events\n", argv[1]), 1;
        const kcontrol::group_version_kind pod{"", "v1", "Pod"};
        measure("JSON watch, managedFields skipped", lines, kcontrol::resource_of<kcontrol::api::core::v1::pod>());
        measure("JSON watch, 14 fields", lines, kcontrol::resource_of<seen_pod>());
        measure("JSON watch, metadata only", lines, kcontrol::metadata_resource(pod, "pods"));
        measure("JSON watch, dynamic", lines, kcontrol::dynamic_resource(pod, "pods"));
        const auto messages = as_protobuf(lines);
        const auto measure_protobuf = [&](const char* variant, const kcontrol::resource_info& info) {
            measure(variant, messages,
                    kcontrol::protobuf_kind_codec(info, *kcontrol::api::find_protobuf("", "v1", "Pod")));
        };
        measure_protobuf("protobuf, managedFields skipped", kcontrol::resource_of<kcontrol::api::core::v1::pod>());
        measure_protobuf("protobuf, 14 fields", kcontrol::resource_of<seen_pod>());
        measure_protobuf("protobuf, metadata only", kcontrol::metadata_resource(pod, "pods"));
        measure_protobuf("protobuf, dynamic", kcontrol::dynamic_resource(pod, "pods"));
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "decode: %s\n", failed.what()), 1;
    }
    return 0;
}
