// A value of 8 bytes.
const VALUE_WORDS = 2u;
alias Value = vec2<u32>;
fn value_word(value: Value, word: u32) -> u32 {
  return value[word];
}
fn value_of_words(words: vec4<u32>) -> Value {
  return words.xy;
}
fn value_of_index(index: u32) -> Value {
  return vec2<u32>(index, 0u);
}
