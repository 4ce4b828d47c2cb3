// Package scenario reads the one file that describes a run: a cluster, a fabric,
// a transport, a job. It turns YAML into a fully resolved value, or into the list
// of everything that is wrong with it.
//
// It is not a YAML library, and it builds nothing: topologies, schedules and queue
// pairs are made elsewhere from the value it returns.
//
//	bytes --bounds, tokens--> tree with positions --fields--> Scenario --> YAML
//	            |                      |               |
//	            +---------- Problems: file:line:column: path: message
//
// One table of fields (fields_*.go) drives the decoder, the diagnostics, the printed scenario and
// the listing of `show scenario`; packages above make the JSON Schema (schema) and docs/scenario.md
// (reference) of it. A field has a path, a variable of some kind, a default or the rule that finds
// it, bounds or choices, a meaning and a source. Presets fill groups of fields. One table of kinds
// (kinds.go) says what is known of values of one Go type: how their text is read, printed and
// compared with bounds, and what it looks like to an editor.
//
// Invariants:
//   - the value of a field is, in this order: what the file says, what the preset of
//     its group says, its default; nothing is clamped or rounded in silence;
//   - all problems are reported at once, sorted by position. Only text that is not
//     YAML, or not the part of YAML accepted here, hides what follows it;
//   - input is bounded before it is parsed: 1 MB, depth 64, 100,000 tokens;
//   - (*Scenario).YAML parses to an equal value;
//   - no input makes it panic.
//
// Accepted YAML: one document of mappings, sequences and scalars, in block or flow
// style. Refused, with a position: anchors, aliases, tags, merge keys, directives,
// block text, tabs, duplicate keys, null. Numbers are read from their text, so that
// 010 and 0x10 are errors and not 8 and 16. (YAML 1.2.2, https://yaml.org/spec/1.2.2/)
package scenario
