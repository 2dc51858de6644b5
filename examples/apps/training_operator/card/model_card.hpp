// The model card of a job that has trained: what it says, and where from.
#pragma once

#include "job/training_job.hpp"

#include <string>

namespace training_operator {

/// README.md as Hugging Face reads it: YAML, then Markdown with what the model was made of.
std::string model_card(const training_job& job);

/// The ConfigMap `bert-modelcard`; immutable once the job has succeeded.
api::core::v1::config_map make_card(const training_job& job);

/// Of what make_card() makes: another one, another text.
std::string card_digest(const training_job& job);

}  // namespace training_operator
