// An output that writes down what it gets.
#pragma once

#include <kcontrol/runtime/wait.hpp>

#include "outputs/output.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace follow::tests {

/// Object lifetime: the environment outlives it.
class recording_output final : public output {
public:
    explicit recording_output(kcontrol::environment& env) : env_(env) {}

    std::string name() const override { return "recording"; }
    kcontrol::awaitable<kcontrol::result<void>> put(view now, std::stop_token stop) override {
        put_versions.push_back(now.version);
        put_views.push_back(now);
        if (takes > kcontrol::duration::zero()) co_await kcontrol::sleep_for(env_, takes, stop);
        if (failure) co_return *failure;
        co_return kcontrol::result<void>();
    }
    std::optional<kcontrol::duration> again() const override { return again_after; }
    kcontrol::duration gap() const override { return least_gap; }
    bool is_final(const kcontrol::error&) const override { return final_failures; }

    std::vector<std::uint64_t> put_versions;
    std::vector<view> put_views;
    kcontrol::duration takes{}, least_gap{};
    std::optional<kcontrol::duration> again_after;
    std::optional<kcontrol::error> failure;
    bool final_failures = false;

private:
    kcontrol::environment& env_;
};

}  // namespace follow::tests
