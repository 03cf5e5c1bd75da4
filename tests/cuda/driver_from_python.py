"""Calls libcuda.so.1 through ctypes, as launchers of just-in-time compilers do: PTX as Triton writes it, and as NVRTC compiles
it where that is installed. Prints PASS and what was run; exit status 1 if something differs.

  bankshot run python3 driver_from_python.py [libnvrtc.so]
"""
import ctypes
import sys

# What Triton's kernels look like since their registers have no types: floats in .b32, vectors under predicates, blocks of a
# fixed size (.reqntid), pointers with .ptr, shared memory as one symbol of unknown size, and DWARF behind the code.
PTX = r"""
.version 8.7
.target sm_90a
.address_size 64

	// .globl	row_sum                 // -- Begin function row_sum
.extern .shared .align 16 .b8 global_smem[];
                                        // @row_sum
.visible .entry row_sum(
	.param .u64 .ptr .global .align 1 row_sum_param_0,
	.param .u64 .ptr .global .align 1 row_sum_param_1,
	.param .u32 row_sum_param_2,
	.param .u64 .ptr .global .align 1 row_sum_param_3
)
.reqntid 128
{
	.reg .pred 	%p<6>;
	.reg .b32 	%r<48>;
	.reg .b64 	%rd<10>;
	.loc	1 5 0                           // rows.py:5:0
$L__func_begin0:
	.loc	1 5 0                           // rows.py:5:0

// %bb.0:
	ld.param.b64 	%rd1, [row_sum_param_0];
	ld.param.b64 	%rd2, [row_sum_param_1];
$L__tmp0:
	.loc	1 7 24                          // rows.py:7:24
	mov.u32 	%r1, %ctaid.x;
	ld.param.b32 	%r2, [row_sum_param_2];
	mov.u32 	%r3, %tid.x;
	shl.b32 	%r4, %r3, 2;
	setp.lt.s32 	%p1, %r4, %r2;
	mad.lo.s32 	%r5, %r1, %r2, %r4;
	mad.wide.s32 	%rd3, %r5, 4, %rd1;
	.loc	1 9 16                          // rows.py:9:16
	// begin inline asm
	mov.u32 %r10, 0x0;
	mov.u32 %r11, 0x0;
	mov.u32 %r12, 0x0;
	mov.u32 %r13, 0x0;
	@%p1 ld.global.v4.b32 { %r10, %r11, %r12, %r13 }, [ %rd3 + 0 ];
	// end inline asm
	// begin inline asm
	{ 
	.reg .pred q;
	setp.ne.b32 q, %r3, -1;
	@q mov.b32 %r14, %r10;
	}
	// end inline asm
	.loc	1 11 12                         // rows.py:11:12
	add.f32 	%r15, %r14, %r11;
	add.f32 	%r16, %r12, %r15;
	add.f32 	%r17, %r13, %r16;
	shfl.sync.bfly.b32 	%r18, %r17, 16, 31, -1;
	add.f32 	%r19, %r17, %r18;
	shfl.sync.bfly.b32 	%r20, %r19, 8, 31, -1;
	add.f32 	%r21, %r19, %r20;
	shfl.sync.bfly.b32 	%r22, %r21, 4, 31, -1;
	add.f32 	%r23, %r21, %r22;
	shfl.sync.bfly.b32 	%r24, %r23, 2, 31, -1;
	add.f32 	%r25, %r23, %r24;
	shfl.sync.bfly.b32 	%r26, %r25, 1, 31, -1;
	add.f32 	%r27, %r25, %r26;
	and.b32 	%r28, %r3, 31;
	setp.eq.b32 	%p2, %r28, 0;
	shr.u32 	%r29, %r3, 3;
	and.b32 	%r30, %r29, 12;
	mov.b32 	%r31, global_smem;
	add.s32 	%r32, %r31, %r30;
	// begin inline asm
	@%p2 st.shared.b32 [ %r32 + 0 ], %r27;
	// end inline asm
	bar.sync 	0;
	setp.lt.u32 	%p3, %r3, 4;
	add.s32 	%r33, %r31, %r4;
	// begin inline asm
	mov.u32 %r34, 0x0;
	@%p3 ld.shared.b32 %r34, [ %r33 + 0 ];
	// end inline asm
	shfl.sync.bfly.b32 	%r35, %r34, 2, 31, -1;
	add.f32 	%r36, %r34, %r35;
	shfl.sync.bfly.b32 	%r37, %r36, 1, 31, -1;
	add.f32 	%r38, %r36, %r37;
	.loc	1 13 25                         // rows.py:13:25
	mad.wide.s32 	%rd4, %r1, 4, %rd2;
	setp.eq.b32 	%p4, %r3, 0;
	// begin inline asm
	@%p4 st.global.b32 [ %rd4 + 0 ], { %r38 };
	// end inline asm
	.loc	1 13 4                          // rows.py:13:4
	ret;
$L__tmp1:
$L__func_end0:
                                        // -- End function
}
	.file	1 "/home/someone/rows.py"
	.section	.debug_abbrev
	{
.b8 1                                   // Abbreviation Code
.b8 17                                  // DW_TAG_compile_unit
.b8 0                                   // DW_CHILDREN_no
.b8 37                                  // DW_AT_producer
.b8 8                                   // DW_FORM_string
.b8 0                                   // EOM(1)
.b8 0                                   // EOM(2)
.b8 0                                   // EOM(3)
	}
	.section	.debug_info
	{
.b32 20                                 // Length of Unit
.b8 2                                   // DWARF version number
.b8 0
.b32 .debug_abbrev                      // Offset Into Abbrev. Section
.b8 8                                   // Address Size (in bytes)
.b8 1                                   // Abbrev [1] 0xb:0xd DW_TAG_compile_unit
.b8 116                                 // DW_AT_producer
.b8 0
.b64 $L__func_begin0
.b32 .debug_line
	}
	.section	.debug_macinfo	{	}
"""

