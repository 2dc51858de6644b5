// What is written from an object is what is written from its JSON: for every built-in kind, and for every C++ type
// beside every field of a message, objects at random, of which some are wrong.
#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/kinds.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/generated_parts.hpp>
#include <kcontrol/values/micro_time.hpp>
#include <kcontrol/values/nullable.hpp>

#include "codec/random_filler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace kcontrol;

namespace kcontrol {
namespace {

/// Writes itself.
struct own_way {
    int number = 0;
    bool operator==(const own_way&) const = default;
};

}  // namespace

template <>
struct custom_codec<own_way> {
    static result<void> decode(json::node, own_way&) { return {}; }
    static void encode(const own_way& from, json::writer& to) {
        if (from.number == 7) throw exception(error(errc::invalid_argument, "seven can't be written"));
        if (from.number == 1) return to.value("abcd");
        if (from.number == 2) return to.null();
        to.value(from.number);
    }
    static bool empty(const own_way& value) { return value.number == 0; }
};

}  // namespace kcontrol

namespace {

struct small {
    text name;
    std::optional<std::int32_t> count;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &small::name), field("count", &small::count));
    }
};
struct strict_small {
    text name;
    timestamp at;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &strict_small::name, rules().required()),
                      field("at", &strict_small::at, rules().required()));
    }
};

std::string said(const result<std::string>& written) {
    return written ? encode_base64(*written) : "error: " + written.error().message();
}

/// The way that objects without a table go.
std::string through_json(const resource_info& info, const protobuf_message& message, const any_object& object) {
    const auto text = info.encode(object);
    if (!text) return said(text);
    json::document document;
    const auto root = document.parse(*text);
    REQUIRE(root.has_value());
    const auto written = json_to_protobuf(message, *root);
    if (!written) return said(written);
    const std::string api_version = info.gvk.api_version();
    protobuf_envelope envelope;
    envelope.api_version = api_version;
    envelope.kind = info.gvk.kind;
    envelope.message = *written;
    return said(close_protobuf(envelope));
}

/// Whether it could be written.
bool compare(const resource_info& info, const protobuf_message& message, const any_object& object) {
    const auto direct = protobuf_kind_codec(info, message).encode(object);
    const std::string wanted = through_json(info, message, object);
    const bool same = said(direct) == wanted;
    CHECK(same);
    if (!same) MESSAGE(info.encode(object).value() << "\ngave    " << said(direct) << "\nwanted  " << wanted);
    return direct.has_value();
}

/// An object that is known by its table only.
any_object object_of(const type_descriptor& type, std::shared_ptr<void> memory) {
    const auto& meta = *static_cast<const object_meta*>(type.fields[0].place(memory.get()));
    return any_object(std::shared_ptr<const void>(std::move(memory)), meta, type);
}

/// A fresh object of a generated type, which is all zero bytes.
std::shared_ptr<void> fresh_generated(const type_descriptor& type) {
    void* const memory = detail::handle_allocate(type.size);
    std::memset(memory, 0, type.size);
    return std::shared_ptr<void>(memory, [&type](void* at) { detail::free_part(detail::owned_handle(at), type); });
}

}  // namespace

TEST_CASE("objects of the built-in kinds are written as their JSON is") {
    for (const unsigned wrong : {0U, 1U}) {
        std::set<const resource_info*> written;
        for (const auto* info : api::builtin_kinds()) {
            CAPTURE(info->gvk.kind);
            const auto* message = api::find_protobuf(info->gvk.group, info->gvk.version, info->gvk.kind);
            REQUIRE(message != nullptr);
            for (unsigned seed = 1; seed <= 12; ++seed) {
                CAPTURE(seed);
                auto memory = fresh_generated(*info->type);
                if (seed > 1) test::random_filler(seed).wrong(wrong).fill(*info->type, memory.get());
                const bool done = compare(*info, *message, object_of(*info->type, std::move(memory)));
                if (done && seed > 1) written.insert(info);
            }
        }
        CHECK(written.size() == api::builtin_kinds().size());
    }
}

