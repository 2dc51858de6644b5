#pragma once

#include <kcontrol/workqueue/rate_limiter.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {

class rate_limiter::base {
public:
    virtual ~base() = default;
    virtual duration next(const rate_limit_attempt& attempt) = 0;
    virtual std::unique_ptr<base> clone() const = 0;
};

namespace detail {

template <class Limiter>
class cloned_limiter : public rate_limiter::base {
public:
    std::unique_ptr<base> clone() const final { return std::make_unique<Limiter>(static_cast<const Limiter&>(*this)); }
};

class exponential_limiter final : public cloned_limiter<exponential_limiter> {
public:
    explicit exponential_limiter(backoff_policy policy) : policy_(policy) {}
    duration next(const rate_limit_attempt& a) override { return rate_limit_delay(policy_, a.failures, a.unit); }

private:
    backoff_policy policy_;
};

class fast_slow_limiter final : public cloned_limiter<fast_slow_limiter> {
public:
    fast_slow_limiter(duration fast, duration slow, std::uint64_t tries) : fast_(fast), slow_(slow), tries_(tries) {}
    duration next(const rate_limit_attempt& a) override { return a.failures < tries_ ? fast_ : slow_; }

private:
    duration fast_, slow_;
    std::uint64_t tries_;
};

// Source: golang.org/x/time/rate, Limiter.Reserve: a token may be taken before it is there, and is waited for.
class bucket_limiter final : public cloned_limiter<bucket_limiter> {
public:
    bucket_limiter(double per_second, std::size_t burst)
        : per_second_(std::max(per_second, 1e-9)), burst_(static_cast<double>(burst)), tokens_(burst_) {}
    duration next(const rate_limit_attempt& a) override {
        const double passed = started_ ? std::chrono::duration<double>(a.now - last_).count() : 0;
        if (!started_ || a.now > last_) last_ = a.now;
        started_ = true;
        tokens_ = std::min(burst_, tokens_ + std::max(0.0, passed) * per_second_) - 1;
        if (tokens_ >= 0) return duration::zero();
        static constexpr double longest = 1e9;  // 30 years, in seconds: far below what a duration holds
        return std::chrono::duration_cast<duration>(
            std::chrono::duration<double>(std::min(longest, -tokens_ / per_second_)));
    }

private:
    double per_second_, burst_, tokens_;
    time_point last_{};
    bool started_ = false;
};

class max_limiter final : public cloned_limiter<max_limiter> {
public:
    explicit max_limiter(std::vector<rate_limiter> all) : all_(std::move(all)) {}
    duration next(const rate_limit_attempt& a) override {
        duration longest{};
        for (rate_limiter& one : all_) longest = std::max(longest, one.next(a));
        return longest;
    }

private:
    std::vector<rate_limiter> all_;
};

class capped_limiter final : public cloned_limiter<capped_limiter> {
public:
    capped_limiter(rate_limiter inner, duration longest) : inner_(std::move(inner)), longest_(longest) {}
    duration next(const rate_limit_attempt& a) override { return std::min(longest_, inner_.next(a)); }

private:
    rate_limiter inner_;
    duration longest_;
};

class own_limiter final : public cloned_limiter<own_limiter> {
public:
    explicit own_limiter(std::function<duration(const rate_limit_attempt&)> f) : delay_(std::move(f)) {}
    duration next(const rate_limit_attempt& a) override { return delay_(a); }

private:
    std::function<duration(const rate_limit_attempt&)> delay_;
};

}  // namespace detail

KCONTROL_DECL rate_limiter::rate_limiter() : rate_limiter(default_rate_limit()) {}
KCONTROL_DECL rate_limiter::rate_limiter(backoff_policy policy)
    : inside_(std::make_unique<detail::exponential_limiter>(policy)) {}
KCONTROL_DECL rate_limiter::rate_limiter(const rate_limiter& other)
    : inside_(other.inside_ ? other.inside_->clone() : nullptr) {}
KCONTROL_DECL rate_limiter::rate_limiter(rate_limiter&&) noexcept = default;
KCONTROL_DECL rate_limiter& rate_limiter::operator=(rate_limiter other) noexcept {
    inside_ = std::move(other.inside_);
    return *this;
}
KCONTROL_DECL rate_limiter::~rate_limiter() = default;
inline rate_limiter::rate_limiter(std::unique_ptr<base> inside) noexcept : inside_(std::move(inside)) {}

KCONTROL_DECL rate_limiter rate_limiter::exponential(duration initial, duration cap) {
    return rate_limiter(backoff_policy().initial(initial).cap(cap).jitter(0.0));
}
KCONTROL_DECL rate_limiter rate_limiter::bucket(double per_second, std::size_t burst) {
    return rate_limiter(std::make_unique<detail::bucket_limiter>(per_second, burst));
}
KCONTROL_DECL rate_limiter rate_limiter::fast_slow(duration fast, duration slow, std::uint64_t fast_tries) {
    return rate_limiter(std::make_unique<detail::fast_slow_limiter>(fast, slow, fast_tries));
}
KCONTROL_DECL rate_limiter rate_limiter::max_of(std::vector<rate_limiter> all) {
    return rate_limiter(std::make_unique<detail::max_limiter>(std::move(all)));
}
KCONTROL_DECL rate_limiter rate_limiter::custom(std::function<duration(const rate_limit_attempt&)> delay) {
    return rate_limiter(std::make_unique<detail::own_limiter>(std::move(delay)));
}
KCONTROL_DECL rate_limiter rate_limiter::at_most(duration longest) const {
    return rate_limiter(std::make_unique<detail::capped_limiter>(*this, longest));
}

KCONTROL_DECL duration rate_limiter::next(const rate_limit_attempt& attempt) {
    return inside_ ? std::max(duration::zero(), inside_->next(attempt)) : duration::zero();
}

}  // namespace kcontrol
