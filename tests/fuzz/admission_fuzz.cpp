// AdmissionReviews as hostile peers might send them, through defaulters and validators of a typed kind: every answer is
// JSON with the request's uid, and every patch applies to the object that it is for.
#include <kcontrol/base/base64.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/webhook/admission_functions.hpp>

#include "part.hpp"
#include "require.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace kcontrol;
using fuzz::require;

namespace {

struct whole {
    static constexpr resource_name kcontrol_resource{"g", "v1", "K", "ks"};
    object_meta metadata;
    fuzz::part spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &whole::spec)); }
};

admission_response ask(const admission_handler& handler, const std::shared_ptr<const admission_request>& asked) {
    boost::asio::io_context context;
    admission_response out;
    boost::asio::co_spawn(context, handler(admission_context(asked)),
                          [&out](std::exception_ptr thrown, admission_response answer) {
                              require(!thrown);
                              out = std::move(answer);
                          });
    context.run();
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto defaulter = defaulting_handler<whole>([](whole& w) {
        w.metadata.labels["l"] = "v";
        w.spec.count = 7;
        if (!w.spec.inner.empty()) w.spec.inner[0].name = "first";
        w.spec.inner.push_back({});
    });
    static const auto validator =
        validating_handler<whole>(schema_validator<whole>(), [](const admission_of<whole>& of) {
            return of.subject().spec.count ? admission_verdict::deny("no") : admission_verdict();
        });
    auto read = decode_admission_review(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!read) return 0;
    const auto asked = std::make_shared<const admission_request>(std::move(*read));
    for (const auto* handler : {&defaulter, &validator}) {
        const auto answer = ask(*handler, asked);
        const auto text = json::parse(to_json(answer, *asked));
        require(text && json::get_string(*text, {"response", "uid"}) == asked->uid);
        if (answer.patch.empty()) continue;
        auto object = json::to_value(asked->object);
        require(object.has_value());
        const auto patch = json::parse(answer.patch);
        require(patch && json::apply_patch(*object, *patch));
        require(json::find(*object, {"spec", "c"}) != nullptr && object->at("spec").at("c") == 7);
    }
    return 0;
}