SCALE = r"""
extern "C" __global__ void scale(float* data, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
"""

# As Numba writes a barrier of the grid, which is in libcudadevrt: all 4 CTAs count themselves in, and see it behind the barrier.
BARRIER = r"""
.version 8.0
.target sm_80
.address_size 64
.extern .func  (.param .b64 func_retval0) cudaCGGetIntrinsicHandle
(
	.param .b32 cudaCGGetIntrinsicHandle_param_0
)
;
.extern .func  (.param .b32 func_retval0) cudaCGSynchronize
(
	.param .b64 cudaCGSynchronize_param_0,
	.param .b32 cudaCGSynchronize_param_1
)
;
.visible .entry arrive(.param .u64 counts)
{
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<5>;
	ld.param.u64 	%rd1, [counts];
	mov.u32 	%r1, 1;
	atom.add.u32 	%r2, [%rd1], %r1;
	{
	.param .b32 param0;
	st.param.b32 	[param0], %r1;
	.param .b64 retval0;
	call.uni (retval0), cudaCGGetIntrinsicHandle, (param0);
	ld.param.b64 	%rd2, [retval0];
	}
	{
	.param .b64 param0;
	st.param.b64 	[param0], %rd2;
	.param .b32 param1;
	st.param.b32 	[param1], 0;
	.param .b32 retval0;
	call.uni (retval0), cudaCGSynchronize, (param0, param1);
	ld.param.b32 	%r3, [retval0];
	}
	mov.u32 	%r4, %ctaid.x;
	mad.wide.u32 	%rd3, %r4, 4, %rd1;
	ld.volatile.u32 	%r5, [%rd1];
	st.u32 	[%rd3+4], %r5;
	ret;
}
"""

cuda = ctypes.CDLL("libcuda.so.1")


def check(status, what):
    if status != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        sys.exit(f"FAIL {what}: {status} ({text.value})")


def call(name, *arguments):
    check(getattr(cuda, name)(*arguments), name)


def pointer_to(*values):
    """cuLaunchKernel's list of arguments: the address of each, which the list keeps alive."""
    addresses = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
    addresses.values = values
    return addresses


def load(ptx, name):
    """A function of PTX text; what is wrong with the text comes back through the log."""
    log = ctypes.create_string_buffer(4096)
    options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER, …_SIZE_BYTES
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    status = cuda.cuModuleLoadDataEx(ctypes.byref(module), ptx, 2, options, values)
    if status != 0:
        sys.exit(f"FAIL cuModuleLoadDataEx: {status}: {log.value.decode()}")
    call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
    return function


def copied_to_device(values):
    device = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(device), ctypes.sizeof(values))
    call("cuMemcpyHtoD_v2", device, values, ctypes.sizeof(values))
    return device


