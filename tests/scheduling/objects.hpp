// Pods and nodes for the tests of scheduling.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/scheduling/node_info.hpp>
#include <kcontrol/scheduling/pod_info.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace kcontrol::test {

namespace core = api::core::v1;

template <class T>
std::shared_ptr<const T> object_of(const std::string& json) {
    auto read = from_json<T>(json);
    REQUIRE_MESSAGE(read.has_value(), json);
    return std::make_shared<const T>(std::move(*read));
}

/// A pod of JSON: its spec, and its labels as they stand in the metadata.
inline std::shared_ptr<const scheduling::pod_info> pod_of(const std::string& name, const std::string& spec,
                                                          const std::string& labels = "{}",
                                                          const std::string& status = "{}") {
    const auto slash = name.find('/');
    const std::string ns = slash == std::string::npos ? "default" : name.substr(0, slash);
    const std::string own = slash == std::string::npos ? name : name.substr(slash + 1);
    return std::make_shared<const scheduling::pod_info>(
        object_of<core::pod>(R"({"metadata":{"namespace":")" + ns + R"(","name":")" + own + R"(","uid":"uid-)" + name +
                             R"(","labels":)" + labels + R"(},"spec":)" + spec + R"(,"status":)" + status + "}"));
}

/// The spec of a pod with one container, which requests this.
inline std::string requesting(const std::string& requests, const std::string& more = {}) {
    return R"({"containers":[{"name":"c","image":"web:1","resources":{"requests":)" + requests + "}}]" + more + "}";
}

inline std::shared_ptr<const core::node> node_of(const std::string& name, const std::string& allocatable,
                                                 const std::string& labels = "{}", const std::string& status = {}) {
    return object_of<core::node>(R"({"metadata":{"name":")" + name + R"(","labels":)" + labels +
                                 R"(},"status":{"allocatable":)" + allocatable + status + "}}");
}

}  // namespace kcontrol::test
