// Pieces of C++ that both kinds of output share.
#pragma once

#include "plan.hpp"

#include <set>
#include <string>
#include <vector>

namespace kcontrol_gen {

/// What `namespace` is followed by: the library's own namespaces with that of its ABI's version, others as they are.
std::string reopened(const std::string& name_space);

/// Opens and closes namespaces as the types that follow each other ask for it.
class namespace_writer {
public:
    explicit namespace_writer(std::string& out) : out_(out) {}
    /// `inline_part`: the last part is an inline namespace.
    void enter(const std::string& name_space, bool inline_part);
    void leave();

private:
    std::string& out_;
    std::string current_;
    std::size_t opened_ = 0;
};

void write_struct(const planned_type& type, std::string& out);

/// Declares the table of a type. To be written at namespace scope outside of any namespace, like the definition.
void write_table_declaration(const planned_type& type, std::string& out);

/// The table: plain data, which costs the compiler little. Defined once, with KCONTROL_DECL.
void write_table(const planned_type& type, std::string& out);

/// The same for a header, inline. `written` has the full names of the types that the header defines.
void write_inline_table(const planned_type& type, const std::set<std::string>& written, std::string& out);

/// For a header of very many types, behind their declarations and before their definitions.
void write_early_handles(const std::vector<planned_type>& types, const std::set<std::string>& written,
                         std::string& out);

/// `#include <a>` lines: those of the library first, each group sorted.
void write_includes(const std::set<std::string>& headers, std::string& out);

/// The remarks as comment lines, all of them.
void write_remarks(const std::vector<remark>& remarks, std::string& out);

}  // namespace kcontrol_gen
