// configuration_part: an object of a configuration file, read strictly. What is wrong is answered with file and line.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/documents/yaml_file.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// A part of a configuration file, such as the `args` of a plugin; or none, which has no members. A member that is null
/// is as one that is not there.
///
/// All errors are invalid_config, `FILE:LINE: …`.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class configuration_part {
public:
    configuration_part() = default;  ///< none
    /// The document of a file.
    explicit configuration_part(std::shared_ptr<const json::yaml_file> file)
        : file_(std::move(file)), value_(&file_->document()) {}

    explicit operator bool() const noexcept { return value_ != nullptr; }  ///< whether it is there
    const json::value* value() const noexcept { return value_; }           ///< as it stands in the file, or null
    /// What is wrong with it.
    KCONTROL_DECL error wrong(std::string_view why) const;
    /// What is wrong with one of its members.
    KCONTROL_DECL error wrong(std::string_view key, std::string_view why) const;

    /// Errors: it is no object, or has a member of another name.
    KCONTROL_DECL result<void> check_keys(std::span<const std::string_view> known) const;
    result<void> check_keys(std::initializer_list<std::string_view> known) const {  ///< the same
        return check_keys(std::span(known.begin(), known.size()));
    }
    KCONTROL_DECL configuration_part member(std::string_view key) const;  ///< none if it is not there
    /// The elements of a list; of one that is not there, none. Errors: it is no list.
    KCONTROL_DECL result<std::vector<configuration_part>> list(std::string_view key) const;
    /// A text that is not empty. Errors: it is something else.
    KCONTROL_DECL result<std::optional<std::string>> text(std::string_view key) const;
    /// Texts that are not empty. Errors: one is something else.
    KCONTROL_DECL result<std::vector<std::string>> texts(std::string_view key) const;
    /// A whole number. Errors: it is something else, less than `least` or greater than `most`.
    KCONTROL_DECL result<std::optional<std::int64_t>> number(std::string_view key, std::int64_t least,
                                                             std::int64_t most) const;
    KCONTROL_DECL result<std::optional<bool>> flag(std::string_view key) const;  ///< true or false

private:
    std::shared_ptr<const json::yaml_file> file_;
    const json::value* value_ = nullptr;
    std::string pointer_;
};

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/configuration_part.ipp>
#endif
