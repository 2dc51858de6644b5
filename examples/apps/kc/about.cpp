// kc api-resources and auth: what the server serves, and what one may do there.
#include <kcontrol/api/authentication/v1.hpp>
#include <kcontrol/api/authorization/v1.hpp>
#include <kcontrol/base/log.hpp>

#include "session.hpp"

#include <algorithm>
#include <iostream>
#include <tuple>

namespace kc {
namespace {

template <class Texts>
std::string joined(const Texts& all, const char* between) {
    std::string out;
    for (const auto& one : all) out += (out.empty() ? "" : between) + std::string(one);
    return out;
}

int who_am_i(session& s) {
    const auto review =
        s.client.create(api::authentication::v1::self_subject_review(), s.timed(write_options())).value();
    const auto& user = review.status.user_info;
    std::vector<std::vector<std::string>> rows = {{"ATTRIBUTE", "VALUE"}, {"Username", std::string(user.username)}};
    if (!user.uid.empty()) rows.push_back({"UID", std::string(user.uid)});
    if (!user.groups.empty()) rows.push_back({"Groups", "[" + joined(user.groups, " ") + "]"});
    for (const auto& [key, values] : user.extra) {
        rows.push_back({"Extra: " + std::string(key), "[" + joined(values, " ") + "]"});
    }
    std::cout << aligned_columns(rows);
    return 0;
}

int ask(session& s, const api::authorization::v1::self_subject_access_review& review) {
    const auto answer = s.client.create(review, s.timed(write_options())).value();
    std::cout << (answer.status.allowed ? "yes" : "no");
    for (const auto* why : {&answer.status.reason, &answer.status.evaluation_error}) {
        if (!answer.status.allowed && !why->empty()) std::cout << " - " << std::string(*why);
    }
    std::cout << "\n";
    return answer.status.allowed ? 0 : 1;
}

int can_i(session& s) {
    if (s.said.words.size() < 4) refuse("auth can-i VERB KIND[/NAME]");
    std::string word = s.said.words[3];
    api::authorization::v1::self_subject_access_review review;
    if (word.starts_with('/')) {
        auto& path = review.spec.non_resource_attributes.edit();
        path.verb = s.said.words[2];
        path.path = word;
        return ask(s, review);
    }
    auto& asked = review.spec.resource_attributes.edit();
    if (const auto slash = word.find('/'); slash != std::string::npos) {
        asked.name = word.substr(slash + 1);
        word.resize(slash);
    }
    asked.verb = s.said.words[2];
    asked.subresource = s.said.text("--subresource");
    const bool everywhere = s.said.has("--all-namespaces");
    if (!everywhere) asked.namespace_ = s.client.underlying().default_namespace();
    const auto kind = s.client.run([&](client&) { return s.discovery.find(word); });
    if (kind) {
        asked.group = kind->gvk.group;
        asked.resource = kind->plural;
        if (!kind->namespaced && !everywhere) {
            std::cerr << "Warning: resource '" << kind->plural << "' is not namespace scoped\n\n";
        }
        if (!kind->namespaced) asked.namespace_ = "";
    } else {
        // What a server will serve tomorrow may be allowed today.
        if (kind.error() != errc::no_such_kind) throw exception(kind.error());
        asked.resource = word;
        if (word != "*")
            std::cerr << "Warning: the server doesn't have a resource type '" << escape_control(word) << "'\n\n";
    }
    return ask(s, review);
}

}  // namespace

int api_resources(session& s) {
    const auto all = s.client.run([&](client&) { return s.discovery.catalog(); }).value();
    auto kinds = all->preferred();
    std::erase_if(kinds, [](const api_resource* one) { return one->verbs.empty(); });
    std::stable_sort(kinds.begin(), kinds.end(), [](const api_resource* a, const api_resource* b) {
        return std::tie(a->gvk.group, a->plural) < std::tie(b->gvk.group, b->plural);
    });
    std::vector<std::vector<std::string>> rows = {{"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"}};
    for (const auto* one : kinds) {
        rows.push_back({one->plural, joined(one->short_names, ","), one->gvk.api_version(),
                        one->namespaced ? "true" : "false", one->gvk.kind});
    }
    std::cout << aligned_columns(rows);
    for (const auto& failed : all->failures) {
        std::cerr << "error: " << failed.group_version() << ": " << failed.why.what() << "\n";
    }
    return all->failures.empty() ? 0 : 1;
}

int auth(session& s) {
    const std::string what = s.said.words.size() > 1 ? s.said.words[1] : std::string();
    if (what == "whoami") return who_am_i(s);
    if (what == "can-i") return can_i(s);
    refuse("auth whoami, or auth can-i VERB KIND[/NAME]");
}

}  // namespace kc
