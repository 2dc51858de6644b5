// ConversionReviews as hostile peers might send them: what is converted keeps its metadata, but for labels and
// annotations, and is of the version that was asked for.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/webhook/conversion_review.hpp>

#include "part.hpp"
#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace kcontrol;
using fuzz::require;

namespace {

struct hub {
    static constexpr resource_name kcontrol_resource{"g", "v2", "K", "ks"};
    object_meta metadata;
    fuzz::part spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &hub::spec)); }
};
struct spoke {
    static constexpr resource_name kcontrol_resource{"g", "v1", "K", "ks"};
    object_meta metadata;
    fuzz::part spec;
    static constexpr auto kcontrol_fields() { return fields(field("s", &spoke::spec)); }
    void convert_to(hub& to) const { to.spec = spec; }
    void convert_from(const hub& from) { spec = from.spec; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<kind_conversion> kinds{conversion_of<hub, spoke>()};
    const auto asked = decode_conversion_review(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!asked) return 0;
    result<std::vector<std::string>> all{std::vector<std::string>()};
    for (std::size_t i = 0; i < asked->objects.size(); ++i) {
        auto made = convert_one(kinds, *asked, i);
        if (!made) {
            all = made.error();
            break;
        }
        auto before = json::to_value(asked->objects[i]);
        auto after = json::parse(*made);
        if (!before) break;  // two members of one name, and the version that was asked for
        require(after && json::get_string(*after, {"apiVersion"}) == asked->desired_version);
        for (auto* one : {&*before, &*after}) {
            auto* meta = one->as_object().if_contains("metadata");
            if (meta == nullptr || !meta->is_object()) *(meta = &one->as_object()["metadata"]) = json::object();
            meta->as_object().erase("labels");
            meta->as_object().erase("annotations");
        }
        require(json::equal(before->at("metadata"), after->at("metadata")));
        all->push_back(std::move(*made));
    }
    require(json::parse(conversion_review_response(*asked, all)).has_value());
    return 0;
}
