// Zeroing memory of which only a part may have been touched.
#pragma once

#include <cstddef>

namespace bankshot::simt {

/// Zeroes anonymous private memory. A large range of which the host holds few pages is given back instead: fresh pages
/// are zero, and untouched pages take no memory.
void zero_pages(std::byte* begin, size_t bytes);

}  // namespace bankshot::simt
