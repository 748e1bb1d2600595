#include "io/output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "io/buffer.hpp"
#include "io/failure.hpp"
#include "io/file.hpp"
#include "io/temporary.hpp"

namespace lanesort::io {
namespace {
namespace fs = std::filesystem;

class Output_ : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lanesort-output-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
  }

  fs::path directory_;
};
using Outputs = Output_;

TEST_F(Outputs, AbsentUntilCommitted) {
  {
    Output output(path("x"), 5, true);
    output.write("hello");
    EXPECT_FALSE(fs::exists(path("x")));
    output.commit();
    EXPECT_EQ(content("x"), "hello");
  }
  EXPECT_EQ(content("x"), "hello");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Outputs, ForgottenWithoutCommit) {
  put("x", "old");
  {
    Output output(path("x"), 1 << 20, true);
    output.write("new");
  }
  EXPECT_EQ(content("x"), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Outputs, ReplacesAndKeepsTheMode) {
  put("x", "a long old content");
  chmod(path("x").c_str(), 0640);
  Output output(path("x"), std::nullopt, true);
  output.write("new");
  output.commit();
  EXPECT_EQ(content("x"), "new");
  struct stat status;
  ASSERT_EQ(stat(path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0640u);
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Outputs, ReservesNoLongerThanItIs) {
  Output output(path("x"), 1 << 20, true);
  output.write("short");
  output.commit();
  EXPECT_EQ(fs::file_size(path("x")), 5u);
}

TEST_F(Outputs, SeveralAtOnce) {
  put("a", "1");
  put("b", "2");
  Output a(path("a"), 1, true), b(path("b"), 1, true);
  a.write("3");
  b.write("4");
  b.commit();
  a.commit();
  EXPECT_EQ(content("a") + content("b"), "34");
  EXPECT_EQ(file_count(), 2u);
}

TEST_F(Outputs, NamesLeftOverByOthersAreNoHindrance) {
  // What a process of our number left behind when it was killed.
  const std::string left = path(".lanesort-" + std::to_string(getpid()) + "-0.tmp");
  put(fs::path(left).filename().string(), "left over");
  put("x", "old");
  Output output(path("x"), 3, true);
  output.write("new");
  output.commit();
  EXPECT_EQ(content("x"), "new");
  EXPECT_TRUE(fs::exists(left));
}

TEST_F(Outputs, NamedTemporariesAreMadeListedAndRemoved) {
  int first = -1, second = -1;
  const std::string one = temporaries::create(directory_.string(), &first),
                    two = temporaries::create(directory_.string(), &second);
  EXPECT_NE(one, two);
  EXPECT_TRUE(fs::exists(one) && fs::exists(two));
  close(first);
  close(second);
  temporaries::remove(one);
  temporaries::remove(two);
  EXPECT_EQ(file_count(), 0u);
  int none = -1;
  EXPECT_EQ(temporaries::create(path("nowhere"), &none), "");
  EXPECT_EQ(none, -1);
}

TEST_F(Outputs, SignalsRemoveNamedTemporaries) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = fork();
    if (child == 0) {
      install_signal_handlers();
      int fds[2] = {-1, -1};
      temporaries::create(directory_.string(), &fds[0]);
      temporaries::create(directory_.string(), &fds[1]);
      raise(signal);
      _exit(fds[1] >= 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (signal == SIGINT)
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130);
    else
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_EQ(file_count(), 0u);
  }
}

TEST_F(Outputs, SlotsComeBack) {
  for (int i = 0; i < 200; ++i) {
    put("x", "old");
    Output output(path("x"), 1, true);
    output.write("n");
    output.commit();
  }
  EXPECT_EQ(content("x"), "n");
}

TEST_F(Outputs, FailuresNameThePathAndTheNumbers) {
  const auto words = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "no failure";
  };
  EXPECT_NE(words([&] { Output(path("nowhere/x"), 1, true); }).find("nowhere"), std::string::npos);
  EXPECT_NE(words([&] { Output(directory_.string(), 1, true); }).find("directory"), std::string::npos);
  const std::string full = words([&] {
    Output output("/dev/full", std::nullopt, true);
    output.write(std::string(1000, 'x'));
  });
  EXPECT_NE(full.find("/dev/full"), std::string::npos) << full;
  EXPECT_NE(full.find("1000 bytes"), std::string::npos) << full;
}

using Inputs = Output_;

TEST_F(Inputs, PeekKeepsWhatItShows) {
  put("x", "0123456789");
  Input input(path("x"));
  EXPECT_EQ(input.peek(4).size(), 4u);
  EXPECT_EQ(input.peek(2).size(), 2u);
  EXPECT_EQ(input.peek(100).size(), 10u);
  EXPECT_EQ(input.remaining_bytes(), 10u);
  std::byte first[3];
  input.read_exact(first);
  EXPECT_EQ(static_cast<char>(first[2]), '2');
  EXPECT_EQ(input.remaining_bytes(), 7u);
  const Buffer rest = input.read_rest(100);
  EXPECT_EQ(rest.text(), "3456789");
}

TEST_F(Inputs, ShortLongAndTooLargeAreRefusedWithNumbers) {
  put("x", "0123456789");
  std::byte eleven[11], nine[9];
  Input short_one(path("x"));
  EXPECT_THROW(short_one.read_exact(eleven), Failure);
  Input long_one(path("x"));
  long_one.read_exact(nine);
  EXPECT_THROW(long_one.expect_end("the data"), Failure);
  Input large(path("x"));
  EXPECT_THROW(large.read_rest(9), Failure);
  EXPECT_THROW(Input(path("missing")), Failure);
  EXPECT_THROW(Input(directory_.string()), Failure);
}

TEST_F(Inputs, LargeFilesByTwoReadersAreTheSame) {
  std::string text(std::size_t{70} << 20, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 2654435761u >> 13);
  put("x", text);
  Input input(path("x"), 2);
  input.peek(512);
  Meter meter{0};
  const Buffer buffer = input.read_rest(UINT64_MAX, &meter);
  EXPECT_TRUE(buffer.text() == text);
  EXPECT_EQ(meter.load(), text.size());
}

TEST(Buffers, GrowthKeepsContentAndImpossibleSizesAreRefused) {
  Buffer buffer(10);
  buffer.data()[9] = std::byte{7};
  for (const std::uint64_t size : {std::uint64_t{5000}, std::uint64_t{100} << 20, std::uint64_t{20}}) {
    buffer.resize(size);
    EXPECT_EQ(buffer.data()[9], std::byte{7});
    EXPECT_EQ(buffer.size(), size);
  }
  EXPECT_THROW(Buffer(UINT64_MAX), Failure);
  EXPECT_THROW(Buffer(std::uint64_t{1} << 60), Failure);
  EXPECT_EQ(Buffer(0).size(), 0u);
}

}  // namespace
}  // namespace lanesort::io
