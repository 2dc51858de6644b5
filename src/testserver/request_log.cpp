#include <kcontrol/testing/request_log.hpp>

namespace kcontrol::inline v0_1::testing {

std::size_t request_log::count(std::string_view verb, std::string_view resource) const {
    std::size_t sum = 0;
    for (const auto& [key, number] : counts_) {
        const bool fits = (verb.empty() || key.first == verb) && (resource.empty() || key.second.resource == resource);
        if (fits) sum += number;
    }
    return sum;
}

void request_log::clear() {
    requests_.clear();
    counts_.clear();
}

std::uint64_t request_log::begin(const http::request& request, const request_info& info) {
    constexpr std::size_t kept = 10'000;
    logged_request entry;
    entry.number = ++last_;
    entry.method = request.method;
    entry.target = request.target;
    entry.verb = info.verb;
    entry.resource = info.id();
    ++counts_[{entry.verb, entry.resource}];
    requests_.push_back(std::move(entry));
    if (requests_.size() > kept) requests_.pop_front();
    return last_;
}

void request_log::set_user(std::uint64_t number, std::string user) {
    if (logged_request* found = entry(number)) found->user = std::move(user);
}

void request_log::end(std::uint64_t number, int code) {
    if (logged_request* found = entry(number)) found->code = code;
}

logged_request* request_log::entry(std::uint64_t number) {
    if (requests_.empty() || number < requests_.front().number) return nullptr;
    const std::uint64_t index = number - requests_.front().number;
    return index < requests_.size() ? &requests_[index] : nullptr;
}

}  // namespace kcontrol::testing
