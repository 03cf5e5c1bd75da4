// bankshot verify: checks the proof that a hash is the best.
#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/patterns_file.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/library/certificate.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/verify/check.hpp"

namespace bankshot::cli {
namespace {

class Verify final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("CERTIFICATE", file_, "certificate written by bankshot search --certificate; - is standard input")
        ->required();
    app.add_option("PATTERNS", patterns_, "patterns that the certificate must be about");
    app.add_option("--gpu", gpu_, kPatternsGpuHelp)->type_name("NAME|FILE");
    app.add_option("--threads", threads_, "host threads; 0 uses all cores");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (!gpu_.empty() && patterns_.empty()) return refuse("--gpu is for counting PATTERNS, but none are given");
    if (const auto error = cannot_deliver(json_, {{"the certificate", file_}, {"the patterns", patterns_}}))
      return refuse(error->message);
    const Result<std::string> text = host::read_text(file_);
    if (!text) return refuse(text.error().message);
    const Result<verify::Certificate> certificate = verify::from_json(*text);
    if (!certificate) return refuse((file_ == "-" ? "standard input" : file_) + ": " + certificate.error().message);
    std::string other;
    if (!patterns_.empty()) {
      const Result<scratchpad::PatternSet> set = read_patterns(patterns_, gpu_);
      if (!set) return refuse(set.error().message);
      other = differs(*certificate, *set);
    }
    const unsigned threads = threads_ != 0 ? threads_ : std::max(1u, std::thread::hardware_concurrency());
    const verify::Verdict verdict =
        other.empty() ? verify::check(*certificate, threads) : verify::Verdict{false, other, 0};
    const nlohmann::json document = {{"schema", "bankshot/verify/1"},
                                     {"proved", verdict.proved},
                                     {"reason", verdict.text},
                                     {"excess", certificate->excess},
                                     {"nodes", verdict.nodes}};
    const int status = deliver(json_, report::json_text(document),
                               (verdict.proved ? "proved: " : "not proved: ") + verdict.text + "\n");
    return status == kDone && !verdict.proved ? kProgramFailed : status;
  }

 private:
  static std::string differs(const verify::Certificate& certificate, const scratchpad::PatternSet& set) {
    const scratchpad::HashSize size = scratchpad::size_of(set);
    if (size.address_bits != certificate.address_bits || size.bank_bits != certificate.bank_bits) {
      return fmt::format("the certificate is about {}x{} hashes, but the patterns need {}x{}", certificate.bank_bits,
                         certificate.address_bits, size.bank_bits, size.address_bits);
    }
    const scratchpad::Groups groups = scratchpad::groups(set.rules, set);
    return verify::differs(certificate, library::groups_to_verify(groups.groups), groups.unavoidable);
  }

  std::string file_, patterns_, gpu_, json_;
  unsigned threads_ = 0;
};

const RegisterCommand verify_registered(
    {"verify", "Check the proof that a bank hash is the best",
     "Checks a certificate of bankshot search with independent code: the hash must have the stated excess, and no hash "
     "of its\nkind may have less. With PATTERNS, the certificate must be about these patterns. Exit status: 0 if "
     "proved; 1 if not\nproved, with the node of the proof that fails; 2 if there is no certificate.\n\n"
     "Examples:\n"
     "  bankshot search --certificate proof.json patterns.json\n"
     "  bankshot verify proof.json patterns.json\n",
     [] { return std::make_unique<Verify>(); }});

}  // namespace
}  // namespace bankshot::cli
