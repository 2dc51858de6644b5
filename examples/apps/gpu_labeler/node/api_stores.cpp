// The stores that are objects of an API server.
#include <kcontrol/codec/dynamic_object.hpp>

#include "node/label_store.hpp"
#include "node/marks_json.hpp"

#include <chrono>

namespace gpu_labeler {
namespace {

using kcontrol::error;
using kcontrol::result;

// One request with the retries that the client makes in it; the next try is the run loop's.
constexpr auto patience = std::chrono::seconds(10);

// An error of the API server with what to do about it.
error explained(const error& what, const std::string& name, std::string_view right, std::string_view missing) {
    if (what == kcontrol::condition::access_denied) {
        return error(what.code(),
                     name + ": " + what.message() + "; this program needs the right to " + std::string(right));
    }
    if (what == kcontrol::condition::not_found) {
        return error(what.code(), name + ": " + what.message() + "; " + std::string(missing));
    }
    return what.with_context(name);
}

// What both kinds have in common: one object, read by a patch that changes nothing, written by server-side apply.
class api_object {
public:
    api_object(kcontrol::client api, const kcontrol::resource_info& info, kcontrol::namespaced_name key)
        : api_(std::move(api)), info_(info), key_(std::move(key)) {}

    // An empty patch needs the same right as a write, so that the program can do without `get`; and it never creates.
    kcontrol::awaitable<result<kcontrol::json::value>> look(std::stop_token stop) {
        kcontrol::write_options options;
        options.dry_run().field_manager(std::string(field_manager)).deadline(patience).stop(std::move(stop));
        auto answer = co_await api_.patch(info_, key_, "application/merge-patch+json", "{}", std::move(options));
        if (!answer) co_return answer.error();
        co_return kcontrol::json::value(answer->as<kcontrol::dynamic_object>()->content.tree());
    }

    // With a `uid` the object is never created.
    kcontrol::awaitable<result<void>> apply(std::string text, std::string uid, bool dry_run, std::stop_token stop) {
        kcontrol::apply_options options{std::string(field_manager)};
        options.force().precondition_uid(std::move(uid)).deadline(patience).dry_run(dry_run).stop(std::move(stop));
        const auto answer = co_await api_.apply(info_, key_, std::move(text), std::move(options));
        if (!answer) co_return answer.error();
        co_return result<void>();
    }

    kcontrol::awaitable<result<void>> remove(std::stop_token stop) {
        kcontrol::delete_options options;
        options.deadline(patience).stop(std::move(stop));
        auto gone = co_await api_.delete_(info_, key_, std::move(options));
        if (!gone && gone.error() == kcontrol::condition::not_found) co_return result<void>();
        co_return gone;
    }

private:
    kcontrol::client api_;
    const kcontrol::resource_info& info_;
    kcontrol::namespaced_name key_;
};

const kcontrol::resource_info& nodes() {
    static const auto info = kcontrol::dynamic_resource({"", "v1", "Node"}, "nodes", kcontrol::resource_scope::cluster,
                                                        kcontrol::managed_fields::kept);
    return info;
}

const kcontrol::resource_info& node_features() {
    static const auto info =
        kcontrol::dynamic_resource({"nfd.k8s-sigs.io", "v1alpha1", "NodeFeature"}, "nodefeatures",
                                   kcontrol::resource_scope::namespaced, kcontrol::managed_fields::kept);
    return info;
}

// A store that is written by server-side apply, and so can ask by dry runs what would be refused.
class applied_store : public label_store {
public:
    kcontrol::awaitable<result<void>> write(node_marks wanted, std::stop_token stop) override {
        const auto done = co_await apply(std::move(wanted), false, std::move(stop));
        co_return done;
    }

