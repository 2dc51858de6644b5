#include "plan.hpp"

#include "naming.hpp"

#include <algorithm>

namespace kcontrol_gen {
namespace {

std::string fill(std::string_view spelling, const std::string& element) {
    std::string out(spelling);
    const auto at = out.find('@');
    if (at == std::string::npos) return out;
    return out.replace(at, 1, element);  // "<::" is no digraph since C++11
}

class planner {
public:
    planner(const schema& all, const dialect& words, const std::function<std::string(const object_type&)>& space_of,
            const std::function<bool(const object_type&)>& chosen)
        : all_(all), words_(words), space_of_(space_of), chosen_(chosen) {}

    plan make() {
        name_all();
        std::vector<std::string> order;
        for (const auto& [key, name] : names_) order.push_back(key);
        std::ranges::sort(order, {},
                          [&](const std::string& key) { return std::tie(names_.at(key).space, names_.at(key).name); });
        for (const auto& key : order) {
            if (chosen_(all_.types.at(key))) visit(key);
        }
        out_.remarks.insert(out_.remarks.begin(), all_.remarks.begin(), all_.remarks.end());
        return std::move(out_);
    }

private:
    struct cpp_name {
        std::string space;
        std::string name;
    };
    enum class state { unseen, open, done };

    void name_all() {
        std::map<std::string, std::set<std::string>> taken;  // by namespace
        for (const auto& k : all_.kinds) kinds_[k.type] = &k;
        // Kinds first, so that they have their names whatever other types are called.
        for (const bool for_kinds : {true, false}) {
            for (const auto& [key, type] : all_.types) {
                if (find_existing(key) != nullptr || kinds_.contains(key) != for_kinds) continue;
                const auto space = space_of_(type);
                auto name = type.named ? type.name : identifier(type.name);
                if (!type.named) name = unique(std::move(name), taken[space]);
                names_[key] = {space, std::move(name)};
            }
        }
    }

    std::string full_name(const std::string& key) {
        if (const auto* existing = find_existing(key)) return std::string(existing->name);
        const auto& name = names_.at(key);
        return "::" + name.space + "::" + name.name;
    }

    /// Plans what must be complete before `owner`. False where that is impossible: the types need each other.
    bool visit(const std::string& key) {
        auto& mark = marks_[key];
        if (mark == state::done) return true;
        if (mark == state::open) return false;
        mark = state::open;
        const auto& type = all_.types.at(key);
        planned_type made;
        made.key = key;
        made.name_space = names_.at(key).space;
        made.name = names_.at(key).name;
        const auto kind = kinds_.find(key);
        made.of_kind = kind == kinds_.end() ? nullptr : kind->second;
        std::set<std::string> taken;
        if (made.of_kind != nullptr) taken.insert("metadata");
        for (const auto& f : type.fields) made.members.push_back(member_of(made, f, taken));
        shorten(made);
        out_.types.push_back(std::move(made));
        marks_[key] = state::done;
        return true;
    }

    planned_member member_of(const planned_type& owner, const field& f, std::set<std::string>& taken) {
        planned_member m;
        m.source = &f;
        m.name = unique(identifier(f.json_name), taken);
        m.remark = remark_of(f);
        const bool boxed = f.type.form == shape::object && !f.type.nullable && !f.by_value;
        const auto spelled = boxed ? spell_around(words_.boxed, f.type, owner.key) : spell_type(f.type, owner.key);
        if (!spelled) {
            out_.remarks.push_back(
                {owner.full_name().substr(2) + ": " + m.name, "kept as raw JSON (it contains itself by value)"});
            m.full_type = use(words_.raw);
            return m;
        }
        m.full_type = *spelled;
        if (f.type.form == shape::object || f.type.nullable) return m;
        const auto& word = words_.word(f.type.form);
        if (f.required || word.when_absent == absence::own) {
            m.initializer = word.initializer;
        } else {
            m.full_type = fill(use(word.when_absent == absence::boxed ? words_.boxed : words_.optional), m.full_type);
        }
        return m;
    }

