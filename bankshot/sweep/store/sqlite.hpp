// The little of SQLite's interface that a store needs.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace bankshot::sweep {

/// What the database could not do: a full disk, a file that is not a store. Commands report it; nothing is half
/// written, as every change is a transaction.
struct StoreError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql);
  ~Statement();
  Statement(Statement&& other) noexcept : statement_(other.statement_) { other.statement_ = nullptr; }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Values of ?1, ?2 …, which stay until they are bound again.
  Statement& bind(int place, int64_t value);
  Statement& bind(int place, uint64_t value) { return bind(place, static_cast<int64_t>(value)); }
  Statement& bind(int place, double value);
  Statement& bind(int place, std::string_view text);
  Statement& bind_bytes(int place, std::string_view bytes);
  Statement& bind_null(int place);

  /// The next row. @return whether there is one; if not, the statement can be run again
  bool step();
  /// Runs a statement that has no rows.
  void run() {
    while (step()) {
    }
  }

  /// Whether it only reads, and has rows.
  bool is_query() const;
  int columns() const;
  std::string name(int column) const;
  bool is_null(int column) const;
  bool is_text(int column) const;
  bool is_whole(int column) const;
  bool is_bytes(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  ///< until the next step
  std::string_view bytes(int column) const;

 private:
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  enum class Mode : uint8_t { create, read };
  Database(const std::string& file, Mode mode);

  void execute(const std::string& sql);
  Statement prepare(const std::string& sql) const { return {database_.get(), sql}; }
  /// The one number that a query yields; 0 if it yields none.
  int64_t number(const std::string& sql) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

/// A change that is made whole or, without commit(), not at all.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.execute("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

/// A name as SQL quotes it: "a ""b""".
std::string sql_name(std::string_view name);

}  // namespace bankshot::sweep