namespace {

/// A member of type T, in an object whose table and message are made as the test wants them.
template <class T>
struct holder {
    object_meta metadata;
    T value{};
};

const protobuf_message& message_of(protobuf_meaning meaning) {
    using is = protobuf_meaning;
    static const protobuf_message time_message{"Time", nullptr, 0, is::time};
    static const protobuf_field of_small[] = {
        {"name", nullptr, 1, protobuf_type::string, protobuf_form::value, false},
        {"count", nullptr, 2, protobuf_type::int32, protobuf_form::pointer, false},
        {"at", &time_message, 3, protobuf_type::message, protobuf_form::value, false},
        {"later", nullptr, 200, protobuf_type::int64, protobuf_form::value, false}};
    static const protobuf_message small_message{"Small", of_small, std::size(of_small), is::fields};
    static const protobuf_field or_list[] = {
        {"schema", &small_message, 1, protobuf_type::message, protobuf_form::pointer, false},
        {"list", &small_message, 2, protobuf_type::message, protobuf_form::list, false}};
    static const protobuf_field or_bool[] = {
        {"schema", &small_message, 2, protobuf_type::message, protobuf_form::pointer, false}};
    static const protobuf_message all[] = {small_message,
                                           time_message,
                                           {"MicroTime", nullptr, 0, is::micro_time},
                                           {"Quantity", nullptr, 0, is::quantity},
                                           {"IntOrString", nullptr, 0, is::int_or_string},
                                           {"JSON", nullptr, 0, is::json},
                                           {"Texts", nullptr, 0, is::texts},
                                           {"OrBool", or_bool, 1, is::schema_or_bool},
                                           {"OrList", or_list, 2, is::schema_or_list},
                                           {"OrTexts", or_list, 1, is::schema_or_texts}};
    return *std::find_if(std::begin(all), std::end(all), [&](const auto& one) { return one.meaning == meaning; });
}

/// All that the value of a field may be.
std::vector<protobuf_field> fields_of_every_type() {
    std::vector<protobuf_field> all;
    for (const auto form : {protobuf_form::value, protobuf_form::pointer, protobuf_form::list, protobuf_form::map}) {
        for (int type = 0; type < static_cast<int>(protobuf_type::message); ++type) {
            all.push_back({"value", nullptr, 17, static_cast<protobuf_type>(type), form, false});
        }
        for (int meaning = 0; meaning <= static_cast<int>(protobuf_meaning::schema_or_texts); ++meaning) {
            const auto& of = message_of(static_cast<protobuf_meaning>(meaning));
            all.push_back({"value", &of, 17, protobuf_type::message, form, false});
        }
    }
    return all;
}

/// A type with one member, and a message with one field. They are known by their addresses as long as the program runs.
struct tables {
    std::array<field_descriptor, 2> members;
    std::array<protobuf_field, 2> fields;
    type_descriptor type;
    protobuf_message message;

    template <class T>
    static const tables& make(bool required, const protobuf_field& field) {
        static std::deque<tables> all;
        tables& made = all.emplace_back();
        made.members[0] = {"metadata", &describe<object_meta>(),
                           [](void* object) -> void* { return &static_cast<holder<T>*>(object)->metadata; }};
        made.members[1] = {"value", &describe<T>(),
                           [](void* object) -> void* { return &static_cast<holder<T>*>(object)->value; }, 0, required};
        made.fields = {api::protobuf_partial_object().fields[0], field};
        made.type.kind = type_kind::structure;
        made.type.size = sizeof(holder<T>);
        made.type.fields = made.members.data();
        made.type.field_count = 2;
        made.type.fresh_is_zero = [] { return false; };
        made.message = {"Holder", made.fields.data(), 2, protobuf_meaning::fields};
        return made;
    }
};

void set(own_way& value, unsigned seed) { value.number = static_cast<int>(seed % 9); }
template <class T>
void set(T&, unsigned) {}

template <class T>
void compare_type() {
    std::size_t written = 0;
    for (const auto& field : fields_of_every_type()) {
        for (const bool required : {false, true}) {
            const tables& of = tables::make<T>(required, field);
            resource_info info = resource_of<api::core::v1::pod>();
            info.type = &of.type;
            for (unsigned seed = 0; seed < 9; ++seed) {
                CAPTURE(static_cast<int>(field.type));
                CAPTURE(static_cast<int>(field.form));
                CAPTURE(std::string(field.message != nullptr ? field.message->name : "scalar"));
                CAPTURE(required);
                CAPTURE(seed);
                auto object = std::make_shared<holder<T>>();
                // The first is a fresh one.
                if (seed > 0) test::random_filler(seed).wrong(20).fill(describe<T>(), &object->value);
                set(object->value, seed);
                const auto& meta = object->metadata;
                if (compare(info, of.message, any_object(std::move(object), meta, of.type))) ++written;
            }
        }
    }
    CHECK(written > 40);
}

template <class... T>
void compare_types() {
    (compare_type<T>(), ...);
}

}  // namespace

