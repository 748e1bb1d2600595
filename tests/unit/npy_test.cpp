#include "io/npy.hpp"

#include <gtest/gtest.h>

#include <string>

#include "io/failure.hpp"

namespace lanesort::io {
namespace {

std::string header_of(const std::string& dictionary, char version = 1) {
  const std::size_t size = dictionary.size();
  std::string bytes(kNpyMagic);
  bytes += version;
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(size >> (8 * i) & 0xFF);
  return bytes + dictionary;
}

std::string with_descr(const std::string& descr) {
  return header_of("{'descr': " + descr + ", 'fortran_order': False, 'shape': (4,), }\n");
}
std::string with_shape(const std::string& shape) {
  return header_of("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }\n");
}

std::string refusal(const std::string& bytes) {
  try {
    parse_npy_header(bytes);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "accepted";
}

TEST(Npy, OurHeaderIsReadBack) {
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40, std::uint64_t{INT64_MAX / 4}}) {
    const std::string bytes = make_npy_header("<u4", count);
    EXPECT_EQ(bytes.size() % 64, 0u);
    EXPECT_EQ(bytes.back(), '\n');
    const NpyHeader header = parse_npy_header(bytes);
    EXPECT_EQ(header.count, count);
    EXPECT_EQ(header.shape, std::vector<std::uint64_t>{count});
    EXPECT_EQ(header.bytes, bytes);
  }
}

TEST(Npy, Descriptions) {
  struct Row {
    const char* descr;
    char kind;
    std::uint32_t item_bytes;
    bool big_endian;
  };
  for (const Row& row :
       {Row{"'<f4'", 'f', 4, false}, Row{"'>i8'", 'i', 8, true}, Row{"'|b1'", 'b', 1, false}, Row{"'?'", 'b', 1, false},
        Row{"'=u2'", 'u', 2, false}, Row{"\"u2\"", 'u', 2, false}, Row{"'<M8[ns]'", 'M', 8, false},
        Row{"'>m8[25us]'", 'm', 8, true}, Row{"'<U5'", 'U', 20, false}, Row{"'|S7'", 'S', 7, false},
        Row{"'|O'", 'O', 8, false}, Row{"'<c16'", 'c', 16, false}, Row{"'<f16'", 'f', 16, false},
        Row{"[('a', '<i4'), ('b', '<f8', (2, 3))]", 0, 0, false}}) {
    const NpyHeader header = parse_npy_header(with_descr(row.descr));
    EXPECT_EQ(header.kind, row.kind) << row.descr;
    EXPECT_EQ(header.item_bytes, row.item_bytes) << row.descr;
    EXPECT_EQ(header.big_endian, row.big_endian) << row.descr;
  }
  for (const char* descr : {"''", "'<'", "'<f'", "'f4x'", "'<f4[ns]'", "'<M8[]'", "'<M4[s]'", "'b2'", "'<f99999999999'",
                            "'<U2000000000'", "'z4'", "5", "[('a', '<i4')", "'<f\\x34'", "None"}) {
    EXPECT_NE(refusal(with_descr(descr)), "accepted") << descr;
  }
}

TEST(Npy, Shapes) {
  EXPECT_EQ(parse_npy_header(with_shape("()")).count, 1u);
  EXPECT_EQ(parse_npy_header(with_shape("(0,)")).count, 0u);
  EXPECT_EQ(parse_npy_header(with_shape("(3L, 4L)")).count, 12u);
  EXPECT_EQ(parse_npy_header(with_shape("( 3 , 4 , )")).count, 12u);
  EXPECT_EQ(parse_npy_header(with_shape("(9223372036854775807, 0, 9223372036854775807)")).count, 0u);
  for (const char* shape : {"(3)", "3", "[3]", "(3,,)", "(-1,)", "(3 4)", "(3,", "(1e3,)", "(9223372036854775808,)",
                            "(18446744073709551617,)", "(1152921504606846976,)", "(4294967296, 4294967296)"}) {
    EXPECT_NE(refusal(with_shape(shape)), "accepted") << shape;
  }
  std::string dimensions = "(";
  for (int i = 0; i < 100; ++i) dimensions += "1,";
  EXPECT_NE(refusal(with_shape(dimensions + ")")), "accepted");
}

TEST(Npy, EveryCutIsRefused) {
  for (const char version : {'\1', '\2', '\3'}) {
    const std::string whole = header_of("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", version);
    EXPECT_EQ(refusal(whole), "accepted");
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_NE(refusal(whole.substr(0, size)), "accepted") << size;
    EXPECT_NE(refusal(whole + " "), "accepted");
  }
}

TEST(Npy, SizesThatLieAllocateNothing) {
  std::string bytes = header_of("{'descr': '<f8'", 2);
  for (std::size_t i = 8; i < 12; ++i) bytes[i] = '\xFF';
  EXPECT_NE(refusal(bytes).find("4294967295"), std::string::npos);
  bytes[6] = 4;
  EXPECT_NE(refusal(bytes).find("4.0"), std::string::npos);
}

TEST(Npy, EveryChangedByteIsReadOrRefused) {  // and never crashes
  const std::string whole = header_of("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int c = 0; c < 256; ++c) {
      std::string changed = whole;
      changed[at] = static_cast<char>(c);
      try {
        const NpyHeader header = parse_npy_header(changed);
        EXPECT_LE(header.shape.size(), 2u);
      } catch (const Failure&) {
      }
    }
  }
}

TEST(Npy, DtypesAreTheSameBothWays) {
  for (lanesort_dtype dtype = LANESORT_BOOL; dtype <= LANESORT_F64; ++dtype) {
    const std::string descr = npy_descr(dtype);
    EXPECT_EQ(descr.empty(), dtype == LANESORT_BF16) << dtype;
    if (descr.empty()) continue;
    const NpyHeader header = parse_npy_header(make_npy_header(descr, 3));
    EXPECT_EQ(npy_dtype(header), dtype) << descr;
    EXPECT_EQ(std::to_string(header.item_bytes), descr.substr(2)) << descr;
  }
  for (const char* descr : {"<c8", "|O", "<f16", "|S4", "<U4", "|V2", "|V4"})
    EXPECT_EQ(npy_dtype(parse_npy_header(make_npy_header(descr, 3))), 0u) << descr;
  for (const char* descr : {"<M8[s]", ">m8[ns]"})
    EXPECT_EQ(npy_dtype(parse_npy_header(make_npy_header(descr, 3))), LANESORT_I64) << descr;
}

}  // namespace
}  // namespace lanesort::io
