// A stand-in for libnvidia-ml.so.1 that tells of the GPUs in a text file, named by KCONTROL_FAKE_NVML. It answers what
// the real one is documented to answer, faults included, and knows nothing of the program under test but the ABI.
//
// A line is one thing:
//   driver VERSION | cuda NUMBER                   NUMBER is 1000 * major + 10 * minor
//   gpu key=value…     name uuid bus memory_mib cc mig (on, off; none: not capable) fabric (CLUSTER-UUID/CLIQUE) and
//   what
//                      it measures, each not supported where it is left out: minor temp mem_temp power_mw limit_mw
//                      energy_mj util mem_util enc dec sm_clock mem_clock used_mib reserved_mib replays sbe_vol sbe_agg
//                      dbe_vol dbe_agg rows_corrected rows_uncorrected rows_pending rows_failed pages_pending recovery
//                      numa; nvlink_tx_kib nvlink_rx_kib (data over all links); licence (of a vGPU: yes, unlicensed;
//                      no: none is asked for); events (a number: the bits of the events that can be waited for, default
//                      all)
//   mig key=value…     gpu (its index) uuid memory_mib used_mib sm gi ci copy decoder encoder jpeg ofa instance
//   fault key=value…   call (a function's name, * for any) gpu (-1, the default: any) after (so many good calls,
//   default
//                      0) return (a status) or hang_ms
//   nvlinks NUMBER…    the next GPU's links to each of the GPUs; its key switch_links=NUMBER says how many go to
//   switches,
//                      and inactive_links=NUMBER how many are down
//   pcie PATH…         the next GPU's way to each of the GPUs: X INT PIX PXB PHB NODE SYS as nvidia-smi topo -m has
//   them,
//                      and ? for one that is not told
//   event key=value…   gpu type data gi ci (a number each; gi and ci: not told), delivered once to who waits for it
// A value ends at a blank; in a name '_' stands for one. The file is read by nvmlInit_v2, so that a reload of the
// driver can bring other GPUs, and again when it has changed: then it tells of the same GPUs. Hanging calls return when
// the file changes. A program may name the file with fakeNvmlUse instead. With FAKE_NVML_OF_2018 only the functions of
// that time are there.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <sys/stat.h>
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
    std::vector<unsigned> links;     // to each GPU
    std::vector<std::string> paths;  // likewise
};

struct world {
    std::string driver = "550.107.02";
    long cuda = 12040;
    std::vector<thing*> gpus;
    std::vector<fault> faults;
    std::vector<fields> events;
};

struct waiting_set {
    std::map<const thing*, unsigned long long> masks;
};

std::mutex mutex;
std::condition_variable changed;
world now;
int users = 0;
std::string named;     // by fakeNvmlUse
std::string versions;  // of the file as it was read
long changes = 0;
std::size_t delivered = 0;  // so many of the file's events

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

std::string file_name() {
    const char* name = std::getenv("KCONTROL_FAKE_NVML");  // seam: ok, not the program's environment
    return !named.empty() || name == nullptr ? named : name;
}

std::string file_version() {
    struct stat info {};
    if (::stat(file_name().c_str(), &info) != 0) return "";
    return std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + "/" +
           std::to_string(info.st_size) + "/" + std::to_string(info.st_ino);
}

// What a handle may be around to is never freed; here it is known, so that it is no leak.
std::vector<std::unique_ptr<thing>> all_things;

thing* make_thing(fields values, unsigned index, bool is_mig) {
    all_things.push_back(std::make_unique<thing>(thing{std::move(values), index, is_mig, {}, {}, {}}));
    return all_things.back().get();
}

