// The language server: LSP 3.17 over JSON-RPC 2.0.
#pragma once

#include <functional>
#include <iosfwd>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/lsp/workspace.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::lsp {

struct ServerOptions {
  std::vector<std::string> reports;  ///< that the user named; none: those that the client or the workspace names
  std::string version;               ///< of Bankshot
};

/// Takes messages and sends answers. Only `exit` ends it.
class Server {
 public:
  Server(ServerOptions options, std::function<void(const nlohmann::json&)> send)
      : options_(std::move(options)), send_(std::move(send)) {}

  /// @param content  of a message, or why there is none
  void receive(const Result<std::string>& content);
  bool has_ended() const { return state_ == State::ended; }
  /// 0 if `shutdown` came before the end, else 1.
  int status() const { return was_shut_down_ ? 0 : 1; }

 private:
  using json = nlohmann::json;
  enum class State { starting, running, shut_down, ended };
  struct Refusal {
    int code = 0;
    std::string message;
  };

  void receive(const json& message);
  json answer(const std::string& method, const json& params);  ///< of a request; throws Refusal
  void take(const std::string& method, const json& params);    ///< a notification
  void refuse(const json& id, const Refusal& refusal);
  void notify(const char* method, const json& params);

  json initialize(const json& params);
  void register_watchers();
  void change_folders(const json& event);
  void change(const json& params);
  json hover(const json& params) const;
  json code_action(const json& params) const;
  void look_at_reports();
  void publish();

  ServerOptions options_;
  std::function<void(const json&)> send_;
  State state_ = State::starting;
  bool was_shut_down_ = false;
  bool shows_markdown_ = false, shows_related_ = false, can_watch_ = false;  ///< the client
  std::vector<std::string> folders_;
  Workspace workspace_;
  bool said_that_there_is_none_ = false;
  std::set<std::string> said_;                    ///< problems that the user was told
  std::map<std::string, std::string> published_;  ///< lists that are not empty, by URI, as text
};

/// Serves until the end of the input or `exit`. @return Server::status()
int serve(std::istream& in, std::ostream& out, ServerOptions options);

}  // namespace bankshot::lsp
