// Names of C++ functions, as short as a line needs them.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/report/text/text.hpp"

namespace bankshot::report {

/// The name with "<…>" for the arguments of its templates: "void gemm<…>(Params<…>)". A name with unbalanced brackets
/// stays as it is.
std::string without_template_arguments(std::string_view name);

/// The name with "(…)" for the parameters of the function: "void gemm<…>(…)". A name without them stays as it is.
std::string without_parameters(std::string_view name);

/// A demangled name that can be printed: whole if it fits into a line or is wanted so (--whole-names), else without the
/// arguments of templates and, if that is still too long, of the function.
std::string shown_name(std::string_view name, const TextOptions& options);

}  // namespace bankshot::report
