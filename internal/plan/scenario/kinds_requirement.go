package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

// Kinds that only a requirement has.
var (
	power = ordered(traits{
		name: PowerOf, want: "a power such as 14.3kW", quantity: true, forms: withUnit,
		units: []string{"mW", "W", "kW", "MW"}, written: "14.3kW",
	}, unit.ParsePower, unit.Power.String)

	rackUnits = ordered(traits{
		name: RackUnits, want: "rack units such as 8U", quantity: true, forms: withUnit, units: []string{"U"}, written: "8U",
	}, parseRackUnits, RackUnit.String)

	amount = scalar(traits{
		name: Money, want: "a price such as 1250.50USD", quantity: true, reads: asText,
		forms:   only(Form{Type: "string", Pattern: `^[0-9]{1,12}(\.[0-9]{1,2})?[A-Z]{3}$`}),
		written: "1250.50USD: a number and three capital letters (ISO 4217)",
	}, parseAmount, nil, Amount.String)

	// choiceList is a list of choices, in brackets.
	choiceList = &kind[[]string]{
		traits: traits{name: ChoiceList, want: "a list of names", forms: func(f *Field) []Form {
			return []Form{{Type: "array", Entry: &Form{Type: "string", Names: f.names()}, Least: 1, Most: len(f.Choices)}}
		}},
		parse: func(f *Field, _ string) ([]string, string, error) { return f.names(), "", nil },
		list:  parseChoiceList, format: listed(asItIs), yaml: listed(textYAML),
	}

	modelList = listOf[Model](ModelList, "model", "models[]", "- {name: mine, ports: 64, rate: 400Gb/s}", switchModelFields,
		modelTree)
	priceList = listOf[Price](PriceList, "price", "prices[]", "- {item: tomahawk4, each: 45000USD}", priceFields, priceTree)
)

// parseRackUnits reads 8U.
func parseRackUnits(s string) (RackUnit, error) {
	digits, ok := strings.CutSuffix(s, "U")
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	if !ok || err != nil || n < 0 {
		return 0, fmt.Errorf("%s: want rack units such as 8U", located.Shown(s))
	}
	return RackUnit(n), nil
}

// parseAmount reads 45000USD or 1250.50EUR.
func parseAmount(s string) (a Amount, err error) {
	wrong := fmt.Errorf("%s: want a price such as 1250.50USD", located.Shown(s))
	if len(s) < 4 || strings.Trim(s[len(s)-3:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return a, wrong
	}
	whole, cents, dot := strings.Cut(s[:len(s)-3], ".")
	if len(whole) == 0 || len(whole) > 12 || strings.Trim(whole+cents, "0123456789") != "" || len(cents) > 2 ||
		dot && cents == "" {
		return a, wrong
	}
	for len(cents) < 2 {
		cents += "0"
	}
	n, err := strconv.ParseInt(whole+cents, 10, 64)
	if err != nil {
		return a, wrong
	}
	return Amount{n, s[len(s)-3:]}, nil
}

// String prints what parseAmount reads back.
func (a Amount) String() string {
	text := strconv.FormatInt(a.Hundredths/100, 10)
	if cents := a.Hundredths % 100; cents != 0 {
		text += fmt.Sprintf(".%02d", cents)
	}
	return text + a.Currency
}

// parseChoiceList reads a list of choices, each once.
func parseChoiceList(f *Field, n *node) ([]string, string, error) {
	if n.shape != sequenceShape || len(n.items) == 0 {
		return nil, "", fmt.Errorf("%s, want a list of %s", n.described(), located.OneOf(f.names()))
	}
	var all []string
	for i, item := range n.items {
		if item.shape != scalarShape || !slices.Contains(f.names(), item.text) {
			hint := ""
			if s := suggest(item.text, f.names()); s != "" {
				hint = "did you mean " + s + "?"
			}
			return nil, hint, &entryError{item.at, fmt.Errorf("entry %d: %s: unknown, want %s", i+1,
				located.Shown(item.text), located.OneOf(f.names()))}
		}
		if slices.Contains(all, item.text) {
			return nil, "", &entryError{item.at, fmt.Errorf("entry %d: %s: twice", i+1, item.text)}
		}
		all = append(all, item.text)
	}
	return all, "", nil
}
