#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/webhook/admission_handler.hpp>
#include <kcontrol/webhook/impl/review_words.hpp>
#include <kcontrol/webhook/object_edit.hpp>

namespace kcontrol::inline v0_1::detail {

inline admission_response refused_with(int code, std::string reason, std::string message) {
    api_status status;
    status.code = code;
    status.reason = std::move(reason);
    status.message = std::move(message);
    return admission_response(admission_verdict::deny(std::move(status)));
}

inline admission_response bad_request(const error& why) { return refused_with(400, "BadRequest", why.message()); }

// A webhook that is registered for more than it knows would read one kind as another.
inline result<void> check_kind(const resource_info& kind, const admission_request& asked) {
    if (asked.kind == kind.gvk) return {};
    return wrong_review("request.kind", "this webhook is for " + kind.gvk.api_version() + " " + kind.gvk.kind +
                                            ", the request is about " + in_quotes(asked.kind.api_version()) + " " +
                                            in_quotes(asked.kind.kind) + "; correct the rules of its configuration");
}

inline result<any_object> decode_admitted(const resource_info& kind, const char* name, json::node from) {
    if (from.is_null()) return any_object();
    auto object = kind.decode(from);
    if (!object) return object.error().with_context(std::string("request.") + name);
    return object;
}

inline result<std::string> patch_of_defaults(const resource_info& kind, json::node original, const any_object& before,
                                             const any_object& after) {
    if (before == after) return std::string();
    const auto from = kind.encode(before);
    if (!from) return from.error();
    const auto to = kind.encode(after);
    if (!to) return to.error();
    return json_patch_of_edit(kind, original, *from, *to);
}

class defaulting_chain {
public:
    defaulting_chain(resource_info k, std::vector<default_step> s) : kind_(std::move(k)), steps_(std::move(s)) {}

    static awaitable<admission_response> run(std::shared_ptr<const defaulting_chain> self, admission_context ctx) {
        const admission_request& asked = ctx.request();
        if (const auto right = check_kind(self->kind_, asked); !right) co_return bad_request(right.error());
        if (asked.operation == admission_operation::delete_) co_return admission_response();
        const auto before = decode_admitted(self->kind_, "object", asked.object);
        if (!before) co_return bad_request(before.error());
        any_object current = *before;
        for (const default_step& step : self->steps_) {
            auto edited = co_await step(ctx, current);
            if (!edited) co_return admission_response(verdict_of(edited.error()));
            current = std::move(*edited);
        }
        auto patch = patch_of_defaults(self->kind_, asked.object, *before, current);
        if (!patch) co_return bad_request(patch.error());
        admission_response answer;
        answer.patch = std::move(*patch);
        co_return answer;
    }

private:
    resource_info kind_;
    std::vector<default_step> steps_;
};

class validating_chain {
public:
    validating_chain(resource_info k, std::vector<validate_step> s) : kind_(std::move(k)), steps_(std::move(s)) {}

    static awaitable<admission_response> run(std::shared_ptr<const validating_chain> self, admission_context ctx) {
        const admission_request& asked = ctx.request();
        if (const auto right = check_kind(self->kind_, asked); !right) co_return bad_request(right.error());
        const auto object = decode_admitted(self->kind_, "object", asked.object);
        if (!object) co_return bad_request(object.error());
        const auto old = decode_admitted(self->kind_, "oldObject", asked.old_object);
        if (!old) co_return bad_request(old.error());
        admission_response answer;
        for (const validate_step& step : self->steps_) {
            auto verdict = co_await step(ctx, *object, *old);
            answer.verdict.merge(std::move(verdict));
            if (answer.verdict.status()) break;
        }
        co_return answer;
    }

private:
    resource_info kind_;
    std::vector<validate_step> steps_;
};

KCONTROL_DECL admission_handler make_defaulting_handler(resource_info kind, std::vector<default_step> steps) {
    const auto chain = std::make_shared<const defaulting_chain>(std::move(kind), std::move(steps));
    return [chain](admission_context ctx) { return defaulting_chain::run(chain, std::move(ctx)); };
}

KCONTROL_DECL admission_handler make_validating_handler(resource_info kind, std::vector<validate_step> steps) {
    const auto chain = std::make_shared<const validating_chain>(std::move(kind), std::move(steps));
    return [chain](admission_context ctx) { return validating_chain::run(chain, std::move(ctx)); };
}

}  // namespace kcontrol::detail
