#include "testing/end_state.hpp"

#include <kcontrol/documents/value.hpp>

#include "testing/fake_objects.hpp"
#include "testserver/object_store.hpp"
#include "testserver/timestamp.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

bool differs_between_worlds(std::string_view member) {
    constexpr std::string_view names[] = {"resourceVersion", "managedFields", "generation", "clusterIP",
                                          "clusterIPs",      "nodePort",      "podIP",      "podIPs"};
    return std::find(std::begin(names), std::end(names), member) != std::end(names);
}

/// Says an object without what differs from world to world.
class world_translator {
public:
    explicit world_translator(const idempotence_options& options) : options_(options) {}

    /// Everything is learnt before anything is said.
    void learn(const std::string& kind, const json::value& object) {
        const std::string prefix = text_at(object, {"metadata", "generateName"});
        const std::string name = text_at(object, {"metadata", "name"});
        if (!prefix.empty() && name.starts_with(prefix)) words_.emplace_back(name, prefix + "*");
        names_.emplace_back(uid_of(object), kind);
        keys_.emplace_back(text_at(object, {"metadata", "namespace"}), name);
    }
    void finish_learning() {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const std::string name = named(keys_[i].second);
            words_.emplace_back(names_[i].first, "uid of " + names_[i].second + " " + keys_[i].first + "/" + name);
        }
        std::erase_if(words_, [](const auto& word) { return word.first.empty(); });
    }

    std::string key(const std::string& kind, const json::value& object) const {
        const std::string ns = text_at(object, {"metadata", "namespace"});
        return kind + " " + (ns.empty() ? "" : ns + "/") + named(text_at(object, {"metadata", "name"}));
    }

    json::value say(const json::value& v) const {
        if (v.is_string()) return json::value(said(v.get_string()));
        if (v.is_array()) {
            json::array out;
            for (const auto& item : v.get_array()) out.push_back(say(item));
            return out;
        }
        if (!v.is_object()) return v;
        json::object out;
        const std::int64_t generation = whole_at(v, {"metadata", "generation"}, -1);
        for (const auto& member : v.get_object()) {
            if (differs_between_worlds(member.key()) || options_.ignored_fields().contains(member.key())) continue;
            out[said(member.key())] = say(member.value());
        }
        say_observed(out, generation);
        return out;
    }

private:
    // A generation that was observed counts by how far it is behind.
    static void say_observed(json::object& whole, std::int64_t generation) {
        const json::value observed = json::value(whole);
        const std::int64_t seen = whole_at(observed, {"status", "observedGeneration"}, -1);
        if (generation < 0 || seen < 0) return;
        whole["status"].as_object()["observedGeneration"] = seen - generation;
    }

    std::string named(std::string name) const {
        for (const auto& [word, meaning] : words_) {
            if (word == name) return meaning;
        }
        return name;
    }

    std::string said(std::string_view text) const {
        if (parse_timestamp(text)) return "a time";
        std::string out(text);
        for (const auto& [word, meaning] : words_) {
            for (auto at = out.find(word); at != std::string::npos; at = out.find(word, at + meaning.size())) {
                out.replace(at, word.size(), meaning);
            }
        }
        return out;
    }

    const idempotence_options& options_;
    std::vector<std::pair<std::string, std::string>> names_, keys_;
    std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace

end_state read_end_state(const api_server& api, const idempotence_options& options) {
    world_translator translator(options);
    std::vector<std::pair<std::string, json::value>> all;
    const store_snapshot snapshot = api.snapshot();
    for (const auto& [id, table] : tables_of(snapshot)) {
        if (options.ignored_kinds().contains(id)) continue;
        const resource_type& type = table.type();
        for (const auto& [key, object] : table.objects()) {
            all.emplace_back(type.kind, object->value(type, type.api_version(type.versions.front())));
            translator.learn(type.kind, all.back().second);
        }
    }
    translator.finish_learning();
    end_state out;
    for (const auto& [kind, object] : all) out[translator.key(kind, object)].push_back(translator.say(object));
    for (auto& [key, objects] : out) {
        std::sort(objects.begin(), objects.end(),
                  [](const json::value& a, const json::value& b) { return json::serialize(a) < json::serialize(b); });
    }
    return out;
}

namespace {

// The first place where two values differ: "/spec/replicas is 1, not 2".
std::optional<std::string> first_difference(const json::value* wanted, const json::value* found,
                                            const std::string& path) {
    const bool objects = wanted != nullptr && found != nullptr && wanted->is_object() && found->is_object();
    if (objects) {
        for (const auto& member : wanted->get_object()) {
            auto below = first_difference(&member.value(), found->get_object().if_contains(member.key()),
                                          path + "/" + std::string(member.key()));
            if (below) return below;
        }
        for (const auto& member : found->get_object()) {
            if (wanted->get_object().contains(member.key())) continue;
            return path + "/" + std::string(member.key()) + " is " + json::serialize(member.value()) + ", not absent";
        }
        return std::nullopt;
    }
    if (wanted != nullptr && found != nullptr && json::equal(*wanted, *found)) return std::nullopt;
    const auto shown = [](const json::value* v) { return v == nullptr ? std::string("absent") : json::serialize(*v); };
    return path + " is " + shown(found) + ", not " + shown(wanted);
}

}  // namespace

std::vector<std::string> compare_end_states(const end_state& wanted, const end_state& found) {
    constexpr std::size_t most = 3;
    std::vector<std::string> out;
    const std::vector<json::value> none;
    const auto in = [&none](const end_state& state, const std::string& key) -> const std::vector<json::value>& {
        const auto at = state.find(key);
        return at == state.end() ? none : at->second;
    };
    end_state keys = wanted;
    keys.insert(found.begin(), found.end());
    for (const auto& [key, unused] : keys) {
        const auto& a = in(wanted, key);
        const auto& b = in(found, key);
        if (out.size() >= most) break;
        if (a.size() != b.size()) {
            out.push_back(key + " is there " + std::to_string(b.size()) + " times, not " + std::to_string(a.size()));
            continue;
        }
        for (std::size_t i = 0; i < a.size() && out.size() < most; ++i) {
            if (auto place = first_difference(&a[i], &b[i], "")) out.push_back(key + ": " + *place);
        }
    }
    return out;
}

}  // namespace kcontrol::testing::detail