bool read(world& found) {
    std::ifstream file(file_name());
    if (!file) return false;
    std::size_t link_rows = 0;
    std::size_t path_rows = 0;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "nvlinks") {
            auto& row = found.gpus.at(link_rows++)->links;
            for (unsigned n = 0; words >> n;) row.push_back(n);
        }
        if (what == "pcie") {
            auto& row = found.gpus.at(path_rows++)->paths;
            for (std::string word; words >> word;) row.push_back(word);
        }
        if (what == "driver") words >> found.driver;
        if (what == "cuda") words >> found.cuda;
        if (what == "gpu") found.gpus.push_back(make_thing(read_fields(words), unsigned(found.gpus.size()), false));
        if (what == "mig") {
            const auto f = read_fields(words);
            auto* parent = found.gpus.at(std::size_t(number(f, "gpu")));
            parent->parts.push_back(make_thing(f, parent->index, true));
        }
        if (what == "event") found.events.push_back(read_fields(words));
        if (what == "fault") {
            const auto f = read_fields(words);
            found.faults.push_back(
                {text(f, "call"), number(f, "gpu", -1), number(f, "after"), number(f, "return"), number(f, "hang_ms")});
        }
    }
    return true;
}

// Of those nobody has a handle.
void forget(const std::vector<thing*>& gpus) {
    const auto is_one = [&](const auto& t) { return std::find(gpus.begin(), gpus.end(), t.get()) != gpus.end(); };
    all_things.erase(std::remove_if(all_things.begin(), all_things.end(), is_one), all_things.end());
}

bool load() {
    world found;
    const auto version = file_version();
    if (!read(found)) return false;
    now = found;
    if (version == versions) return true;
    versions = version;
    ++changes;
    changed.notify_all();
    return true;
}

// The file may be written anew while the driver is loaded: same GPUs, other values.
void refresh() {
    const auto version = file_version();
    if (version.empty() || version == versions) return;
    world found;
    if (!read(found) || found.gpus.size() < now.gpus.size()) return forget(found.gpus);
    versions = version;
    for (std::size_t i = 0; i < now.gpus.size(); ++i) {
        now.gpus[i]->values = found.gpus[i]->values;
        now.gpus[i]->parts = found.gpus[i]->parts;
    }
    forget(found.gpus);  // their values and parts are those of `now`, whose handles stay
    now.faults = found.faults;
    now.events = found.events;
    ++changes;
    changed.notify_all();
}

std::atomic<int> hanging = 0;         // calls that hang now
std::atomic<long long> spent_ns = 0;  // in here, other than in waiting

// Adds the time until its end.
class spending {
public:
    ~spending() {
        const auto took = std::chrono::steady_clock::now() - begun_;  // seam: ok, a driver's clock
        spent_ns += std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
    }

private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();  // seam: ok, a driver's clock
};

// The planned answer to this call, 0 for none.
int planned(const char* call, const thing* about = nullptr) {
    const spending here;
    std::unique_lock lock(mutex);
    const bool starts = std::strcmp(call, "nvmlInit_v2") == 0;
    if (users == 0 && !starts) return 1;
    if (users > 0) refresh();
    for (auto& f : now.faults) {
        if ((f.call != call && f.call != "*") || (f.gpu >= 0 && (about == nullptr || long(about->index) != f.gpu))) {
            continue;
        }
        if (f.seen++ < f.after) continue;
        const auto answer = int(f.answer);
        if (f.hang_ms == 0) return answer;
        const auto before = changes;
        ++hanging;
        const auto until = std::chrono::steady_clock::now() +  // seam: ok, a driver that hangs
                           std::chrono::milliseconds(f.hang_ms);
        // measures: how often it looks for a change
        while (changes == before && changed.wait_for(lock, std::chrono::milliseconds(5)) == std::cv_status::timeout) {
            if (std::chrono::steady_clock::now() >= until) break;  // seam: ok, a driver that hangs
            refresh();
        }
        --hanging;
        return answer;
    }
    return 0;
}

int put(const std::string& value, char* out, unsigned size) {
    if (value.size() >= size) return 7;
    std::memcpy(out, value.c_str(), value.size() + 1);
    return 0;
}

