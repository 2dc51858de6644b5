// How objects are shown to a client: whole, as metadata only, or as the Table that kubectl prints. Pure.
#pragma once

#include <kcontrol/documents/json_path.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/testing/request_info.hpp>

#include "testserver/kind_columns.hpp"
#include "testserver/list_page.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// The form that a request's Accept header asks for.
enum class shape { object, metadata, table };

/// Chooses a form. Fails with NotAcceptable if the client takes neither JSON nor YAML; `streams`: of a list or a watch.
outcome<shape> negotiate(std::string_view accept, bool streams);
/// Whether the first of the media types that is known is YAML.
bool prefers_yaml(std::string_view accept);

/// Writes objects, lists and watch events of one kind, in one version and one form, as JSON text.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
/// Object lifetime: `type` outlives it.
class renderer {
public:
    /// Takes version and includeObject from `request`; ages in tables end at `now`.
    renderer(const resource_type& type, const request_info& request, shape form, wall_time now);

    /// A column that a kind defines, with its path read.
    struct column {
        printer_column definition;
        json_path path;
    };

    std::string object(const stored_object& object) const;  ///< one document; a table has one row
    std::string list(const list_page& page) const;          ///< one document, with the page's version and token
    /// One event of a watch with its newline. Tables carry their columns in the first event only: `first`.
    std::string event(std::string_view type, const stored_object& object, bool first) const;
    /// A BOOKMARK event with its newline; `ends_initial_events`: k8s.io/initial-events-end, but not in a table.
    std::string bookmark(std::uint64_t version, bool ends_initial_events) const;

private:
    json::value metadata_only(const stored_object& object) const;
    json::array columns() const;
    json::value row(const stored_object& object) const;
    json::object table_of(std::uint64_t version, bool with_columns) const;

    const resource_type& type_;
    std::string api_version_;
    const kind_columns* known_;    // of Kubernetes' own kinds that have columns of their own
    std::vector<column> columns_;  // of all others, besides Name
    std::string include_object_;   // "None", "Metadata" or "Object": what a table's rows carry
    shape form_;
    wall_time now_;
};

namespace detail {

/// What a part of an Accept header asks for; nothing if it is not JSON or YAML.
std::optional<shape> shape_of_media_range(std::string_view range);

}  // namespace detail

}  // namespace kcontrol::testing
