// Package shown is the room for what is printed: what is not ours in a text (a name from a file, a
// quoted line, an error of the system) may hold characters that a terminal obeys or that nobody
// sees, and these are shown as escapes.
//
//	foreign text --- Text, Lines ---> text whose characters are all seen
//	the program --- Writer ---------> terminal, pipe or file
//
// What is hidden, and so escaped:
//
//   - controls: C0 but line feed and tab where a layout wants them, DEL, C1 (ECMA-48);
//   - characters that turn the direction of writing (UAX #9; "Trojan Source", CVE-2021-42574), and
//     all others of the category Cf: joiners, zero-width spaces, the byte order mark, tags;
//   - separators of lines and paragraphs (U+2028, U+2029);
//   - what a font may leave out (Default_Ignorable_Code_Point), variation selectors among them:
//     invisible text has been hidden in those;
//   - private use, surrogates, noncharacters;
//   - bytes that are no UTF-8.
//
// Letters that combine and letters of right-to-left scripts stay: they change their own place alone.
// Escapes are those of Go: \x1b, \u202e, \U000e0041, \xff for a byte; \n, \r and \t where a text is one
// line. A backslash stays single, for most of them are paths: an escape shows, it does not encode.
//
// Every byte that goes to stdout or stderr goes through a Writer, so that a path which nobody
// thought of is safe, too. Its own methods write what a terminal shall obey: colours, and
// lines that are drawn again. Whoever computes widths calls Text first, or its columns count what is
// not shown.
//
// JSON is for machines: JSON writes such characters as \u escapes of JSON, which leaves the value as
// it is. What a page's script shows to people goes through VisibleJSON instead.
//
// Invariants: what Text, Lines and Writer give holds no hidden character; text without one passes
// unchanged, byte by byte; Text(Text(s)) is Text(s).
package shown
