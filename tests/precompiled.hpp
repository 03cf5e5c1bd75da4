// What most tests include, compiled once: see bankshot/precompiled.hpp.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <random>
#include <set>

#include "bankshot/precompiled.hpp"
