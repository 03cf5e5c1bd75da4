// The same with the libraries of the rooms that read and write what people and other programs see. CLI11 is not among
// them: it has objects in its headers, which would be compiled into every file of these rooms.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/precompiled.hpp"
