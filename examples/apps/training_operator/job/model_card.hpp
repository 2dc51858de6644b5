// What a job says of its model, by the fields of Hugging Face's model cards.
#pragma once

#include <kcontrol/model/field.hpp>
#include <kcontrol/values/list.hpp>
#include <kcontrol/values/text.hpp>

namespace training_operator {

using namespace kcontrol;

struct model_card_spec {
    text model_name, license, base_model, library_name, pipeline_tag, body;
    list<text> language, tags, datasets;
    static constexpr auto kcontrol_fields() {
        using self = model_card_spec;
        constexpr auto one = rules().max_length(200);
        constexpr auto many = rules().max_items(50).list_type_atomic();
        return fields(field("modelName", &self::model_name, one), field("license", &self::license, one),
                      field("baseModel", &self::base_model, one), field("libraryName", &self::library_name, one),
                      field("pipelineTag", &self::pipeline_tag, one), field("language", &self::language, many),
                      field("tags", &self::tags, many), field("datasets", &self::datasets, many),
                      field("text", &self::body, rules().max_length(20000).describe("Markdown, below the title.")));
    }
    friend bool operator==(const model_card_spec&, const model_card_spec&) = default;
};

}  // namespace training_operator
