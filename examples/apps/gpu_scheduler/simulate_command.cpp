#include "simulate_command.hpp"

#include <kcontrol/base/flags.hpp>
#include <kcontrol/runtime/staged_file.hpp>

#include "messages.hpp"
#include "trace/simulation.hpp"
#include "trace/trace.hpp"

#include <chrono>
#include <cstddef>
#include <optional>

namespace gpu_scheduler {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30U;  // of a file

struct request {
    std::string nodes, pods, placements;
    simulation_options options;
};

result<request> read(const std::vector<std::string_view>& arguments) {
    constexpr kcontrol::flag_shape flags[] = {
        {"--nodes"}, {"--pods"}, {"--placement"}, {"--placements"}, {"--departures", kcontrol::flag_value::none}};
    const auto said = kcontrol::split_arguments(arguments, flags, "gpu_scheduler simulate --help");
    if (!said) return said.error();
    request out;
    for (const auto& one : *said) {
        if (one.is_word()) return bad_value(in_quotes(one.text) + " belongs to no flag; files are named by flags");
        const auto flag = flags[one.flag].name;
        if (flag == "--nodes") out.nodes = one.text;
        if (flag == "--pods") out.pods = one.text;
        if (flag == "--placements") out.placements = one.text;
        if (flag == "--departures") out.options.departures = true;
        if (flag == "--placement") {
            const auto policy = parse_placement(one.text);
            if (!policy) return policy.error().with_context("--placement");
            out.options.policy = *policy;
        }
    }
    if (out.nodes.empty()) return bad_value("--nodes FILE is missing");
    if (out.pods.empty()) return bad_value("--pods FILE is missing");
    return out;
}

}  // namespace

result<std::string> simulate_command(const std::vector<std::string_view>& arguments, kcontrol::environment& env) {
    const auto asked = read(arguments);
    if (!asked) return asked.error();
    const auto nodes_text = env.read_file(asked->nodes, most_bytes);
    if (!nodes_text) return nodes_text.error();
    const auto pods_text = env.read_file(asked->pods, most_bytes);
    if (!pods_text) return pods_text.error();
    const auto nodes = read_trace_nodes(asked->nodes, *nodes_text);
    if (!nodes) return nodes.error();
    const auto pods = read_trace_pods(asked->pods, *pods_text, asked->options.departures);
    if (!pods) return pods.error();
    const auto begin = env.now();
    const auto report = simulate(*nodes, *pods, asked->options);
    const std::chrono::duration<double> took = env.now() - begin;
    if (!asked->placements.empty()) {
        if (auto done = kcontrol::replace_file(asked->placements, placements_csv(report, *nodes, *pods)); !done) {
            return done.error();
        }
    }
    return to_json(report, asked->options, took.count());
}

std::string_view simulate_help() noexcept {
    return R"(Places the pods of a recorded cluster on its nodes, and prints how well they are filled, as one line of JSON.

usage: gpu_scheduler simulate --nodes FILE --pods FILE [flags]

  --nodes FILE       CSV with the columns sn, cpu_milli, memory_mib, gpu, model
  --pods FILE        CSV with the columns name, cpu_milli, memory_mib, num_gpu,
                     gpu_milli, gpu_spec. Each pod is placed once, in this order.
  --placement NAME   fragmentation (default), best-fit, spread or topology
  --placements FILE  write the placed pods there: name,node,gpus
  --departures       pods arrive at creation_time, and leave deletion_time minus
                     creation_time after their placement. Pods that fit nowhere
                     wait, and are tried in their order.

Exit codes: 0 ok, 1 a file can't be read or written, 2 a flag or a row that is wrong.
)";
}

}  // namespace gpu_scheduler
