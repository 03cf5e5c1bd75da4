#include "bankshot/cuda/launch/failed_launch.hpp"

#include <mutex>

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "bankshot/cuda/process/say.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cuda {
namespace {

constexpr size_t kMostReasons = 5;  ///< told of one kernel

/// @return whether it is the first time, and one of the kernel's first few reasons
bool is_news(std::string_view kernel, std::string_view reason) {
  // Under the session's lock; never destroyed, as the program's static destructors may launch.
  static auto& known = *new std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;
  auto& reasons = known.try_emplace(std::string(kernel)).first->second;
  return reasons.size() < kMostReasons && reasons.emplace(reason).second;
}

}  // namespace

std::string name_in_messages(std::string_view kernel) {
  return kernel.empty() ? "an unknown kernel" : "kernel " + report::demangle(kernel);
}

Status launch_failed(Session& session, std::string_view kernel, Status status, std::string_view reason,
                     Telling telling) {
  reason = reason.substr(0, reason.find('\n'));
  if (is_news(kernel, reason) && telling == Telling::tell)
    say(fmt::format("{} was not launched: {}", name_in_messages(kernel), reason));
  if (session.is_described()) session.report().add_failed(session.gpu(), kernel, reason);
  return status;
}

void not_there(const char* function) {
  if (std::string_view(function).find("Launch") == std::string_view::npos) return;
  Session& session = Session::get();
  const std::lock_guard lock(session.mutex());
  if (session.describe() != Status::success) return;
  launch_failed(session, {}, Status::not_supported, std::string(function) + " is not supported", Telling::told_already);
}

}  // namespace bankshot::cuda
