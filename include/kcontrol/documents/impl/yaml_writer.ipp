// The other direction of yaml.ipp: a value as the YAML that Kubernetes shows.
#pragma once

#include <kcontrol/documents/detail/yaml_scalar.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/json/writer.hpp>

#ifdef KCONTROL_WITHOUT_YAML

namespace kcontrol::inline v0_1::json {

// JSON is YAML.
KCONTROL_DECL std::string to_yaml(const value& v) { return serialize(v) + "\n"; }

}  // namespace kcontrol::json

#else

#include <yaml.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::json {
namespace detail {

// Feeds libyaml's emitter, of which Kubernetes' own is a translation. Running out of memory is its only failure.
class yaml_emission {
public:
    yaml_emission() {
        yaml_emitter_initialize(&emitter_);
        yaml_emitter_set_output(&emitter_, &append, &text_);
        yaml_emitter_set_unicode(&emitter_, 1);
        yaml_emitter_set_width(&emitter_, 80);
    }
    ~yaml_emission() { yaml_emitter_delete(&emitter_); }
    yaml_emission(const yaml_emission&) = delete;
    yaml_emission& operator=(const yaml_emission&) = delete;

    std::string write(const value& v) {
        yaml_event_t event;
        yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
        emit(event);
        yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1);
        emit(event);
        put(v);
        yaml_document_end_event_initialize(&event, 1);
        emit(event);
        yaml_stream_end_event_initialize(&event);
        emit(event);
        return std::move(text_);
    }

private:
    static int append(void* to, unsigned char* bytes, std::size_t size) {
        static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), size);
        return 1;
    }
    void emit(yaml_event_t& event) { yaml_emitter_emit(&emitter_, &event); }

    void put(const value& v) {
        yaml_event_t event;
        if (v.is_object()) {
            const object& members = v.get_object();
            const auto style = members.empty() ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE;
            yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, style);
            emit(event);
            std::vector<const object::value_type*> sorted;
            for (const auto& member : members) sorted.push_back(&member);
            std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
                return std::string_view(a->key()) < std::string_view(b->key());
            });
            for (const auto* member : sorted) {
                // Only as a name is this one more than a text.
                if (member->key() == "<<") {
                    put_scalar(member->key(), YAML_DOUBLE_QUOTED_SCALAR_STYLE);
                } else {
                    put_text(member->key());
                }
                put(member->value());
            }
            yaml_mapping_end_event_initialize(&event);
            emit(event);
        } else if (v.is_array()) {
            const auto style = v.get_array().empty() ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
            yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, style);
            emit(event);
            for (const auto& item : v.get_array()) put(item);
            yaml_sequence_end_event_initialize(&event);
            emit(event);
        } else if (v.is_string()) {
            put_text(v.get_string());
        } else {
            put_scalar(serialize(v), YAML_PLAIN_SCALAR_STYLE);
        }
    }

    // Plain, unless a reader would take it for something else; what plain can't be, the emitter puts in single quotes.
    void put_text(std::string_view text) {
        if (text.find('\n') != std::string_view::npos) {
            put_scalar(text, YAML_LITERAL_SCALAR_STYLE);
        } else {
            put_scalar(text, reads_as_text(text) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
        }
    }

    static bool reads_as_text(std::string_view text) {
        if (text.empty() || looks_like_time(text)) return false;
        const auto read = yaml_resolve(text, {}, true);
        return read && read->is_string();
    }

    // "2026-11-23" and "1:20", which YAML 1.1 takes for a time and for a number of base 60. No time is read here.
    static bool looks_like_time(std::string_view text) {
        const auto digits = [&text](std::size_t from, std::size_t count) {
            if (from + count > text.size()) return false;
            return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(from),
                               text.begin() + static_cast<std::ptrdiff_t>(from + count),
                               [](char c) { return c >= '0' && c <= '9'; });
        };
        const auto dash = [&text](std::size_t at) { return text.substr(at).starts_with('-'); };
        if (text.size() >= 10 && digits(0, 4) && dash(4) && digits(5, 2) && dash(7) && digits(8, 2)) {
            return text.size() == 10 || std::string_view("Tt ").find(text[10]) != std::string_view::npos;
        }
        if (!digits(0, 1) || text.find(':') == std::string_view::npos) return false;
        return std::all_of(text.begin(), text.end(),
                           [](char c) { return (c >= '0' && c <= '9') || c == ':' || c == '.'; });
    }

    void put_scalar(std::string_view text, yaml_scalar_style_t style) {
        yaml_event_t event;
        const auto* bytes = reinterpret_cast<const yaml_char_t*>(text.data());
        yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes, static_cast<int>(text.size()), 1, 1, style);
        emit(event);
    }

    yaml_emitter_t emitter_{};
    std::string text_;
};

}  // namespace detail

KCONTROL_DECL std::string to_yaml(const value& v) { return detail::yaml_emission().write(v); }

}  // namespace kcontrol::json

#endif
