// What a poll of the GPUs costs gpu_labeler, with the library's own time in it.
//
// usage: bench_labeler_poll LIBRARY INVENTORY [POLLS]
//   LIBRARY    the stand-in, build/…/tests/libfake_nvml.so, or a real libnvidia-ml.so.1
//   INVENTORY  a file of tests/fake_nvml/inventories for the stand-in; - for a real one
// Prints the median, the 99th percentile and the most of each part in microseconds, of a poll as a whole, and of what
// of that the stand-in itself took at least; a machine that does other work besides shows in the percentile first.
#include <kcontrol/runtime/system_environment.hpp>

#include "labels/gpu_labels.hpp"
#include "metrics/dcgm_metrics.hpp"
#include "reader/gpu_reader.hpp"
#include "topology/topology.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace gpu_labeler;

class measurements {
public:
    explicit measurements(kcontrol::environment& env) : env_(env), begun_(env.now()) {}

    void begin() { begun_ = env_.now(); }
    void add(const char* part, double microseconds) { parts_[part].push_back(microseconds); }
    void forget() { parts_.clear(); }
    void end(const char* part) {
        const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(env_.now() - begun_);
        add(part, static_cast<double>(took.count()) / 1000);
        whole_ += static_cast<double>(took.count()) / 1000;
        begin();
    }
    // After the parts of one poll, of which `apart` microseconds were somebody else's.
    void end_poll(double apart) {
        add("6 all", whole_);
        add("7 in the stand-in", apart);
        add("8 all but that", whole_ - apart);
        whole_ = 0;
    }
    void print() {
        for (auto& [part, times] : parts_) {
            std::sort(times.begin(), times.end());
            std::printf("%-30s median %8.1f us   p99 %8.1f us   most %8.1f us\n", part.c_str(), times[times.size() / 2],
                        times[times.size() * 99 / 100], times.back());
        }
    }

private:
    kcontrol::environment& env_;
    kcontrol::time_point begun_;
    double whole_ = 0;
    std::map<std::string, std::vector<double>> parts_;
};

template <class T>
T need(kcontrol::result<T> got) {
    if (got) return std::move(*got);
    std::fprintf(stderr, "error: %s\n", got.error().message().c_str());
    std::exit(1);
}

kcontrol::awaitable<void> poll(kcontrol::environment& env, gpu_reader& reader, int polls,
                               std::function<long long()> spent) {
    measurements all(env);
    std::size_t bytes = 0;
    for (int i = 0; i < polls + 10; ++i) {
        if (i == 10) all.forget();  // warm by then
        const auto spent_before = spent();
        all.begin();
        auto taken = co_await reader.sample(std::stop_token());
        const auto sample = need(std::move(taken));
        all.end("1 sample");
        bytes += dcgm_metrics(sample, "node-1").size();
        all.end("2 text of the metrics");
        auto read = co_await reader.read(std::stop_token());
        const auto inventory = need(std::move(read));
        all.end("3 inventory");
        bytes += gpu_labels(inventory, label_options()).size();
        all.end("4 labels");
        auto connected = co_await reader.connections(std::stop_token());
        bytes += topology_annotation(need(std::move(connected))).size();
        all.end("5 topology, with its text");
        all.end_poll(static_cast<double>(spent() - spent_before) / 1000);
    }
    all.print();
    if (bytes == 0) std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: bench_labeler_poll LIBRARY INVENTORY [POLLS]\n");
        return 2;
    }
    const std::string library = argv[1];
    const int polls = argc > 3 ? std::atoi(argv[3]) : 1000;
    std::function<long long()> spent = [] { return 0LL; };
    if (void* handle = ::dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) {
        if (void* use = ::dlsym(handle, "fakeNvmlUse")) reinterpret_cast<void (*)(const char*)>(use)(argv[2]);
        if (void* tells = ::dlsym(handle, "fakeNvmlNanoseconds")) spent = reinterpret_cast<long long (*)()>(tells);
    }
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    gpu_reader reader(env, context.get_executor(), [&] {
        return std::make_shared<nvml_session>(env, library, "/sys",
                                              [](const std::string&) { return std::optional<std::string>(); });
    });
    boost::asio::co_spawn(context, poll(env, reader, polls, spent), [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
    });
    context.run();
    return 0;
}
