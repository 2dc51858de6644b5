#include "devices/node_sources.hpp"

#include <kcontrol/documents/strict.hpp>
#include <kcontrol/values/quantity.hpp>

#include "devices/json_fields.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace gpu_scheduler {
namespace {

constexpr std::size_t most_gpus = 64;

result<gpu> read_gpu(const json_place& from, std::int64_t memory_mib) {
    if (!from.object.is_object()) return bad_value(from.path + " is no object");
    gpu out;
    out.memory_mib = memory_mib;
    const auto index = from.number("index", 0, 1000);
    if (!index) return index.error();
    out.index = static_cast<unsigned>(*index);
    auto uuid = from.text("uuid");
    if (!uuid) return uuid.error();
    out.uuid = std::move(*uuid);
    if (from.has("numa")) {
        const auto numa = from.number("numa", 0, 1000);
        if (!numa) return numa.error();
        out.numa = static_cast<unsigned>(*numa);
    }
    const auto divided = from.object["mig"];
    if (!divided.is_null() && divided.kind() != kcontrol::json::kind::boolean) {
        return from.wrong("mig", "is neither true nor false");
    }
    out.is_divided = !divided.is_null() && divided.as_bool();
    return out;
}

// A matrix of the annotation: for each GPU as many elements as there are GPUs.
result<std::vector<std::vector<kcontrol::json::node>>> read_matrix(const json_place& from, std::string_view member,
                                                                   std::size_t size) {
    std::vector<std::vector<kcontrol::json::node>> out;
    const auto rows = from.object[member];
    const auto wrong = [&] {
        return from.wrong(member, "has not " + std::to_string(size) + " rows of " + std::to_string(size));
    };
    if (!rows.is_array() || rows.size() != size) return wrong();
    for (const auto row : rows.elements()) {
        if (!row.is_array() || row.size() != size) return wrong();
        auto& to = out.emplace_back();
        for (const auto element : row.elements()) to.push_back(element);
    }
    return out;
}

result<void> add_links(const json_place& from, const link_costs& costs, node_devices& to) {
    const auto size = to.gpus.size();
    const auto nvlinks = read_matrix(from, "nvlinks", size);
    if (!nvlinks) return nvlinks.error();
    const auto paths = read_matrix(from, "pcie", size);
    if (!paths) return paths.error();
    to.links.emplace(size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            std::int64_t links = 0;
            if (!(*nvlinks)[i][j].get_int64(links) || links < 0 || links > 1000) {
                return from.wrong("nvlinks", "has an element that is no integer from 0 to 1000");
            }
            const auto path = (*paths)[i][j];
            if (!path.is_string() && !path.is_null()) return from.wrong("pcie", "has an element that is no text");
            if (i < j) {
                to.links->set(i, j,
                              costs.between(static_cast<unsigned>(links), path.is_string() ? path.as_string() : ""));
            }
        }
    }
    return {};
}

std::string_view text_of(const kcontrol::dict<kcontrol::text>& in, std::string_view key) {
    const auto* found = in.get(key);
    return found == nullptr ? std::string_view() : std::string_view(*found);
}

result<node_devices> read_allocatable(const kcontrol::api::core::v1::node& node) {
    node_devices out;
    const auto* amount = node.status.allocatable.get(gpu_resource);
    if (amount == nullptr) return out;
    const std::string_view text(*amount);
    const auto read = kcontrol::quantity::parse(text);
    const auto count = read ? read->as_int64() : std::nullopt;
    if (!count || *count < 0 || *count > static_cast<std::int64_t>(most_gpus)) {
        return bad_value("status.allocatable[" + std::string(gpu_resource) + "]: " + in_quotes(text) +
                         " is no whole number from 0 to " + std::to_string(most_gpus));
    }
    for (unsigned i = 0; i < *count; ++i) {
        gpu made;
        made.uuid = std::string(node.metadata.name) + "/" + std::to_string(i);
        made.index = i;
        out.gpus.push_back(std::move(made));
    }
    if (*count > 0) out.source = device_source::allocatable;
    return out;
}

}  // namespace

result<node_devices> read_topology(std::string_view text, std::int64_t memory_mib, const link_costs& costs) {
    kcontrol::json::document document;
    const auto root = kcontrol::json::parse_strict(document, text);
    if (!root) return root.error();
    const json_place top{*root, ""};
    if (!root->is_object()) return bad_value("the value is no object");
    const auto gpus = (*root)["gpus"];
    if (!gpus.is_array() || gpus.size() > most_gpus) {
        return top.wrong("gpus", "is no list of at most " + std::to_string(most_gpus));
    }
    node_devices out;
    out.source = device_source::topology;
    std::set<std::string> uuids;
    for (const auto each : gpus.elements()) {
        const json_place place{each, "gpus[" + std::to_string(out.gpus.size()) + "]"};
        auto device = read_gpu(place, memory_mib);
        if (!device) return device.error();
        if (!uuids.insert(device->uuid).second) return place.wrong("uuid", "is there twice");
        if (!out.gpus.empty() && device->index <= out.gpus.back().index) {
            return place.wrong("index", "is not above the one before it");
        }
        out.gpus.push_back(std::move(*device));
    }
    if (auto done = add_links(top, costs, out); !done) return done.error();
    return out;
}

result<node_devices> read_devices(const kcontrol::api::core::v1::node& node, const link_costs& costs) {
    const auto product = text_of(node.metadata.labels, product_label);
    const auto named = [&](result<node_devices> read, std::string_view annotation) -> result<node_devices> {
        if (!read)
            return annotation.empty() ? read.error()
                                      : read.error().with_context("annotation " + std::string(annotation));
        if (!product.empty()) read->product = product;
        return read;
    };
    if (const auto text = text_of(node.metadata.annotations, hami_annotation); !text.empty()) {
        return named(read_hami(text), hami_annotation);
    }
    if (const auto text = text_of(node.metadata.annotations, topology_annotation); !text.empty()) {
        const auto said = text_of(node.metadata.labels, memory_label);
        const auto memory = said.empty() ? 0 : whole_number(said);
        if (!memory)
            return bad_value("label " + std::string(memory_label) + ": " + in_quotes(said) + " is no number of MiB");
        return named(read_topology(text, *memory, costs), topology_annotation);
    }
    return named(read_allocatable(node), {});
}

}  // namespace gpu_scheduler