    /// The allowed values.
    static std::string remark_of(const field& f) {
        std::string out;
        for (const auto& value : f.enum_values) {
            const auto text = comment_text(value);
            if (text.empty() || out.size() + text.size() > 80) return out.empty() ? out : out + "...";
            out += (out.empty() ? "" : ", ") + text;
        }
        return out;
    }

    std::string use(const vocabulary_word& word) {
        if (!word.header.empty()) out_.headers.insert(std::string(word.header));
        return std::string(word.spelling);
    }

    /// A container of something. Its object is planned first, unless the container can do without.
    std::optional<std::string> spell_around(const vocabulary_word& around, const type_ref& inner,
                                            const std::string& owner) {
        if (inner.form == shape::object && !inner.nullable) {
            if (!need(inner.object, around.allows_incomplete, owner)) return std::nullopt;
            return fill(use(around), full_name(inner.object));
        }
        const auto element = spell_type(inner, owner);
        if (!element) return std::nullopt;
        return fill(use(around), *element);
    }

    std::optional<std::string> spell_type(const type_ref& type, const std::string& owner) {
        if (type.nullable) {
            auto inner = type;
            inner.nullable = false;
            return spell_around(words_.nullable, inner, owner);
        }
        if (type.element) return spell_around(words_.word(type.form), *type.element, owner);
        if (type.form != shape::object) return use(words_.word(type.form));
        if (!need(type.object, false, owner)) return std::nullopt;
        return full_name(type.object);
    }

    bool need(const std::string& key, bool may_be_incomplete, const std::string& owner) {
        if (const auto* existing = find_existing(key)) {
            out_.headers.insert(std::string(existing->header));
            return true;
        }
        if (!chosen_(all_.types.at(key))) {
            out_.other_spaces.insert(names_.at(key).space);
            return true;
        }
        if (visit(key)) return true;
        if (may_be_incomplete && key != owner) out_.forward.emplace(names_.at(key).space, names_.at(key).name);
        return may_be_incomplete;
    }

    /// Leaves out the namespace where the name alone means the same inside of the struct.
    void shorten(planned_type& type) {
        std::set<std::string> members;
        for (const auto& m : type.members) members.insert(m.name);
        const auto prefix = "::" + type.name_space + "::";
        for (auto& m : type.members) {
            m.type = m.full_type;
            const auto at = m.type.find(prefix);
            if (at != std::string::npos) {
                const auto end = m.type.find_first_not_of(
                    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at + prefix.size());
                const auto name = m.type.substr(at + prefix.size(), end - (at + prefix.size()));
                // A member of that name would change what the name means.
                if (!members.contains(name)) m.type.erase(at, prefix.size());
            }
        }
    }

    const schema& all_;
    const dialect& words_;
    const std::function<std::string(const object_type&)>& space_of_;
    const std::function<bool(const object_type&)>& chosen_;
    std::map<std::string, cpp_name> names_;
    std::map<std::string, const kind*> kinds_;
    std::map<std::string, state> marks_;
    plan out_;
};

constexpr std::pair<std::string_view, existing_type> existing_types[] = {
    {"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", {"kcontrol::object_meta", "kcontrol/model/resource.hpp"}},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference",
     {"kcontrol::owner_reference", "kcontrol/model/resource.hpp"}},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.Condition", {"kcontrol::status_condition", "kcontrol/model/condition.hpp"}},
};

}  // namespace

const existing_type* find_existing(const std::string& key) {
    const auto found = std::ranges::find(existing_types, std::string_view(key), [](const auto& e) { return e.first; });
    return found == std::end(existing_types) ? nullptr : &found->second;
}

plan make_plan(const schema& all, const dialect& words, const std::function<std::string(const object_type&)>& space_of,
               const std::function<bool(const object_type&)>& chosen) {
    return planner(all, words, space_of, chosen).make();
}

}  // namespace kcontrol_gen
