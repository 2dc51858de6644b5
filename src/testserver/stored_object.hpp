// An object as the in-process API server keeps it: immutable JSON text and the few parts that are asked for often.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// One version of one object. The text leaves out apiVersion and kind, which depend on the version asked for; a list
/// of ten thousand objects is then a matter of joining strings.
///
/// Thread-safety: immutable.
class stored_object {
public:
    /// `content` is the whole object; apiVersion and kind in it are passed over. `written_in`: the version of the API
    /// that it is in; empty: it is the same in all.
    explicit stored_object(json::object content, std::string written_in = {});

    std::uint64_t version() const noexcept { return version_; }  ///< metadata.resourceVersion; 0: it has none
    const std::string& uid() const noexcept { return uid_; }     ///< metadata.uid; empty: it has none
    const std::map<std::string, std::string>& labels() const noexcept { return labels_; }  ///< metadata.labels
    const std::string& written_in() const noexcept { return written_in_; }  ///< of the API; empty: the same in all
    bool terminating() const noexcept { return terminating_; }              ///< it has a deletionTimestamp
    /// Whether it has metadata.managedFields. With default_and_validate() it has them from its first write on, else
    /// once something was applied to it.
    bool managed() const noexcept { return managed_; }

    /// The content without apiVersion and kind, parsed anew.
    json::object content() const;
    /// The text without apiVersion and kind: `{"metadata":…}`.
    const std::string& bare_text() const noexcept { return text_; }
    /// The text with apiVersion and kind.
    std::string text(const resource_type& type, std::string_view api_version) const;
    /// The whole object, parsed anew.
    json::value value(const resource_type& type, std::string_view api_version) const;

private:
    std::string text_;
    std::uint64_t version_ = 0;
    std::string uid_;
    std::string written_in_;
    std::map<std::string, std::string> labels_;
    bool terminating_ = false;
    bool managed_ = false;
};

using object_ptr = std::shared_ptr<const stored_object>;

/// Sets metadata.resourceVersion.
void set_resource_version(json::object& content, std::uint64_t version);

/// content["metadata"] as an object; made if it is not one.
json::object& metadata_of(json::object& content);

namespace detail {

/// The text of a whole object behind what is there, from its text without apiVersion and kind.
void append_object_text(const std::string& bare, const resource_type& type, std::string_view api_version,
                        std::string& to);

}  // namespace detail

}  // namespace kcontrol::testing
