// A small licensed app. Usage: plain OPTIONS-FILE check | activate KEY | sign-in | deactivate. The file contains the
// options as JSON.
#include <license_key/client.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>

int main(int count, char **arguments) {
  const std::string command = count > 2 ? arguments[2] : "", argument = count > 3 ? arguments[3] : "";
  std::stringstream options;
  options << std::ifstream(count > 1 ? arguments[1] : "").rdbuf();
  std::string error;
  const auto client = license_key::Client::open(options.str(), &error);
  if (!client) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  license_key::Result state = client->check();
  if (command == "activate") state = client->activate(argument);
  if (command == "sign-in")
    state = client->activate_in_browser([](const std::string &code, const std::string &url) {
      // An app with a window opens the browser here.
      std::printf("Compare this code with the one in the browser: %s\nOpen %s\n", code.c_str(), url.c_str());
      std::fflush(stdout);
    });
  if (command == "deactivate") state = client->deactivate();
  if (state.is_licensed())
    std::printf("Licensed (%s, by %s)\n", state.get("license.type.kind").value_or("").c_str(), state.get("source").value_or("").c_str());
  else
    std::printf("%s\n", state.status().c_str());
  std::printf("export: %s\n", client->has("export") ? "yes" : "no");
  client->idle();
  return 0;
}
