#include "program.hpp"

#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/scheduling/run_scheduler.hpp>

#include "control/tenant_status.hpp"
#include "plugins/registry.hpp"
#include "web/answers.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpu_scheduler {

namespace core = kcontrol::api::core::v1;
namespace scheduling = kcontrol::scheduling;
using kcontrol::awaitable;
using kcontrol::manager;

namespace {

constexpr char default_address[] = "--listen=127.0.0.1:8080";

result<void> take_tenants(program_options& to, std::string_view value) {
    if (value != "on" && value != "off") return bad_value("one of on, off is expected");
    to.has_tenants = value == "on";
    return {};
}

}  // namespace

result<void> add_parts(manager& m, const program_options& options, const std::shared_ptr<board>& known,
                       const std::shared_ptr<scheduling::scheduler>& by) {
    const auto news = std::make_shared<status_news>();
    const auto kept = std::make_shared<std::vector<kcontrol::subscription>>();
    kept->push_back(m.get_informer<core::pod>()->subscribe([known, news](const kcontrol::any_event& any) {
        const kcontrol::event<core::pod> happened(any);
        if (happened.type == kcontrol::event_type::deleted) {
            known->remove_waiting(happened.object().metadata.uid);
        } else {
            known->set_waiting(happened.object());
        }
        news->tell();
    }));
    kept->push_back(m.get_informer<core::node>()->subscribe([news](const kcontrol::any_event&) { news->tell(); }));
    if (options.has_tenants) {
        const auto tell_scheduler = [by](const kcontrol::any_event& any) {
            static const scheduling::interned_name resource(gpu_plugin::tenant_resource);
            by->notify({{resource, scheduling::event_actions::all}, any.old_object, any.new_object});
        };
        kept->push_back(m.get_informer<tenant>()->subscribe([=, &m](const kcontrol::any_event& any) {
            std::vector<tenant> all;
            for (const auto& each : m.get_informer<tenant>()->list()) all.push_back(*each);
            known->set_tenants(std::move(all));
            news->tell();
            tell_scheduler(any);
        }));
        kept->push_back(m.get_informer<core::namespace_>()->subscribe([=](const kcontrol::any_event& any) {
            known->forget_namespaces();
            news->tell();
            tell_scheduler(any);
        }));
        known->set_tenants({});
        auto added = m.add(kcontrol::runnable("tenants", [&m, known, by, news](std::stop_token stop) {
            return keep_tenant_status(m, known, by, news, std::move(stop));
        }));
        if (!added) return added;
    }
    const auto says = std::make_shared<answers>(m, known, by);
    // Not held there: the scheduler holds metrics.
    m.metrics().collect([weak = std::weak_ptr(says)](kcontrol::metrics_writer& out) {
        if (const auto known_still = weak.lock()) known_still->collect(out);
    });
    using answer = kcontrol::http::response (answers::*)(const kcontrol::http::routed_request&) const;
    const std::pair<const char*, answer> routes[] = {{"nodes", &answers::nodes},
                                                     {"tenants", &answers::tenants},
                                                     {"pending", &answers::pending},
                                                     {"why", &answers::why},
                                                     {"fits", &answers::fits}};
    for (const auto& [path, member] : routes) {
        auto added = m.add_metrics_server_handler(
            std::string("/api/v1/") + path,
            [says, kept, member = member](const auto& asked) { return (*says.*member)(asked); });
        if (!added) return added;
    }
    return {};
}

scheduling::scheduler_options scheduler_of(const std::shared_ptr<board>& known,
                                           const std::shared_ptr<program_options>& options) {
    scheduling::scheduler_options how("gpu-scheduler");
    how.plugins([known, options](scheduling::plugin_registry& to) { add_gpu_plugins(to, known, options->nodes); })
        .may_evict([known](const auto& preemptor, const auto& victim) { return known->may_evict(preemptor, victim); })
        .keeps_places_from_all(true)
        .further_keys(settings::keys(), [known](const scheduling::configuration_part& file) -> result<void> {
            auto read = read_settings(file);
            if (!read) return read.error();
            known->set(std::move(*read));
            return {};
        });
    return how;
}

std::shared_ptr<board> board_of(const std::shared_ptr<program_options>& options) {
    return std::make_shared<board>(
        [options] { return options->m == nullptr ? kcontrol::wall_time() : options->m->env().wall_now(); },
        [options](std::string_view name) {
            if (options->m == nullptr) return kcontrol::dict<text>();
            const auto found = options->m->get_informer<core::namespace_>()->get({"", std::string(name)});
            return found == nullptr ? kcontrol::dict<text>() : found->metadata.labels;
        });
}

int run_gpu_scheduler(int argc, char** argv) {
    const auto options = std::make_shared<program_options>();
    bool installs = false;
    kcontrol::run_options program;
    program
        .flag("--node-selector", "SELECTOR", "place pods on nodes with these labels only, such as gpu=true",
              [options](std::string_view value) -> result<void> {
                  auto read = kcontrol::label_selector::parse(value);
                  if (!read) return read.error();
                  options->nodes = std::move(*read);
                  return {};
              })
        .flag("--tenants", "on|off", "quotas and fair shares of Tenants count (default on)",
              [options](std::string_view value) { return take_tenants(*options, value); })
        .flag("--install-crds", "first installs the CustomResourceDefinition of Tenants", installs)
        .log_as(kcontrol::log_format::json);
    const auto known = board_of(options);
    scheduling::scheduler_set_up more;
    more.before([&](manager& m, std::stop_token stop) -> awaitable<result<void>> {
            options->m = &m;
            if (!installs) co_return result<void>();
            kcontrol::install_options how;
            how.stop(std::move(stop));
            auto done = co_await kcontrol::install_crds<tenant>(m.get_unfenced_client(), how);
            co_return done;
        })
        .after([&](manager& m, const std::shared_ptr<scheduling::scheduler>& by) {
            return add_parts(m, *options, known, by);
        });
    std::vector<char*> words(argv, argv + argc);
    std::string address = default_address;
    words.insert(words.begin() + (argc > 0 ? 1 : 0), address.data());  // a later one counts
    const int status = scheduling::run_scheduler(static_cast<int>(words.size()), words.data(),
                                                 scheduler_of(known, options), std::move(program), std::move(more));
    options->m = nullptr;
    return status;
}

}  // namespace gpu_scheduler
