#include "testserver/version_converter.hpp"

#include <kcontrol/runtime/random_uuid.hpp>

#include "testserver/admission_review.hpp"
#include "testserver/structural_schema.hpp"

namespace kcontrol::inline v0_1::testing::detail {

awaitable<outcome<json::array>> version_converter::convert_all(const resource_type& type, json::array objects,
                                                               std::string version) {
    const std::string wanted = type.api_version(version);
    if (type.conversion == nullptr) {
        for (auto& one : objects) one.as_object()["apiVersion"] = wanted;
        co_return objects;
    }
    const std::string from(objects.empty() ? std::string_view() : json::get_string(objects.front(), {"apiVersion"}));
    if (objects.empty() || from == wanted) co_return objects;
    const std::shared_ptr<const conversion_webhook> hook = type.conversion;
    const std::string uid = random_uuid(env_);
    std::string question = conversion_review_body(*hook, uid, wanted, objects);
    const std::string what = "conversion webhook for " + from + ", Kind=" + type.kind + " ";
    auto answer = co_await webhooks_.ask(hook->client, std::move(question), std::chrono::seconds(30));
    if (!answer) co_return failure(500, "", what + "failed: " + answer.error().message());
    auto converted = parse_conversion_review(*hook, objects, uid, wanted, *answer);
    if (!converted) co_return failure(500, "", what + converted.error().message());
    const structural_schema* structure = prunes_ ? type.structure_in(version) : nullptr;
    if (structure != nullptr) {
        std::vector<std::string> dropped;
        for (auto& one : *converted) structure->prune(one.get_object(), dropped);
    }
    co_return std::move(*converted);
}

awaitable<outcome<json::value>> version_converter::convert(const resource_type& type, json::value object,
                                                           std::string version) {
    json::array all;
    all.push_back(std::move(object));
    auto converted = co_await convert_all(type, std::move(all), std::move(version));
    if (!converted) co_return converted.error();
    co_return std::move(converted->front());
}

// Lists and watches are answered from what was converted once, as those of a real server from its watch cache.
awaitable<outcome<std::vector<object_ptr>>> version_converter::shown_from_cache(object_store::table_ptr table,
                                                                                std::vector<object_ptr> objects,
                                                                                std::string version) {
    if (table->type().conversion == nullptr) co_return objects;
    std::vector<object_ptr> missing;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto known = converted_.find(objects[i]);
        const auto found =
            known == converted_.end() ? converted_versions::const_iterator() : known->second.find(version);
        if (known != converted_.end() && found != known->second.end()) {
            objects[i] = found->second;
        } else {
            missing.push_back(objects[i]);
            places.push_back(i);
        }
    }
    if (missing.empty()) co_return objects;
    const std::vector<object_ptr> originals = missing;
    auto shown = co_await shown_in(std::move(table), std::move(missing), version);
    if (!shown) co_return shown.error();
    if (converted_.size() > converted_purge_at_) {
        std::erase_if(converted_, [](const auto& entry) { return entry.first.expired(); });
        converted_purge_at_ = 1000 + 2 * converted_.size();
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        converted_[originals[i]][version] = (*shown)[i];
        objects[places[i]] = std::move((*shown)[i]);
    }
    co_return objects;
}

awaitable<outcome<std::vector<object_ptr>>> version_converter::shown_in(object_store::table_ptr table,
                                                                        std::vector<object_ptr> objects,
                                                                        std::string version) {
    const resource_type& type = table->type();
    if (type.conversion == nullptr) co_return objects;
    // All that are kept in one version are asked for together.
    std::map<std::string, std::vector<std::size_t>> by_version;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const std::string& kept_in = objects[i]->written_in();
        if (!kept_in.empty() && kept_in != version) by_version[kept_in].push_back(i);
    }
    for (const auto& [kept_in, places] : by_version) {
        json::array sent;
        for (const std::size_t i : places) sent.push_back(objects[i]->value(type, type.api_version(kept_in)));
        auto converted = co_await convert_all(type, std::move(sent), version);
        if (!converted) co_return converted.error();
        for (std::size_t k = 0; k < places.size(); ++k) {
            json::object content = std::move((*converted)[k].get_object());
            objects[places[k]] = std::make_shared<const stored_object>(std::move(content), version);
        }
    }
    co_return objects;
}

awaitable<outcome<object_ptr>> version_converter::shown_in(object_store::table_ptr table, object_ptr object,
                                                           std::string version) {
    std::vector<object_ptr> one(1, std::move(object));
    auto shown = co_await shown_in(std::move(table), std::move(one), std::move(version));
    if (!shown) co_return shown.error();
    co_return std::move(shown->front());
}

}  // namespace kcontrol::testing::detail
