// Error codes of the runtime and the driver interface, which share their numbers.
#pragma once

#include "bankshot/simt/device/error_table.hpp"
#include "bankshot/simt/run/engine.hpp"

namespace bankshot::cuda {

/// What every function of both interfaces returns: cudaError_t and CUresult. The codes our own code names; the table
/// has them all. Source: CUDA runtime API reference, enum cudaError.
enum class Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_configuration = 9,
  invalid_pitch = 12,
  invalid_symbol = 13,
  invalid_device_pointer = 17,
  invalid_channel_descriptor = 20,
  invalid_memcpy_direction = 21,
  invalid_filter_setting = 26,
  missing_configuration = 52,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  unsupported_limit = 215,
  peer_access_unsupported = 217,
  invalid_ptx = 218,
  file_not_found = 301,
  operating_system = 304,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  peer_access_already_enabled = 704,
  peer_access_not_enabled = 705,
  primary_context_active = 708,
  context_is_destroyed = 709,
  assertion = 710,
  already_registered = 712,
  not_registered = 713,
  misaligned_address = 716,
  invalid_program_counter = 718,
  launch_failure = 719,
  cooperative_launch_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  stream_capture_merge = 902,
  stream_capture_unmatched = 903,
  stream_capture_unjoined = 904,
  stream_capture_isolation = 905,
  stream_capture_implicit = 906,
  captured_event = 907,
  stream_capture_wrong_thread = 908,
  graph_update_failure = 910,
  invalid_cluster_size = 912,
  unknown = 999,
};

using simt::error_table;
using simt::ErrorRow;
using simt::find_error;

/// The error that a real GPU reports for a fault of a kernel.
Status status_of(simt::Fault::Kind kind);

/// Whether the error corrupts the context: every later call fails with it until the device is reset.
/// Source: CUDA runtime API reference, the errors whose text ends "must be terminated and relaunched".
bool is_sticky(Status status);

}  // namespace bankshot::cuda
