// A part of an object that is read as its type, and whose schema keeps what the type does not know.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/values/raw_json.hpp>

namespace ray_operator {

using namespace kcontrol;

/// A T whose schema in our CustomResourceDefinitions is any object: a pod template of a later Kubernetes is stored
/// whole, and KubeRay's definitions stay ten times as large as ours.
template <class T>
struct opaque : T {
    friend bool operator==(const opaque& a, const opaque& b) {
        return static_cast<const T&>(a) == static_cast<const T&>(b);
    }

private:
    using kcontrol_generated = void;  // hides T's, whose tables are not those of an opaque
};

}  // namespace ray_operator

template <class T>
struct kcontrol::custom_codec<ray_operator::opaque<T>> {
    static constexpr std::string_view schema = R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})";
    static result<void> decode(json::node from, ray_operator::opaque<T>& to) {
        auto read = from_json<T>(raw_json::from(from).text());
        if (!read) return read.error();
        static_cast<T&>(to) = std::move(*read);
        return {};
    }
    static void encode(const ray_operator::opaque<T>& from, json::writer& to) {
        to.raw(to_json(static_cast<const T&>(from)));
    }
    static bool empty(const ray_operator::opaque<T>& what) { return static_cast<const T&>(what) == T(); }
};
