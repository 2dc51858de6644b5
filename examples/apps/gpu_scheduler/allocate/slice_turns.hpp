// Smooth weighted round robin: turns in proportion to weights, spread as evenly as they can be.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace gpu_scheduler {

/// One that takes part, and its weight, at least 1.
struct weighted_name {
    std::string_view name;
    int weight = 1;
};

/// Whose turn it is. Weights 5, 1, 1 of a, b, c give a a b a c a a.
///
/// Thread-safety: distinct objects safe. A copy goes on by itself, for a decision that may not be carried out.
class slice_turns {
public:
    /// The place in `among` (not empty) of the next one; of equal ones the first.
    std::size_t next(std::span<const weighted_name> among) {
        std::size_t best = 0;
        int sum = 0;
        for (std::size_t i = 0; i < among.size(); ++i) {
            credit(among[i].name) += among[i].weight;
            sum += among[i].weight;
            if (credit(among[i].name) > credit(among[best].name)) best = i;
        }
        credit(among[best].name) -= sum;
        return best;
    }

private:
    int& credit(std::string_view name) {
        const auto found = credits_.find(name);
        return found != credits_.end() ? found->second : credits_.emplace(name, 0).first->second;
    }

    std::map<std::string, int, std::less<>> credits_;
};

}  // namespace gpu_scheduler
