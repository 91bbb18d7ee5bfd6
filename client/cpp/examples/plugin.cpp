// Shows how a plug-in uses the client, without a plug-in framework. The audio thread only reads, a worker thread talks
// to the service, and the editor's timer polls. In JUCE these are `processBlock`, a `juce::Thread` (or `ThreadPool`),
// and `juce::Timer`.
#include <license_key/client.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

class Processor {
public:
  explicit Processor(license_key::Client client) : license_(std::move(client)) {}

  ~Processor() {
    license_.close(); // Stops a request in progress, because a host that closes must not wait for a network.
    if (worker_.joinable()) worker_.join();
  }

  /// The host calls this when it loads the plug-in, so nothing here may block.
  void prepare() {
    worker_ = std::thread([this] { license_.check(); });
  }

  /// Runs in the audio thread, so it uses no lock, no memory allocation and no system call.
  void process(std::vector<float> &samples) const noexcept {
    if (license_.is_licensed()) return;
    // Without a license this plug-in halves the volume.
    for (std::size_t place = 0; place < samples.size(); place += 1) samples[place] *= 0.5F;
  }

  const license_key::Client &license() const noexcept { return license_; }

private:
  license_key::Client license_;
  std::thread worker_;
};

class Editor {
public:
  explicit Editor(const Processor &processor) : processor_(processor) {}

  /// The window's timer calls this several times per second.
  bool tick() {
    const auto changes = processor_.license().changes();
    if (changes == seen_) return false;
    seen_ = changes;
    std::printf("The window shows: %s\n", processor_.license().state().status().c_str());
    return true;
  }

private:
  const Processor &processor_;
  std::uint64_t seen_ = 0;
};

int main() {
  // A host's sandbox lets a plug-in write only to some folders; `storage` must be one of them. Without `storage` the
  // license is lost when the process ends.
  auto client = license_key::Client::open(R"({
    "base_url": "http://127.0.0.1:1", "product_id": 1, "api_key": "pk", "timeout_ms": 200,
    "public_key": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAP/J5JENb604swTUki5l94NJkg1plNStuMjHQ+wOSK5Q=\n-----END PUBLIC KEY-----\n"
  })");
  if (!client) return 1;
  Processor processor(std::move(*client));
  Editor editor(processor);
  std::vector<float> samples(64, 1.0F);
  processor.prepare();
  for (int round = 0; round < 1000; round += 1) {
    processor.process(samples);
    if (editor.tick()) return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return 1;
}
