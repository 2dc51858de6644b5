// Whether a message has all that a type declares. What it lacks would be read as absent, and not be written, though the
// server's JSON may well have it: a type that was made for a newer server.
#pragma once

#include <kcontrol/codec/protobuf_schema.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Thread-safety: safe. Answers are kept as long as the program runs.
class protobuf_coverage {
public:
    static bool is_whole(const type_descriptor& type, const protobuf_message& message) {
        static protobuf_coverage all;
        const std::lock_guard lock(all.mutex_);
        const auto known = all.answers_.find({&type, &message});
        if (known != all.answers_.end()) return known->second;
        asked looked_at;
        return all.answers_[{&type, &message}] = covers(type, message, looked_at);
    }

private:
    using pair = std::pair<const type_descriptor*, const protobuf_message*>;
    using asked = std::set<pair>;

    // Types may hold themselves: what is being looked at is not looked at again.
    static bool covers(const type_descriptor& type, const protobuf_message& message, asked& looked_at) {
        if (message.meaning != protobuf_meaning::fields) return true;
        // Raw JSON, and what reads itself, take everything that there is.
        if (type.kind != type_kind::structure) return false;
        if (!looked_at.emplace(&type, &message).second) return true;
        for (std::uint32_t i = 0; i < type.field_count; ++i) {
            const auto* field = find(message, type.fields[i].name);
            if (field == nullptr) return false;
            if (field->message == nullptr) continue;
            const type_descriptor* value = type.fields[i].type;
            while (value->element != nullptr && value->kind != type_kind::structure) value = value->element;
            if (!covers(*value, *field->message, looked_at)) return false;
        }
        return true;
    }

    static const protobuf_field* find(const protobuf_message& message, std::string_view name) {
        for (const auto& field : message.all()) {
            if (field.name == name) return &field;
            if (!field.name.empty() || field.message == nullptr) continue;
            if (const auto* inlined = find(*field.message, name)) return inlined;
        }
        return nullptr;
    }

    std::mutex mutex_;
    std::map<pair, bool> answers_;
};

}  // namespace kcontrol::detail
