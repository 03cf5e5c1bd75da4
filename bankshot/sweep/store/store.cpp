#include "bankshot/sweep/store/store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <nlohmann/json.hpp>

#include "bankshot/support/nearest_name.hpp"
#include "bankshot/support/now.hpp"
#include "bankshot/sweep/store/point_ids.hpp"

namespace bankshot::sweep {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kApplication = 0x424b5354, kVersion = 1;  // "BKST"

std::string compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  if (ZSTD_isError(size) != 0) throw StoreError("a report cannot be compressed");
  out.resize(size);
  return out;
}

std::string decompressed(std::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  constexpr unsigned long long kMost = 1ull << 32;
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMost)
    throw StoreError("a report in the store is damaged");
  std::string out(size, '\0');
  if (ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size()) != size)
    throw StoreError("a report in the store is damaged");
  return out;
}

uint64_t inode_of(const std::string& file) {
  struct stat status{};
  return stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::string design_table(int64_t id) { return fmt::format("bankshot_design_{}", id); }

SweepInfo info_of(const Statement& row) {
  SweepInfo info;
  info.id = row.integer(0);
  info.name = row.text(1);
  info.title = row.text(2);
  info.file = row.text(3);
  info.simulates = row.integer(5) != 0;
  info.is_grid = row.integer(6) != 0;
  info.one_at_a_time = row.integer(7) != 0;
  const auto columns = nlohmann::json::parse(row.text(4), nullptr, false);
  if (columns.is_array()) {
    for (const auto& one : columns) {
      if (one.is_string()) info.settings.push_back(one.get<std::string>());
    }
  }
  return info;
}

constexpr const char* kInfo =
    "SELECT id, name, title, file, columns, simulates, is_grid, one_at_a_time FROM bankshot_sweeps ";

}  // namespace

std::string default_store() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (std::string own = variable("BANKSHOT_STORE"); !own.empty()) return own;
  const std::string data = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (data.empty() && home.empty()) return {};
  return (data.empty() ? home + "/.local/share" : data) + "/bankshot/store.sqlite";
}

