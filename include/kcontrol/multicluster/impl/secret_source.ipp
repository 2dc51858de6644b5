#pragma once

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/multicluster/detail/on_change_backoff.hpp>
#include <kcontrol/multicluster/detail/secret_object.hpp>
#include <kcontrol/multicluster/secret_source.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <boost/asio/post.hpp>

#include <map>
#include <optional>
#include <utility>

namespace kcontrol {
KCONTROL_DECL result<auth::cluster_config> parse_secret_kubeconfig(environment& env, std::string_view text,
                                                                   std::string origin, std::size_t max_bytes,
                                                                   auth::trust level) {
    if (text.size() > max_bytes) {
        return error(errc::too_large,
                     origin + " is larger than " + std::to_string(max_bytes) + " bytes: leave only one context in it");
    }
    const auto parsed = auth::kubeconfig::parse(text, origin, std::move(level));
    if (!parsed) return parsed.error();
    auto config = parsed->resolve(env);
    if (!config) return config.error();
    // Also without credentials: an answer that anybody on the way can write is no answer.
    if (config->server().scheme != "https") {
        return error(errc::invalid_config, origin + ": server: an untrusted kubeconfig must name an https server");
    }
    return config;
}

struct secret_source::impl : std::enable_shared_from_this<impl> {
    impl(environment& e, executor x, auth::cluster_config h, http::transport_factory t, secret_source_options o)
        : env(e),
          ex(std::move(x)),
          home(std::move(h)),
          transport(std::move(t)),
          options(std::move(o)),
          calls(env, options.log()) {}

    std::string name_of(const object_meta& meta) const {
        const std::string name(meta.name);
        return options.in_namespace().empty() ? std::string(meta.namespace_) + "/" + name : name;
    }

    result<auth::cluster_config> read(const detail::secret_object& secret) const {
        const std::string where = "secret " + escape_control(std::string(secret.metadata.namespace_)) + "/" +
                                  escape_control(std::string(secret.metadata.name)) + ", data." + options.key();
        const auto data = secret.take_data();
        const auto found = data.find(options.key());
        if (found == data.end()) return error(errc::invalid_config, where + ": not there: put a kubeconfig there");
        // Four digits are three bytes: what is too large is not even decoded.
        const auto encoded = found->second.reveal();
        if (encoded.size() / 4 * 3 > options.max_bytes() + 3) {
            return error(errc::too_large, where + " is larger than " + std::to_string(options.max_bytes()) +
                                              " bytes: leave only one context in it");
        }
        auto text = decode_base64(encoded);
        if (!text) return error(errc::invalid_config, where + ": not base64");
        const secret_string plain(std::move(*text));
        return parse_secret_kubeconfig(env, plain.reveal(), where, options.max_bytes(), options.trust());
    }

    void take(const any_event& event) {
        const auto secret = event.object().as<detail::secret_object>();
        const std::string name = name_of(secret->metadata);
        if (event.type == event_type::deleted) {
            clusters.erase(name);
        } else {
            auto config = read(*secret);
            const auto known = clusters.find(name);
            if (!config && known != clusters.end() && known->second.config) {
                known->second.warning = config.error().what() + "; the configuration before it stays in use";
            } else {
                clusters.insert_or_assign(name, desired_cluster(name, std::move(config)));
            }
            auto& labels = clusters.at(name).labels;
            labels.clear();
            for (const auto& [key, value] : secret->metadata.labels) labels.emplace(key, value);
        }
        publish_soon();
    }

    // A list comes as one event after another: what it holds is published at once, never half of it.
    void publish_soon() {
        if (std::exchange(about_to_publish, true)) return;
        boost::asio::post(ex, [weak = weak_from_this()] {
            const auto alive = weak.lock();
            if (!alive) return;
            alive->about_to_publish = false;
            alive->publish();
        });
    }

    void publish() {
        if (!on_change || !informer || !informer->has_synced()) return;
        std::vector<desired_cluster> next;
        for (const auto& [name, cluster] : clusters) next.push_back(cluster);
        if (published && *published == next) return;
        published = next;
        const auto tell = on_change;  // it may stop this
        if (calls.call("on_change() of a secret_source", [&] { tell(std::move(next)); })) return pause.reset();
        published.reset();
        retry = env.make_timer(ex);
        retry->async_wait(env.now() + pause.next(env.now(), random_unit(env)), [weak = weak_from_this()](bool expired) {
            const auto alive = weak.lock();
            if (alive && expired) alive->publish();
        });
    }

    void take_status(const informer_status& status) {
        if (status.state != informer_state::live && !status.reason.empty() && status.reason != last_reason) {
            options.log().warning("the Secrets with clusters can't be watched; the clusters stay as they are",
                                  {{"state", std::string(to_string(status.state))}, {"reason", status.reason}});
        }
        last_reason = status.reason;
        publish_soon();
    }

    environment& env;
    executor ex;
    auth::cluster_config home;
    http::transport_factory transport;
    secret_source_options options;
    guarded_calls calls;
    std::map<std::string, desired_cluster> clusters;
    std::optional<std::vector<desired_cluster>> published;
    std::function<void(std::vector<desired_cluster>)> on_change;
    backoff pause{detail::on_change_backoff()};
    std::unique_ptr<timer> retry;  // of on_change(), which threw
    std::unique_ptr<any_informer> informer;
    subscription handler;
    subscription status_handler;
    std::string last_reason;
    bool about_to_publish = false;
};

KCONTROL_DECL secret_source::secret_source(environment& env, executor ex, auth::cluster_config home,
                                           http::transport_factory transport, secret_source_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(home), std::move(transport), std::move(options))) {}

KCONTROL_DECL secret_source::~secret_source() { stop(); }

KCONTROL_DECL result<void> secret_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    impl& self = *impl_;
    if (self.informer) return error(errc::invalid_argument, "the source of clusters runs already; stop it first");
    auto cl = client::connect(self.env, self.ex, self.home, self.transport, self.options.log());
    if (!cl) return cl.error();
    self.on_change = std::move(on_change);
    informer_options settings;
    settings.in_namespace(self.options.in_namespace()).label_selector(self.options.label() + "=true");
    settings.log(self.options.log());
    self.informer = std::make_unique<any_informer>(self.env, self.ex, *cl, detail::secret_resource(), settings);
    const std::weak_ptr<impl> weak = impl_;
    self.handler = self.informer->subscribe([weak](const any_event& event) {
        if (const auto alive = weak.lock()) alive->take(event);
    });
    self.status_handler = self.informer->on_status_change([weak](const informer_status& status) {
        if (const auto alive = weak.lock()) alive->take_status(status);
    });
    self.informer->start();
    return {};
}

KCONTROL_DECL void secret_source::stop() {
    impl_->on_change = nullptr;
    impl_->retry.reset();
    impl_->handler.reset();
    impl_->status_handler.reset();
    impl_->informer.reset();
    impl_->clusters.clear();
    impl_->published.reset();
    impl_->last_reason.clear();
}

}  // namespace kcontrol
