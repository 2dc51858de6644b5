// PB-17: what it takes to write one object as Protocol Buffers, as the body of an update.
//
// usage: encode PODS_NDJSON      watch events, one a line; prints "variant TAB value TAB unit"
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/json/reader.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <vector>

namespace {

std::size_t allocations = 0;

}  // namespace

// Not inline: g++ 12 takes their pairing for a mismatch otherwise.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using kcontrol::any_object;

const kcontrol::resource_info& pods() { return kcontrol::resource_of<kcontrol::api::core::v1::pod>(); }
const kcontrol::protobuf_message& pod_message() { return *kcontrol::api::find_protobuf("", "v1", "Pod"); }

std::vector<any_object> read_pods(const char* path) {
    std::vector<any_object> objects;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        kcontrol::json::document event;
        objects.push_back(pods().decode(event.parse(line).value()["object"]).value());
    }
    return objects;
}

std::string from_object(const any_object& pod) {
    return kcontrol::protobuf_kind_codec(pods(), pod_message()).encode(pod).value();
}

/// As objects without a table go, and as all did once.
std::string through_json(const any_object& pod) {
    const std::string text = pods().encode(pod).value();
    kcontrol::json::document document;
    const std::string message = kcontrol::json_to_protobuf(pod_message(), document.parse(text).value()).value();
    kcontrol::protobuf_envelope envelope;
    envelope.api_version = "v1";
    envelope.kind = "Pod";
    envelope.message = message;
    return kcontrol::close_protobuf(envelope);
}

std::string as_json(const any_object& pod) { return pods().encode(pod).value(); }

/// The best of five passes.
void measure(const char* variant, const std::vector<any_object>& objects, std::string (*write)(const any_object&)) {
    const auto count = static_cast<double>(objects.size());
    double best = 1e9;
    std::size_t bytes = 0, allocated = 0;
    for (int pass = 0; pass < 5; ++pass) {
        bytes = 0;
        const std::size_t before = allocations;
        const auto start = std::chrono::steady_clock::now();  // seam: ok, a benchmark's stop watch
        for (const auto& object : objects) bytes += write(object).size();
        const auto end = std::chrono::steady_clock::now();  // seam: ok, likewise
        best = std::min(best, std::chrono::duration<double, std::micro>(end - start).count());
        allocated = allocations - before;
    }
    std::printf("%s\t%.2f\tus/object\n", variant, best / count);
    std::printf("%s\t%.1f\tallocs/object\n", variant, static_cast<double>(allocated) / count);
    std::printf("%s\t%.1f\tB/object\n", variant, static_cast<double>(bytes) / count);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: encode PODS_NDJSON\n"), 2;
    try {
        const auto objects = read_pods(argv[1]);
        if (objects.empty()) return std::fprintf(stderr, "%s: no lines; it should hold watch events\n", argv[1]), 1;
        const bool same = std::all_of(objects.begin(), objects.end(),
                                      [](const auto& pod) { return from_object(pod) == through_json(pod); });
        if (!same) return std::fprintf(stderr, "encode: the two ways to Protocol Buffers differ\n"), 1;
        measure("protobuf", objects, from_object);
        measure("protobuf, through JSON", objects, through_json);
        measure("JSON", objects, as_json);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "encode: %s\n", failed.what()), 1;
    }
    return 0;
}