def sums_of_rows():
    rows, columns = 3, 500  # not a multiple of 512: lanes beyond the end read zeroes
    values = (ctypes.c_float * (rows * columns))(*[(i * 7) % 11 for i in range(rows * columns)])
    data, out = copied_to_device(values), copied_to_device((ctypes.c_float * rows)())
    function = load(PTX.encode(), "row_sum")
    arguments = pointer_to(data, out, ctypes.c_int(columns), ctypes.c_uint64(0))
    call("cuLaunchKernel", function, rows, 1, 1, 128, 1, 1, 16, None, arguments, None)
    # 64 threads are not the 128 that .reqntid asks for.
    if cuda.cuLaunchKernel(function, rows, 1, 1, 64, 1, 1, 16, None, arguments, None) != 1:
        sys.exit("FAIL a block of another size than .reqntid is launched")
    got = (ctypes.c_float * rows)()
    call("cuMemcpyDtoH_v2", got, out, ctypes.sizeof(got))
    wanted = [sum(values[row * columns:(row + 1) * columns]) for row in range(rows)]
    if list(got) != wanted:
        sys.exit(f"FAIL sums of rows: {list(got)}, wanted {wanted}")


def barrier_of_the_grid():
    """Linked as cuda.core does: the library is given as data. PyCUDA sets the shape before it launches."""
    link, image, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    call("cuLinkCreate_v2", 0, None, None, ctypes.byref(link))
    call("cuLinkAddData_v2", link, 1, BARRIER.encode(), ctypes.c_size_t(len(BARRIER)), b"kernel", 0, None, None)
    call("cuLinkAddData_v2", link, 4, b"!<arch>", ctypes.c_size_t(7), b"libcudadevrt.a", 0, None, None)
    if cuda.cuLinkAddData_v2(link, 4, b"!<arch>", ctypes.c_size_t(7), b"libother.a", 0, None, None) != 209:
        sys.exit("FAIL a library of machine code is linked")
    call("cuLinkComplete", link, ctypes.byref(image), ctypes.byref(size))
    function = load(image, "arrive")
    call("cuLinkDestroy", link)
    counts = copied_to_device((ctypes.c_uint * 5)())
    call("cuFuncSetBlockShape", function, 32, 1, 1)
    call("cuLaunchCooperativeKernel", function, 4, 1, 1, 32, 1, 1, 0, None, pointer_to(counts))
    got = (ctypes.c_uint * 5)()
    call("cuMemcpyDtoH_v2", got, counts, ctypes.sizeof(got))
    if list(got) != [128] * 5:
        sys.exit(f"FAIL barrier of the grid: {list(got)}")
    if cuda.cuFuncSetBlockShape(function, 0, 1, 1) != 1:
        sys.exit("FAIL a CTA without threads")


def detached_context():
    context, current = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
    call("cuCtxDetach", context)
    call("cuCtxGetCurrent", ctypes.byref(current))
    if current.value == context.value or cuda.cuCtxDetach(context) != 201:
        sys.exit("FAIL a detached context is still there")


def compiled_by_nvrtc(library, architecture, kind):
    """kind: what NVRTC is asked for; for machine code it gives PTX under Bankshot"""
    nvrtc = ctypes.CDLL(library)
    get, get_size = getattr(nvrtc, "nvrtcGet" + kind), getattr(nvrtc, "nvrtcGet" + kind + "Size")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), SCALE.encode(), b"scale.cu", 0, None, None), "nvrtcCreateProgram")
    options = (ctypes.c_char_p * 2)(b"--gpu-architecture=" + architecture, b"-lineinfo")
    check(nvrtc.nvrtcCompileProgram(program, 2, options), "nvrtcCompileProgram")
    check(get_size(program, ctypes.byref(size)), "size of " + kind)
    image = ctypes.create_string_buffer(size.value)
    check(get(program, image), kind)
    count = 100
    data = copied_to_device((ctypes.c_float * count)(*range(count)))
    arguments = pointer_to(data, ctypes.c_float(2.5), ctypes.c_int(count - 1))
    call("cuLaunchKernel", load(image, "scale"), 4, 1, 1, 32, 1, 1, 0, None, arguments, None)
    got = (ctypes.c_float * count)()
    call("cuMemcpyDtoH_v2", got, data, ctypes.sizeof(got))
    if list(got) != [2.5 * i for i in range(count - 1)] + [count - 1]:
        sys.exit("FAIL scale, compiled by NVRTC")


def main():
    context, device = ctypes.c_void_p(), ctypes.c_int()
    address = lambda library: ctypes.cast(library.cuInit, ctypes.c_void_p).value
    if address(ctypes.CDLL("libcuda.so")) != address(cuda):
        sys.exit("FAIL libcuda.so is another library than libcuda.so.1")
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    sums_of_rows()
    barrier_of_the_grid()
    detached_context()
    if len(sys.argv) > 1:
        compiled_by_nvrtc(sys.argv[1], b"compute_90", "PTX")
        compiled_by_nvrtc(sys.argv[1], b"sm_90", "CUBIN")
    print("PASS row_sum arrive" + (" scale" if len(sys.argv) > 1 else ""))


main()
