// A value of 16 bytes.
const VALUE_WORDS = 4u;
alias Value = vec4<u32>;
fn value_word(value: Value, word: u32) -> u32 {
  return value[word];
}
fn value_of_words(words: vec4<u32>) -> Value {
  return words;
}
fn value_of_index(index: u32) -> Value {
  return vec4<u32>(index, 0u, 0u, 0u);
}
