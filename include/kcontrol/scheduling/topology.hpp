// topology: the nodes of a snapshot by the values of one label.
#pragma once

#include <kcontrol/scheduling/interned_name.hpp>
#include <kcontrol/scheduling/node_info.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Which domain each node is in. A domain is a value of the label that nodes have; its number is below size() and stays
/// the same while it has nodes. Numbers of domains that are gone are used again.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class topology {
public:
    static constexpr std::int32_t none = -1;  ///< the domain of a node that has no such label

    /// Of the label of that key; without nodes.
    explicit topology(interned_name key) : key_(std::move(key)) {}

    const interned_name& key() const noexcept { return key_; }  ///< of the label
    /// The domain of a node, or none.
    std::int32_t domain_of(const node_info& node) const noexcept {
        return node.slot() < domain_of_slot_.size() ? domain_of_slot_[node.slot()] : none;
    }
    /// How long an array is that has an element for each domain.
    std::size_t size() const noexcept { return domains_.size(); }
    /// The number of domains that have nodes.
    std::size_t live() const noexcept { return number_of_value_.size(); }
    /// The value of a domain.
    std::string_view value(std::int32_t number) const { return domains_[static_cast<std::size_t>(number)].value; }
    /// How many nodes a domain has; 0: no node has its value now.
    std::int32_t nodes_in(std::int32_t number) const { return domains_[static_cast<std::size_t>(number)].nodes; }
    /// The domain of a value, or none.
    KCONTROL_DECL std::int32_t find(std::string_view value) const;

    /// A node is there, or has other labels.
    KCONTROL_DECL void set(const node_info& node);
    /// A node is deleted.
    KCONTROL_DECL void remove(const node_info& node);

private:
    struct domain {
        std::string value;
        std::int32_t nodes = 0;
    };
    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    interned_name key_;
    std::vector<std::int32_t> domain_of_slot_;
    std::vector<domain> domains_;
    std::vector<std::int32_t> free_;
    std::unordered_map<std::string, std::int32_t, text_hash, std::equal_to<>> number_of_value_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/topology.ipp>
#endif
