// Entering a plan: a table of its points with a column for each setting, and a view that joins them with their results.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "bankshot/sweep/plan/result_columns.hpp"
#include "bankshot/sweep/plan/settings.hpp"
#include "bankshot/sweep/store/point_ids.hpp"
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::sweep {
namespace {

void bind_value(Statement& statement, int place, const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) {
    statement.bind(place, std::string_view(*flag ? "true" : "false"));
  } else if (const int64_t* number = std::get_if<int64_t>(&value)) {
    statement.bind(place, *number);
  } else if (const double* real = std::get_if<double>(&value)) {
    statement.bind(place, *real);
  } else if (!is_set(value)) {
    statement.bind_null(place);
  } else {
    statement.bind(place, std::string_view(text_of(value)));
  }
}

std::string view_of(const std::string& name, int64_t id, const std::vector<std::string>& settings, bool by_kernel) {
  std::string select = "d.row, d.point";
  for (const std::string& name : settings) select += ", d." + sql_name(column_of(name));
  select += by_kernel ? ", d.kernel, p.status" : ", p.status";
  for (const ResultColumn& column : kResultColumns) {
    if (!column.of_kernels) continue;
    // With the name of a kernel only those that contain it count.
    select += by_kernel
                  ? fmt::format(
                        ", CASE WHEN d.kernel IS NULL THEN p.{0} ELSE (SELECT sum(k.{0}) FROM bankshot_kernels k WHERE "
                        "k.point = p.id AND instr(k.name, d.kernel)) END AS {0}",
                        column.name)
                  : fmt::format(", p.{0}", column.name);
  }
  return fmt::format(
      "CREATE VIEW {} AS SELECT {}, p.host_seconds, p.host_bytes, p.failure, p.finished FROM bankshot_design_{} d JOIN "
      "bankshot_points p ON "
      "p.id = d.point",
      sql_name(name), select, id);
}

}  // namespace

Result<SweepInfo> Store::put(const Plan& plan, Resolver& resolver, const std::function<void(size_t)>& progress) {
  SweepInfo info;
  info.name = plan.name;
  info.title = plan.title;
  info.simulates = plan.simulates;
  info.is_grid = plan.is_grid;
  info.one_at_a_time = plan.one_at_a_time;
  std::error_code code;
  info.file = std::filesystem::absolute(plan.file, code).lexically_normal().string();
  for (const Column& column : plan.columns) info.settings.push_back(column.name);
  const bool by_kernel =
      std::ranges::any_of(plan.programs, [](const Program& program) { return !program.kernel.empty(); });

  // In steps, so that another sweep on this store can keep its results meanwhile.
  std::vector<uint64_t> ids;
  ids.reserve(plan.points());
  while (ids.size() < plan.points()) {
    constexpr size_t kStep = 10'000;
    Transaction transaction(*database_);
    PointIds points(*database_);
    for (const size_t end = std::min(ids.size() + kStep, plan.points()); ids.size() < end;) {
      const Result<Point> point = resolver.point(ids.size());
      if (!point)
        return Error{fmt::format("{}: {} ({})", plan.file, point.error().message, resolver.describe(ids.size()))};
      ids.push_back(points.of(*point));
    }
    transaction.commit();
    if (progress) progress(ids.size());
  }

  Transaction transaction(*database_);
  const std::optional<SweepInfo> before = find(plan.name);
  if (before && before->file != info.file && std::filesystem::exists(before->file, code))
    return Error{
        fmt::format("{}: the store has a sweep '{}' of another plan, {}: give this one a name of its own, name = "
                    "\"…\"",
                    plan.file, before->name, before->file)};
  if (before) {
    database_->execute(fmt::format("DROP VIEW IF EXISTS {}; DROP TABLE IF EXISTS bankshot_design_{}",
                                   sql_name(before->name), before->id));
    database_->prepare("DELETE FROM bankshot_sweeps WHERE id = ?1").bind(1, before->id).run();
  }
  // A sweep of the same name that another process runs goes on to be this one.
  Statement insert = database_->prepare(
      "INSERT INTO bankshot_sweeps(id, name, title, file, plan, columns, simulates, is_grid, one_at_a_time) VALUES "
      "(?8, ?1, ?2, "
      "?3, ?4, ?5, ?6, ?7, ?9)");
  insert.bind(1, std::string_view(info.name)).bind(2, std::string_view(info.title));
  insert.bind(3, std::string_view(info.file)).bind(4, std::string_view(plan.text));
  insert.bind(5, std::string_view(nlohmann::json(info.settings).dump()));
  insert.bind(6, static_cast<int64_t>(info.simulates)).bind(7, static_cast<int64_t>(info.is_grid));
  insert.bind(9, static_cast<int64_t>(info.one_at_a_time));
  if (before)
    insert.bind(8, before->id);
  else
    insert.bind_null(8);
  insert.run();
  info.id = before ? before->id : database_->number("SELECT last_insert_rowid()");
  std::string columns = "row INTEGER PRIMARY KEY, point INTEGER NOT NULL REFERENCES bankshot_points(id)",
              places = "?1, ?2";
  for (const std::string& name : info.settings) columns += ", " + sql_name(column_of(name));
  if (by_kernel) columns += ", kernel TEXT";
  for (size_t k = 0; k < info.settings.size() + (by_kernel ? 1 : 0); ++k) places += fmt::format(", ?{}", k + 3);
  database_->execute(fmt::format("CREATE TABLE bankshot_design_{}({})", info.id, columns));
  database_->execute(view_of(info.name, info.id, info.settings, by_kernel));

  Statement row = database_->prepare(fmt::format("INSERT INTO bankshot_design_{} VALUES ({})", info.id, places));
  for (size_t k = 0; k < plan.points(); ++k) {
    row.bind(1, static_cast<uint64_t>(k)).bind(2, ids[k]);
    for (size_t c = 0; c < plan.columns.size(); ++c) bind_value(row, static_cast<int>(c) + 3, plan.value(k, c));
    if (by_kernel) {
      const std::string& kernel = plan.program(k).kernel;
      if (kernel.empty())
        row.bind_null(static_cast<int>(plan.columns.size()) + 3);
      else
        row.bind(static_cast<int>(plan.columns.size()) + 3, std::string_view(kernel));
    }
    row.run();
  }
  transaction.commit();
  return info;
}

}  // namespace bankshot::sweep
