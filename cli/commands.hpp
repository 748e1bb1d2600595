// One function a command; each returns the exit status (status.hpp) or throws.
#pragma once
#include <string>
#include <vector>

#include "options.hpp"
#include "report.hpp"
#include "source.hpp"

namespace lanesort::cli {

int sort_command(const Options& options);
int argsort_command(const Options& options);
int merge_command(const Options& options);
int topk_command(const Options& options);
int check_command(const Options& options);
int verify_command(const Options& options);
int gen_command(const Options& options);
int bench_command(const Options& options);
[[noreturn]] void run_cuda_ladder(const Options& options);  // of bench
int tune_command(const Options& options);  // bench --tune
int results_report_command(const Options& options);
int info_command(const Options& options);
int doctor_command(const Options& options);

// The same for numbers written out; the source is already open.
int sort_text(const Options& options, Source& source, Report& report);
int argsort_text(const Options& options, Source& source, Report& report);
int topk_text(const Options& options, Source& source, Report& report);
int merge_text(const Options& options, std::vector<Source>& sources, Report& report);
int check_text(const Options& options, Source& source, Report& report);
int verify_text(const Options& options, Source& before, Source& after, Report& report);

// merge: what stands first out of the order asked for, counted from 0.
[[noreturn]] void refuse_unsorted(const std::string& name, std::uint64_t offender, const std::string& spelled);

}  // namespace lanesort::cli
