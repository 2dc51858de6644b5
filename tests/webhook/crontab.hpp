// A kind for the tests of webhooks, and the reviews that an API server would send about it.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/model/rules.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/webhook/admission_functions.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::test {

struct cron_container {
    std::string name;
    std::string image;
    static constexpr auto kcontrol_fields() {
        return fields(field("name", &cron_container::name), field("image", &cron_container::image));
    }
};
struct crontab_spec {
    std::string schedule;
    std::optional<std::int32_t> replicas;
    bool suspended = false;
    std::vector<cron_container> containers;
    std::vector<std::string> args;
    static constexpr auto kcontrol_fields() {
        using self = crontab_spec;
        return fields(
            field("schedule", &self::schedule), field("replicas", &self::replicas, rules().minimum(0).maximum(10)),
            field("suspended", &self::suspended), field("containers", &self::containers), field("args", &self::args));
    }
};
struct crontab {
    static constexpr resource_name kcontrol_resource{"stable.example.com", "v1", "CronTab", "crontabs"};
    object_meta metadata;
    crontab_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &crontab::spec)); }
};

/// `members` are of the request, beside those that every one has: `"operation":"CREATE","object":{…}`.
inline std::string crontab_review(const std::string& members) {
    return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",)"
           R"("kind":{"group":"stable.example.com","version":"v1","kind":"CronTab"},)"
           R"("resource":{"group":"stable.example.com","version":"v1","resource":"crontabs"},"name":"nightly",)"
           R"("namespace":"ops",)" +
           members + "}}";
}
/// `spec` and what else the object has: `"spec":{}`.
inline std::string crontab_json(const std::string& members) {
    return R"({"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"nightly","namespace":"ops"},)" +
           members + "}";
}
inline std::string create_review(const std::string& members) {
    return crontab_review(R"("operation":"CREATE","object":)" + crontab_json(members));
}

/// What a handler answers to the text of a review.
inline admission_response ask(const admission_handler& handler, const std::string& review) {
    boost::asio::io_context context;
    auto asked = std::make_shared<const admission_request>(decode_admission_review(review).value());
    return testing::run(context, handler(admission_context(std::move(asked))));
}

}  // namespace kcontrol::test
