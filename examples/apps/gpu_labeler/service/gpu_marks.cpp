#include "service/gpu_marks.hpp"

#include <chrono>

namespace gpu_labeler {
namespace {

constexpr std::size_t small_file = 4096;

std::optional<std::string> read_small_file(kcontrol::environment& env, const std::string& path) {
    auto text = env.read_file(path, small_file);
    if (!text) return std::nullopt;
    return std::move(*text);
}

std::int64_t seconds_now(const kcontrol::environment& env) {
    return std::chrono::floor<std::chrono::seconds>(env.wall_now().time_since_epoch()).count();
}

label_options label_options_of(kcontrol::environment& env, const options& o, std::int64_t started) {
    label_options out;
    out.strategy(o.strategy()).shared(o.shared());
    if (auto machine = read_small_file(env, o.machine_type_file())) out.machine(std::move(*machine));
    if (!o.no_timestamp()) out.started(started);
    return out;
}

gpu_reader::session_factory sessions(kcontrol::environment& env, const options& o) {
    return [&env, nvml = o.nvml(), sysfs = o.sysfs()] {
        return std::make_shared<nvml_session>(env, nvml, sysfs,
                                              [&env](const std::string& path) { return read_small_file(env, path); });
    };
}

reader_limits limits_of(const options& o) {
    reader_limits out;
    out.call(o.nvml_timeout());
    return out;
}

}  // namespace

gpu_marks::gpu_marks(kcontrol::environment& env, kcontrol::executor ex, const options& o)
    : env_(env),
      started_(seconds_now(env)),
      as_(label_options_of(env, o, started_)),
      annotated_(o.output() == label_output::node),
      reader_(env, std::move(ex), sessions(env, o), limits_of(o)) {}

void gpu_marks::change(const options& o) { as_ = label_options_of(env_, o, started_); }

kcontrol::awaitable<kcontrol::result<reading>> gpu_marks::read(std::stop_token stop) {
    auto found = co_await reader_.read(stop);
    if (!found) co_return found.error();
    reading out;
    out.marks.labels = gpu_labels(*found, as_);
    out.found = std::move(*found);
    if (annotated_ && out.found.gpus.size() > 1) co_await annotate(out, std::move(stop));  // one is connected to nobody
    co_return out;
}

kcontrol::awaitable<void> gpu_marks::annotate(reading& out, std::stop_token stop) {
    const auto connected = co_await reader_.connections(std::move(stop));
    if (connected) {
        connected_ = out.found.gpus;
        topology_ = topology_annotation(*connected);
    }
    if (connected_ == out.found.gpus) out.marks.annotations.emplace(topology_annotation_key, topology_);
}

}  // namespace gpu_labeler
