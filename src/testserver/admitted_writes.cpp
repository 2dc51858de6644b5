#include "testserver/admitted_writes.hpp"

#include "testserver/json_values.hpp"
#include "testserver/write_request.hpp"

namespace kcontrol::inline v0_1::testing::detail {
namespace {

// The DeleteOptions of a request, which come as its body or are made of its query.
json::value delete_options_of(const http::server_request& request) {
    auto given = request.body.empty() ? outcome<json::value>(json::object()) : parse_document(request, std::string());
    json::object out = given && given->is_object() ? std::move(given->get_object()) : json::object();
    out["kind"] = "DeleteOptions";
    out["apiVersion"] = "meta.k8s.io/v1";
    return json::value(std::move(out));
}

}  // namespace

admission_attributes attributes_of(const parsed_request& asked, const resource_type& type) {
    admission_attributes out;
    out.resource = type.id();
    out.version = asked.info.version;
    out.subresource = asked.info.subresource;
    out.kind_group = type.group;
    out.kind_version = asked.info.version;
    out.kind = type.kind;
    out.namespaced = type.namespaced;
    out.namespace_ = asked.info.namespace_;
    out.name = asked.info.name;
    out.user = asked.user;
    json::object options;
    options["apiVersion"] = "meta.k8s.io/v1";
    for (const std::string_view name : {"fieldManager", "fieldValidation"}) {
        if (const auto given = asked.info.parameter(name); !given.empty()) options[name] = given;
    }
    if (!asked.info.parameter("dryRun").empty()) options["dryRun"] = json::array({"All"});
    out.options = std::move(options);
    return out;
}

awaitable<outcome<void>> admitted_writes::admit(const write_order& order, const admission_attributes& about,
                                                pending_write& pending) {
    const resource_type& type = order.table->type();
    if (is_webhook_configuration(type.id()) || !admission_.mutates()) co_return outcome<void>();
    if (pending.creates()) {
        if (auto allowed = store_.may_create(type, pending); !allowed) co_return allowed.error();
    }
    json::value whole = pending.whole(type);
    json::value old;
    if (!pending.creates()) old = pending.live->value(type, type.api_version(pending.target.version));
    json::value object = order.show ? order.show(whole) : whole;
    if (order.show && !old.is_null()) old = order.show(old);
    const auto changed = co_await admission_.mutate(about, type, object, old, *order.warnings);
    if (!changed) co_return changed.error();
    if (!*changed) co_return outcome<void>();
    if (!order.put_back) co_return store_.take_admitted(type, pending, std::move(object.get_object()));
    order.put_back(whole, object);
    co_return store_.take_admitted(type, pending, std::move(whole.get_object()));
}

awaitable<outcome<void>> admitted_writes::validate(const write_order& order, const admission_attributes& about,
                                                   const pending_write& pending) {
    const resource_type& type = order.table->type();
    if (is_webhook_configuration(type.id())) co_return outcome<void>();
    if (!admission_.validates()) co_return outcome<void>();
    json::value object = pending.whole(type);
    json::value old;
    if (!pending.creates()) old = pending.live->value(type, type.api_version(pending.target.version));
    if (order.show) {
        object = order.show(object);
        if (!old.is_null()) old = order.show(old);
    }
    auto valid = co_await admission_.validate(about, type, object, old, *order.warnings);
    co_return valid;
}

// A write that somebody else's overtakes while webhooks are asked begins anew, as in etcd's transactions.
awaitable<outcome<write_result>> admitted_writes::write(write_order order) {
    constexpr int attempts = 5;
    const resource_type& type = order.table->type();
    const bool converts = type.conversion != nullptr && type.serves(type.storage_version);
    for (int attempt = 0; attempt < attempts; ++attempt) {
        object_ptr live = order.table->get(order.key);
        const object_ptr stored = live;
        if (live != nullptr && converts) {
            auto shown = co_await converter_.shown_in(order.table, std::move(live), order.about.version);
            if (!shown) co_return shown.error();
            live = std::move(*shown);
            if (order.table->get(order.key) != stored) continue;
        }
        auto pending = order.begin(live);
        if (!pending) co_return pending.error();
        admission_attributes about = order.about;
        about.operation = pending->creates() ? "CREATE" : "UPDATE";
        about.options.as_object()["kind"] = pending->creates() ? "CreateOptions" : "UpdateOptions";
        if (about.name.empty()) about.name = member(metadata_of(pending->body), "name");
        if (about.resource == namespaces_id()) about.namespace_ = about.name;
        auto admitted = co_await admit(order, about, *pending);
        if (!admitted) co_return admitted.error();
        if (auto prepared = store_.prepare(*order.table, *pending); !prepared) co_return prepared.error();
        if (pending->creates()) about.name = member(metadata_of(pending->body), "name");
        auto valid = co_await validate(order, about, *pending);
        if (!valid) co_return valid.error();
        if (converts && about.version != type.storage_version) {
            auto encoded = co_await converter_.convert(type, pending->whole(type), type.storage_version);
            if (!encoded) co_return encoded.error();
            json::object content = std::move(encoded->get_object());
            content.erase("apiVersion");
            content.erase("kind");
            pending->encoded = std::move(content);
        } else if (converts) {
            pending->encoded = pending->body;
        }
        if (order.table->removed()) co_return failure(0, "", "");
        if (!object_store::is_current(*order.table, *pending)) continue;
        write_result out;
        out.created = pending->creates();
        auto written = store_.finish(*order.table, std::move(*pending), about.dry_run);
        if (!written) co_return written.error();
        if (!about.dry_run) definitions_.written(*order.table, *written);
        auto shown = co_await converter_.shown_in(order.table, std::move(*written), about.version);
        if (!shown) co_return shown.error();
        out.object = std::move(*shown);
        co_return out;
    }
    co_return failure::modified(type.id(), order.about.name);
}

awaitable<outcome<delete_result>> admitted_writes::remove(const parsed_request& asked, object_store::table_ptr table,
                                                          namespaced_name key, delete_request request,
                                                          std::vector<std::string>& warnings) {
    const resource_type& type = table->type();
    object_ptr stored = table->get(key);
    const bool somebody_asks = admission_.mutates() || admission_.validates();
    if (stored != nullptr && somebody_asks && !is_webhook_configuration(type.id())) {
        auto shown = co_await converter_.shown_in(table, std::move(stored), asked.info.version);
        if (!shown) co_return shown.error();
        admission_attributes about = attributes_of(asked, type);
        about.operation = "DELETE";
        about.dry_run = request.dry_run();
        if (about.resource == namespaces_id()) about.namespace_ = key.name;
        about.options = delete_options_of(asked.message);
        const json::value old = (*shown)->value(type, type.api_version(asked.info.version));
        json::value nothing;
        const auto changed = co_await admission_.mutate(about, type, nothing, old, warnings);
        if (!changed) co_return changed.error();
        auto valid = co_await admission_.validate(about, type, nothing, old, warnings);
        if (!valid) co_return valid.error();
    }
    auto removed = direct_.remove(*table, key, request);
    if (!removed) co_return removed.error();
    auto shown = co_await converter_.shown_in(table, std::move(removed->object), asked.info.version);
    if (!shown) co_return shown.error();
    removed->object = std::move(*shown);
    co_return removed;
}

}  // namespace kcontrol::testing::detail