std::uint64_t mib(const thing& t, const char* key) { return std::uint64_t(number(t.values, key)) << 20; }

std::uint64_t bytes_of(const thing& t) { return mib(t, "memory_mib"); }

// A number that the file tells, or "not supported".
template <class Number>
int tell(const char* call, const thing* t, const char* key, Number* out) {
    if (const int s = planned(call, t)) return s;
    const std::lock_guard lock(mutex);
    if (t->is_mig || text(t->values, key).empty()) return 3;
    *out = Number(number(t->values, key));
    return 0;
}

std::string said(const thing* t, const char* key) {
    const std::lock_guard lock(mutex);
    return text(t->values, key);
}

// Of what a GPU that is divided does not tell.
bool divided(const thing* t) { return said(t, "mig") == "on"; }

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) int

// Not NVML's: how long the calls so far took in here, but for reading values and for waiting.
extern "C" __attribute__((visibility("default"))) long long fakeNvmlNanoseconds() { return spent_ns; }

// Not NVML's: how many calls hang now.
extern "C" __attribute__((visibility("default"))) int fakeNvmlHanging() { return hanging; }

// Not NVML's: from now on the file is `path`, as after a boot of the machine.
extern "C" __attribute__((visibility("default"))) void fakeNvmlUse(const char* path) {
    const std::lock_guard lock(mutex);
    named = path;
    versions.clear();
    now = world();
    users = 0;
    delivered = 0;
    ++changes;
    changed.notify_all();
}

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
    return put(said(t, "uuid"), out, size);
}

FAKE nvmlDeviceGetName(thing* t, char* out, unsigned size) {
    if (const int s = planned("nvmlDeviceGetName", t)) return s;
    return put(said(t, "name"), out, size);
}

FAKE nvmlDeviceGetMemoryInfo(thing* t, std::uint64_t* total_free_used) {
    if (const int s = planned("nvmlDeviceGetMemoryInfo", t)) return s;
    if (bytes_of(*t) == 0) return 3;
    const std::lock_guard lock(mutex);
    total_free_used[0] = bytes_of(*t);
    total_free_used[2] = mib(*t, "used_mib") + mib(*t, "reserved_mib");
    total_free_used[1] = total_free_used[0] - total_free_used[2];
    return 0;
}

FAKE nvmlDeviceGetCudaComputeCapability(thing* t, int* major, int* minor) {
    if (const int s = planned("nvmlDeviceGetCudaComputeCapability", t)) return s;
    return std::sscanf(said(t, "cc").c_str(), "%d.%d", major, minor) == 2 ? 0 : 3;
}

FAKE nvmlDeviceGetPciInfo_v3(thing* t, char* out) {
    if (const int s = planned("nvmlDeviceGetPciInfo_v3", t)) return s;
    std::memset(out, 0, 68);
    return put(said(t, "bus"), out + 36, 32);
}

FAKE nvmlDeviceGetMinorNumber(thing* t, unsigned* out) { return tell("nvmlDeviceGetMinorNumber", t, "minor", out); }

FAKE nvmlDeviceGetUtilizationRates(thing* t, unsigned* out) {
    if (divided(t)) return 3;
    if (const int s = tell("nvmlDeviceGetUtilizationRates", t, "util", out)) return s;
    return tell("nvmlDeviceGetUtilizationRates", t, "mem_util", out + 1);
}

FAKE nvmlDeviceGetEncoderUtilization(thing* t, unsigned* out, unsigned* period) {
    *period = 167000;
    return divided(t) ? 3 : tell("nvmlDeviceGetEncoderUtilization", t, "enc", out);
}

FAKE nvmlDeviceGetDecoderUtilization(thing* t, unsigned* out, unsigned* period) {
    *period = 167000;
    return divided(t) ? 3 : tell("nvmlDeviceGetDecoderUtilization", t, "dec", out);
}

