package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/unit"
)

// parseNode reads the value of field f from a scalar or, for a list, a sequence,
// into the variable that dst points to. The error names the value and what would be
// accepted; hint may suggest something.
func parseNode(dst any, f *Field, n *node) (hint string, err error) {
	switch l := dst.(type) {
	case *[]int:
		return parseWholes(l, f, n)
	case *[]string:
		if n.shape == sequenceShape {
			return parseNames(l, f, n)
		}
	}
	switch {
	case n.shape == mappingShape:
		return "", fmt.Errorf("keys and values, want %s", f.want())
	case n.shape == sequenceShape:
		return "", fmt.Errorf("a list, want %s", f.want())
	case n.null() && n.text == "":
		return "", fmt.Errorf("no value, want %s", f.want())
	case n.null():
		return "", fmt.Errorf("%s is not a value here, want %s", n.text, f.want())
	}
	switch f.Kind {
	case Whole, Number, Bool:
		if n.quoted && n.text != f.Word || n.bool() != (f.Kind == Bool) && !n.quoted {
			return unquote(n, f), fmt.Errorf("%s, want %s", n.described(), f.want())
		}
	case Text, Name, End:
		if n.number() || n.bool() {
			return quoteHint(n, f), fmt.Errorf("%s, want %s", n.described(), f.want())
		}
	default:
		if n.bool() {
			return "", fmt.Errorf("%s, want %s", n.described(), f.want())
		}
	}
	return parseText(dst, f, n.text)
}

// parseText reads a value from its text and checks its bounds.
func parseText(dst any, f *Field, text string) (hint string, err error) {
	switch p := dst.(type) {
	case *Opt[int]:
		return parseOpt(p, f, text)
	case *Opt[unit.Bytes]:
		return parseOpt(p, f, text)
	case *Opt[unit.Bitrate]:
		return parseOpt(p, f, text)
	case *Opt[unit.Duration]:
		return parseOpt(p, f, text)
	case *Opt[unit.Ratio]:
		return parseOpt(p, f, text)
	case *Opt[unit.Length]:
		return parseOpt(p, f, text)
	case *Opt[string]:
		return parseOpt(p, f, text)
	case *Either[unit.Bytes]:
		return parseEither(p, f, text)
	case *Either[unit.Bitrate]:
		return parseEither(p, f, text)
	case *[]string:
		if text != f.Word {
			return "", fmt.Errorf("%s: want %s", shown(text), f.want())
		}
		*p = nil
		return "", nil
	case *string:
		return parseString(p, f, text)
	case *int:
		err = into(p, text, parseWhole)
	case *uint64:
		err = into(p, text, parseSeed)
	case *float64:
		err = into(p, text, parseNumber)
	case *bool:
		if text != "true" && text != "false" {
			return "", fmt.Errorf("%s: want true or false", shown(text))
		}
		*p = text == "true"
	case *unit.Bitrate:
		err = into(p, text, unit.ParseBitrate)
	case *FLOPS:
		err = into(p, text, ParseFLOPS)
	case *unit.Bytes:
		err = into(p, text, unit.ParseBytes)
	case *unit.Duration:
		err = into(p, text, unit.ParseDuration)
	case *unit.Length:
		err = into(p, text, unit.ParseLength)
	case *unit.Ratio:
		err = into(p, text, unit.ParseRatio)
	case *Endpoint:
		err = into(p, text, ParseEndpoint)
	default:
		panic(fmt.Sprintf("scenario: field %s of type %T", f.Path, dst))
	}
	if err != nil {
		return "", f.orWord(bare(text, err))
	}
	return "", f.bounded(dst, text)
}

func into[T any](p *T, text string, parse func(string) (T, error)) error {
	v, err := parse(text)
	if err == nil {
		*p = v
	}
	return err
}

func parseOpt[T any](p *Opt[T], f *Field, text string) (string, error) {
	if text == f.Word {
		*p = Opt[T]{}
		return "", nil
	}
	p.Set = true
	hint, err := parseText(&p.Value, f, text)
	if err != nil && hint == "" && suggest(text, []string{f.Word}) != "" {
		hint = "did you mean " + f.Word + "?"
	}
	return hint, err
}

func parseEither[T any](p *Either[T], f *Field, text string) (string, error) {
	if slices.Contains(f.words(), text) {
		*p = Either[T]{Word: text}
		return "", nil
	}
	p.Word = ""
	hint, err := parseText(&p.Value, f, text)
	if s := suggest(text, []string{f.Word, f.Other}); err != nil && hint == "" && s != "" {
		hint = "did you mean " + s + "?"
	}
	return hint, err
}

