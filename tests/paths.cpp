#include "tests/paths.hpp"

namespace bankshot::paths {

std::string source() { return BANKSHOT_SOURCE_DIR; }
std::string fake_driver() { return BANKSHOT_FAKE_DRIVER; }
std::string old_fake_driver() { return BANKSHOT_OLD_FAKE_DRIVER; }
std::string ptxas() { return BANKSHOT_PTXAS; }

}  // namespace bankshot::paths
