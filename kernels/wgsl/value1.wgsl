// A value of 4 bytes; what a sort without values is made with too.
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