FAKE nvmlDeviceGetTemperature(thing* t, unsigned sensor, unsigned* out) {
    return sensor != 0 ? 2 : tell("nvmlDeviceGetTemperature", t, "temp", out);
}

FAKE nvmlDeviceGetPowerUsage(thing* t, unsigned* out) { return tell("nvmlDeviceGetPowerUsage", t, "power_mw", out); }

FAKE nvmlDeviceGetEnforcedPowerLimit(thing* t, unsigned* out) {
    return tell("nvmlDeviceGetEnforcedPowerLimit", t, "limit_mw", out);
}

FAKE nvmlDeviceGetTotalEnergyConsumption(thing* t, unsigned long long* out) {
    return tell("nvmlDeviceGetTotalEnergyConsumption", t, "energy_mj", out);
}

FAKE nvmlDeviceGetClockInfo(thing* t, unsigned kind, unsigned* out) {
    if (kind != 1 && kind != 2) return 2;
    return tell("nvmlDeviceGetClockInfo", t, kind == 1 ? "sm_clock" : "mem_clock", out);
}

FAKE nvmlDeviceGetPcieReplayCounter(thing* t, unsigned* out) {
    return tell("nvmlDeviceGetPcieReplayCounter", t, "replays", out);
}

FAKE nvmlDeviceGetTotalEccErrors(thing* t, unsigned kind, unsigned since, unsigned long long* out) {
    if (kind > 1 || since > 1) return 2;
    static const char* const keys[] = {"sbe_vol", "sbe_agg", "dbe_vol", "dbe_agg"};
    return tell("nvmlDeviceGetTotalEccErrors", t, keys[kind * 2 + since], out);
}

FAKE nvmlDeviceGetRetiredPagesPendingStatus(thing* t, unsigned* out) {
    return tell("nvmlDeviceGetRetiredPagesPendingStatus", t, "pages_pending", out);
}

FAKE nvmlDeviceGetTopologyCommonAncestor(thing* a, thing* b, unsigned* out) {
    if (const int s = planned("nvmlDeviceGetTopologyCommonAncestor", a)) return s;
    if (b->index >= a->paths.size()) return 3;
    static const std::map<std::string, unsigned> levels = {{"INT", 0},  {"PIX", 10},  {"PXB", 20},
                                                           {"PHB", 30}, {"NODE", 40}, {"SYS", 50}};
    const auto level = levels.find(a->paths[b->index]);
    if (level == levels.end()) return 3;
    *out = level->second;
    return 0;
}

// Links are numbered: those to GPUs, those to switches, those that are down.
FAKE nvmlDeviceGetNvLinkState(thing* t, unsigned link, unsigned* out) {
    if (const int s = planned("nvmlDeviceGetNvLinkState", t)) return s;
    const std::lock_guard lock(mutex);
    unsigned up = unsigned(number(t->values, "switch_links"));
    for (const auto n : t->links) up += n;
    const unsigned all = up + unsigned(number(t->values, "inactive_links"));
    if (all == 0) return 3;
    if (link >= all) return 2;
    *out = link < up ? 1 : 0;
    return 0;
}

FAKE nvmlDeviceGetNvLinkRemotePciInfo_v2(thing* t, unsigned link, unsigned char* out) {
    unsigned up = 0;
    if (const int s = nvmlDeviceGetNvLinkState(t, link, &up)) return s;
    if (up == 0) return 3;
    std::memset(out, 0, 68);
    const std::uint32_t vendor = 0x10de;
    std::memcpy(out + 28, &vendor, 4);
    std::string at = "00000000:C" + std::to_string(link % 6) + ":00.0";  // a switch's
    for (unsigned i = 0; i < t->links.size(); ++i) {
        if (link < t->links[i]) {
            at = said(now.gpus[i], "bus");
            break;
        }
        link -= t->links[i];
    }
    return put(at, reinterpret_cast<char*>(out) + 36, 32);
}

