#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/object_bytes.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include <doctest/doctest.h>

#include <malloc.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;

struct loose_spec {
    std::string note;
    std::vector<std::string> words;
    std::map<std::string, std::int64_t> counts;
    std::optional<std::string> perhaps;
    static constexpr auto kcontrol_fields() {
        return fields(field("note", &loose_spec::note), field("words", &loose_spec::words),
                      field("counts", &loose_spec::counts), field("perhaps", &loose_spec::perhaps));
    }
};

/// A kind whose objects are no blocks: it has members of std.
struct loose {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Loose", "looses"};
    object_meta metadata;
    loose_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &loose::spec)); }
};

TEST_CASE("object_bytes: a block is what was allocated for it") {
    const resource_info info = metadata_resource({"", "v1", "Pod"}, "pods");
    std::string labels;
    std::size_t before = 0;
    for (int i = 0; i < 40; ++i) {
        labels += (i == 0 ? "\"" : ",\"") + std::string("label-") + std::to_string(i) + "\":\"some value\"";
        const auto read = info.decode_text("{\"metadata\":{\"name\":\"a\",\"labels\":{" + labels + "}}}").value();
        const std::size_t bytes = object_bytes(read, info);
        CHECK(bytes > before);
        // The control block of the pointer is in front, in the same allocation.
        auto* const allocated = const_cast<char*>(static_cast<const char*>(read.address())) - 64;
        CHECK(bytes <= malloc_usable_size(allocated));
        CHECK(malloc_usable_size(allocated) <= bytes + 64);
        before = bytes;
    }
}

TEST_CASE("object_bytes: of other types what their members hold") {
    const resource_info& info = resource_of<loose>();
    auto made = std::make_shared<loose>();
    const auto bytes = [&] { return object_bytes(any_object(std::shared_ptr<const loose>(made)), info); };
    const std::size_t least = bytes();
    CHECK(least >= sizeof(loose));
    made->spec.note = std::string(1000, 'x');
    CHECK(bytes() == least + 1001);
    made->spec.note = "short";  // it keeps its room
    CHECK(bytes() == least + 1001);
    made->spec.words.assign(10, std::string(99, 'y'));
    CHECK(bytes() == least + 1001 + 10 * (sizeof(std::string) + 100));
    made->spec.counts["twelve chars"] = 1;
    made->spec.perhaps = std::string(49, 'z');
    CHECK(bytes() == least + 1001 + 10 * (sizeof(std::string) + 100) + 12 + 8 + 50);
    made->metadata.name = std::string(200, 'n');
    CHECK(bytes() == least + 1001 + 10 * (sizeof(std::string) + 100) + 12 + 8 + 50 + 200);
}

TEST_CASE("object_bytes: of nothing, and of what no table describes") {
    CHECK(object_bytes(any_object(), resource_of<loose>()) == 0);
    const auto other = std::make_shared<const metadata_object>();
    CHECK(object_bytes(any_object(other), resource_of<loose>()) == 0);
}

}  // namespace
