// From the schema to a plan of the code: where each type lives, what it is called, in which order, with which members.
#pragma once

#include <kcontrol/base/result.hpp>

#include "dialect.hpp"
#include "ir.hpp"

#include <functional>

namespace kcontrol_gen {

struct planned_member {
    std::string name;       ///< C++ identifier
    std::string type;       ///< C++ type, as it is written inside the struct
    std::string full_type;  ///< the same for use anywhere
    std::string_view initializer;
    std::string remark;  ///< for a comment, or empty
    const field* source = nullptr;
};

struct planned_type {
    std::string key;
    std::string name_space;  ///< "kcontrol::api::apps::v1"
    std::string name;
    const kind* of_kind = nullptr;
    std::vector<planned_member> members;

    std::string full_name() const { return "::" + name_space + "::" + name; }
};

/// A type that the library has already.
struct existing_type {
    std::string_view name;
    std::string_view header;
};

struct plan {
    std::vector<planned_type> types;  ///< each after those that it needs complete
    std::set<std::string> headers;    ///< that the members need
    std::set<std::pair<std::string, std::string>>
        forward;                         ///< namespace and name of what is used before it is complete
    std::set<std::string> other_spaces;  ///< namespaces of types that were not chosen and are needed
    std::vector<remark> remarks;
};

/// `space_of` says where a type lives. Types of `chosen` are planned, others are taken to exist elsewhere with the same
/// names.
plan make_plan(const schema& all, const dialect& words, const std::function<std::string(const object_type&)>& space_of,
               const std::function<bool(const object_type&)>& chosen);

/// The type of the library that stands for a type of the schema, or null.
const existing_type* find_existing(const std::string& key);

}  // namespace kcontrol_gen
