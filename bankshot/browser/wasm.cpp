// What the WebAssembly module exports: room for a question, its answer.
#include <cstddef>
#include <string>

#include "bankshot/browser/answer.hpp"

namespace {

std::string question, answer_text;

}  // namespace

extern "C" {

/// @return where the page writes a question of so many bytes
[[clang::export_name("question")]] char* bankshot_question(size_t bytes) {
  question.resize(bytes);
  return question.data();
}

/// Answers the question. @return the answer's bytes, answer_size() many
[[clang::export_name("answer")]] const char* bankshot_answer() {
  answer_text = bankshot::browser::answer(question);
  return answer_text.data();
}

[[clang::export_name("answer_size")]] size_t bankshot_answer_size() { return answer_text.size(); }
}
