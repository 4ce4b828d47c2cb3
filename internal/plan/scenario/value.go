package scenario

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// refuse refuses a node that is not a scalar, or that YAML reads as another type than the field's.
func refuse(f *Field, n *node) (hint string, err error) {
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
	wrong, reads := false, f.value.kind.facts().reads
	if (reads == asNumber || reads == asAny) && !n.quoted && oddNumber(n.text) {
		return "", fmt.Errorf("%s: not plain digits, want %s", located.Shown(n.text), f.want())
	}
	switch reads {
	case asNumber:
		wrong = n.quoted && n.text != f.Word || n.bool()
	case asBool:
		wrong = n.text != f.Word && (n.quoted || !n.bool())
	case asText:
		wrong = n.number() || n.bool()
	case asAny:
		wrong = n.bool()
	}
	if !wrong {
		return "", nil
	}
	return n.otherType(f), fmt.Errorf("%s, want %s", n.described(), f.want())
}

// otherType says how to make YAML read a node as the type of a field.
func (n *node) otherType(f *Field) string {
	bare := *n
	bare.quoted = false
	switch reads := f.value.kind.facts().reads; {
	case f.Kind == Text:
		return "put it in quotes: \"" + n.text + "\""
	case n.quoted && (reads == asNumber && bare.number() || reads == asBool && bare.bool()):
		return "remove the quotes"
	}
	return ""
}

// Bounds of a list of whole numbers.
const maxWholes = 1000

// leastWholes is how many a field wants at least: layers have inputs and outputs.
func leastWholes(f *Field) int {
	if f.Required {
		return 2
	}
	return 1
}

// wholesOf reads a list of whole numbers from a text such as [8, 16], as defaults are written.
func wholesOf(f *Field, text string) (all []int, hint string, err error) {
	for part := range strings.SplitSeq(strings.Trim(text, "[]"), ",") {
		n, err := parseWhole(strings.TrimSpace(part))
		if err != nil {
			return nil, "", err
		}
		all = append(all, n)
	}
	return all, "", nil
}

// parseWholes reads a list of whole numbers, with the bounds of the field for each.
func parseWholes(f *Field, n *node) ([]int, string, error) {
	if n.shape != sequenceShape {
		return nil, "", fmt.Errorf("%s, want %s", n.described(), f.want())
	}
	if least := leastWholes(f); len(n.items) < least {
		return nil, "", fmt.Errorf("%d entries, want at least %d, such as [784, 128, 10]", len(n.items), least)
	}
	if len(n.items) > maxWholes {
		return nil, "", fmt.Errorf("%d entries, want at most %d", len(n.items), maxWholes)
	}
	entry := *f
	entry.Kind, entry.value.kind = Whole, whole
	all := make([]int, len(n.items))
	for i, item := range n.items {
		if hint, err := entry.parseNode(&all[i], item); err != nil {
			return nil, hint, &entryError{item.at, fmt.Errorf("entry %d: %w", i+1, err)}
		}
	}
	return all, "", nil
}

// An entryError is an error in one entry of a list, and where that stands.
type entryError struct {
	at span
	error
}

// parseHex reads a number in hexadecimal digits after 0x, or in plain digits.
func parseHex(s string) (int, error) {
	digits, hex := strings.CutPrefix(s, "0x")
	if !hex {
		return parseWhole(s)
	}
	v, err := strconv.ParseUint(digits, 16, 63)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s: too large for a whole number", located.Shown(s))
	case err != nil:
		return 0, fmt.Errorf("%s: not hexadecimal digits after 0x, want a number such as 0x123456", located.Shown(s))
	}
	return int(v), nil
}