    kcontrol::awaitable<result<std::vector<refused_mark>>> find_refused(node_marks wanted,
                                                                        std::stop_token stop) override {
        const try_function ask = [this](node_marks marks, std::stop_token s) {
            return apply(std::move(marks), true, std::move(s));
        };
        auto found = co_await gpu_labeler::find_refused(std::move(wanted), ask, std::move(stop));
        co_return found;
    }

private:
    virtual kcontrol::awaitable<result<void>> apply(node_marks marks, bool dry_run, std::stop_token stop) = 0;
};

class node_store final : public applied_store {
public:
    node_store(kcontrol::client api, std::string node)
        : name_("Node " + node), object_(std::move(api), nodes(), {"", std::move(node)}) {}

    const std::string& name() const noexcept override { return name_; }

    kcontrol::awaitable<result<node_marks>> look(std::stop_token stop) override {
        const auto there = co_await object_.look(std::move(stop));
        if (!there) co_return explain(there.error());
        uid_ = kcontrol::json::get_string(*there, {"metadata", "uid"});
        co_return marks_of_node(*there);
    }

    kcontrol::awaitable<result<void>> clear(std::stop_token stop) override {
        const auto there = co_await look(stop);
        if (!there) co_return there.error();
        if (there->empty()) co_return result<void>();
        const auto done = co_await write(node_marks(), std::move(stop));
        co_return done;
    }

private:
    kcontrol::awaitable<result<void>> apply(node_marks marks, bool dry_run, std::stop_token stop) override {
        auto text = node_text(marks);
        const auto done = co_await object_.apply(std::move(text), uid_, dry_run, std::move(stop));
        if (!done) co_return explain(done.error());
        co_return result<void>();
    }

    error explain(const error& what) const {
        return explained(what, name_, "patch nodes", "is --node-name (or NODE_NAME) right?");
    }

    std::string name_;
    std::string uid_;  // of the Node that was looked at
    api_object object_;
};

class node_feature_store final : public applied_store {
public:
    node_feature_store(kcontrol::client api, std::string node, std::string in_namespace)
        : node_(std::move(node)),
          namespace_(std::move(in_namespace)),
          object_name_("kcontrol-gpu-labeler-" + node_),
          name_("NodeFeature " + namespace_ + "/" + object_name_),
          object_(std::move(api), node_features(), {namespace_, object_name_}) {}

    const std::string& name() const noexcept override { return name_; }

    kcontrol::awaitable<result<node_marks>> look(std::stop_token stop) override {
        const auto there = co_await object_.look(std::move(stop));
        if (!there && there.error() == kcontrol::condition::not_found) co_return node_marks();
        if (!there) co_return explain(there.error());
        co_return marks_of_node_feature(*there);
    }

    kcontrol::awaitable<result<void>> clear(std::stop_token stop) override {
        const auto done = co_await object_.remove(std::move(stop));
        if (!done) co_return explain(done.error());
        co_return result<void>();
    }

private:
    kcontrol::awaitable<result<void>> apply(node_marks marks, bool dry_run, std::stop_token stop) override {
        auto text = node_feature_text(node_, marks);
        const auto done = co_await object_.apply(std::move(text), std::string(), dry_run, std::move(stop));
        if (!done) co_return explain(done.error());
        co_return result<void>();
    }

    error explain(const error& what) const {
        return explained(what, name_, "create, patch and delete nodefeatures.nfd.k8s-sigs.io in that namespace",
                         "is Node Feature Discovery installed, and does the namespace exist?");
    }

    std::string node_;
    std::string namespace_;
    std::string object_name_;
    std::string name_;
    api_object object_;
};

}  // namespace

std::unique_ptr<label_store> make_node_store(kcontrol::client api, std::string node) {
    return std::make_unique<node_store>(std::move(api), std::move(node));
}

std::unique_ptr<label_store> make_node_feature_store(kcontrol::client api, std::string node, std::string in_namespace) {
    return std::make_unique<node_feature_store>(std::move(api), std::move(node), std::move(in_namespace));
}

}  // namespace gpu_labeler
