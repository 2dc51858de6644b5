// Reading CustomResourceDefinitions (apiextensions.k8s.io/v1): inline schemas become named types, equal ones once.
#pragma once

#include <kcontrol/base/result.hpp>

#include "ir.hpp"
#include "look.hpp"

namespace kcontrol_gen {

/// Collects CRDs, then makes the schema of all of them. Within one version name ("v1") structurally equal objects get
/// one type, whichever CRD they are in; what each version has is one C++ namespace.
class crd_reader {
public:
    /// Reads one document: a CustomResourceDefinition, or a list of them. Versions that are not served are left out.
    /// `name` is for messages. Errors: decode_failed, naming the document and the member.
    kcontrol::result<void> add(const json::value& document, const std::string& name);

    /// Whether the document is something that add() reads.
    static bool accepts(const json::value& document);

    /// The schema, with all types named. Remarks are in it.
    schema finish();

private:
    struct occurrence {
        std::size_t depth;
        std::string path;                ///< for messages and for order
        std::vector<std::string> words;  ///< short names from the kind to the object
    };
    struct version_types {
        std::map<std::string, std::string> by_signature;                ///< to the key
        std::map<std::string, std::vector<occurrence>> occurrences_of;  ///< by key
    };
    struct place {
        const std::string& version;
        std::string path;
        std::vector<std::string> words;
    };

    kcontrol::result<void> add_crd(const json::value& crd, const std::string& name);
    kcontrol::result<void> add_version(const json::value& crd, const json::value& version, const std::string& name);
    type_ref type_of(const json::value& source, const place& at);
    type_ref type_without_null(const json::value& source, const place& at);
    type_ref object_of_properties(const json::value& source, const place& at);
    type_ref raw(const place& at, const std::string& reason);
    void name_types();

    schema out_;
    std::map<std::string, version_types> versions_;
};

/// A text that two types share exactly if they are structurally equal.
std::string signature_of(const object_type& type);

}  // namespace kcontrol_gen
