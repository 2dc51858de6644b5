// A file that is replaced as a whole: who reads it sees the text before or the text after.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// The new text of a file, in a file beside it, until it takes its place. Destroyed without commit(), nothing stays of
/// it.
///
/// Thread-safety: shared objects unsafe. Two processes that replace the same file are not kept apart.
class staged_file {
public:
    /// Writes `text` to the disk, beside `path`, as `.kcontrol-NAME`: programs that read a directory pass over it, and
    /// those that look at the ending find the same. Its mode and owner are those of the file that it will replace, else
    /// 0644. A link is followed: what it leads to is replaced. Errors: file_failed, with the path, the reason and the
    /// remedy; also for what is there and no regular file.
    static KCONTROL_DECL result<staged_file> write(const std::string& path, std::string_view text);

    KCONTROL_DECL staged_file(staged_file&& other) noexcept;
    staged_file& operator=(staged_file&&) = delete;
    KCONTROL_DECL ~staged_file();

    /// Where the new text is.
    const std::string& path() const noexcept { return staged_; }
    /// Moves it to its place. Errors: file_failed.
    KCONTROL_DECL result<void> commit();

private:
    staged_file(std::string staged, std::string target) : staged_(std::move(staged)), target_(std::move(target)) {}

    std::string staged_, target_;
};

/// Replaces the file at once: staged_file::write() and commit(). Errors: theirs.
KCONTROL_DECL result<void> replace_file(const std::string& path, std::string_view text);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/runtime/impl/staged_file_linux.ipp>
#endif
