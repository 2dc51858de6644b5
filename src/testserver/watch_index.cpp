#include "testserver/watch_index.hpp"

#include <algorithm>
#include <string_view>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// What a field must be, if the filter says so.
const std::string* required_field(const object_filter& filter, std::string_view field) {
    for (const auto& one : filter.fields.requirements()) {
        if (one.equals && one.field == field) return &one.value;
    }
    return nullptr;
}

// The label that must have one of the fewest values.
const label_requirement* required_label(const object_filter& filter) {
    const label_requirement* best = nullptr;
    for (const auto& one : filter.labels.requirements()) {
        if (one.op != label_operator::equals && one.op != label_operator::in) continue;
        if (best == nullptr || one.values.size() < best->values.size()) best = &one;
    }
    return best;
}

std::string required_namespace(const object_filter& filter) {
    const std::string* required = required_field(filter, "metadata.namespace");
    return filter.namespace_.empty() && required != nullptr ? *required : filter.namespace_;
}

template <class Index>
void take_out(Index& index, const std::string& text, std::uint64_t watch) {
    const auto found = index.find(text);
    if (found == index.end()) return;
    found->second.erase(watch);
    if (found->second.empty()) index.erase(found);
}

template <class Index>
void append_from(const Index& index, const std::string& text, std::vector<std::uint64_t>& into) {
    const auto found = index.find(text);
    if (found != index.end()) into.insert(into.end(), found->second.begin(), found->second.end());
}

}  // namespace
}  // namespace detail

void watch_index::add(std::uint64_t watch, const object_filter& filter) {
    scope& all = scopes_[detail::required_namespace(filter)];
    if (const std::string* name = detail::required_field(filter, "metadata.name")) {
        all.names[*name].insert(watch);
    } else if (const label_requirement* label = detail::required_label(filter)) {
        for (const auto& value : label->values) all.labels[label->key][value].insert(watch);
    } else {
        all.others.insert(watch);
    }
}

void watch_index::remove(std::uint64_t watch, const object_filter& filter) {
    const auto found = scopes_.find(detail::required_namespace(filter));
    if (found == scopes_.end()) return;
    scope& all = found->second;
    if (const std::string* name = detail::required_field(filter, "metadata.name")) {
        detail::take_out(all.names, *name, watch);
    } else if (const label_requirement* label = detail::required_label(filter)) {
        by_text& values = all.labels[label->key];
        for (const auto& value : label->values) detail::take_out(values, value, watch);
        if (values.empty()) all.labels.erase(label->key);
    } else {
        all.others.erase(watch);
    }
    if (all.empty()) scopes_.erase(found);
}

std::vector<std::uint64_t> watch_index::concerned_by(const store_event& change) const {
    std::vector<std::uint64_t> out;
    const std::string everywhere;
    for (const std::string* ns : {&everywhere, &change.key.namespace_}) {
        if (ns != &everywhere && ns->empty()) continue;
        const auto found = scopes_.find(*ns);
        if (found != scopes_.end()) found->second.collect(change, out);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

void watch_index::scope::collect(const store_event& change, std::vector<std::uint64_t>& into) const {
    into.insert(into.end(), others.begin(), others.end());
    detail::append_from(names, change.key.name, into);
    if (labels.empty()) return;
    for (const stored_object* object : {change.previous.get(), change.object.get()}) {
        if (object == nullptr) continue;
        for (const auto& [key, value] : object->labels()) {
            const auto found = labels.find(key);
            if (found != labels.end()) detail::append_from(found->second, value, into);
        }
    }
}

}  // namespace kcontrol::testing
