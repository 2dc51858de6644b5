// The objects of a kind as their server prints them for people: a table, with the columns that the kind defines.
#pragma once

#include <kcontrol/client/client.hpp>

#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A table of objects. Cells are one line each. What a server writes into them may be anything: text() escapes control
/// characters; who prints cells otherwise calls escape_control() before a terminal sees them.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class object_table {
public:
    /// A column that the kind defines: TableColumnDefinition of meta.k8s.io/v1.
    class column {
    public:
        std::string name;   ///< as the kind writes it, "Ready"; text() has it in capitals
        bool wide = false;  ///< where there is room for more than the usual
    };
    /// The cells of one object.
    class row {
    public:
        namespaced_name key;             ///< of the object; without a namespace where the kind has none
        std::vector<std::string> cells;  ///< one for each column
    };

    /// What of it is printed, for text().
    class shape {
    public:
        bool namespaces = false;  ///< a column of them first
        bool wide = false;        ///< those columns, too, that are wide
        bool header = true;       ///< a first line with the names of the columns
    };
    /// As kubectl prints it: the names of the columns in capitals, see aligned_columns().
    KCONTROL_DECL std::string text(const shape& how) const;

    std::vector<column> columns;   ///< all of them, wide ones included
    std::vector<row> rows;         ///< in the order in which the server gave them
    std::string resource_version;  ///< a watch from there tells what changes
};

// The server is asked, never a cache; the client's namespace counts, as for its verbs. Errors: those of client::raw(),
// invalid_argument as the verbs have it, and decode_failed where the answer is no table.
//
// Thread-safety: as the client's verbs. Object lifetime: arguments are copied, but `info`, which outlives the call.

/// Those that `which` selects, page by page, in pages of 500 unless it says otherwise, from its continue_token() on.
/// Each page has its deadline, and is held whole: it may have http::exchange_options::default_max_body unless `which`
/// says something else. A shard_selector() keeps the rows of its part, also where the server sends all. What `which`
/// says of objects (pool(), reuse()) does not count. Errors, besides: limit_exceeded beyond list_bounds or `which`'s
/// max_items(), protocol_error for a token that came before, invalid_argument for a shard selector that can't be read.
KCONTROL_DECL awaitable<result<object_table>> list_table(client c, const resource_info& info, list_options which);

/// One object.
KCONTROL_DECL awaitable<result<object_table>> get_table(client c, const resource_info& info, namespaced_name key,
                                                        get_options options);

/// Rows of text below each other, with three spaces between the columns, as kubectl aligns them: each at least six
/// columns of a terminal wide, the last one as wide as its text. Unlike kubectl, it counts what a terminal shows
/// (display_width()), so wide characters keep the columns in line. Control characters are escaped: escape_control().
KCONTROL_DECL std::string aligned_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/object_table.ipp>
#endif
