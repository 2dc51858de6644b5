// JSONPath in Kubernetes' dialect: that of printer columns, `kubectl get -o jsonpath` and `kubectl wait
// --for=jsonpath`.
#pragma once

#include <kcontrol/documents/value.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {
class json_path_program;
}

/// A path that selects values of a document. It means what client-go's util/jsonpath makes of it:
///
///     .spec.replicas                      a member; `\` before a dot keeps it: .metadata.labels.app\.example\.com/tier
///     ['name'], ['a\.b']                  a member by its quoted name, which has no comma and no bracket
///     [0], [-1], [1:3], [:2], [::2], [*]  elements: an index, a slice, a step, all
///     [0,2], ['a','b']                    several of them
///     .*, ..name, ..                      all members; members of that name at any depth; everything
///     [?(@.type=="Ready")]                elements that pass: ==, !=, <, <=, >, >= with texts, numbers, true or false
///     [?(@.ready)]                        elements that have the member
///
/// `$` and `@` before a path change nothing. Templates (texts between paths, range and end) are kubectl's affair.
///
/// Thread-safety: immutable; shared objects safe.
class json_path {
public:
    /// A path as printer columns have it (`.status.phase`) or as kubectl takes it (`{.status.phase}`).
    /// Errors: invalid_argument, naming the path and what is wrong with it.
    KCONTROL_DECL static result<json_path> parse(std::string_view text);

    /// What it selects of `root`, in order, and members of an object by their names (Go has them in any order). A
    /// member that is absent is not selected, which is no error. The pointers live as long as `root` and a copy of this
    /// path.
    ///
    /// Errors: invalid_argument where kubectl fails, too: an index beyond the list, an index or a filter where there is
    /// no list, a comparison of values of different types. limit_exceeded beyond 100,000 values.
    KCONTROL_DECL result<std::vector<const json::value*>> find(const json::value& root) const;

    const std::string& text() const noexcept { return text_; }  ///< as it was given to parse()

private:
    json_path() = default;

    std::string text_;
    std::shared_ptr<const detail::json_path_program> program_;
};

/// Values as kubectl prints them, with blanks between them: texts as they are, objects and lists as JSON with their
/// members in order, numbers as Go shows them (`1e+06`), null as `null`.
KCONTROL_DECL std::string printed(const std::vector<const json::value*>& values);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/documents/impl/json_path.ipp>
#include <kcontrol/documents/impl/json_path_find.ipp>
#include <kcontrol/documents/impl/json_path_print.ipp>
#endif