func parseString(p *string, f *Field, text string) (string, error) {
	if f.Kind == Text {
		if why := f.check(text); why != "" {
			return "", fmt.Errorf("%s: %s", shown(text), why)
		}
		*p = text
		return "", nil
	}
	names := make([]string, len(f.Choices))
	for i, c := range f.Choices {
		if names[i] = c.Name; c.Name == text {
			*p = text
			return "", nil
		}
	}
	hint := ""
	if s := suggest(text, names); s != "" {
		hint = "did you mean " + s + "?"
	}
	return hint, fmt.Errorf("%s: unknown, want %s", shown(text), list(names))
}

func parseWholes(dst *[]int, f *Field, n *node) (string, error) {
	if n.shape != sequenceShape {
		return "", fmt.Errorf("%s, want %s", n.described(), f.want())
	}
	if len(n.items) < 2 {
		return "", fmt.Errorf("%d entries, want at least 2, such as [784, 128, 10]", len(n.items))
	}
	if len(n.items) > 1000 {
		return "", fmt.Errorf("%d entries, want at most 1000", len(n.items))
	}
	row := *f
	row.Kind = Whole
	out := make([]int, len(n.items))
	for i, item := range n.items {
		if hint, err := parseNode(&out[i], &row, item); err != nil {
			return hint, &entryError{item.at, fmt.Errorf("entry %d: %w", i+1, err)}
		}
	}
	*dst = out
	return "", nil
}

// An entryError is an error in one entry of a list, and where that stands.
type entryError struct {
	at span
	error
}

// parseWhole reads digits only. What YAML or a programming language would read
// differently is refused with both readings.
func parseWhole(s string) (int, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	digits := strings.TrimPrefix(s, "-")
	switch {
	case len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "01234567") == "":
		octal, _ := strconv.ParseInt(digits, 8, 64)
		return 0, fmt.Errorf("%s: leading zero, write %s (or %d if octal was meant)", shown(s), strings.TrimLeft(digits[:len(digits)-1], "0")+digits[len(digits)-1:], octal)
	case err == nil && !strings.HasPrefix(s, "+") && (digits[0] != '0' || len(digits) == 1):
		return int(v), nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s: too large for a whole number", shown(s))
	}
	if n, ok := meant(s); ok {
		return 0, fmt.Errorf("%s: not plain digits, write %s", shown(s), n)
	}
	return 0, fmt.Errorf("%s: want a whole number such as 8", shown(s))
}

// meant evaluates 0x10, 1e3, 8.0, 1_000 and the like, for advice.
func meant(s string) (string, bool) {
	if !numberText.MatchString(s) || len(s) > 20 {
		return "", false
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return strconv.FormatInt(v, 10), true
	}
	if i := strings.LastIndexAny(s, "eE"); i >= 0 && len(s)-i > 4 {
		return "", false
	}
	r, ok := new(big.Rat).SetString(strings.ReplaceAll(s, "_", ""))
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return "", false
	}
	return r.Num().String(), true
}

func parseSeed(s string) (uint64, error) {
	if v, err := strconv.ParseUint(s, 10, 64); err == nil && (s == "0" || s[0] != '0') {
		return v, nil
	}
	if _, err := parseWhole(s); err != nil && !strings.Contains(err.Error(), "too large") {
		return 0, err
	}
	return 0, fmt.Errorf("%s: want 0 to 18446744073709551615", shown(s))
}

// parseNumber reads a plain decimal number, with an exponent if it has one.
func parseNumber(s string) (float64, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(s, "-")), "e")
	if !decimalText.MatchString(mantissa) || len(s) > 40 || len(exponent) > 4 {
		return 0, fmt.Errorf("%s: want a number such as 0.1", shown(s))
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: want a number such as 0.1", shown(s))
	}
	if v == 0 {
		v = 0 // not -0
	}
	return v, nil
}

// bounded checks a value against the bounds of its field, which are written as in a file.
func (f *Field) bounded(v any, text string) error {
	if f.Min != "" && compare(v, f.Min) < 0 || f.Max != "" && compare(v, f.Max) > 0 {
		side := "too small"
		if f.Max != "" && compare(v, f.Max) > 0 {
			side = "too large"
		}
		return f.orWord(fmt.Errorf("%s: %s, want %s", shown(text), side, f.interval()))
	}
	return nil
}

func (f *Field) interval() string {
	switch {
	case f.Min == "":
		return "at most " + f.Max
	case f.Max == "":
		return "at least " + f.Min
	}
	return f.Min + " to " + f.Max
}

