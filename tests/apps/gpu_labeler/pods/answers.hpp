// What a kubelet would answer.
#pragma once

#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

namespace gpu_labeler::test {

struct container_answer {
    std::string name;
    std::string resource;
    std::vector<std::string> ids;
};

struct pod_answer {
    std::string namespace_;
    std::string name;
    std::vector<container_answer> containers;
};

/// A v1.ListPodResourcesResponse, with fields that we don't read among the others.
inline std::string pods_message(const std::vector<pod_answer>& pods) {
    std::string out;
    protozero::pbf_writer response(out);
    for (const auto& pod : pods) {
        protozero::pbf_writer p(response, 1);
        p.add_string(1, pod.name);
        p.add_string(2, pod.namespace_);
        for (const auto& container : pod.containers) {
            protozero::pbf_writer c(p, 3);
            c.add_string(1, container.name);
            {
                protozero::pbf_writer d(c, 2);
                d.add_string(1, container.resource);
                for (const auto& id : container.ids) d.add_string(2, id);
                protozero::pbf_writer numa(d, 3);
                protozero::pbf_writer node(numa, 1);
                node.add_int64(1, 1);
            }
            c.add_int64(3, 7);            // a CPU
            c.add_fixed64(99, 0x123456);  // of a kubelet to come
        }
    }
    return out;
}

}  // namespace gpu_labeler::test
