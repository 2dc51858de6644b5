// What a job says of its data.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/values/text.hpp>

namespace training_operator {

using namespace kcontrol;

struct dataset_spec {
    text version_url;
    text expected_version = "latest";
    static constexpr auto kcontrol_fields() {
        using self = dataset_spec;
        return fields(field("versionURL", &self::version_url,
                            rules()
                                .required()
                                .max_length(2048)
                                .pattern("^https?://[^/?#@]+([/?][^#]*)?$")
                                .describe("Answers with the header delta-table-version, or JSON with a version.")),
                      field("expectedVersion", &self::expected_version,
                            rules()
                                .default_string("latest")
                                .max_length(128)
                                .pattern("^[A-Za-z0-9._:+-]+$")
                                .describe("No pod starts before the data has it; latest: what it has then.")));
    }
    friend bool operator==(const dataset_spec&, const dataset_spec&) = default;
};

}  // namespace training_operator
