#pragma once

#include <kcontrol/codec/decode.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/webhook/conversion_review.hpp>
#include <kcontrol/webhook/impl/review_words.hpp>

#include <optional>

namespace kcontrol::inline v0_1 {
namespace detail {

struct wire_conversion_request {
    std::string uid, desired_version;
    static constexpr auto kcontrol_fields() {
        return fields(field("uid", &wire_conversion_request::uid),
                      field("desiredAPIVersion", &wire_conversion_request::desired_version));
    }
};
struct wire_conversion_review {
    std::string api_version, kind;
    std::optional<wire_conversion_request> request;
    static constexpr auto kcontrol_fields() {
        return fields(field("apiVersion", &wire_conversion_review::api_version),
                      field("kind", &wire_conversion_review::kind), field("request", &wire_conversion_review::request));
    }
};

inline std::string place_of_object(std::size_t place) { return "request.objects[" + std::to_string(place) + "]"; }

}  // namespace detail

KCONTROL_DECL result<conversion_request> decode_conversion_review(std::string_view text) {
    const auto document = std::make_shared<json::document>();
    const auto root = document->parse(text);
    if (!root) return root.error();
    if (!root->is_object()) return error(errc::decode_failed, "expected a ConversionReview, found no object");
    detail::wire_conversion_review review;
    if (const auto read = decode(describe<detail::wire_conversion_review>(), *root, &review); !read) {
        return read.error();
    }
    const auto typed =
        detail::check_review_type(review.api_version, review.kind, "apiextensions.k8s.io", "ConversionReview");
    if (!typed) return typed.error();
    if (!review.request) return detail::wrong_review("request", "it is missing");
    conversion_request out;
    out.uid = std::move(review.request->uid);
    out.desired_version = std::move(review.request->desired_version);
    if (out.uid.empty()) return detail::wrong_review("request.uid", "it is missing");
    if (out.desired_version.empty()) return detail::wrong_review("request.desiredAPIVersion", "it is missing");
    const json::node objects = (*root)["request"]["objects"];
    if (!objects.is_null() && !objects.is_array()) return detail::wrong_review("request.objects", "expected a list");
    if (objects.is_array()) {
        for (const json::node one : objects.elements()) {
            if (!one.is_object()) {
                return detail::wrong_review(detail::place_of_object(out.objects.size()), "expected an object");
            }
            out.objects.push_back(one);
        }
    }
    out.parsed = document;
    return out;
}

KCONTROL_DECL result<std::string> convert_one(const std::vector<kind_conversion>& kinds, const conversion_request& of,
                                              std::size_t place) {
    const json::node object = of.objects[place];
    const auto text = [&object](const char* name) {
        const json::node named = object[name];
        return named.is_string() ? named.as_string() : std::string_view();
    };
    const std::string_view version = text("apiVersion");
    const auto slash = version.find('/');
    const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
    for (const kind_conversion& one : kinds) {
        if (!one.is_of(group, text("kind"))) continue;
        auto made = one.convert(object, of.desired_version);
        if (!made) return made.error().with_context(detail::place_of_object(place));
        return made;
    }
    return error(errc::invalid_argument, detail::place_of_object(place) + ": no conversion is known for " +
                                             in_quotes(version) + " " + in_quotes(text("kind")));
}

KCONTROL_DECL std::string conversion_review_response(const conversion_request& to,
                                                     const result<std::vector<std::string>>& made) {
    json::writer out;
    out.begin_object();
    out.member("kind", "ConversionReview");
    out.member("apiVersion", "apiextensions.k8s.io/v1");
    begin_object(out, "response");
    out.member("uid", to.uid);
    begin_array(out, "convertedObjects");
    if (made) {
        for (const std::string& one : *made) out.raw(one);
    }
    out.end_array();
    begin_object(out, "result");
    out.member("status", made ? "Success" : "Failure");
    if (!made) out.member("message", made.error().message().empty() ? made.error().what() : made.error().message());
    out.end_object();
    out.end_object();
    out.end_object();
    return out.take();
}

}  // namespace kcontrol
