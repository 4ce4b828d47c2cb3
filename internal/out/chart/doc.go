// Package chart holds plots as values: what is shown, in which unit, and what it
// means. Nothing here knows a pixel or a colour; packages below it draw.
//
//	report --> Figure --+--> svg    a drawing at any width, light and dark
//	                    |--> text   the same in characters
//	                    +--> JSON   for other programs, and for a page's script
//
// A figure is a name, a title, a caption, a legend (Keys) and one plot: Lines, Bars,
// Lanes, Map or Graph. A mark refers to its legend entry by that entry's ID; what an
// entry is drawn with follows from its Ink, which names a meaning, not a colour.
//
// Invariants (Check holds them):
//   - exactly one plot is set, and its slices that belong together are equally long;
//   - every key that a mark names is in Keys, and no ink stands for two keys;
//   - every value is finite, or is Nothing where a plot may have a gap;
//   - equal figures give equal bytes as JSON.
package chart