Store Store::open(const std::string& file, bool create) {
  // SQLite does not wait where several processes make a store at once.
  for (unsigned tries = 0;; ++tries) {
    try {
      return open_once(file, create);
    } catch (const StoreError& error) {
      if (!create || tries == 100 || std::string_view(error.what()).find("locked") == std::string_view::npos) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

Store Store::open_once(const std::string& file, bool create) {
  Store store(file);
  std::error_code code;
  const fs::path path(file);
  if (create && path.has_parent_path()) {
    fs::create_directories(path.parent_path(), code);
    if (code) throw StoreError(fmt::format("{} cannot be created: {}", path.parent_path().string(), code.message()));
  }
  if (!create && !fs::exists(path, code))
    throw StoreError(fmt::format("there is no store {}; `bankshot sweep PLAN` makes one", file));
  try {
    store.database_ = std::make_unique<Database>(file, create ? Database::Mode::create : Database::Mode::read);
    Database& database = *store.database_;
    if (database.number("SELECT count(*) FROM sqlite_master") == 0) {
      if (!create) throw StoreError("it is empty");
      database.execute("PRAGMA journal_mode = WAL");
      Transaction transaction(database);
      // Another process may have been faster.
      if (database.number("SELECT count(*) FROM sqlite_master") == 0) {
        database.execute(kStoreSchema);
        database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion));
      }
      transaction.commit();
    }
    if (database.number("PRAGMA application_id") != kApplication)
      throw StoreError("it is a database, but not a store of Bankshot");
    if (const int64_t version = database.number("PRAGMA user_version"); version != kVersion)
      throw StoreError(fmt::format("it has version {}, and this Bankshot reads version {}", version, kVersion));
    database.execute("PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536");
  } catch (const StoreError& error) {
    throw StoreError(fmt::format("{} cannot be used as a store: {}", file, error.what()));
  }
  store.inode_ = inode_of(file);
  return store;
}

void Store::check_file() const {
  if (inode_of(file_) != inode_) throw StoreError(file_ + " was removed or replaced while it was in use");
}

uint64_t Store::enter(const Point& point) {
  Transaction transaction(*database_);
  const uint64_t id = PointIds(*database_).of(point);
  transaction.commit();
  return id;
}

std::vector<SweepInfo> Store::sweeps() {
  std::vector<SweepInfo> all;
  Statement query = database_->prepare(std::string(kInfo) + "ORDER BY name");
  while (query.step()) all.push_back(info_of(query));
  return all;
}

std::optional<SweepInfo> Store::find(const std::string& name) {
  std::error_code code;
  const std::string file = fs::absolute(name, code).lexically_normal().string();
  for (const auto& [column, value] : {std::pair{"name", name}, {"file", file}}) {
    Statement query = database_->prepare(fmt::format("{}WHERE {} = ?1 COLLATE NOCASE ORDER BY id DESC", kInfo, column));
    if (query.bind(1, std::string_view(value)).step()) return info_of(query);
  }
  return std::nullopt;
}

uint64_t Store::forget(const SweepInfo& sweep, bool results) {
  Transaction transaction(*database_);
  uint64_t removed = 0;
  if (results) {
    std::string others = "SELECT NULL WHERE 0";
    for (const SweepInfo& one : sweeps()) {
      if (one.id != sweep.id) others += " UNION SELECT point FROM " + design_table(one.id);
    }
    database_->execute(
        fmt::format("CREATE TEMP TABLE unwanted AS SELECT DISTINCT point AS id FROM {} WHERE point NOT IN "
                    "({})",
                    design_table(sweep.id), others));
    removed = static_cast<uint64_t>(database_->number(
        "SELECT count(*) FROM bankshot_points WHERE status = 'done' AND id IN (SELECT id FROM unwanted)"));
  }
  database_->execute(
      fmt::format("DROP VIEW IF EXISTS {}; DROP TABLE IF EXISTS {}; DELETE FROM bankshot_sweeps WHERE id = {}",
                  sql_name(sweep.name), design_table(sweep.id), sweep.id));
  if (results) {
    for (const auto& [table, column] :
         {std::pair{"bankshot_kernels", "point"}, {"bankshot_reports", "point"}, {"bankshot_points", "id"}})
      database_->execute(fmt::format("DELETE FROM {} WHERE {} IN (SELECT id FROM unwanted)", table, column));
    database_->execute("DROP TABLE unwanted");
  }
  transaction.commit();
  if (results) database_->execute("VACUUM");
  return removed;
}

std::string Store::plan(const SweepInfo& sweep) {
  Statement query = database_->prepare("SELECT plan FROM bankshot_sweeps WHERE id = ?1");
  return query.bind(1, sweep.id).step() ? std::string(query.text(0)) : std::string();
}

Counts Store::counts(const SweepInfo& sweep) {
  Statement query = database_->prepare(fmt::format(
      "SELECT count(*), total(status = 'done'), total(status = 'failed') FROM bankshot_points WHERE id IN (SELECT "
      "point FROM {})",
      design_table(sweep.id)));
  query.step();
  return {static_cast<uint64_t>(query.integer(0)), static_cast<uint64_t>(query.integer(1)),
          static_cast<uint64_t>(query.integer(2))};
}

std::vector<Failure> Store::failures(const SweepInfo& sweep) {
  std::vector<Failure> all;
  Statement query = database_->prepare(fmt::format(
      "SELECT p.failure, count(DISTINCT p.id), min(d.row) FROM {} d JOIN bankshot_points p ON p.id = d.point WHERE "
      "p.status = 'failed' GROUP BY p.failure ORDER BY 2 DESC, 3",
      design_table(sweep.id)));
  while (query.step())
    all.push_back(
        {std::string(query.text(0)), static_cast<uint64_t>(query.integer(1)), static_cast<size_t>(query.integer(2))});
  return all;
}

Failure Store::without_kernel(const SweepInfo& sweep) {
  Failure all;
  if (database_->number(fmt::format("SELECT count(*) FROM pragma_table_info('{}') WHERE name = 'kernel'",
                                    design_table(sweep.id))) == 0)
    return all;
  const std::string rows = fmt::format(
      "FROM {} d JOIN bankshot_points p ON p.id = d.point WHERE p.status = 'done' AND d.kernel IS NOT NULL AND NOT "
      "EXISTS "
      "(SELECT 1 "
      "FROM bankshot_kernels k WHERE k.point = p.id AND instr(k.name, d.kernel))",
      design_table(sweep.id));
  Statement query = database_->prepare("SELECT count(*), min(d.row) " + rows);
  query.step();
  all.points = static_cast<uint64_t>(query.integer(0));
  if (all.points == 0) return all;
  all.row = static_cast<size_t>(query.integer(1));
  Statement first = database_->prepare(
      "SELECT d.kernel, (SELECT group_concat(name, ', ') FROM bankshot_kernels WHERE point = p.id) " + rows +
      " ORDER BY d.row LIMIT 1");
  first.step();
  const std::string wanted(first.text(0)), kernels(first.text(1));
  NearestName nearest(wanted);
  nearest.compare_words(kernels);
  all.message = fmt::format("no kernel has '{}' in its name; there are {}{}", wanted, kernels, did_you_mean(nearest));
  return all;
}

std::vector<OpenPoint> Store::open_points(const SweepInfo& sweep, bool failed) {
  std::vector<OpenPoint> all;
  Statement query = database_->prepare(fmt::format(
      "SELECT min(d.row), d.point FROM {} d JOIN bankshot_points p ON p.id = d.point WHERE p.status IN ('open'{}) "
      "GROUP BY d.point ORDER BY 1",
      design_table(sweep.id), failed ? ", 'failed'" : ""));
  while (query.step()) all.push_back({static_cast<size_t>(query.integer(0)), static_cast<uint64_t>(query.integer(1))});
  return all;
}

void Expectations::add(const std::string& program, const std::string& arguments, const Expected& expected,
                       uint64_t points) {
  runs_[{program, arguments}] = expected;
  auto& [sum, count] = programs_[program];
  const double all = static_cast<double>(count + points);
  sum.seconds = (sum.seconds * static_cast<double>(count) + expected.seconds * static_cast<double>(points)) / all;
  sum.peak_bytes = std::max(sum.peak_bytes, expected.peak_bytes);
  count += points;
}

std::optional<Expected> Expectations::of(const Task& task) const {
  const std::string program = program_name(task);
  if (const auto run = runs_.find({program, arguments_text(task)}); run != runs_.end()) return run->second;
  if (const auto any = programs_.find(program); any != programs_.end()) return any->second.first;
  return std::nullopt;
}

Expectations Store::expectations() {
  Expectations all;
  Statement query = database_->prepare(
      "SELECT program, arguments, avg(host_seconds), max(host_bytes), count(*) FROM bankshot_points WHERE status = "
      "'done' "
      "GROUP BY 1, "
      "2");
  while (query.step())
    all.add(std::string(query.text(0)), std::string(query.text(1)),
            {query.real(2), static_cast<uint64_t>(query.integer(3))}, static_cast<uint64_t>(query.integer(4)));
  return all;
}

std::optional<Known> Store::known(const std::string& key) {
  Statement query = database_->prepare("SELECT id, status FROM bankshot_points WHERE key = ?1");
  if (!query.bind_bytes(1, bytes_of_key(key)).step()) return std::nullopt;
  return Known{static_cast<uint64_t>(query.integer(0)), std::string(query.text(1))};
}

bool Store::is_done(uint64_t point) {
  Statement query = database_->prepare("SELECT status = 'done' FROM bankshot_points WHERE id = ?1");
  return query.bind(1, point).step() && query.integer(0) != 0;
}

void Store::record(const Outcome& outcome) {
  Transaction transaction(*database_);
  if (is_done(outcome.id)) return;  // by another sweep meanwhile
  if (!outcome.failure.empty()) {
    database_
        ->prepare(
            "UPDATE bankshot_points SET status = 'failed', failure = ?2, host_seconds = ?3, finished = ?4 WHERE id = "
            "?1 AND "
            "status <> 'done'")
        .bind(1, outcome.id)
        .bind(2, std::string_view(outcome.failure))
        .bind(3, outcome.seconds)
        .bind(4, std::string_view(now_in_utc()))
        .run();
    transaction.commit();
    return;
  }
  KernelOutcome sum;
  const bool has_cycles = std::ranges::any_of(outcome.kernels, [](const KernelOutcome& one) { return one.cycles > 0; });
  database_->prepare("DELETE FROM bankshot_kernels WHERE point = ?1").bind(1, outcome.id).run();
  Statement insert = database_->prepare(
      "INSERT INTO bankshot_kernels VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)");
  // Three places.
  const auto bind_cycles = [&](Statement& to, int place, const KernelOutcome& one) {
    to.bind_null(place).bind_null(place + 1).bind_null(place + 2);
    if (!has_cycles) return;
    to.bind(place, static_cast<int64_t>(std::llround(one.cycles))).bind(place + 1, one.error);
    if (outcome.core_khz != 0) to.bind(place + 2, one.cycles * 1e3 / outcome.core_khz);
  };
  for (size_t k = 0; k < outcome.kernels.size(); ++k) {
    const KernelOutcome& one = outcome.kernels[k];
    sum.cycles += one.cycles;
    sum.error += one.error;
    sum.warp_instructions += one.warp_instructions;
    sum.thread_instructions += one.thread_instructions;
    sum.accesses += one.accesses;
    sum.wavefronts += one.wavefronts;
    sum.conflicts += one.conflicts;
    insert.bind(1, outcome.id).bind(2, static_cast<uint64_t>(k)).bind(3, std::string_view(one.name));
    insert.bind(4, one.launches);
    bind_cycles(insert, 5, one);
    insert.bind(8, one.warp_instructions).bind(9, one.thread_instructions);
    insert.bind(10, one.accesses).bind(11, one.wavefronts).bind(12, one.conflicts);
    if (one.counters.empty())
      insert.bind_null(13);
    else
      insert.bind(13, std::string_view(one.counters));
    insert.run();
  }
  Statement update = database_->prepare(
      "UPDATE bankshot_points SET status = 'done', failure = NULL, cycles = ?2, cycles_error = ?3, microseconds = ?4, "
      "warp_instructions = ?5, thread_instructions = ?6, accesses = ?7, wavefronts = ?8, conflicts = ?9, host_seconds "
      "= "
      "?10, host_bytes = ?11, finished = ?12 WHERE id = ?1");
  update.bind(1, outcome.id);
  bind_cycles(update, 2, sum);
  update.bind(5, sum.warp_instructions).bind(6, sum.thread_instructions);
  update.bind(7, sum.accesses).bind(8, sum.wavefronts).bind(9, sum.conflicts);
  update.bind(10, outcome.seconds).bind(11, outcome.peak_bytes).bind(12, std::string_view(now_in_utc())).run();
  if (!outcome.report.empty()) {
    database_->prepare("INSERT OR REPLACE INTO bankshot_reports VALUES (?1, ?2)")
        .bind(1, outcome.id)
        .bind_bytes(2, compressed(outcome.report))
        .run();
  }
  transaction.commit();
}

std::optional<double> Store::result(uint64_t point, const std::string& measure, const std::string& kernel) {
  Statement query = database_->prepare(fmt::format(
      "SELECT CASE WHEN ?2 = '' THEN p.{0} ELSE (SELECT sum(k.{0}) FROM bankshot_kernels k WHERE k.point = p.id AND "
      "instr(k.name, ?2)) END FROM bankshot_points p WHERE p.id = ?1 AND p.status = 'done'",
      measure));
  if (!query.bind(1, point).bind(2, std::string_view(kernel)).step() || query.is_null(0)) return std::nullopt;
  return query.real(0);
}

std::optional<std::string> Store::report(uint64_t point) {
  Statement query = database_->prepare(
      "SELECT r.json FROM bankshot_reports r JOIN bankshot_points p ON p.id = r.point WHERE r.point = ?1 AND p.status "
      "= 'done'");
  if (!query.bind(1, point).step()) return std::nullopt;
  return decompressed(query.bytes(0));
}

}  // namespace bankshot::sweep