// parseWhole reads digits only. What YAML or a programming language would read
// differently is refused with both readings.
func parseWhole(s string) (int, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	digits := strings.TrimPrefix(s, "-")
	switch {
	case len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "01234567") == "":
		octal, _ := strconv.ParseInt(digits, 8, 64)
		return 0, fmt.Errorf("%s: leading zero, write %s (or %d if octal was meant)", located.Shown(s),
			strings.TrimLeft(digits[:len(digits)-1], "0")+digits[len(digits)-1:], octal)
	case err == nil && !strings.HasPrefix(s, "+") && (digits[0] != '0' || s == "0"): // nothing has a sign if it is 0
		return int(v), nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s: too large for a whole number", located.Shown(s))
	}
	if n, ok := meant(s); ok {
		return 0, fmt.Errorf("%s: not plain digits, write %s", located.Shown(s), n)
	}
	return 0, fmt.Errorf("%s: want a whole number such as 8", located.Shown(s))
}

// meant evaluates 0x10, 1e3, 8.0, 1_000 and the like, for advice.
func meant(s string) (string, bool) {
	if !numberText.MatchString(s) || len(s) > 20 {
		return "", false
	}
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return strconv.FormatInt(v, 10), true
	}
	r, ok := rational(s)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return "", false
	}
	return r.Num().String(), true
}

// rational returns the value of a number without a large exponent.
func rational(s string) (*big.Rat, bool) {
	if i := strings.LastIndexAny(s, "eE"); i >= 0 && len(s)-i > 4 {
		return nil, false
	}
	return new(big.Rat).SetString(strings.ReplaceAll(s, "_", ""))
}

// parseRatio reads a ratio. What YAML takes for a number and unit.ParseRatio for none is refused with what it means.
func parseRatio(s string) (unit.Ratio, error) {
	r, err := unit.ParseRatio(s)
	if err == nil || !numberText.MatchString(s) || strings.ContainsAny(s, "nN") { // .inf, .nan
		return r, err
	}
	if v, ok := rational(s); ok {
		if v.Cmp(big.NewRat(1e9, 1)) > 0 {
			return r, fmt.Errorf("%s: too large for a ratio", located.Shown(s))
		}
		if n, exact := v.FloatPrec(); exact && n <= 12 {
			return r, fmt.Errorf("%s: not plain digits, write %s", located.Shown(s), v.FloatString(n))
		}
	}
	return r, fmt.Errorf("%s: finer than a ratio is read, want at most 12 digits after the point, or 1e-12, down to 1e-15",
		located.Shown(s))
}

func parseSeed(s string) (uint64, error) {
	if v, err := strconv.ParseUint(s, 10, 64); err == nil && (s == "0" || s[0] != '0') {
		return v, nil
	}
	if _, err := parseWhole(s); err != nil && !strings.Contains(err.Error(), "too large") {
		if v, odd := strconv.ParseUint(s, 0, 64); odd == nil && v > math.MaxInt64 {
			err = fmt.Errorf("%s: not plain digits, write %d", located.Shown(s), v)
		}
		return 0, err
	}
	return 0, fmt.Errorf("%s: want 0 to 18446744073709551615", located.Shown(s))
}

// parseNumber reads a plain decimal number, with an exponent if it has one.
func parseNumber(s string) (float64, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(s, "-")), "e")
	if !decimalText.MatchString(mantissa) || len(s) > 40 || len(exponent) > 4 {
		return 0, fmt.Errorf("%s: want a number such as 0.1", located.Shown(s))
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: want a number such as 0.1", located.Shown(s))
	}
	if v == 0 {
		v = 0 // not -0
	}
	return v, nil
}

// interval says what the bounds are.
func (f *Field) interval() string {
	switch {
	case f.Min == "":
		return "at most " + f.Max
	case f.Max == "":
		return "at least " + f.Min
	}
	return f.Min + " to " + f.Max
}

// Words lists the words that a field accepts instead of a value.
func (f *Field) Words() []string {
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
	switch {
	case f.example != "":
		return f.example
	case f.Kind == Name:
		return located.OneOf(f.names())
	case f.Kind == Group:
		return "keys and values"
	}
	want := f.value.kind.facts().want
	if f.Word != "" {
		return f.alsoWords(want)
	}
	return want
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
		return strconv.Quote(located.Cut(n.text)) + ": text"
	case n.null():
		return "no value"
	case n.bool():
		return n.text + ": true or false"
	case n.number():
		return n.text + ": a number"
	}
	return located.Shown(n.text) + ": text"
}
