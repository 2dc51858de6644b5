// A stand-in for libnvidia-ml.so.1 that tells of the GPUs in a text file, named by KCONTROL_FAKE_NVML. It answers what
// the real one is documented to answer, faults included, and knows nothing of the program under test but the ABI.
//
// A line is one thing:
//   driver VERSION | cuda NUMBER                   NUMBER is 1000 * major + 10 * minor
//   gpu key=value…     name uuid bus memory_mib cc mig (on, off; none: not capable) fabric (CLUSTER-UUID/CLIQUE)
//   mig key=value…     gpu (its index) uuid memory_mib sm gi ci copy decoder encoder jpeg ofa
//   fault key=value…   call (a function's name) gpu (-1, the default: any) after (so many good calls, default 0)
//                      return (a status) or hang_ms
// A value ends at a blank; in a name '_' stands for one. The file is read by nvmlInit_v2, so that a reload of the
// driver can bring other GPUs. With FAKE_NVML_OF_2018 only the functions of that time are there.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using fields = std::map<std::string, std::string>;

struct fault {
    std::string call;
    long gpu;
    long after;
    long answer;
    long hang_ms;
    long seen = 0;
};

struct thing {  // a GPU, or a part of one
    fields values;
    unsigned index;  // of the GPU
    bool is_mig;
    std::vector<thing*> parts;
};

struct world {
    std::string driver = "550.107.02";
    long cuda = 12040;
    std::vector<thing*> gpus;
    std::vector<fault> faults;
};

std::mutex mutex;
world now;
int users = 0;

std::string text(const fields& f, const char* key, const char* otherwise = "") {
    const auto at = f.find(key);
    return at == f.end() ? otherwise : at->second;
}

long number(const fields& f, const char* key, long otherwise = 0) {
    const auto value = text(f, key);
    return value.empty() ? otherwise : std::strtol(value.c_str(), nullptr, 10);
}

fields read_fields(std::istream& line) {
    fields found;
    for (std::string word; line >> word;) {
        const auto equals = word.find('=');
        if (equals == word.npos) continue;
        auto value = word.substr(equals + 1);
        const auto key = word.substr(0, equals);
        for (auto& c : value) {
            if (key == "name" && c == '_') c = ' ';
        }
        found[key] = value;
    }
    return found;
}

// What was there before is never freed: handles to it may be around.
bool load() {
    const char* name = std::getenv("KCONTROL_FAKE_NVML");  // seam: ok, not the program's environment
    std::ifstream file(name == nullptr ? "" : name);
    if (!file) return false;
    now = world();
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "driver") words >> now.driver;
        if (what == "cuda") words >> now.cuda;
        if (what == "gpu") now.gpus.push_back(new thing{read_fields(words), unsigned(now.gpus.size()), false, {}});
        if (what == "mig") {
            const auto f = read_fields(words);
            auto* parent = now.gpus.at(std::size_t(number(f, "gpu")));
            parent->parts.push_back(new thing{f, parent->index, true, {}});
        }
        if (what == "fault") {
            const auto f = read_fields(words);
            now.faults.push_back(
                {text(f, "call"), number(f, "gpu", -1), number(f, "after"), number(f, "return"), number(f, "hang_ms")});
        }
    }
    return true;
}

// The planned answer to this call, 0 for none.
int planned(const char* call, const thing* about = nullptr) {
    long hang = 0;
    int answer = 0;
    {
        const std::lock_guard lock(mutex);
        if (users == 0 && std::strcmp(call, "nvmlInit_v2") != 0) return 1;
        for (auto& f : now.faults) {
            if (f.call != call || (f.gpu >= 0 && (about == nullptr || long(about->index) != f.gpu))) continue;
            if (f.seen++ < f.after) continue;
            hang = f.hang_ms;
            answer = int(f.answer);
        }
    }
    if (hang > 0) std::this_thread::sleep_for(std::chrono::milliseconds(hang));  // seam: ok, a driver that hangs
    return answer;
}

int put(const std::string& value, char* out, unsigned size) {
    if (value.size() >= size) return 7;
    std::memcpy(out, value.c_str(), value.size() + 1);
    return 0;
}

std::uint64_t bytes_of(const thing& t) { return std::uint64_t(number(t.values, "memory_mib")) << 20; }

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) int

FAKE nvmlInit_v2() {
    {
        const std::lock_guard lock(mutex);
        if (users == 0 && !load()) return 9;
    }
    if (const int s = planned("nvmlInit_v2")) return s;
    const std::lock_guard lock(mutex);
    ++users;
    return 0;
}

FAKE nvmlShutdown() {
    const std::lock_guard lock(mutex);
    if (users == 0) return 1;
    --users;
    return 0;
}

FAKE nvmlSystemGetDriverVersion(char* out, unsigned size) {
    if (const int s = planned("nvmlSystemGetDriverVersion")) return s;
    return put(now.driver, out, size);
}

