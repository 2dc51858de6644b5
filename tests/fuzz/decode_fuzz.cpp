// A text read at a cursor gives what the parsed document gives: the same objects and messages.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/object_block.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/values/raw_json.hpp>

#include "part.hpp"
#include "require.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace kcontrol;
using fuzz::part;

struct thing {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Thing", "things"};
    object_meta metadata;
    text a;
    list<part> l;
    dict<text> m;
    boxed<part> b;
    timestamp t;
    boxed<int_or_string> s;
    raw_json r;
    quantity_text q;
    std::optional<bool> f;
    std::optional<std::int64_t> i;
    std::optional<double> d;
    static constexpr auto kcontrol_fields() {
        return fields(field("a", &thing::a), field("l", &thing::l), field("m", &thing::m), field("b", &thing::b),
                      field("t", &thing::t), field("s", &thing::s), field("r", &thing::r), field("q", &thing::q),
                      field("f", &thing::f), field("i", &thing::i), field("d", &thing::d));
    }
};

template <class T>
std::string outcome(const result<any_object>& object) {
    return object ? "decoded " + to_json(*object->template as<T>()) : object.error().message();
}

/// What is read at a cursor is read as in the other ways, but for what is passed over: of that only the brackets are
/// counted. Of a dynamic object all is looked at.
void compare_cursor(const std::optional<json::node>& parsed, std::string_view text) {
    share_pool pool;
    const auto dynamic =
        dynamic_resource({"example.com", "v1", "Thing"}, "things", resource_scope::namespaced, managed_fields::kept);
    // What comes again is read in another way: shared, then recalled.
    for (int times = 0; times < 3; ++times) {
        json::cursor front(text);
        const any_object object = resource_of<thing>().decode(front, &pool);
        if (object && front.left() == 0 && parsed) {
            fuzz::require("decoded " + to_json(*object.as<thing>()) ==
                          outcome<thing>(resource_of<thing>().decode(*parsed)));
        }
        front = json::cursor(text);
        const any_object kept = dynamic.decode(front, &pool);
        if (!kept || front.left() != 0) continue;
        const auto other = dynamic.decode_parsed(text);
        fuzz::require(parsed && other.has_value());
        fuzz::require(kept.as<dynamic_object>()->content.to_json() == other->as<dynamic_object>()->content.to_json());
        fuzz::require(kept.meta() == other->meta());
    }
}

void compare_objects(const std::optional<json::node>& parsed, std::string_view text) {
    share_pool pool;
    const auto& info = resource_of<thing>();
    for (int times = 0; times < 3; ++times) {
        const auto object = info.decode_parsed(text, &pool);
        fuzz::require(parsed || !object);
        if (parsed) fuzz::require(outcome<thing>(object) == outcome<thing>(info.decode(*parsed)));
        if (parsed) fuzz::require(outcome<thing>(info.decode_text(text, &pool)) == outcome<thing>(object));
    }
    const auto dynamic =
        dynamic_resource({"example.com", "v1", "Thing"}, "things", resource_scope::namespaced, managed_fields::kept);
    const auto kept = dynamic.decode_parsed(text, &pool);
    if (!kept) return;
    fuzz::require(parsed.has_value());
    const auto content = kept->as<dynamic_object>()->content;
    const std::string compact = content.to_json();
    fuzz::require(compact.size() <= text.size());
    json::document other;
    const auto again = other.parse(compact);
    fuzz::require(again && again->to_json() == parsed->to_json());
    fuzz::require(content == dynamic_content(content.tree()));
    for (const char* name : {"a", "metadata", "l"}) {
        fuzz::require(content.contains({name}) == content.tree().contains(name));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A copy of its exact size: AddressSanitizer sees a read beyond the end.
    const std::vector<char> exact(data, data + size);
    const std::string_view text(exact.data(), exact.size());
    json::document document;
    const auto root = document.parse(text);
    const std::optional<json::node> parsed = root ? std::optional<json::node>(*root) : std::nullopt;
    fuzz::require(json::find_fault(text).has_value() == !parsed);
    compare_objects(parsed, text);
    compare_cursor(parsed, text);
    return 0;
}
