// A value of 4 bytes.
const VALUE_WORDS = 1u;
alias Value = u32;
fn value_word(value: Value, word: u32) -> u32 {
  return value;
}
fn value_of_words(words: vec4<u32>) -> Value {
  return words.x;
}
fn value_of_index(index: u32) -> Value {
  return index;
}
