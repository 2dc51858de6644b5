#include "job_lives.hpp"

#include "demo/lives.hpp"

#include <array>

namespace training_monitor::demo {
namespace {

namespace json = kcontrol::json;
using kcontrol::awaitable;

constexpr std::array<const char*, 2> namespaces{"research", "production"};

}  // namespace

awaitable<bool> life_setting::pass(double seconds) const {
    const double scaled = seconds * pace * (2.0 + random_unit(*env)) * 0.4;
    const auto delay = std::chrono::duration_cast<kcontrol::duration>(std::chrono::duration<double>(scaled));
    const auto woken = co_await kcontrol::sleep_for(*env, delay, stop);
    co_return woken == kcontrol::wake::timeout;
}

void prepare(simulated_cluster& cluster, job_mix mix) {
    using kcontrol::testing::resource_type;
    auto& api = cluster.api();
    api.register_resource(resource_type("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"));
    api.register_resource(resource_type("kubeflow.org", mix.mpi_v2beta1 ? "v2beta1" : "v1", "MPIJob", "mpijobs"));
    if (mix.train_jobs) {
        api.register_resource(resource_type("trainer.kubeflow.org", "v1alpha1", "TrainJob", "trainjobs"));
    }
    for (const char* name : namespaces) {
        json::object object{{"apiVersion", "v1"}, {"kind", "Namespace"}};
        object["metadata"] = json::object{{"name", name}};
        static_cast<void>(api.create(std::move(object)));
    }
}

awaitable<void> run_jobs(life_setting at, job_mix mix, kcontrol::task_group& tasks) {
    static constexpr std::array<const char*, 6> work{"pretrain", "finetune", "eval", "distill", "sweep", "align"};
    static constexpr std::array<const char*, 6> models{"bert", "llama", "resnet", "whisper", "dlrm", "vit"};
    for (unsigned number = 1; !at.stop.stop_requested(); ++number) {
        const std::string ns = namespaces[at.env->random() % namespaces.size()];
        const std::string name = std::string(models[at.env->random() % models.size()]) + "-" +
                                 work[at.env->random() % work.size()] + "-" + std::to_string(number);
        switch (number % (mix.train_jobs ? 4 : 3)) {
        case 0: tasks.spawn(batch_life(at, ns, name)); break;
        case 1: tasks.spawn(pytorch_life(at, ns, name)); break;
        case 2: tasks.spawn(mpi_life(at, ns, name, mix.mpi_v2beta1)); break;
        default: tasks.spawn(train_life(at, ns, name));
        }
        const bool more = co_await at.pass(1.6);
        if (!more) co_return;
    }
}

}  // namespace training_monitor::demo
