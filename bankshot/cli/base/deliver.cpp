#include "bankshot/cli/base/deliver.hpp"

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/host/write_file.hpp"

namespace bankshot::cli {

std::optional<Error> cannot_deliver(const std::string& file, const std::vector<host::Input>& inputs) {
  if (auto error = host::overwrites("--json", file, inputs)) return error;
  return file.empty() || file == "-" ? std::nullopt : host::cannot_write(file);
}

int deliver(const std::string& file, const std::string& json, const std::string& text) {
  if (!file.empty() && file != "-") {
    if (const auto error = host::write_file(file, json)) return refuse(error->message);
  }
  print(file == "-" ? json : text);
  flush_output();
  return kDone;
}

}  // namespace bankshot::cli
