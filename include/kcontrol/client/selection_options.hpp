// Which objects of a kind a request, or a cache, is about.
#pragma once

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// What the options of lists, watches and reflectors have in common.
template <class Derived>
class selection_options {
public:
    /// Empty: all namespaces.
    Derived& in_namespace(std::string ns) { return namespace_ = std::move(ns), self(); }
    /// "app in (web,db),!canary", as the API has it. Empty: all.
    Derived& label_selector(std::string s) { return label_selector_ = std::move(s), self(); }
    /// "spec.nodeName=n1", of the fields by which the kind can be selected. Empty: all.
    Derived& field_selector(std::string s) { return field_selector_ = std::move(s), self(); }

    /// A part of these objects by a hash, as shard_selector::to_string() writes it. Servers without the feature
    /// ShardedListAndWatch (alpha since Kubernetes 1.36, off by default) ignore it and send all: the client drops the
    /// others itself. Empty: all.
    Derived& shard_selector(std::string s) { return shard_selector_ = std::move(s), self(); }

    const std::string& in_namespace() const noexcept { return namespace_; }
    const std::string& label_selector() const noexcept { return label_selector_; }
    const std::string& field_selector() const noexcept { return field_selector_; }
    const std::string& shard_selector() const noexcept { return shard_selector_; }

private:
    Derived& self() { return static_cast<Derived&>(*this); }
    std::string namespace_, label_selector_, field_selector_, shard_selector_;
};

}  // namespace kcontrol
