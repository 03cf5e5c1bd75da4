#include "bankshot/lsp/server.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/lsp/actions.hpp"
#include "bankshot/lsp/diagnostics.hpp"
#include "bankshot/lsp/hover.hpp"
#include "bankshot/lsp/message.hpp"
#include "bankshot/lsp/uri.hpp"
#include "bankshot/support/json_error.hpp"

namespace bankshot::lsp {
namespace {

using nlohmann::json;

// JSON-RPC 2.0 and LSP 3.17, ErrorCodes.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
              kNotInitialized = -32002;
constexpr int kWarning = 2, kLog = 4;  // MessageType

TextPosition position_of(const json& position) {
  return {position.at("line").get<uint32_t>(), position.at("character").get<uint32_t>()};
}

std::string uri_in(const json& params) { return params.at("textDocument").at("uri").get<std::string>(); }

/// A member of members of an object, or null.
json member_at(const json& object, std::initializer_list<const char*> keys) {
  const json* at = &object;
  for (const char* key : keys) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return *at;
}

bool is_on(const json& object, std::initializer_list<const char*> keys) { return member_at(object, keys) == true; }

bool holds(const json& list, std::string_view text) {
  return list.is_array() && std::ranges::find(list, json(text)) != list.end();
}

void add_folder(const json& uri, std::vector<std::string>& folders) {
  if (!uri.is_string()) return;
  if (const auto path = path_of(uri.get<std::string>())) folders.push_back(*path);
}

/// The folders of the workspace; of a client that has none the working directory.
std::vector<std::string> folders_in(const json& params) {
  std::vector<std::string> folders;
  const json list = member_at(params, {"workspaceFolders"});
  if (list.is_array()) {
    for (const json& folder : list) add_folder(member_at(folder, {"uri"}), folders);
  }
  if (folders.empty()) add_folder(member_at(params, {"rootUri"}), folders);
  std::error_code code;
  if (folders.empty()) folders.push_back(std::filesystem::current_path(code).string());
  return folders;
}

/// initializationOptions: {"reports": ["build/report.json"]}, relative to the first folder.
std::vector<std::string> reports_in(const json& params, const std::string& folder) {
  std::vector<std::string> reports;
  const json list = member_at(params, {"initializationOptions", "reports"});
  if (list.is_null()) return reports;
  for (const auto& name : list.get<std::vector<std::string>>())
    reports.push_back((std::filesystem::path(folder) / name).string());
  return reports;
}

}  // namespace

void Server::receive(const Result<std::string>& content) {
  if (!content) return refuse(nullptr, {kInvalidRequest, content.error().message});
  json message;
  try {
    message = json::parse(*content);
  } catch (const json::exception& error) {
    return refuse(nullptr, {kParseError, json_error(error.what())});
  }
  receive(message);
}

void Server::receive(const json& message) {
  const json id = member_at(message, {"id"}), method = member_at(message, {"method"});
  const bool is_request = id.is_number_integer() || id.is_string();
  const bool is_answer = message.is_object() && is_request && method.is_null() &&
                         (message.contains("result") || message.contains("error"));
  if (is_answer) return;  // to the registration of watchers, without which files are looked at with the next message
  if (member_at(message, {"jsonrpc"}) != "2.0" || !method.is_string() || !(is_request || id.is_null()))
    return refuse(is_request ? id : json(nullptr), {kInvalidRequest, "not a request or notification of JSON-RPC 2.0"});
  if (state_ == State::running) look_at_reports();
  const json params = member_at(message, {"params"});
  try {
    if (is_request)
      send_({{"jsonrpc", "2.0"}, {"id", id}, {"result", answer(method.get<std::string>(), params)}});
    else
      take(method.get<std::string>(), params);
  } catch (const Refusal& refusal) {
    if (is_request) refuse(id, refusal);
  } catch (const json::exception& error) {
    if (is_request) refuse(id, {kInvalidParams, json_error(error.what())});
  }
}

json Server::answer(const std::string& method, const json& params) {
  if (state_ == State::shut_down) throw Refusal{kInvalidRequest, "the server was shut down; only exit is allowed"};
  if (method == "initialize" && state_ == State::starting) return initialize(params);
  if (method == "initialize") throw Refusal{kInvalidRequest, "the server is initialized already"};
  if (state_ == State::starting) throw Refusal{kNotInitialized, "the server is not initialized; send initialize first"};
  if (method == "textDocument/hover") return hover(params);
  if (method == "textDocument/codeAction") return code_action(params);
  if (method != "shutdown") throw Refusal{kMethodNotFound, "unknown method " + method};
  state_ = State::shut_down;
  was_shut_down_ = true;
  return nullptr;
}

void Server::take(const std::string& method, const json& params) {
  if (method == "exit") {
    state_ = State::ended;
  } else if (state_ != State::running) {
    return;
  } else if (method == "initialized") {
    if (can_watch_) register_watchers();
  } else if (method == "textDocument/didOpen") {
    workspace_.open(uri_in(params), params.at("textDocument").at("text").get<std::string>());
    published_[uri_in(params)].clear();  // some clients drop what came before
  } else if (method == "textDocument/didChange") {
    change(params);
  } else if (method == "textDocument/didClose") {
    workspace_.close(uri_in(params));
  } else if (method == "workspace/didChangeWorkspaceFolders") {
    change_folders(params.at("event"));
  } else {
    return;
  }
  publish();
}

void Server::refuse(const json& id, const Refusal& refusal) {
  send_({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", refusal.code}, {"message", refusal.message}}}});
}

void Server::notify(const char* method, const json& params) {
  send_({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

json Server::initialize(const json& params) {
  folders_ = folders_in(params);
  const std::vector<std::string> named = reports_in(params, folders_[0]);
  workspace_.set_folders(folders_);
  workspace_.set_reports(options_.reports.empty() ? named : options_.reports);
  const json client = member_at(params, {"capabilities"});
  shows_markdown_ = holds(member_at(client, {"textDocument", "hover", "contentFormat"}), "markdown");
  shows_related_ = is_on(client, {"textDocument", "publishDiagnostics", "relatedInformation"});
  can_watch_ = is_on(client, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  state_ = State::running;
  constexpr int kIncremental = 2;
  return {{"serverInfo", {{"name", "bankshot"}, {"version", options_.version}}},
          {"capabilities",
           {{"textDocumentSync", {{"openClose", true}, {"change", kIncremental}, {"save", true}}},
            {"hoverProvider", true},
            {"codeActionProvider", {{"codeActionKinds", json::array({"quickfix"})}}},
            {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}}}};
}

/// Reports are looked at with every message; so this only wakes the server.
void Server::register_watchers() {
  const json watchers = json::array({{{"globPattern", "**/*.json"}}, {{"globPattern", "**/bankshot.toml"}}});
  const json registration = {
      {"id", "reports"}, {"method", "workspace/didChangeWatchedFiles"}, {"registerOptions", {{"watchers", watchers}}}};
  send_({{"jsonrpc", "2.0"},
         {"id", "watch"},
         {"method", "client/registerCapability"},
         {"params", {{"registrations", json::array({registration})}}}});
}

void Server::change_folders(const json& event) {
  std::vector<std::string> removed;
  for (const json& folder : event.at("removed")) add_folder(folder.at("uri"), removed);
  std::erase_if(folders_, [&](const std::string& one) { return std::ranges::find(removed, one) != removed.end(); });
  for (const json& folder : event.at("added")) add_folder(folder.at("uri"), folders_);
  workspace_.set_folders(folders_);
  look_at_reports();
}

void Server::change(const json& params) {
  std::vector<Change> changes;
  for (const json& one : params.at("contentChanges")) {
    Change change{std::nullopt, one.at("text").get<std::string>()};
    if (const json range = member_at(one, {"range"}); !range.is_null())
      change.range = {position_of(range.at("start")), position_of(range.at("end"))};
    changes.push_back(std::move(change));
  }
  workspace_.change(uri_in(params), changes);
}

json Server::hover(const json& params) const {
  const Source* const source = workspace_.find(uri_in(params));
  const TextPosition position = position_of(params.at("position"));
  if (source == nullptr || position.line >= source->text.lines.size()) return nullptr;
  const std::string text = hover_text(*source, position.line + 1);
  if (text.empty()) return nullptr;
  return {
      {"contents",
       {{"kind", shows_markdown_ ? "markdown" : "plaintext"}, {"value", shows_markdown_ ? code_block(text) : text}}},
      {"range", line_range(*source, position.line + 1)}};
}

json Server::code_action(const json& params) const {
  const Source* const source = workspace_.find(uri_in(params));
  const TextPosition first = position_of(params.at("range").at("start")),
                     last = position_of(params.at("range").at("end"));
  const json only = member_at(params, {"context", "only"});
  const bool wanted = !only.is_array() || holds(only, "quickfix") || holds(only, "");
  if (source == nullptr || !wanted || first.line >= source->text.lines.size()) return json::array();
  const auto lines = static_cast<uint32_t>(source->text.lines.size());
  return code_actions(*source, workspace_, first.line + 1, std::min(last.line, lines - 1) + 1);
}

void Server::look_at_reports() {
  const bool changed = workspace_.refresh();
  for (const std::string& problem : workspace_.problems()) {
    if (!said_.contains(problem)) notify("window/showMessage", {{"type", kWarning}, {"message", problem}});
  }
  said_ = workspace_.problems();
  if (changed) publish();
  if (!workspace_.has_reports() && !std::exchange(said_that_there_is_none_, true)) {
    notify("window/logMessage", {{"type", kLog},
                                 {"message",
                                  "there is no report, so there is nothing to show; to make one: bankshot explain "
                                  "--json bankshot.json ./app"}});
  }
}

void Server::publish() {
  std::map<std::string, std::string> now;
  for (const auto& [path, source] : workspace_.sources()) {
    const json list = diagnostics(source, workspace_, shows_related_);
    if (list.empty()) continue;
    const auto known = published_.find(source.uri);
    now[source.uri] = list.dump(-1, ' ', false, json::error_handler_t::replace);
    if (known != published_.end() && known->second == now[source.uri]) continue;
    notify("textDocument/publishDiagnostics", {{"uri", source.uri}, {"diagnostics", list}});
  }
  for (const auto& [uri, text] : published_) {
    if (!now.contains(uri)) notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", json::array()}});
  }
  published_ = std::move(now);
}

int serve(std::istream& in, std::ostream& out, ServerOptions options) {
  Server server(std::move(options), [&](const json& message) { write_message(out, message); });
  while (!server.has_ended()) {
    const std::optional<Result<std::string>> content = read_message(in);
    if (!content) return server.status();
    server.receive(*content);
  }
  return server.status();
}

}  // namespace bankshot::lsp
