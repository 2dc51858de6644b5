// Reading what the generator is given: files, directories, standard input.
#pragma once

#include <kcontrol/base/result.hpp>

#include "ir.hpp"
#include "look.hpp"
#include "read_crd.hpp"

#include <string>
#include <vector>

namespace kcontrol_gen {

/// Collects documents and makes one schema of them.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class input {
public:
    /// A file (YAML with any number of documents, or JSON), a directory (its .yaml, .yml and .json files, and those
    /// below, by name), or "-" for standard input. A file must hold something that is read; of a directory, only what
    /// can be. Errors: file_failed, decode_failed, naming file, document, path and remedy.
    kcontrol::result<void> add_path(const std::string& path);

    /// `name` is for messages. `required`: a text without any CRD or OpenAPI document is an error.
    kcontrol::result<void> add_text(const std::string& text, const std::string& name, bool required);

    kcontrol::result<void> add_document(const json::value& document, const std::string& name, bool& used);

    /// What OpenAPI documents said, as it is before finish().
    const schema& openapi();

    /// The schema of all. Errors: decode_failed if there is no kind in it.
    kcontrol::result<schema> finish();

private:
    crd_reader crds_;
    schema openapi_;
};

/// The whole file, or standard input for "-". Errors: file_failed, too_large beyond 256 MiB.
kcontrol::result<std::string> read_all(const std::string& path);

}  // namespace kcontrol_gen
