#include "manifests.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/documents/yaml.hpp>

#include <algorithm>
#include <filesystem>

namespace kcontrol_apiserver {
namespace {

namespace json = kcontrol::json;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t max_bytes = std::size_t{64} << 20;

bool is_manifest(const std::string& name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

// A list of any kind, as `kubectl get -o yaml` writes it.
bool is_list(const json::value& document) {
    const json::value* items = json::find(document, {"items"});
    return json::get_string(document, {"kind"}).ends_with("List") && items != nullptr && items->is_array();
}

result<void> add_object(std::vector<manifest>& out, std::string where, const json::value& object) {
    for (const std::string_view member : {"apiVersion", "kind"}) {
        if (!json::get_string(object, {member}).empty()) continue;
        return error(errc::decode_failed,
                     where + ": " + std::string(member) + " is missing; every object says its apiVersion and kind");
    }
    const bool named = !json::get_string(object, {"metadata", "name"}).empty() ||
                       !json::get_string(object, {"metadata", "generateName"}).empty();
    if (!named) return error(errc::decode_failed, where + ": metadata.name is missing; give the object a name");
    out.emplace_back(std::move(where), object);
    return {};
}

result<void> read_file(kcontrol::environment& env, const std::string& path, std::vector<manifest>& out) {
    const auto text = env.read_regular_file(path, max_bytes);
    if (!text) return text.error();
    const auto documents = json::parse_yaml(*text, max_bytes);
    if (!documents) return documents.error().with_context(path);
    std::size_t number = 0;
    for (const auto& document : *documents) {
        ++number;
        const std::string where = documents->size() == 1 ? path : path + ", document " + std::to_string(number);
        if (!is_list(document)) {
            if (const auto added = add_object(out, where, document); !added) return added.error();
            continue;
        }
        std::size_t index = 0;
        for (const auto& item : json::find(document, {"items"})->get_array()) {
            const auto added = add_object(out, where + ", items[" + std::to_string(index++) + "]", item);
            if (!added) return added.error();
        }
    }
    return {};
}

int rank_of(const manifest& one) {
    const std::string_view kind = json::get_string(one.object, {"kind"});
    if (kind == "CustomResourceDefinition") return 0;
    return kind == "Namespace" ? 1 : 2;
}

std::string shown(const json::value& object) {
    std::string out(json::get_string(object, {"kind"}));
    const std::string_view ns = json::get_string(object, {"metadata", "namespace"});
    out += " " + (ns.empty() ? std::string() : std::string(ns) + "/");
    return kcontrol::escape_control(out + std::string(json::get_string(object, {"metadata", "name"})));
}

// What a server gave to an object is not for another one: so what `kubectl get -o yaml` writes can be loaded.
json::value without_identity(json::value object) {
    json::value* metadata = object.as_object().if_contains("metadata");
    if (metadata == nullptr || !metadata->is_object()) return object;
    for (const std::string_view given : {"resourceVersion", "uid", "creationTimestamp", "generation", "managedFields",
                                         "deletionTimestamp", "deletionGracePeriodSeconds"}) {
        metadata->get_object().erase(given);
    }
    return object;
}

// What is dropped without a word is what each server gives to its objects. This one says something about the object.
void note_dropped(const manifest& one, std::vector<std::string>& notes) {
    const json::value* when = json::find(one.object, {"metadata", "deletionTimestamp"});
    if (when == nullptr || when->is_null()) return;
    notes.push_back("--load " + one.where + ": " + shown(one.object) + ": metadata.deletionTimestamp " +
                    kcontrol::escape_control(json::serialize(*when)) +
                    " is dropped, as by every API server: the object is loaded as one that is not being deleted; "
                    "delete it after the start");
}

result<void> create_one(kcontrol::testing::api_server& api, const manifest& one, std::vector<std::string>& notes) {
    const json::value& object = one.object;
    const auto made = api.create(without_identity(object));
    if (!made) {
        if (made.error() == kcontrol::api_errc::already_exists) return {};
        return made.error();
    }
    note_dropped(one, notes);
    const json::value* status = json::find(object, {"status"});
    if (status == nullptr || !status->is_object() || status->get_object().empty()) return {};
    const json::value* now = json::find(*made, {"status"});
    if (now != nullptr && *now == *status) return {};
    json::value whole = *made;
    whole.as_object()["status"] = *status;
    const auto written = api.update_status(std::move(whole));
    if (!written) return written.error();
    return {};
}

error named(const error& why, const manifest& one) {
    return why.with_context("--load " + one.where + ": " + shown(one.object));
}

void sort(std::vector<manifest>& objects) {
    std::stable_sort(objects.begin(), objects.end(),
                     [](const manifest& a, const manifest& b) { return rank_of(a) < rank_of(b); });
}

}  // namespace

result<std::vector<manifest>> read_manifests(kcontrol::environment& env, const std::string& path) {
    std::vector<manifest> out;
    std::error_code problem;
    if (!std::filesystem::is_directory(path, problem)) {
        if (const auto done = read_file(env, path, out); !done) return done.error().with_context("--load");
        return out;
    }
    const auto names = env.list_directory(path);
    if (!names) return names.error().with_context("--load");
    for (const auto& name : *names) {
        if (!is_manifest(name)) continue;
        if (const auto done = read_file(env, path + "/" + name, out); !done) return done.error().with_context("--load");
    }
    if (out.empty()) {
        return error(errc::file_failed, "--load " + path +
                                            ": there are no objects in the .yaml, .yml and .json files of this "
                                            "directory; name one that has some");
    }
    return out;
}

result<void> create_all(kcontrol::testing::api_server& api, std::vector<manifest> objects,
                        std::vector<std::string>& notes) {
    sort(objects);
    for (const auto& one : objects) {
        const auto done = create_one(api, one, notes);
        if (!done) return named(done.error(), one);
    }
    return {};
}

result<void> create_those_served(kcontrol::testing::api_server& api, std::vector<manifest>& objects,
                                 std::vector<std::string>& notes) {
    sort(objects);
    std::vector<manifest> waiting;
    result<void> outcome;
    for (auto& one : objects) {
        const bool goes_on = outcome.has_value();
        const auto done = goes_on ? create_one(api, one, notes) : result<void>();
        if (!goes_on || (!done && done.error() == kcontrol::condition::not_found)) {
            waiting.push_back(std::move(one));
        } else if (!done) {
            outcome = named(done.error(), one);
        }
    }
    objects = std::move(waiting);
    return outcome;
}

}  // namespace kcontrol_apiserver
