// A program that is linked with a library that uses CUDA, and has none of its own: in_library.cu.
extern "C" int use_library();

int main() { return use_library(); }
