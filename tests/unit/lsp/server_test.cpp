#include "bankshot/lsp/server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bankshot::lsp {
namespace {

using nlohmann::json;

/// A server without reports, and what it sent.
struct Talk {
  std::vector<json> sent;
  Server server{{{}, "1"}, [this](const json& message) { sent.push_back(message); }};

  void say_raw(const std::string& text) { server.receive(Result<std::string>(text)); }
  void say(const json& message) { say_raw(message.dump()); }
  void ask(int id, const std::string& method, const json& params = json::object()) {
    say(json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  }
  void tell(const std::string& method) { say(json{{"jsonrpc", "2.0"}, {"method", method}}); }
  void initialize() {
    ask(0, "initialize", {{"rootUri", "file:///no/such/folder"}});
    sent.clear();
  }
  /// The code of the last error.
  int code() const {
    return sent.empty() || !sent.back().contains("error") ? 0 : sent.back()["error"]["code"].get<int>();
  }
};

TEST(LspServer, rejects_what_is_not_json) {
  Talk talk;
  talk.say_raw("{x");
  EXPECT_EQ(talk.code(), -32700);
  EXPECT_EQ(talk.sent.back()["id"], nullptr);
  talk.say_raw(std::string("{\"a\": \"\xff\"}"));
  EXPECT_EQ(talk.code(), -32700) << "not UTF-8";
  talk.say_raw(std::string(100000, '['));
  EXPECT_EQ(talk.code(), -32700);
}

TEST(LspServer, rejects_what_is_no_request) {
  for (const char* text : {"1", "[]", "{}", R"({"jsonrpc":"1.0","id":1,"method":"x"})", R"({"jsonrpc":"2.0","id":1})",
                           R"({"jsonrpc":"2.0","id":1.5,"method":"x"})", R"({"jsonrpc":"2.0","id":{},"method":"x"})"}) {
    Talk talk;
    talk.say_raw(text);
    EXPECT_EQ(talk.code(), -32600) << text;
  }
}

TEST(LspServer, rejects_requests_before_initialize) {
  Talk talk;
  talk.ask(1, "textDocument/hover");
  EXPECT_EQ(talk.code(), -32002);
  talk.ask(2, "shutdown");
  EXPECT_EQ(talk.code(), -32002);
}

TEST(LspServer, rejects_a_second_initialize_unknown_methods_and_bad_parameters) {
  Talk talk;
  talk.initialize();
  talk.ask(1, "initialize");
  EXPECT_EQ(talk.code(), -32600);
  talk.ask(2, "textDocument/rename");
  EXPECT_EQ(talk.code(), -32601);
  for (const json& params :
       {json(nullptr), json::array(), json{{"textDocument", 1}}, json{{"textDocument", {{"uri", 1}}}}}) {
    talk.ask(3, "textDocument/hover", params);
    EXPECT_EQ(talk.code(), -32602) << params;
  }
}

TEST(LspServer, notifications_get_no_answer) {
  Talk talk;
  talk.tell("textDocument/didOpen");
  talk.initialize();
  talk.tell("$/unknown");
  talk.sent.clear();
  talk.tell("textDocument/didOpen");
  talk.tell("$/setTrace");
  EXPECT_TRUE(talk.sent.empty()) << talk.sent[0];
}

TEST(LspServer, shutdown_then_exit_is_status_0) {
  Talk talk;
  talk.initialize();
  talk.ask(1, "shutdown");
  EXPECT_EQ(talk.sent.back()["result"], nullptr);
  talk.ask(2, "textDocument/hover");
  EXPECT_EQ(talk.code(), -32600);
  EXPECT_FALSE(talk.server.has_ended());
  talk.tell("exit");
  EXPECT_TRUE(talk.server.has_ended());
  EXPECT_EQ(talk.server.status(), 0);
}

TEST(LspServer, exit_alone_is_status_1) {
  Talk talk;
  talk.tell("exit");
  EXPECT_TRUE(talk.server.has_ended());
  EXPECT_EQ(talk.server.status(), 1);
}

}  // namespace
}  // namespace bankshot::lsp