FAKE nvmlDeviceGetCount_v2(unsigned* out) {
    if (const int s = planned("nvmlDeviceGetCount_v2")) return s;
    *out = unsigned(now.gpus.size());
    return 0;
}

FAKE nvmlDeviceGetHandleByIndex_v2(unsigned index, thing** out) {
    if (index >= now.gpus.size()) return 2;
    if (const int s = planned("nvmlDeviceGetHandleByIndex_v2", now.gpus[index])) return s;
    *out = now.gpus[index];
    return 0;
}

FAKE nvmlDeviceGetUUID(thing* t, char* out, unsigned size) {
    if (const int s = planned("nvmlDeviceGetUUID", t)) return s;
    return put(text(t->values, "uuid"), out, size);
}

FAKE nvmlDeviceGetName(thing* t, char* out, unsigned size) {
    if (const int s = planned("nvmlDeviceGetName", t)) return s;
    return put(text(t->values, "name"), out, size);
}

FAKE nvmlDeviceGetMemoryInfo(thing* t, std::uint64_t* total_free_used) {
    if (const int s = planned("nvmlDeviceGetMemoryInfo", t)) return s;
    if (bytes_of(*t) == 0) return 3;
    total_free_used[0] = total_free_used[1] = bytes_of(*t);
    total_free_used[2] = 0;
    return 0;
}

FAKE nvmlDeviceGetCudaComputeCapability(thing* t, int* major, int* minor) {
    if (const int s = planned("nvmlDeviceGetCudaComputeCapability", t)) return s;
    return std::sscanf(text(t->values, "cc").c_str(), "%d.%d", major, minor) == 2 ? 0 : 3;
}

FAKE nvmlDeviceGetPciInfo_v3(thing* t, char* out) {
    if (const int s = planned("nvmlDeviceGetPciInfo_v3", t)) return s;
    std::memset(out, 0, 68);
    return put(text(t->values, "bus"), out + 36, 32);
}

#ifndef FAKE_NVML_OF_2018

FAKE nvmlSystemGetCudaDriverVersion_v2(int* out) {
    if (const int s = planned("nvmlSystemGetCudaDriverVersion_v2")) return s;
    *out = int(now.cuda);
    return 0;
}

FAKE nvmlDeviceGetMigMode(thing* t, unsigned* current, unsigned* pending) {
    if (const int s = planned("nvmlDeviceGetMigMode", t)) return s;
    const auto mode = text(t->values, "mig");
    if (mode.empty()) return 3;
    *current = *pending = mode == "on" ? 1 : 0;
    return 0;
}

FAKE nvmlDeviceGetMaxMigDeviceCount(thing* t, unsigned* out) {
    if (const int s = planned("nvmlDeviceGetMaxMigDeviceCount", t)) return s;
    *out = text(t->values, "mig").empty() ? 0 : 7;
    return 0;
}

FAKE nvmlDeviceGetMigDeviceHandleByIndex(thing* t, unsigned index, thing** out) {
    if (const int s = planned("nvmlDeviceGetMigDeviceHandleByIndex", t)) return s;
    if (index >= 7) return 2;
    // Real ones leave numbers out; here the first number is always free where there is room.
    const auto hole = t->parts.size() < 7 ? 1U : 0U;
    if (index < hole || index - hole >= t->parts.size()) return 6;
    *out = t->parts[index - hole];
    return 0;
}

FAKE nvmlDeviceGetAttributes_v2(thing* t, unsigned* out) {
    if (const int s = planned("nvmlDeviceGetAttributes_v2", t)) return s;
    if (!t->is_mig) return 3;
    for (const char* key : {"sm", "copy", "decoder", "encoder", "jpeg", "ofa", "gi", "ci"}) {
        *out++ = unsigned(number(t->values, key));
    }
    const auto mib = std::uint64_t(number(t->values, "memory_mib"));
    std::memcpy(out, &mib, sizeof(mib));
    return 0;
}

FAKE nvmlDeviceGetGpuFabricInfoV(thing* t, unsigned char* out) {
    if (const int s = planned("nvmlDeviceGetGpuFabricInfoV", t)) return s;
    std::uint32_t version = 0;
    std::memcpy(&version, out, 4);
    if (version != (36 | 2U << 24)) return 25;
    std::memset(out + 4, 0, 32);
    const auto place = text(t->values, "fabric");
    const auto slash = place.find('/');
    if (slash == place.npos) return 0;
    unsigned at = 4;
    for (std::size_t i = 0; i < slash && at < 20; ++i) {
        if (place[i] == '-') continue;
        out[at++] = static_cast<unsigned char>(std::strtoul(place.substr(i, 2).c_str(), nullptr, 16));
        ++i;
    }
    const auto clique = std::uint32_t(std::strtoul(place.c_str() + slash + 1, nullptr, 10));
    std::memcpy(out + 24, &clique, 4);
    out[28] = 3;
    return 0;
}

#endif
