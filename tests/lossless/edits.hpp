// Random edits of typed objects, each with what it means for the JSON.
#pragma once

#include "random_object.hpp"

#include <string>
#include <utility>

namespace kcontrol_test {

/// What was edited: {"path": [name or index...], "set" | "insert" | "remove": value}, to be applied in order. Only the
/// last index of a path is moved by an "insert" or a "remove".
class edit_log {
public:
    void add(json::array path, const char* what, json::value with) {
        edits_.push_back(json::object{{"path", std::move(path)}, {what, std::move(with)}});
    }
    json::array take() { return std::move(edits_); }

private:
    json::array edits_;
};

/// `path` and one more step.
inline json::array step(json::array path, json::value to) {
    path.push_back(std::move(to));
    return path;
}

template <class Dict>
void edit_entries(Dict& entries, random_source& random, edit_log& log, const json::array& path) {
    if (!entries.empty() && random.chance(60)) {
        const auto at = entries.begin() + static_cast<std::ptrdiff_t>(random.below(entries.size()));
        const std::string key(at->first);
        if (random.chance(50)) {
            entries.erase(key);
            log.add(step(path, json::value(key)), "remove", true);
        } else {
            entries[key] = std::string("edited");
            log.add(step(path, json::value(key)), "set", "edited");
        }
    }
    const std::string fresh = "new-" + random.word();
    entries[fresh] = fresh;
    log.add(step(path, json::value(fresh)), "set", json::value(fresh));
}

template <class Containers>
void edit_containers(Containers& containers, random_source& random, edit_log& log, const json::array& path) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
        if (!random.chance(70)) continue;
        const std::string image = "example.com/" + random.word() + ":2";
        containers[i].image = image;
        log.add(step(step(path, i), "image"), "set", json::value(image));
    }
}

/// Of a custom resource's list: elements with names that have unknown members. One goes, one changes, one comes.
template <class Parts>
void edit_parts(Parts& parts, random_source& random, edit_log& log, const json::array& path) {
    if (parts.size() > 1 && random.chance(60)) {
        const auto gone = random.below(parts.size());
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(gone));
        log.add(step(path, gone), "remove", true);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!random.chance(60)) continue;
        parts[i].weight = static_cast<std::int32_t>(1000 + random.below(1000));
        log.add(step(step(path, i), "weight"), "set", *parts[i].weight);
        if constexpr (requires { parts[i].inner; }) {
            if (!parts[i].inner.present()) continue;
            parts[i].inner.edit().note = "edited";
            log.add(step(step(step(path, i), "inner"), "note"), "set", "edited");
            auto& steps = parts[i].steps;
            for (std::size_t j = 0; j < steps.size(); ++j) {
                steps[j].count = 9007199254740993;
                log.add(step(step(step(step(path, i), "steps"), j), "count"), "set", 9007199254740993);
            }
        }
    }
    if (random.chance(50)) {
        auto& fresh = parts.emplace_back();
        fresh.name = "part-" + random.word();
        log.add(step(path, parts.size() - 1), "insert", json::object{{"name", json::value(fresh.name.str())}});
    }
}

/// Edits whatever of an object it knows how to.
template <class T>
json::array edit(T& object, random_source& random) {
    edit_log log;
    edit_entries(object.metadata.labels, random, log, {"metadata", "labels"});
    edit_entries(object.metadata.annotations, random, log, {"metadata", "annotations"});
    if constexpr (requires { object.data; }) edit_entries(object.data, random, log, {"data"});
    if constexpr (requires { object.spec.replicas; }) {
        object.spec.replicas = static_cast<std::int32_t>(random.below(50));
        log.add({"spec", "replicas"}, "set", *object.spec.replicas);
    }
    if constexpr (requires { object.spec.containers; }) {
        edit_containers(object.spec.containers, random, log, {"spec", "containers"});
    }
    if constexpr (requires { object.spec.template_.spec.containers; }) {
        edit_containers(object.spec.template_.spec.containers, random, log, {"spec", "template", "spec", "containers"});
    }
    if constexpr (requires { object.rules; }) {
        for (std::size_t i = 0; i < object.rules.size(); ++i) {
            object.rules[i].verbs.emplace_back("patch");
            log.add({"rules", i, "verbs", object.rules[i].verbs.size() - 1}, "insert", "patch");
        }
    }
    if constexpr (requires { object.spec.size; }) {
        object.spec.size = 9007199254740993;
        log.add({"spec", "size"}, "set", 9007199254740993);
    }
    if constexpr (requires { object.spec.parts; }) edit_parts(object.spec.parts, random, log, {"spec", "parts"});
    if constexpr (requires { object.spec.table; }) {
        for (auto& [key, part] : object.spec.table) {
            part.weight = 7;
            log.add({"spec", "table", json::value(std::string_view(key)), "weight"}, "set", 7);
        }
    }
    return log.take();
}

}  // namespace kcontrol_test
