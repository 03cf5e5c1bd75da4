#include "bankshot/sweep/store/point_ids.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace bankshot::sweep {
namespace {

int64_t enter_model(Database& database) {
  const std::string_view digest = model_digest();
  database.prepare("INSERT OR IGNORE INTO bankshot_models(digest) VALUES (?1)").bind(1, digest).run();
  Statement query = database.prepare("SELECT id FROM bankshot_models WHERE digest = ?1");
  query.bind(1, digest).step();
  return query.integer(0);
}

}  // namespace

std::string bytes_of_key(const std::string& key) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t at = 0; at + 1 < key.size(); at += 2)
    bytes += static_cast<char>(digit(key[at]) * 16 + digit(key[at + 1]));
  return bytes;
}

PointIds::PointIds(Database& database)
    : model_(enter_model(database)),
      insert_(database.prepare(
          "INSERT OR IGNORE INTO bankshot_points(key, model, program, arguments, gpu) VALUES (?1, ?2, ?3, ?4, ?5)")),
      query_(database.prepare("SELECT id FROM bankshot_points WHERE key = ?1")) {}

std::string program_name(const Task& task) { return std::filesystem::path(task.command[0]).filename().string(); }

std::string arguments_text(const Task& task) {
  return fmt::format("{}", fmt::join(task.command.begin() + 1, task.command.end(), " "));
}

uint64_t PointIds::of(const Point& point) {
  const std::string bytes = bytes_of_key(point.key);
  uint64_t id = 0;
  query_.bind_bytes(1, bytes);
  while (query_.step()) id = static_cast<uint64_t>(query_.integer(0));
  if (id != 0) return id;
  insert_.bind_bytes(1, bytes).bind(2, model_);
  insert_.bind(3, std::string_view(program_name(point.task))).bind(4, std::string_view(arguments_text(point.task)));
  insert_.bind(5, std::string_view(std::filesystem::path(point.task.gpu).stem().string())).run();
  while (query_.step()) id = static_cast<uint64_t>(query_.integer(0));
  return id;
}

}  // namespace bankshot::sweep
