// The tables of a store. A change needs a new kVersion in store.cpp and a line in docs/sweep.md.
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::sweep {

const char* const kStoreSchema = R"(
CREATE TABLE bankshot_models(
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE);
CREATE TABLE bankshot_points(
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  model INTEGER NOT NULL REFERENCES bankshot_models(id),
  program TEXT NOT NULL, arguments TEXT NOT NULL, gpu TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open' CHECK(status IN ('open', 'done', 'failed')),
  cycles INTEGER, cycles_error REAL, microseconds REAL,
  warp_instructions INTEGER, thread_instructions INTEGER,
  accesses INTEGER, wavefronts INTEGER, conflicts INTEGER,
  host_seconds REAL, host_bytes INTEGER, failure TEXT, finished TEXT);
CREATE TABLE bankshot_kernels(
  point INTEGER NOT NULL REFERENCES bankshot_points(id),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  launches INTEGER NOT NULL,
  cycles INTEGER, cycles_error REAL, microseconds REAL,
  warp_instructions INTEGER NOT NULL, thread_instructions INTEGER NOT NULL,
  accesses INTEGER NOT NULL, wavefronts INTEGER NOT NULL, conflicts INTEGER NOT NULL,
  counters TEXT,
  PRIMARY KEY(point, place)) WITHOUT ROWID;
CREATE TABLE bankshot_reports(
  point INTEGER PRIMARY KEY REFERENCES bankshot_points(id),
  json BLOB NOT NULL);
CREATE TABLE bankshot_sweeps(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  file TEXT NOT NULL,
  plan TEXT NOT NULL,
  columns TEXT NOT NULL,
  simulates INTEGER NOT NULL,
  is_grid INTEGER NOT NULL,
  one_at_a_time INTEGER NOT NULL);
)";

}  // namespace bankshot::sweep
