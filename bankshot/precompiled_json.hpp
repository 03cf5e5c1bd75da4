// The same with the libraries of the rooms that read and write what people and other programs see.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/precompiled.hpp"
