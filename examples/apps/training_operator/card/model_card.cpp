#include "card/model_card.hpp"

#include <kcontrol/base/fnv1a.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/values/quantity.hpp>

#include "job/names.hpp"

#include <cstdlib>

namespace training_operator {
namespace {

void put(json::object& to, const char* name, const text& what) {
    if (!what.empty()) to[name] = what.view();
}
void put(json::object& to, const char* name, const list<text>& what) {
    json::array values;
    for (const text& each : what) values.emplace_back(each.view());
    if (!values.empty()) to[name] = std::move(values);
}

text name_of_model(const training_job& job) {
    return job.spec.model_card->model_name.empty() ? job.metadata.name : job.spec.model_card->model_name;
}

// What the gates measured, as the index of results wants it.
json::object results(const training_job& job) {
    const auto& says = *job.spec.model_card;
    json::array metrics;
    for (const gate_spec& gate : job.spec.gates) {
        const auto found = std::ranges::find(job.status.gates, gate.name, &gate_status::name);
        if (found == job.status.gates.end() || found->value.empty()) continue;
        const double value = std::strtod(found->value.str().c_str(), nullptr);
        metrics.push_back({{"type", gate.metric.view()}, {"name", gate.name.view()}, {"value", value}});
    }
    if (metrics.empty()) return {};
    const std::string_view data = says.datasets.empty() ? job.metadata.name.view() : says.datasets.front().view();
    json::object dataset{{"name", data}, {"type", data}};
    put(dataset, "revision", job.status.dataset_version);
    const std::string_view task = says.pipeline_tag.empty() ? "other" : says.pipeline_tag.view();
    return {{"task", {{"type", task}}}, {"dataset", dataset}, {"metrics", metrics}};
}

json::object front_matter(const training_job& job) {
    const auto& says = *job.spec.model_card;
    json::object out;
    put(out, "base_model", says.base_model);
    put(out, "datasets", says.datasets);
    put(out, "language", says.language);
    put(out, "library_name", says.library_name);
    put(out, "license", says.license);
    put(out, "pipeline_tag", says.pipeline_tag);
    put(out, "tags", says.tags);
    if (auto measured = results(job); !measured.empty()) {
        const json::object model{{"name", name_of_model(job).view()}, {"results", json::array{measured}}};
        out["model-index"] = json::array{model};
    }
    return out;
}

// A cell of a table: no line and no column of its own.
std::string cell(std::string_view what) {
    std::string out;
    for (const char c : what) out += c == '|' ? "\\|" : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
    return out;
}
std::string row(std::string_view name, std::string_view what) {
    return "| " + cell(name) + " | " + cell(what) + " |\n";
}

std::string lineage(const training_job& job) {
    std::string out = "## Lineage\n\n| | |\n|---|---|\n";
    out += row("job", job.metadata.namespace_ + "/" + job.metadata.name.str() + ", " + job.metadata.uid.str());
    out += row("attempts", std::to_string(job.status.attempt));
    out += row("trained", format_time(job.status.trained_time.value()));
    if (job.spec.dataset) {
        const std::string_view url = job.spec.dataset->version_url;  // a query may hold a secret
        out += row("dataset",
                   "version " + job.status.dataset_version.str() + " of " + std::string(url.substr(0, url.find('?'))));
    }
    for (const text& image : job.status.images) out += row("image", image);
    for (const gate_status& gate : job.status.gates) {
        out += row("gate " + gate.name, gate.result + (gate.message.empty() ? "" : ": " + gate.message.str()));
    }
    out += "\n| checkpoint | attempt | SHA-256 | URI |\n|---|---|---|---|\n";
    for (const checkpoint& each : job.status.checkpoints) {
        out += "| " + std::to_string(each.step) + (each.refused ? " (refused)" : "") + " | " +
               std::to_string(each.attempt) + " | " + each.sha256.str() + " | " + cell(each.uri) + " |\n";
    }
    return out;
}

}  // namespace

std::string model_card(const training_job& job) {
    std::string out = "---\n" + json::to_yaml(front_matter(job)) + "---\n\n# " + cell(name_of_model(job)) + "\n\n";
    const std::string_view text = job.spec.model_card->body;
    if (!text.empty()) out.append(text).append("\n\n");
    return out + lineage(job);
}

api::core::v1::config_map make_card(const training_job& job) {
    api::core::v1::config_map out;
    out.metadata.name = job.metadata.name + "-modelcard";
    out.metadata.labels[job_label] = job.metadata.name;
    out.data["README.md"] = model_card(job);
    if (job.status.phase == "Succeeded") out.immutable = true;
    return out;
}

std::string card_digest(const training_job& job) {
    return std::to_string(kcontrol::fnv1a().add(model_card(job)).value()) +
           (job.status.phase == "Succeeded" ? " immutable" : "");
}

}  // namespace training_operator
