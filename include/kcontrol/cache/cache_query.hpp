// cache_query: which of the cached objects are wanted.
#pragma once

#include <kcontrol/model/label_selector.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// A namespace and a label selector; by default everything is wanted.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class cache_query {
public:
    cache_query() = default;

    /// Empty: all namespaces.
    cache_query& in_namespace(std::string ns) { return namespace_ = std::move(ns), *this; }
    /// `label_selector::parse("app=web")` reads one.
    cache_query& labels(label_selector selector) { return labels_ = std::move(selector), *this; }

    const std::string& in_namespace() const noexcept { return namespace_; }
    const label_selector& labels() const noexcept { return labels_; }

private:
    std::string namespace_;
    label_selector labels_;
};

}  // namespace kcontrol