TEST_CASE("a member of any type is written into a field of any type as its JSON is") {
    SUBCASE("alone") {
        compare_types<bool, std::int32_t, std::int64_t, double, std::string, text, quantity_text, timestamp, micro_time,
                      int_or_string, raw_json, date_time, small, strict_small, own_way>();
    }
    SUBCASE("or not at all") {
        compare_types<std::optional<bool>, std::optional<std::int32_t>, std::optional<std::int64_t>,
                      std::optional<double>, std::optional<std::string>, std::optional<int_or_string>,
                      std::optional<timestamp>, std::optional<strict_small>, std::optional<std::vector<small>>>();
    }
    SUBCASE("in memory of their own") {
        compare_types<boxed<text>, boxed<timestamp>, boxed<micro_time>, boxed<small>, boxed<std::int64_t>,
                      boxed<quantity_text>, boxed<int_or_string>, boxed<raw_json>, nullable<text>, nullable<double>,
                      nullable<strict_small>, nullable<list<text>>, boxed<boxed<small>>>();
    }
    SUBCASE("in lists") {
        compare_types<list<text>, list<std::int32_t>, list<std::int64_t>, list<timestamp>, list<micro_time>,
                      list<quantity_text>, list<int_or_string>, list<small>, list<raw_json>, list<boxed<small>>,
                      list<list<text>>, std::vector<std::string>, std::vector<strict_small>,
                      std::vector<std::optional<double>>, std::vector<own_way>>();
    }
    SUBCASE("in maps") {
        compare_types<dict<text>, dict<std::int64_t>, dict<quantity_text>, dict<timestamp>, dict<small>,
                      dict<int_or_string>, dict<list<text>>, dict<nullable<small>>, std::map<std::string, std::string>,
                      std::map<std::string, small>, std::map<std::string, std::int32_t>,
                      std::map<std::string, own_way>>();
    }
}

TEST_CASE("an object is written with other metadata than its own") {
    const auto& info = resource_of<api::autoscaling::v1::scale>();
    const auto& message = *api::find_protobuf("autoscaling", "v1", "Scale");
    const protobuf_kind_codec codec(info, message);
    api::autoscaling::v1::scale wanted;
    wanted.spec.replicas = 7;
    auto named = wanted;
    named.metadata.name = "web";
    named.metadata.labels.insert_or_assign("app", "web");
    const any_object object(std::make_shared<const api::autoscaling::v1::scale>(wanted));
    const auto whole = codec.encode(any_object(std::make_shared<const api::autoscaling::v1::scale>(named)));
    CHECK(said(codec.encode(object, named.metadata)) == said(whole));
    CHECK(said(codec.encode(object)) != said(whole));

    const auto other = codec.encode(any_object(std::make_shared<const api::core::v1::pod>()), named.metadata);
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error() == errc::invalid_argument);
    CHECK(said(codec.encode(any_object(std::make_shared<const api::core::v1::pod>()))) ==
          "error: Scale: the object is not of the C++ type that is asked for");
    CHECK(codec.encode(any_object()).error() == errc::invalid_argument);
    const auto dynamic = dynamic_resource({"", "v1", "Pod"}, "pods");
    const protobuf_kind_codec of_dynamic(dynamic, *api::find_protobuf("", "v1", "Pod"));
    const auto pod = dynamic.decode_text(R"({"metadata":{"name":"n"},"spec":{"nodeName":"node"}})").value();
    CHECK(said(of_dynamic.encode(pod)) == through_json(dynamic, *api::find_protobuf("", "v1", "Pod"), pod));
    CHECK(of_dynamic.encode(pod, named.metadata).error() == errc::invalid_argument);
}

TEST_CASE("the error of a wrong value names its path") {
    const auto& info = resource_of<api::core::v1::pod>();
    const protobuf_kind_codec codec(info, *api::find_protobuf("", "v1", "Pod"));
    const auto write = [&](const auto& spoil) {
        api::core::v1::pod object;
        object.spec.containers.emplace_back();
        object.spec.containers.emplace_back();
        spoil(object);
        return said(codec.encode(any_object(std::make_shared<const api::core::v1::pod>(std::move(object)))));
    };
    CHECK(write([](auto& pod) {
              pod.spec.containers[1].resources.limits.insert_or_assign("cpu", "much");
          }).starts_with("error: spec.containers[1].resources.limits[cpu]: "));
    CHECK(write([](auto& pod) {
              pod.status.start_time = wall_time(duration::max());
          }).starts_with("error: status.startTime: expected a time such as "));
    // JSON replaces such bytes.
    const auto replaced = write([](auto& pod) { pod.spec.containers[0].image = "eight888\xff"; });
    CHECK(replaced == write([](auto& pod) { pod.spec.containers[0].image = "eight888\xEF\xBF\xBD"; }));
    CHECK_FALSE(replaced.starts_with("error"));
}
