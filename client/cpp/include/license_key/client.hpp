// The license key client for C++17: a header-only wrapper of the C library (docs/clients/cpp.md). No function throws,
// except if memory runs out.
#pragma once

#include <license_key_client.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace license_key {

namespace detail {

struct FreeString {
  void operator()(char *text) const noexcept { lks_string_free(text); }
};
struct FreeClient {
  void operator()(LksClient *client) const noexcept { lks_client_free(client); }
};

/// Copies a text that the library returned, and frees the original.
inline std::optional<std::string> take(char *text) {
  const std::unique_ptr<char, FreeString> owned(text);
  if (owned == nullptr) return std::nullopt;
  return std::string(owned.get());
}

inline const char *pointer(const std::optional<std::string> &text) noexcept { return text ? text->c_str() : nullptr; }

} // namespace detail

/// The result of a call: JSON from which single values can be read. It is empty if an argument was not valid UTF-8.
class Result {
public:
  Result() = default;
  explicit Result(std::optional<std::string> json) : json_(std::move(json).value_or("")) {}

  /// The status: `licensed`, `unbound`, `invalid_input`, `failed` and others (docs/client.md, "States").
  std::string status() const { return get("status").value_or(""); }
  bool is_licensed() const { return status() == "licensed"; }
  /// A value by its path, such as `license.type.kind`. A text is returned unchanged, and anything else as JSON. The
  /// result is empty if the value is missing or null.
  std::optional<std::string> get(const std::string &path) const { return detail::take(lks_json_get(json_.c_str(), path.c_str())); }
  const std::string &json() const noexcept { return json_; }

private:
  std::string json_;
};

struct Labels {
  std::optional<std::string> name, platform;
};

struct Target {
  std::optional<std::string> platform, arch, channel, version;
};

/// The license of this device. Create one client for each product in a process. A client can be moved, and several
/// threads may use it.
class Client {
public:
  /// Creates a client; `options` is JSON (docs/clients/c.md, "Options"). Returns an empty optional if an option is
  /// invalid; `error` then names the option.
  static std::optional<Client> open(const std::string &options, std::string *error = nullptr) {
    char *problem = nullptr;
    LksClient *const client = lks_open(options.c_str(), &problem);
    const auto text = detail::take(problem);
    if (client != nullptr) return Client(client);
    if (error != nullptr) *error = text.value_or("");
    return std::nullopt;
  }

  /// The following functions block until they have a result.
  Result check() const { return result(lks_check(get())); }
  Result validate() const { return result(lks_validate(get())); }
  Result activate(const std::string &key, const Labels &labels = {}, const std::optional<std::string> &replace = std::nullopt) const {
    return result(lks_activate(get(), key.c_str(), detail::pointer(labels.name), detail::pointer(labels.platform), detail::pointer(replace)));
  }
  /// Activates by a sign-in in the browser instead of a key. `show(code, url)` is called once in this thread: it shows the code until this
  /// function returns, and opens the address in the browser. This function waits for the user's decision, at most ten minutes.
  /// Returns a state as `activate` does, or `denied`, `request_expired` or `invalid_input`.
  template <typename Show> Result activate_in_browser(Show &&show, const Labels &labels = {}) const {
    Result begun = result(lks_sign_in_begin(get(), detail::pointer(labels.name), detail::pointer(labels.platform)));
    if (begun.status() != "sign_in") return begun;
    std::forward<Show>(show)(begun.get("code").value_or(""), begun.get("url").value_or(""));
    return result(lks_sign_in_wait(get()));
  }
  /// Ends `activate_in_browser` of another thread, for example when the user closes the dialog.
  void cancel_sign_in() const noexcept { lks_sign_in_cancel(get()); }
  Result trial(const Labels &labels = {}, const std::optional<std::string> &customer_email = std::nullopt) const {
    return result(lks_trial(get(), detail::pointer(labels.name), detail::pointer(labels.platform), detail::pointer(customer_email)));
  }
  Result deactivate() const { return result(lks_deactivate(get())); }
  Result forget() const { return result(lks_forget(get())); }
  Result devices(const std::optional<std::string> &key = std::nullopt) const { return result(lks_devices(get(), detail::pointer(key))); }
  Result release_device(const std::string &ref, const std::optional<std::string> &key = std::nullopt) const {
    return result(lks_release_device(get(), ref.c_str(), detail::pointer(key)));
  }
  Result latest(const Target &target = {}) const {
    return result(lks_latest(get(), detail::pointer(target.platform), detail::pointer(target.arch), detail::pointer(target.channel),
                             detail::pointer(target.version)));
  }
  /// Consumes an amount of a meter; a negative amount gives back. The service counts each `id` (8 to 64 characters) once;
  /// default: a random one.
  Result consume(const std::string &meter, std::int64_t amount, const std::optional<std::string> &id = std::nullopt) const {
    return result(lks_consume(get(), meter.c_str(), amount, detail::pointer(id)));
  }
  Result meters() const { return result(lks_meters(get())); }
  /// The amounts that wait until they can be sent, and those that were dropped.
  Result pending() const { return result(lks_pending(get())); }
  Result offline_request(const std::string &key, const Labels &labels = {}) const {
    return result(lks_offline_request(get(), key.c_str(), detail::pointer(labels.name), detail::pointer(labels.platform)));
  }
  Result import_token(const std::string &token) const { return result(lks_import_token(get(), token.c_str())); }
  void idle() const { lks_idle(get()); }
  /// Stops requests and timers. If `release` is true, this device's seat is freed first, which is useful for floating
  /// licenses.
  void close(bool release = false) const { lks_close(get(), release); }

  /// The following functions never wait. An audio thread may call the first four, because they allocate no memory.
  bool is_licensed() const noexcept { return lks_is_licensed(get()); }
  bool has(const char *feature) const noexcept { return lks_has(get(), feature); }
  /// A limit of the license; empty if there is no such limit, or the app may not be used now.
  std::optional<std::int64_t> limit(const char *name) const noexcept {
    const std::int64_t found = lks_limit(get(), name);
    return found < 0 ? std::nullopt : std::optional<std::int64_t>(found);
  }
  /// A counter that increases whenever the state changes.
  std::uint64_t changes() const noexcept { return lks_changes(get()); }
  Result state() const { return result(lks_state_json(get())); }
  /// Whether the app may be used now and the license covers a release, which `version` and `released_at` (RFC 3339)
  /// describe. Default: the option `release`.
  bool covers(const std::optional<std::string> &version = std::nullopt, const std::optional<std::string> &released_at = std::nullopt) const {
    return lks_covers(get(), detail::pointer(version), detail::pointer(released_at));
  }

private:
  explicit Client(LksClient *client) noexcept : client_(client) {}
  static Result result(char *text) { return Result(detail::take(text)); }
  LksClient *get() const noexcept { return client_.get(); }

  std::unique_ptr<LksClient, detail::FreeClient> client_;
};

} // namespace license_key
