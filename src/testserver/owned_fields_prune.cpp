#include "testserver/owned_fields.hpp"
#include "testserver/schema_shape.hpp"

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// The set with the declared fields that have a member below them. Source: structured-merge-diff v6, set.go,
// EnsureNamedFieldsAreMembers.
owned_set with_declared_parents(const resource_type& type, const owned_set& fields) {
    owned_set out = fields;
    for (const auto& path : fields) {
        owned_path above = path;
        for (above.pop_back(); !above.empty(); above.pop_back()) {
            if (is_declared(type, above)) out.insert(above);
        }
    }
    return out;
}

owned_set in_both(const owned_set& a, const owned_set& b) {
    owned_set out;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
    return out;
}

owned_set in_first_only(const owned_set& a, const owned_set& b) {
    owned_set out;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(out, out.end()));
    return out;
}

// Removes the places of a set from a value. A map or list that loses all that is in it becomes null, which is what
// Kubernetes makes of it. Source: structured-merge-diff v6, remove.go.
class place_remover {
public:
    place_remover(const resource_type& type, const owned_set& gone) : type_(type), gone_(gone) {}

    json::value rest_of(const owned_path& path, const json::value& v) const {
        const list_shape shape = shape_of(type_, path);
        if (v.is_object()) return is_atomic_map(type_, path) ? json::value() : rest_of_map(path, v.get_object());
        if (v.is_array()) return is_merged_list(shape, v) ? rest_of_list(path, shape, v.get_array()) : json::value();
        return v;
    }

private:
    json::value rest_of_map(const owned_path& path, const json::object& members) const {
        json::object rest;
        for (const auto& member : members) {
            const owned_path at = below(path, "f:" + std::string(member.key()));
            if (!gone_.contains(at)) rest[member.key()] = kept(at, member.value());
        }
        return rest.empty() ? json::value() : json::value(std::move(rest));
    }
    json::value rest_of_list(const owned_path& path, const list_shape& shape, const json::array& items) const {
        json::array rest;
        for (const auto& item : items) {
            const owned_path at = below(path, item_step(shape, item));
            if (!gone_.contains(at)) rest.push_back(kept(at, item));
        }
        return rest.empty() ? json::value() : json::value(std::move(rest));
    }
    json::value kept(const owned_path& path, const json::value& v) const {
        return owns_below(gone_, path) ? rest_of(path, v) : v;
    }

    const resource_type& type_;
    const owned_set& gone_;
};

json::object without_places(const resource_type& type, const json::object& object, const owned_set& gone) {
    json::value rest = place_remover(type, gone).rest_of({}, json::value(object));
    return rest.is_object() ? std::move(rest.get_object()) : json::object();
}

void find_nulls(const resource_type& type, const owned_path& path, const std::string& shown, const json::value& v,
                std::vector<null_field>& out) {
    if (v.is_array()) {
        std::size_t index = 0;
        for (const auto& item : v.get_array()) {
            find_nulls(type, path, shown + "[" + std::to_string(index++) + "]", item, out);
        }
    }
    if (!v.is_object()) return;
    for (const auto& member : v.get_object()) {
        const std::string name(member.key());
        const owned_path at = below(path, "f:" + name);
        std::string text = shown.empty() ? name : std::string(shown).append(".").append(name);
        const auto declared = type.structured_fields.find(schema_path(at));
        if (!member.value().is_null()) {
            find_nulls(type, at, text, member.value(), out);
        } else if (declared != type.structured_fields.end()) {
            out.emplace_back(std::move(text), declared->second);
        }
    }
}

}  // namespace
}  // namespace detail

void prune_fields(const resource_type& type, json::object& object, const owned_set& last, const owned_set& managed) {
    if (last.empty()) return;
    const owned_set had = detail::with_declared_parents(type, last);
    const owned_set all = detail::with_declared_parents(type, fields_of(type, object, false));
    const auto places_of = [&](const json::object& of) {
        return detail::with_declared_parents(type, fields_of(type, of, false));
    };
    owned_set stays = detail::with_declared_parents(type, managed);
    stays.merge(places_of(detail::without_places(type, object, had)));
    const owned_set left = places_of(detail::without_places(type, object, detail::in_first_only(all, stays)));
    owned_set gone = detail::in_both(detail::in_first_only(all, left), had);
    gone.erase({"f:metadata"});  // has a name always
    if (!gone.empty()) object = detail::without_places(type, object, gone);
}

std::vector<null_field> find_null_fields(const resource_type& type, const json::object& object) {
    std::vector<null_field> out;
    detail::find_nulls(type, {}, "", json::value(object), out);
    std::sort(out.begin(), out.end(), [](const null_field& a, const null_field& b) { return a.path < b.path; });
    return out;
}

}  // namespace kcontrol::testing