#ifndef FAKE_NVML_OF_2018

FAKE nvmlSystemGetCudaDriverVersion_v2(int* out) {
    if (const int s = planned("nvmlSystemGetCudaDriverVersion_v2")) return s;
    *out = int(now.cuda);
    return 0;
}

FAKE nvmlDeviceGetMigMode(thing* t, unsigned* current, unsigned* pending) {
    if (const int s = planned("nvmlDeviceGetMigMode", t)) return s;
    const auto mode = said(t, "mig");
    if (mode.empty()) return 3;
    *current = *pending = mode == "on" ? 1 : 0;
    return 0;
}

FAKE nvmlDeviceGetMaxMigDeviceCount(thing* t, unsigned* out) {
    if (const int s = planned("nvmlDeviceGetMaxMigDeviceCount", t)) return s;
    *out = said(t, "mig").empty() ? 0 : 7;
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
    const auto place = said(t, "fabric");
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

FAKE nvmlDeviceGetGpuInstanceId(thing* t, unsigned* out) {
    if (const int s = planned("nvmlDeviceGetGpuInstanceId", t)) return s;
    if (!t->is_mig || said(t, "instance").empty()) return 3;
    *out = unsigned(number(t->values, "instance"));
    return 0;
}

FAKE nvmlDeviceGetMemoryInfo_v2(thing* t, unsigned char* out) {
    if (const int s = planned("nvmlDeviceGetMemoryInfo_v2", t)) return s;
    std::uint32_t version = 0;
    std::memcpy(&version, out, 4);
    if (version != (40 | 2U << 24)) return 25;
    if (bytes_of(*t) == 0) return 3;
    const std::lock_guard lock(mutex);
    const std::uint64_t total = bytes_of(*t);
    const std::uint64_t reserved = mib(*t, "reserved_mib");
    const std::uint64_t used = mib(*t, "used_mib");
    const std::uint64_t values[] = {total, reserved, total - reserved - used, used};
    std::memcpy(out + 8, values, sizeof(values));
    return 0;
}

FAKE nvmlDeviceGetRemappedRows(thing* t, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                               unsigned* failed) {
    const auto* call = "nvmlDeviceGetRemappedRows";
    if (const int s = tell(call, t, "rows_corrected", corrected)) return s;
    if (const int s = tell(call, t, "rows_uncorrected", uncorrected)) return s;
    if (const int s = tell(call, t, "rows_pending", pending)) return s;
    return tell(call, t, "rows_failed", failed);
}

FAKE nvmlDeviceGetFieldValues(thing* t, int count, unsigned char* out) {
    if (const int s = planned("nvmlDeviceGetFieldValues", t)) return s;
    for (int i = 0; i < count; ++i, out += 40) {
        std::uint32_t id = 0;
        std::memcpy(&id, out, 4);
        std::uint32_t scope = 0;
        std::memcpy(&scope, out + 4, 4);
        const char* key = id == 82    ? "mem_temp"
                          : id == 230 ? "recovery"
                          : id == 138 ? "nvlink_tx_kib"
                          : id == 139 ? "nvlink_rx_kib"
                                      : "";
        const bool of_links = id == 138 || id == 139;
        const std::uint32_t type = of_links ? 3 : 1;
        std::uint64_t value = 0;
        // One link's part of it is not in the file.
        const int status = of_links && scope != 0xffffffff ? 2 : tell("", t, key, &value);
        std::memcpy(out + 24, &type, 4);
        std::memcpy(out + 28, &status, 4);
        std::memcpy(out + 32, &value, of_links ? 8 : 4);
    }
    return 0;
}

FAKE nvmlDeviceGetGridLicensableFeatures_v4(thing* t, unsigned char* out) {
    if (const int s = planned("nvmlDeviceGetGridLicensableFeatures_v4", t)) return s;
    const auto licence = said(t, "licence");
    if (licence.empty()) return 3;
    std::memset(out, 0, 860);
    if (licence == "no") return 0;
    const std::uint32_t words[] = {1, 2, 2, 1};  // supported, two features: a workstation's, which is licensed,
    std::memcpy(out, words, sizeof(words));
    const std::uint32_t vgpu[] = {1, licence == "yes" ? 1U : 0U};  // and the vGPU
    std::memcpy(out + 8 + 284, vgpu, sizeof(vgpu));
    return 0;
}

FAKE nvmlDeviceGetNvLinkRemoteDeviceType(thing* t, unsigned link, unsigned* out) {
    unsigned up = 0;
    if (const int s = nvmlDeviceGetNvLinkState(t, link, &up)) return s;
    if (up == 0) return 3;
    unsigned to_gpus = 0;
    for (const auto n : t->links) to_gpus += n;
    *out = link < to_gpus ? 0 : 2;
    return 0;
}

FAKE nvmlDeviceGetMemoryAffinity(thing* t, unsigned size, unsigned long* out, unsigned scope) {
    if (const int s = planned("nvmlDeviceGetMemoryAffinity", t)) return s;
    if (scope != 0 || size == 0) return 2;
    if (said(t, "numa").empty()) return 3;
    std::memset(out, 0, size * sizeof(*out));
    const auto node = std::size_t(std::strtol(said(t, "numa").c_str(), nullptr, 10));
    out[node / 64] = 1UL << node % 64;
    return 0;
}

FAKE nvmlEventSetCreate(waiting_set** out) {
    if (const int s = planned("nvmlEventSetCreate")) return s;
    *out = new waiting_set;
    return 0;
}

FAKE nvmlEventSetFree(waiting_set* set) {
    if (const int s = planned("nvmlEventSetFree")) return s;
    delete set;
    return 0;
}

FAKE nvmlDeviceGetSupportedEventTypes(thing* t, unsigned long long* out) {
    if (const int s = planned("nvmlDeviceGetSupportedEventTypes", t)) return s;
    *out = said(t, "events").empty() ? 0xf1ff : std::strtoull(said(t, "events").c_str(), nullptr, 10);
    return 0;
}

FAKE nvmlDeviceRegisterEvents(thing* t, unsigned long long mask, waiting_set* set) {
    if (const int s = planned("nvmlDeviceRegisterEvents", t)) return s;
    unsigned long long supported = 0;
    if (nvmlDeviceGetSupportedEventTypes(t, &supported) != 0 || (mask & ~supported) != 0) return 3;
    const std::lock_guard lock(mutex);
    set->masks[t] |= mask;
    return 0;
}

// Blocks, as the real one does.
FAKE nvmlEventSetWait_v2(waiting_set* set, unsigned char* out, unsigned ms) {
    if (const int s = planned("nvmlEventSetWait_v2")) return s;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);  // seam: ok, a driver's clock
    std::unique_lock lock(mutex);
    while (true) {
        refresh();
        while (delivered < now.events.size()) {
            const auto& e = now.events[delivered++];
            auto* gpu = now.gpus.at(std::size_t(number(e, "gpu")));
            const auto type = std::uint64_t(number(e, "type"));
            if ((set->masks[gpu] & type) == 0) continue;
            const auto data = std::uint64_t(number(e, "data"));
            const std::uint32_t instances[] = {std::uint32_t(number(e, "gi", -1)), std::uint32_t(number(e, "ci", -1))};
            std::memcpy(out, &gpu, 8);
            std::memcpy(out + 8, &type, 8);
            std::memcpy(out + 16, &data, 8);
            std::memcpy(out + 24, instances, 8);
            return 0;
        }
        if (std::chrono::steady_clock::now() >= until) return 10;  // seam: ok, a driver's clock
        changed.wait_for(lock, std::chrono::milliseconds(5));      // measures: how often it looks for events
    }
}

#endif
