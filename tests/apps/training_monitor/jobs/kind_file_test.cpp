// Rule files of users: what is wrong is told all at once, with the field, the value and the remedy.
#include "jobs/kind_file.hpp"

#include "jobs/kind_names.hpp"
#include "jobs/ruled_kinds.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;

namespace {

const std::string volcano = R"(
kinds:
- group: batch.volcano.sh
  versions: [v1alpha1]
  kind: Job
  plural: jobs
  name: VolcanoJob
  states:
  - {state: Failed, field: status.state.phase, values: [Failed, Aborted, Terminated]}
  - {state: Succeeded, field: status.state.phase, values: [Completed]}
)";

std::string refusal(std::string_view text) {
    const auto read = read_kind_file(text);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error() == kcontrol::errc::invalid_config);
    return read.error().message();
}

std::string with(std::string_view more) {
    return "kinds:\n- {group: g.io, versions: [v1], kind: K, plural: ks, " + std::string(more) + "}\n";
}

const std::string states = "states: [{state: Failed, condition: Bad}]";

}  // namespace

TEST_CASE("kind file: the rules that come with the program") {
    const auto read = read_kind_file(shipped_kinds());
    REQUIRE_MESSAGE(read.has_value(), (read ? std::string() : read.error().message()));
    std::vector<std::string> names;
    for (const auto& rule : *read) {
        names.push_back(rule.name);
        CHECK_FALSE(rule.gpus.empty());
        CHECK_FALSE(rule.replicas.empty());
    }
    CHECK(names == std::vector<std::string>{"TFJob", "XGBoostJob", "PaddleJob", "JAXJob", "JobSet", "RayJob",
                                            "RayCluster", "LeaderWorkerSet"});
}

TEST_CASE("kind file: its kinds are known as long as it is held, by their names whatever the case") {
    CHECK(find_kind("volcanojob").empty());
    {
        const auto more = extra_kinds::read(volcano);
        REQUIRE_MESSAGE(more.has_value(), (more ? std::string() : more.error().message()));
        CHECK((*more)->names() == std::vector<std::string>{"VolcanoJob"});
        CHECK(find_kind("volcanojobs") == "VolcanoJob");
        CHECK(find_kind("jobs") == "Job");
        CHECK(all_kind_names().ends_with(", LeaderWorkerSet, VolcanoJob"));
        REQUIRE(find_ruled_kind("VolcanoJob"));
        const auto& version = find_ruled_kind("VolcanoJob")->versions.at(0);
        CHECK(version.api_version == "batch.volcano.sh/v1alpha1");
        CHECK(version.info.plural == "jobs");
        const auto again = extra_kinds::read(volcano);
        REQUIRE_FALSE(again.has_value());
        CHECK(again.error().message() ==
              "kinds[0].name: \"VolcanoJob\" is a kind that this program knows; give it another name");
    }
    CHECK(find_kind("volcanojob").empty());
}

TEST_CASE("kind file: a kind that has the name of another one is refused") {
    const auto taken = extra_kinds::read(with(states + ", name: Jobs"));
    REQUIRE_FALSE(taken.has_value());
    CHECK(taken.error().message() == "kinds[0].name: \"Jobs\" is a kind that this program knows; give it another name");
    CHECK(refusal(R"(
kinds:
- {group: a.io, versions: [v1], kind: K, plural: ks, states: [{state: Failed, condition: Bad}]}
- {group: b.io, versions: [v1], kind: K, plural: ks, states: [{state: Failed, condition: Bad}]}
)") == "kinds[1].name: \"K\" is there twice; give one of the two another name");
}

TEST_CASE("kind file: all errors at once, each with the field, the value and the remedy") {
    CHECK(refusal(R"(
kinds:
- group: Batch
  versions: [v1, v2, v3]
  kind: my-kind
  plural: "x/y"
  states:
  - {state: Broken, condition: Bad}
  - {condition: Bad}
  - {state: Failed}
  - {state: Failed, condition: Bad, status: 'yes'}
  - {state: Failed, field: 'a[0]', status: 'True'}
  - {state: Failed, condition: Bad, values: [x]}
  otherwise: Nothing
  replicas:
  - {type: Pod}
  - {desired: w, active: w, otherwise: -1}
  - {items: spec.all, desired: w, active: w}
  - {type: Pod, desired: w, active: w, counts: status.c}
  gpus:
  - {times: [""], less: -1}
  - {templates: [spec.template], less: 1}
  pods: {type: 'a b'}
)") ==
          R"(kinds[0].group: "Batch" is no API group, such as batch.volcano.sh
kinds[0].versions: name one or two, such as [v1, v1beta1]; the first that a cluster serves is read
kinds[0].kind: "my-kind" is no kind, such as JobSet
kinds[0].plural: "x/y" is no resource's name, such as jobsets
kinds[0].states[0].state: "Broken" is not one of Unknown, Created, Queued, Pending, Running, Restarting, Suspended, Succeeded, Failed
kinds[0].states[1].state: it is missing; give one, such as Failed
kinds[0].states[2].condition: neither it nor field is there; say when the job is in this state
kinds[0].states[3].status: "yes" is not one of "True", "False", "Unknown" (in quotes)
kinds[0].states[4].status: it is a condition's; give condition, too
kinds[0].states[4].field: "a[0]" is no path; write names with dots between them, such as status.conditions, [] behind a list or map to take all of it, and \. for a dot in a name
kinds[0].states[5].values: they are a field's; give field, too
kinds[0].otherwise: "Nothing" is not one of Unknown, Created, Queued, Pending, Running, Restarting, Suspended, Succeeded, Failed
kinds[0].replicas[0].desired: it is missing; say where the wanted number stands
kinds[0].replicas[0].active: it is missing; say where the number that runs stands
kinds[0].replicas[1].type: give either type, what this one line is called, or items, where there are many
kinds[0].replicas[1].otherwise: -1 is not from 0 to 1000000
kinds[0].replicas[2].counts: it is missing; say where the numbers of these items stand, by the same names
kinds[0].replicas[3].counts: it belongs to items; leave it out
kinds[0].gpus[0].templates: there is none; say where the template of the pods stands
kinds[0].gpus[0].times[0]: it is empty; give a path, such as replicas
kinds[0].gpus[0].less: -1 is not from 0 to 1000000
kinds[0].gpus[1].less: it is taken from the last of times; give times, too
kinds[0].pods.label: it is missing; name the label whose value is the job's name
kinds[0].pods.type: "a b" is no label's name, such as volcano.sh/job-name)");
}

TEST_CASE("kind file: what is no such file") {
    CHECK(refusal("kinds: [").starts_with("not YAML: "));
    CHECK(refusal("- a\n") == "one YAML document with kinds is expected");
    CHECK(refusal("") == "one YAML document with kinds is expected");
    CHECK(refusal("kinds: []\n") == "kinds: there is none; write at least one");
    CHECK(refusal(with("stats: 1, " + states)).ends_with("docs/training_monitor/kinds.md lists the fields"));
    CHECK(refusal(with("stats: 1, " + states)).find("kinds[0].stats") != std::string::npos);
    CHECK(refusal(with(states + ", replicasArePods: 3")).find("replicasArePods") != std::string::npos);
    CHECK(refusal(with("states: []")) ==
          "kinds[0].states: there is none; say which condition or field means which state");
}