// compare compares the value that v points to with a bound.
func compare(v any, bound string) int {
	switch p := v.(type) {
	case *int:
		return against(*p, bound, parseWhole)
	case *float64:
		return against(*p, bound, parseNumber)
	case *unit.Bitrate:
		return against(*p, bound, unit.ParseBitrate)
	case *FLOPS:
		return against(*p, bound, ParseFLOPS)
	case *unit.Bytes:
		return against(*p, bound, unit.ParseBytes)
	case *unit.Duration:
		return against(*p, bound, unit.ParseDuration)
	case *unit.Length:
		return against(*p, bound, unit.ParseLength)
	case *unit.Ratio:
		r, err := unit.ParseRatio(bound)
		if err != nil {
			panic("scenario: bound " + bound)
		}
		return p.Cmp(r)
	}
	panic(fmt.Sprintf("scenario: bound %s on a %T", bound, v))
}

func against[T cmp.Ordered](v T, bound string, parse func(string) (T, error)) int {
	b, err := parse(bound)
	if err != nil {
		panic("scenario: bound " + bound + ": " + err.Error())
	}
	return cmp.Compare(v, b)
}

// formatValue prints a value as parseText reads it.
func formatValue(v any, f *Field) string {
	switch p := v.(type) {
	case *Opt[int]:
		return formatOpt(p, f)
	case *Opt[unit.Bytes]:
		return formatOpt(p, f)
	case *Opt[unit.Bitrate]:
		return formatOpt(p, f)
	case *Opt[unit.Duration]:
		return formatOpt(p, f)
	case *Opt[unit.Ratio]:
		return formatOpt(p, f)
	case *Opt[unit.Length]:
		return formatOpt(p, f)
	case *Opt[string]:
		return formatOpt(p, f)
	case *string:
		return *p
	case *float64:
		return strconv.FormatFloat(*p, 'g', -1, 64)
	case *Either[unit.Bytes]:
		return formatEither(p, f)
	case *Either[unit.Bitrate]:
		return formatEither(p, f)
	case *[]string:
		if len(*p) == 0 {
			return f.Word
		}
		return "[" + strings.Join(*p, ", ") + "]"
	case *[]int:
		return "[" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(*p), "[]")), ", ") + "]"
	case *unit.Bitrate:
		if f.Kind == ByteRate && *p%8 == 0 {
			t := unit.Bytes(*p/8).String() + "/s"
			if back, err := unit.ParseBitrate(t); err == nil && back == *p {
				return t
			}
		}
		return p.String()
	case *int:
		return strconv.Itoa(*p)
	case *uint64:
		return strconv.FormatUint(*p, 10)
	case *bool:
		return strconv.FormatBool(*p)
	case fmt.Stringer: // quantities, endpoints
		return p.String()
	}
	panic(fmt.Sprintf("scenario: field %s of type %T", f.Path, v))
}

func formatOpt[T any](p *Opt[T], f *Field) string {
	if !p.Set {
		return f.Word
	}
	return formatValue(&p.Value, f)
}

func formatEither[T any](p *Either[T], f *Field) string {
	if p.Word != "" {
		return p.Word
	}
	return formatValue(&p.Value, f)
}

// words lists the words that a field accepts instead of a value.
func (f *Field) words() []string {
	switch {
	case f.Word == "":
		return nil
	case f.Other == "":
		return []string{f.Word}
	}
	return []string{f.Word, f.Other}
}

// alsoWords adds the words that a field accepts to the text of what else it accepts.
func (f *Field) alsoWords(text string) string {
	if f.Other != "" {
		return text + ", " + f.Word + " or " + f.Other
	}
	return text + ", or " + f.Word
}

// want says what a field accepts.
func (f *Field) want() string {
	if f.example != "" {
		return f.example
	}
	if f.Kind == Name {
		names := make([]string, len(f.Choices))
		for i, c := range f.Choices {
			names[i] = c.Name
		}
		return list(names)
	}
	if f.Word != "" {
		return f.alsoWords(examples[f.Kind])
	}
	return examples[f.Kind]
}

// orWord adds the word that is accepted instead of a value.
func (f *Field) orWord(err error) error {
	if f.Word == "" {
		return err
	}
	return fmt.Errorf("%w%s", err, f.alsoWords(""))
}

// described says what a node is, for a message about a wrong type.
func (n *node) described() string {
	switch {
	case n.shape == mappingShape:
		return "keys and values"
	case n.shape == sequenceShape:
		return "a list"
	case n.quoted:
		return strconv.Quote(cut(n.text)) + ": text"
	case n.null():
		return "no value"
	case n.bool():
		return n.text + ": true or false"
	case n.number():
		return n.text + ": a number"
	}
	return shown(n.text) + ": text"
}

func quoteHint(n *node, f *Field) string {
	if f.Kind != Text {
		return ""
	}
	return "put it in quotes: \"" + n.text + "\""
}

func unquote(n *node, f *Field) string {
	probe := *n
	probe.quoted = false
	if n.quoted && (probe.bool() && f.Kind == Bool || probe.number() && f.Kind != Bool) {
		return "remove the quotes"
	}
	return ""
}
