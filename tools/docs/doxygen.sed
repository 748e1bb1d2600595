# The headers' comments, as Doxygen wants them: the first is the file's, those before a declaration and behind a member are its own.
1{
  s!^/\* !/** @file !
  s!^// !/// @file\n/// !
}
# A line that stands alone is the heading of a part.
/^\/\* .*\*\/$/{
  N
  /\n$/b
}
1s!/\*\* @file !/** @file\n * !
s!^\( \{0,2\}\)/\* !\1/** !
s!^\( \{0,2\}\)// !\1/// !
s!^\( \{0,2\}\)//$!\1///!
s!\([,;{]\)\( *\)/\* !\1\2/**< !
s!\([,;]\)\( *\)// !\1\2///< !
s!^\(  [A-Z_0-9]* = [0-9]*\)\( *\)/\* !\1\2/**< !
# Indented text is code.
s!^\( *\(///\| \*\)\)   \([^ ]\)!\1       \3!
