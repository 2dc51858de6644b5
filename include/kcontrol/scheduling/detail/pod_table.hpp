// A table of records of pods, found by namespace and name. The names are those of the record's pod: nothing is copied.
#pragma once

#include <kcontrol/scheduling/pod_info.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace kcontrol::inline v0_1::scheduling::detail {

struct pod_name {
    std::string_view namespace_;
    std::string_view name;

    friend bool operator==(const pod_name&, const pod_name&) = default;
};

/// `Record` has a member `pod`, which points to a pod_info; another version of the same pod may take its place.
template <class Record>
class pod_table {
public:
    Record* find(std::string_view namespace_, std::string_view name) const {
        const auto found = records_.find(pod_name{namespace_, name});
        return found == records_.end() ? nullptr : found->get();
    }
    Record& insert(std::unique_ptr<Record> record) { return **records_.insert(std::move(record)).first; }
    void erase(const Record& record) { records_.erase(records_.find(name_of(record))); }
    std::size_t size() const noexcept { return records_.size(); }

private:
    static pod_name name_of(const Record& record) { return {record.pod->namespace_(), record.pod->name()}; }
    struct hash {
        using is_transparent = void;
        std::size_t operator()(const pod_name& of) const noexcept {
            const std::size_t a = std::hash<std::string_view>{}(of.namespace_);
            return a ^ (std::hash<std::string_view>{}(of.name) + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
        }
        std::size_t operator()(const std::unique_ptr<Record>& of) const noexcept { return (*this)(name_of(*of)); }
    };
    struct equal {
        using is_transparent = void;
        bool operator()(const std::unique_ptr<Record>& a, const pod_name& b) const noexcept { return name_of(*a) == b; }
        bool operator()(const pod_name& a, const std::unique_ptr<Record>& b) const noexcept { return name_of(*b) == a; }
        bool operator()(const std::unique_ptr<Record>& a, const std::unique_ptr<Record>& b) const noexcept {
            return name_of(*a) == name_of(*b);
        }
    };

    std::unordered_set<std::unique_ptr<Record>, hash, equal> records_;
};

}  // namespace kcontrol::scheduling::detail
