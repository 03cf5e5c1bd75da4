// Finds the bank conflicts of a kernel from its PTX, without running it.
#include <bankshot/bankshot.hpp>
#include <cstdio>

const char* const kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry column() {
  .shared .align 4 .b8 tile[4096];
  .reg .b32 %r<4>;
  .reg .f32 %f<2>;
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 7;
  mov.u32 %r3, tile;
  add.u32 %r2, %r3, %r2;
  ld.shared.f32 %f1, [%r2];
  st.shared.f32 [%r3], %f1;
  ret;
}
)";

int main() {
  bankshot::Launch launch;
  launch.block = "32";
  const std::string json = bankshot::analyse(kPtx, launch);
  const auto sites = json.find("\"conflicts\"");
  std::printf("%s\n", sites == std::string::npos ? "no conflicts found"
                                                 : json.substr(sites, json.find(',', sites) - sites).c_str());
  launch.block = "1025";
  try {
    bankshot::analyse(kPtx, launch);
  } catch (const bankshot::Failure& failure) {
    std::printf("%s\n", failure.what());
  }
}
// Prints:
// "conflicts": 31
// --block: '1025' is more than CUDA allows: at most 1024,1024,64
