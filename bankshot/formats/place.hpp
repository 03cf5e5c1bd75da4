// How documents name files.
#pragma once

#include <string>

namespace bankshot::formats {

struct FilePlace {
  bool below_root = false;
  std::string path;  ///< from the root if below it, else absolute
};

/// A path without "." and "..", as far as names alone tell. @param root  absolute @param file  relative to it or
/// absolute
FilePlace place_of(const std::string& root, const std::string& file);

/// The path of a URI: bytes that are not letters, digits, "-._~/" are escaped, so that any name of a file is valid.
std::string uri_path(const std::string& path);

}  // namespace bankshot::formats
