// The folders and texts of the client with the reports on them: which lines of a report are where now.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/lsp/document.hpp"
#include "bankshot/lsp/line_map.hpp"
#include "bankshot/lsp/report_files.hpp"

namespace bankshot::lsp {

/// A report that has places in a source.
struct View {
  std::shared_ptr<const ReportFile> report;
  std::set<std::string> names = {};  ///< that the report has for the source
  std::string module = {};           ///< digest of the source if it is PTX that the program loaded, else empty
  std::optional<std::vector<std::string>> before = {};  ///< the lines that the report is of, if they are known
  bool is_certain = false;  ///< `before` is not only taken for them because all quoted lines are there
  Quotes quotes = {};       ///< what is known of them in any case
  LineMap map = {};
  bool changed_after_build = false;   ///< the source, so the report may mean other lines
  std::set<uint32_t> overtaken = {};  ///< lines now that access an array which was changed as fix advises

  /// The line in which a place of the report was; nothing if it is not in this source.
  /// @param module  of the place, or empty
  std::optional<uint32_t> line_of(const simt::Source& place, const std::string& module) const;
  /// The line in which it is or was last, for what is not as it was.
  uint32_t last_place(const simt::Source& place, const std::string& module) const;
  /// The line in which it is now, as it was when the report was made; nothing if that is not known.
  std::optional<uint32_t> now(const simt::Source& place, const std::string& module) const;
};

/// A source that the client has open, or a file that a report has places in.
struct Source {
  std::string uri;   ///< as the client has it
  std::string path;  ///< without symbolic links: what tells which file it is
  bool is_open = false;
  Text text = {};
  std::vector<View> views = {};
  Stamp stamp = {};  ///< of the file, if it is not open

  bool changed_after_build() const;  ///< as any report says
};

class Workspace {
 public:
  /// @param named  reports that the user named; none: those of the folders, as find_reports() has it
  void set_reports(std::vector<std::string> named) { named_ = std::move(named); }
  /// @param folders  absolute
  void set_folders(std::vector<std::string> folders);

  /// A text that the client has. URIs other than of files are ignored.
  void open(const std::string& uri, std::string_view text);
  void change(const std::string& uri, const std::vector<Change>& changes);
  void close(const std::string& uri);

  /// Rereads reports and closed sources that changed. @return whether any did
  bool refresh();
  /// What the user must know of the reports, a sentence each.
  const std::set<std::string>& problems() const { return problems_; }
  bool has_reports() const { return !reports_.empty(); }

  /// By the path in the URI. A file that is open under two of them is two sources.
  const std::map<std::string, Source>& sources() const { return sources_; }
  /// The source with that URI, or else with another one of the same file; null if there is none.
  const Source* find(const std::string& uri) const;
  /// The source that a report calls so, and its view of it; null if it is not one of the workspace.
  /// @param from  preferred, of several that are the same file
  std::pair<const Source*, const View*> find(const ReportFile& report, const std::string& name,
                                             const Source& from) const;

 private:
  std::string name_of(const std::string& uri) const;
  std::string resolved(const std::string& name);
  std::set<std::string> names_of(const ReportFile& report, const Source& source);
  std::optional<View> view_of(const std::shared_ptr<const ReportFile>& report, const Source& source);
  void find_sources();
  bool closed_sources_changed() const;
  void add_views();
  void find_overtaken();
  void find_overtaken(Source& source, const View& fix, const Advice& advice);

  std::vector<std::string> named_, folders_;
  ReportFiles reports_;
  std::map<std::string, Source> sources_;
  std::map<std::string, std::string> resolved_;  ///< names in the reports, while they and the folders stay
  std::set<std::string> problems_;
};

}  // namespace bankshot::lsp
