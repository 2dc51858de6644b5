// What `kubectl get` shows of Kubernetes' own kinds: the columns of a Table, and what is in them. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/testing/failure.hpp>

#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// A column of a Table.
class table_column {
public:
    constexpr table_column() = default;
    /// `n`: the name, `t`: the type, `p`: the priority, `f`: the format. The texts outlive it.
    constexpr table_column(std::string_view n, std::string_view t, int p = 0, std::string_view f = {})
        : name(n), type(t), format(f), priority(p) {}

    std::string_view name;    ///< kubectl shows it in capitals
    std::string_view type;    ///< OpenAPI: "string", "integer", "boolean" or "date"
    std::string_view format;  ///< OpenAPI; "name" marks the object's name, others have none
    int priority = 0;         ///< above 0: only with -o wide
};

/// The columns of one kind. Source: kubernetes/pkg/printers/internalversion/printers.go of 1.37.
///
/// Thread-safety: immutable.
class kind_columns {
public:
    std::string_view group;             ///< empty: core
    std::string_view plural;            ///< as paths have it: "deployments"
    std::vector<table_column> columns;  ///< in order, those of -o wide among them
    /// What is in them, one value a column.
    json::array (*cells)(const json::value& object, wall_time now) = nullptr;
};

/// The columns of a kind, or null: then they are Name and Age.
const kind_columns* columns_of_kind(const group_resource& id);

}  // namespace kcontrol::testing
