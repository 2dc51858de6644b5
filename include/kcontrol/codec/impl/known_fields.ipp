#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/codec/impl/field_lookup.hpp>
#include <kcontrol/codec/known_fields.hpp>
#include <kcontrol/model/metadata_fields.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

class unknown_field_finder {
public:
    void walk(const type_descriptor& type, json::node from, bool resource) {
        switch (type.kind) {
        case type_kind::optional: walk(*type.element, from, false); break;
        case type_kind::structure:
            if (from.is_object()) walk_members(type, from, resource);
            break;
        case type_kind::list:
            if (from.is_array()) walk_elements(type, from);
            break;
        case type_kind::map:
            if (!from.is_object()) break;
            for (const auto member : from.members()) {
                step("[" + escape_control(member.name) + "]", [&] { walk(*type.element, member.value, false); });
            }
            break;
        default: break;
        }
    }

    const std::vector<std::string>& found() const noexcept { return found_; }

private:
    template <class Action>
    void step(const std::string& name, Action action) {
        const std::size_t length = path_.size();
        path_ += name;
        action();
        path_.resize(length);
    }

    void walk_members(const type_descriptor& type, json::node from, bool resource) {
        std::size_t hint = 0;
        for (const auto member : from.members()) {
            if (resource && (member.name == "apiVersion" || member.name == "kind")) continue;
            // Fields of metav1.ObjectMeta that object_meta knows and does not keep.
            const bool passed_over = member.name == "managedFields" || member.name == "selfLink";
            if (passed_over && &type == &describe<object_meta>()) continue;
            const auto* field = find_field(type, member.name, hint);
            step((path_.empty() ? "" : ".") + escape_control(member.name), [&] {
                if (field == nullptr) {
                    found_.push_back(path_);
                } else {
                    walk(*field->type, member.value, false);
                }
            });
        }
    }

    void walk_elements(const type_descriptor& type, json::node from) {
        std::size_t index = 0;
        for (const json::node element : from.elements()) {
            step("[" + std::to_string(index++) + "]", [&] { walk(*type.element, element, false); });
        }
    }

    std::string path_;
    std::vector<std::string> found_;
};

}  // namespace detail

KCONTROL_DECL result<void> check_known_fields(const type_descriptor& type, json::node from, bool resource) {
    constexpr std::size_t shown = 16;
    detail::unknown_field_finder finder;
    finder.walk(type, from, resource);
    if (finder.found().empty()) return {};
    std::string message = finder.found().size() == 1 ? "unknown field " : "unknown fields ";
    for (std::size_t i = 0; i < finder.found().size() && i < shown; ++i) {
        message += (i == 0 ? "" : ", ") + finder.found()[i];
    }
    if (finder.found().size() > shown) message += " and " + std::to_string(finder.found().size() - shown) + " more";
    return error(errc::decode_failed, message + "; check the spelling against the version of the kind");
}

}  // namespace kcontrol
