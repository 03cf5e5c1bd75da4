// The error codes of the CUDA interfaces, which kernels may ask for, too: their names and texts.
#pragma once

#include <span>

namespace bankshot::simt {

struct ErrorRow {
  int code;
  const char* runtime_name;  ///< "cudaErrorInvalidValue", or null
  const char* driver_name;   ///< "CUDA_ERROR_INVALID_VALUE", or null
  const char* text;          ///< "invalid argument": what cudaGetErrorString gives
};

std::span<const ErrorRow> error_table();
/// Null for a code that neither interface has.
const ErrorRow* find_error(int code);

/// What the runtime says of a code that it does not have.
constexpr const char* kUnknownError = "unrecognized error code";

}  // namespace bankshot::simt
