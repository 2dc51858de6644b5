// The store of --output none: everything is as it should be.
#include "node/label_store.hpp"

namespace gpu_labeler {
namespace {

class no_store final : public label_store {
public:
    const std::string& name() const noexcept override { return name_; }

    kcontrol::awaitable<kcontrol::result<node_marks>> look(std::stop_token) override { co_return marks_; }
    kcontrol::awaitable<kcontrol::result<void>> write(node_marks wanted, std::stop_token) override {
        marks_ = std::move(wanted);
        co_return kcontrol::result<void>();
    }
    kcontrol::awaitable<kcontrol::result<void>> clear(std::stop_token) override { co_return kcontrol::result<void>(); }

private:
    std::string name_ = "nowhere";
    node_marks marks_;
};

}  // namespace

std::unique_ptr<label_store> make_no_store() { return std::make_unique<no_store>(); }

}  // namespace gpu_labeler
