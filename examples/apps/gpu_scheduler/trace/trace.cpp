#include "trace/trace.hpp"

#include "placement/room.hpp"
#include "trace/csv.hpp"

#include <initializer_list>
#include <set>

namespace gpu_scheduler {
namespace {

constexpr std::int64_t most_amount = std::int64_t{1} << 50U;  // sums of a million of them fit into 64 bits
constexpr std::int64_t most_gpus = 64;                        // of one node

template <class Number>
struct column {
    std::string_view name;
    Number* to;
    std::int64_t least, most;
};

// Reads numbers into their places.
template <class Number>
result<void> read(const csv_table::row& row, std::initializer_list<column<Number>> columns) {
    for (const auto& each : columns) {
        const auto number = row.number(each.name, each.least, each.most);
        if (!number) return number.error();
        *each.to = static_cast<Number>(*number);
    }
    return {};
}

}  // namespace

result<std::vector<trace_node>> read_trace_nodes(const std::string& file, std::string_view text) {
    const auto table = csv_table::parse(file, text, {"sn", "cpu_milli", "memory_mib", "gpu", "model"});
    if (!table) return table.error();
    std::vector<trace_node> out;
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < table->size(); ++i) {
        const auto row = table->at(i);
        trace_node node;
        node.name = row.text("sn");
        node.product = row.text("model");
        if (node.name.empty()) return row.wrong("sn", "the name is empty");
        if (!names.insert(row.text("sn")).second) return row.wrong("sn", in_quotes(node.name) + " is there twice");
        if (auto done = read<std::int64_t>(row, {{"cpu_milli", &node.cpu_milli, 0, most_amount},
                                                 {"memory_mib", &node.memory_mib, 0, most_amount}});
            !done) {
            return done.error();
        }
        if (auto done = read<int>(row, {{"gpu", &node.gpus, 0, most_gpus}}); !done) return done.error();
        out.push_back(std::move(node));
    }
    return out;
}

result<std::vector<trace_pod>> read_trace_pods(const std::string& file, std::string_view text, bool with_times) {
    std::vector<std::string_view> columns = {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec"};
    if (with_times) columns.insert(columns.end(), {"creation_time", "deletion_time"});
    const auto table = csv_table::parse(file, text, columns);
    if (!table) return table.error();
    std::vector<trace_pod> out;
    for (std::size_t i = 0; i < table->size(); ++i) {
        const auto row = table->at(i);
        trace_pod pod;
        pod.name = row.text("name");
        if (pod.name.empty()) return row.wrong("name", "the name is empty");
        if (auto done = read<std::int64_t>(
                row, {{"cpu_milli", &pod.cpu_milli, 0, most_amount}, {"memory_mib", &pod.memory_mib, 0, most_amount}});
            !done) {
            return done.error();
        }
        if (auto done = read<int>(row, {{"num_gpu", &pod.gpus, 0, most_gpus}}); !done) return done.error();
        const std::int64_t least = pod.gpus > 0 ? 1 : 0, most = pod.gpus > 0 ? whole_gpu : 0;
        if (auto done = read<int>(row, {{"gpu_milli", &pod.gpu_milli, least, most}}); !done) return done.error();
        for (auto names = row.text("gpu_spec"); !names.empty();) {
            const auto end = names.find('|');
            pod.products.emplace_back(names.substr(0, end));
            names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
        }
        if (with_times) {
            std::int64_t deleted = 0;
            if (auto done = read<std::int64_t>(row, {{"creation_time", &pod.created, 0, most_amount},
                                                     {"deletion_time", &deleted, 0, most_amount}});
                !done) {
                return done.error();
            }
            pod.lifetime = deleted - pod.created;
            if (pod.lifetime < 0) {
                return row.wrong("deletion_time", in_quotes(row.text("deletion_time")) + " is before creation_time");
            }
        }
        out.push_back(std::move(pod));
    }
    return out;
}

}  // namespace gpu_scheduler
