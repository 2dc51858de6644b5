// What a kubelet would answer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

/// A message of Protocol Buffers in the making.
class pod_message {
public:
    pod_message& number(std::uint32_t field, std::uint64_t value) {
        varint(std::uint64_t{field} << 3);
        varint(value);
        return *this;
    }
    pod_message& bytes(std::uint32_t field, const std::string& value) {
        varint(std::uint64_t{field} << 3 | 2);
        varint(value.size());
        text_ += value;
        return *this;
    }
    /// Eight bytes of which we know nothing.
    pod_message& fixed(std::uint32_t field) {
        varint(std::uint64_t{field} << 3 | 1);
        text_.append(8, '\x12');
        return *this;
    }
    const std::string& text() const noexcept { return text_; }

private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) text_ += static_cast<char>((value & 0x7F) | 0x80);
        text_ += static_cast<char>(value);
    }
    std::string text_;
};

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

/// A v1.PodResources, with fields that we don't read among the others.
inline std::string pod_answer_message(const pod_answer& pod) {
    pod_message out;
    out.bytes(1, pod.name).bytes(2, pod.namespace_);
    for (const auto& container : pod.containers) {
        pod_message devices;
        devices.bytes(1, container.resource);
        for (const auto& id : container.ids) devices.bytes(2, id);
        devices.bytes(3, pod_message().bytes(1, pod_message().number(1, 1).text()).text());  // NUMA nodes
        pod_message made;
        made.bytes(1, container.name).bytes(2, devices.text()).number(3, 7).fixed(99);  // a CPU, and a field to come
        out.bytes(3, made.text());
    }
    return out.text();
}

/// A v1.ListPodResourcesResponse; one of one pod is a v1.GetPodResourcesResponse as well.
inline std::string pods_message(const std::vector<pod_answer>& pods) {
    pod_message out;
    for (const auto& pod : pods) out.bytes(1, pod_answer_message(pod));
    return out.text();
}

}  // namespace kcontrol::test
