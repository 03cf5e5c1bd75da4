#include "bankshot/sweep/store/sqlite.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>

namespace bankshot::sweep {
namespace {

void check(sqlite3* database, int status) {
  if (status != SQLITE_OK && status != SQLITE_ROW && status != SQLITE_DONE)
    throw StoreError(database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(status));
}

std::string_view view(const void* bytes, int count) {
  return bytes == nullptr ? std::string_view()
                          : std::string_view(static_cast<const char*>(bytes), static_cast<size_t>(count));
}

}  // namespace

Statement::Statement(sqlite3* database, const std::string& sql) {
  const char* rest = nullptr;
  check(database, sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()) + 1, &statement_, &rest));
  if (statement_ == nullptr) throw StoreError("no statement of SQL");
  if (std::string_view(rest).find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    sqlite3_finalize(statement_);
    throw StoreError("one statement at a time");
  }
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int place, int64_t value) {
  check(sqlite3_db_handle(statement_), sqlite3_bind_int64(statement_, place, value));
  return *this;
}
Statement& Statement::bind(int place, double value) {
  check(sqlite3_db_handle(statement_), sqlite3_bind_double(statement_, place, value));
  return *this;
}
Statement& Statement::bind(int place, std::string_view text) {
  check(sqlite3_db_handle(statement_), sqlite3_bind_text64(statement_, place, text.data() == nullptr ? "" : text.data(),
                                                           text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}
Statement& Statement::bind_bytes(int place, std::string_view bytes) {
  check(sqlite3_db_handle(statement_),
        sqlite3_bind_blob64(statement_, place, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}
Statement& Statement::bind_null(int place) {
  check(sqlite3_db_handle(statement_), sqlite3_bind_null(statement_, place));
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  sqlite3* const database = sqlite3_db_handle(statement_);
  const std::string message = status == SQLITE_DONE ? "" : sqlite3_errmsg(database);
  sqlite3_reset(statement_);
  if (status != SQLITE_DONE) throw StoreError(message);
  return false;
}

bool Statement::is_query() const {
  const std::string_view sql = sqlite3_sql(statement_);
  const size_t begin = std::min(sql.find_first_not_of(" \t\r\n("), sql.size());
  std::string word(sql.substr(begin, 6));
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const bool reads = word == "SELECT" || word == "VALUES" || word.starts_with("WITH");
  return reads && sqlite3_stmt_readonly(statement_) != 0 && columns() != 0;
}

int Statement::columns() const { return sqlite3_column_count(statement_); }
std::string Statement::name(int column) const { return sqlite3_column_name(statement_, column); }
bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
bool Statement::is_text(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_TEXT; }
bool Statement::is_whole(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_INTEGER; }
bool Statement::is_bytes(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_BLOB; }
int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view Statement::text(int column) const {
  const void* const bytes = sqlite3_column_text(statement_, column);
  return view(bytes, sqlite3_column_bytes(statement_, column));
}
std::string_view Statement::bytes(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_, column);
  return view(bytes, sqlite3_column_bytes(statement_, column));
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Database::Database(const std::string& file, Mode mode) {
  sqlite3* opened = nullptr;
  const int flags = mode == Mode::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int status = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
  database_.reset(opened);
  check(opened, status);
  sqlite3_busy_timeout(opened, 60'000);
}

void Database::execute(const std::string& sql) {
  check(database_.get(), sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

int64_t Database::number(const std::string& sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const StoreError&) {  // SQLite has rolled it back
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
}

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace bankshot::sweep
