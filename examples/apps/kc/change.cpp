// kc apply, delete, patch, scale and wait.
#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/client/subresource.hpp>
#include <kcontrol/client/wait_conditions.hpp>
#include <kcontrol/client/wait_until.hpp>

#include "session.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>

namespace kc {
namespace {

void tell(const session& s, const api_resource& kind, const namespaced_name& key, const char* done) {
    std::cout << name_of(kind, key.name) << " " << done << (s.said.has("--dry-run") ? " (server dry run)" : "")
              << std::endl;
}

void tell_deleted(const session& s, const api_resource& kind, const namespaced_name& key) {
    std::string what = name_of(kind, "");
    what.pop_back();  // the '/'
    std::cout << what << " \"" << key.name << "\" deleted"
              << (kind.namespaced ? " from " + key.namespace_ + " namespace" : "")
              << (s.said.has("--dry-run") ? " (server dry run)" : "") << std::endl;
}

void remove_one(session& s, const api_resource& kind, const namespaced_name& key) {
    const auto& info = s.info(kind);
    delete_options how = s.timed(delete_options());
    how.dry_run(s.said.has("--dry-run"));
    const wait_options patient = wait_options().deadline(std::chrono::hours(24));
    const bool waits = s.said.text("--wait") != "false";
    const auto call = [&](client& c) {
        return waits ? delete_and_wait(c, info, key, how, patient) : c.delete_(info, key, how);
    };
    s.client.run(call).value();
    tell_deleted(s, kind, key);
}

}  // namespace

int apply(session& s) {
    if (!s.said.has("--filename")) refuse("apply -f FILE");
    apply_options how = s.writing(apply_options(""));
    how.force(s.said.has("--force-conflicts")).field_validation(field_validation::strict);
    for (const auto& one : s.manifests()) {
        const auto& info = s.info(one.kind);
        const std::string text = json::serialize(one.object);
        s.client.run([&](client& c) { return c.apply(info, one.key, text, how); }).value();
        tell(s, one.kind, one.key, "serverside-applied");
    }
    return 0;
}

int remove(session& s) {
    if (s.said.has("--filename")) {
        for (const auto& one : s.manifests()) remove_one(s, one.kind, one.key);
        return 0;
    }
    const auto target = s.targets();
    for (const auto& key : target.keys) remove_one(s, target.kind, key);
    if (!target.keys.empty()) return 0;
    if (!s.said.has("--all") && !s.said.has("--selector")) refuse("delete KIND NAME…, KIND -l SELECTOR or KIND --all");
    list_options which;
    which.in_namespace(s.home(target.kind)).label_selector(s.said.text("--selector"));
    const auto how = s.timed(delete_options().dry_run(s.said.has("--dry-run")));
    const auto& info = s.info(target.kind);
    const auto gone = s.client.run([&](client& c) { return c.delete_collection(info, which, how); }).value();
    for (const auto& one : gone.items) tell_deleted(s, target.kind, one.key());
    if (gone.items.empty()) std::cout << "No resources found" << std::endl;
    return 0;
}

int patch(session& s) {
    static const std::map<std::string, const char*> types = {
        {"merge", merge_patch_type}, {"json", json_patch_type}, {"strategic", strategic_merge_patch_type}};
    const auto type = types.find(s.said.text("--type"));
    const auto target = s.targets();
    if (type == types.end()) {
        refuse("--type must be one of [json merge strategic], not \"" + escape_control(s.said.text("--type")) + "\"");
    }
    if (!s.said.has("--patch") || target.keys.empty()) refuse("patch KIND NAME -p TEXT --type strategic|merge|json");
    const auto& info = s.info(target.kind);
    write_options how = s.writing(write_options());
    how.subresource(s.said.text("--subresource"));
    for (const auto& key : target.keys) {
        s.client.run([&](client& c) { return c.patch(info, key, type->second, s.said.text("--patch"), how); }).value();
        tell(s, target.kind, key, "patched");
    }
    return 0;
}

int scale(session& s) {
    using api::autoscaling::v1::scale;
    const auto target = s.targets();
    const std::string& replicas = s.said.text("--replicas");
    if (replicas.empty() || replicas.find_first_not_of("0123456789") != std::string::npos) refuse("--replicas N");
    const auto scales = s.client.underlying().subresource(s.info(target.kind), "scale");
    const std::string text = R"({"spec":{"replicas":)" + replicas + "}}";
    const auto how = s.writing(write_options());
    for (const auto& key : target.keys) {
        auto one = scales;
        s.client.run([&](client&) { return one.patch<scale>(key, merge_patch_type, text, how); }).value();
        tell(s, target.kind, key, "scaled");
    }
    return 0;
}

int wait(session& s) {
    const auto target = s.targets();
    if (target.keys.empty()) refuse("wait KIND NAME --for …");
    const std::string event = s.said.text("--for");
    const auto until = parse_wait_condition(event).value();
    const auto& info = s.info(target.kind);
    const wait_options patient = wait_options().deadline(s.said.time("--timeout"));
    for (const auto& key : target.keys) {
        if (event != "delete" && event != "create") {
            // What is not there is an error at once, as kubectl has it.
            (void)s.client.run([&](client& c) { return c.get(info, key, s.timed(get_options())); }).value();
        }
        (void)s.client.run([&](client& c) { return wait_until(c, info, key, until, patient); }).value();
        std::cout << name_of(target.kind, key.name) << " condition met" << std::endl;
    }
    return 0;
}

}  // namespace kc
