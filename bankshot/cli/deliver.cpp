#include "bankshot/cli/deliver.hpp"

#include "bankshot/cli/command.hpp"
#include "bankshot/cli/output.hpp"
#include "bankshot/cli/write_file.hpp"

namespace bankshot::cli {

std::optional<Error> cannot_deliver(const std::string& file, const std::vector<Input>& inputs) {
  if (auto error = overwrites("--json", file, inputs)) return error;
  return file.empty() || file == "-" ? std::nullopt : cannot_write(file);
}

int deliver(const std::string& file, const std::string& json, const std::string& text) {
  if (!file.empty() && file != "-") {
    if (const auto error = write_file(file, json)) return refuse(error->message);
  }
  print(file == "-" ? json : text);
  flush_output();
  return kDone;
}

}  // namespace bankshot::cli
