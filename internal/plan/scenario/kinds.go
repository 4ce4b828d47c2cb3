package scenario

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
)

var rateUnits = []string{"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s", "B/s", "kB/s", "MB/s", "GB/s", "TB/s"}

// The kinds of values. Lists of mappings are in list.go.
var (
	whole = ordered(traits{
		name: Whole, want: "a whole number such as 8", reads: asNumber, forms: integer,
		written: "plain digits: 8; no sign, no exponent, no leading zero",
	}, parseWhole, strconv.Itoa)

	hexNumber = ordered(traits{
		name: HexNumber, want: "a number such as 0x123456", reads: asNumber, forms: hexForms,
		written: "hexadecimal digits after 0x: 0x000abc; or plain digits",
	}, parseHex, func(v int) string { return fmt.Sprintf("0x%04x", v) })

	seed = scalar(traits{name: Whole, want: whole.want, reads: asNumber, forms: seeds}, parseSeed, nil,
		func(v uint64) string { return strconv.FormatUint(v, 10) })

	number = ordered(traits{
		name: Number, want: "a number such as 0.1", reads: asNumber, forms: float,
		written: "a decimal number: 0.1 or 1e-3",
	}, parseNumber, func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) })

	boolean = scalar(traits{
		name: Bool, want: "true or false", reads: asBool, forms: only(Form{Type: "boolean"}),
		written: "true or false, in lower case, without quotes",
	}, parseBool, nil, strconv.FormatBool)

	choice = &kind[string]{
		traits: traits{
			name: Name, want: "a name", reads: asText, forms: choices,
			written: "one of the names listed with the key",
		},
		parse: parseChoice, format: asItIs, yaml: textYAML,
	}

	text = &kind[string]{
		traits: traits{
			name: Text, want: "text", reads: asText, forms: patterned,
			written: "as it is, or in quotes where YAML would read a number or true",
		},
		parse: parseChecked, format: asItIs, yaml: textYAML,
	}

	rate = ordered(traits{
		name: Rate, want: "a rate such as 400Gb/s", quantity: true, forms: withUnit, units: rateUnits,
		written: "400Gb/s (b is bits, B is bytes)",
	}, unit.ParseBitrate, unit.Bitrate.String)

	byteRate = ordered(traits{
		name: ByteRate, want: "a rate such as 50GB/s", quantity: true, forms: withUnit, units: rateUnits,
	}, unit.ParseBitrate, formatByteRate)

	computeRate = ordered(traits{
		name: ComputeRate, want: "a compute rate such as 495TFLOP/s", quantity: true, forms: withUnit,
		units:   []string{"FLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"},
		written: "495TFLOP/s",
	}, ParseFLOPS, FLOPS.String)

	byteCount = ordered(traits{
		name: ByteCount, want: "bytes such as 64MB", quantity: true, forms: withUnit,
		units:   []string{"B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"},
		written: "64MB (k, M, G are powers of 1000; Ki, Mi, Gi of 1024)",
	}, unit.ParseBytes, unit.Bytes.String)

	duration = ordered(traits{
		name: Time, want: "a time such as 10us", quantity: true, forms: withUnit,
		units:   []string{"ps", "ns", "us", "ms", "s", "min", "h"},
		written: "1.5us",
	}, unit.ParseDuration, unit.Duration.String)

	length = ordered(traits{
		name: Distance, want: "a length such as 20m", quantity: true, forms: withUnit,
		units:   []string{"mm", "cm", "m", "km"},
		written: "20m",
	}, unit.ParseLength, unit.Length.String)

	ratio = scalar(traits{
		name: Fraction, want: "a ratio such as 1/8, 7% or 0.07", quantity: true, forms: ratios,
		written: "1/8, 7% or 0.07",
	}, parseRatio, unit.Ratio.Cmp, unit.Ratio.String)

	endpoint = scalar(traits{
		name: End, want: "an endpoint such as host1/gpu0", reads: asText,
		forms:   only(Form{Type: "string", Pattern: endpointText.String()}),
		written: "hostN/gpuM or hostN/nicM: hosts count from 1, GPUs and NICs from 0",
	}, ParseEndpoint, nil, Endpoint.String)

	wholes = &kind[[]int]{
		traits: traits{
			name: WholeList, want: "a list of whole numbers such as [784, 128, 10]", forms: integers,
			written: "[784, 128, 10]",
		},
		parse:  wholesOf,
		list:   parseWholes,
		format: func(_ *Field, v []int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") },
	}

	names = &kind[[]string]{
		traits: traits{
			name: NameList, want: "a list of names such as [host1, leaf1, host2]",
			forms: only(Form{
				Type: "array", Entry: &Form{Type: "string", Pattern: nodePattern}, Least: minNames, Most: maxNames,
			}),
		},
		list: parseNames, parse: parseNoNames,
		format: listed(asItIs), yaml: listed(textYAML),
	}

	linkNames = &kind[[]string]{
		traits: traits{
			name: LinkNames, want: "a list of links such as [rail1/host2, rail*/spine1], or [all]",
			forms: only(Form{
				Type: "array", Entry: &Form{Type: "string", Pattern: linkPattern}, Least: 1, Most: maxNames,
			}),
			written: "[rail1/host2, rail*/spine1], or [all]",
		},
		list: parseLinks, parse: parseNoNames,
		format: listed(asItIs), yaml: listed(textYAML),
	}

	hosts, gpus = selection("host", 1), selection("gpu", 0)

	placement = &kind[Placement]{
		traits: traits{
			name: Places, want: "packed, rail-aligned, scattered, or a list such as [host1/gpu0, host2/gpu0]",
			forms: func(f *Field) []Form {
				return append(choices(f), Form{
					Type: "array", Entry: &Form{Type: "string", Pattern: gpuPattern}, Least: 1, Most: maxPlaces,
				})
			},
			written: "a name, or a list of GPUs: [host1/gpu0, host2/gpu0]",
		},
		list: parsePlaces, parse: parsePlacement,
		format: func(_ *Field, v Placement) string { return v.String() },
	}
)

// Kinds says how the values of each kind are written, for `list` and documentation.
func Kinds() []Choice {
	var all []Choice
	for _, k := range []anyKind{
		whole, wholes, hexNumber, number, boolean, choice, text, rate, computeRate, byteCount, duration, length, ratio, ends, sizes,
		linkNames, placement, hosts,
	} {
		t := k.facts()
		c := Choice{string(t.name), t.written}
		if t.units != nil {
			c.Meaning = "a number and a unit: " + t.written + "; units " + strings.Join(t.units, ", ")
		}
		all = append(all, c)
	}
	return all
}

// parseBool reads true and false.
func parseBool(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("%s: want true or false", located.Shown(text))
	}
	return text == "true", nil
}

// parseChecked reads text that the field has a check for.
func parseChecked(f *Field, text string) (v, hint string, err error) {
	if why := f.check(text); why != "" {
		return "", "", fmt.Errorf("%s: %s", located.Shown(text), why)
	}
	return text, "", nil
}

// parseChoice reads a name that the field knows.
func parseChoice(f *Field, text string) (v, hint string, err error) {
	known := f.names()
	if slices.Contains(known, text) {
		return text, "", nil
	}
	if name, ok := f.Synonyms[text]; ok {
		return name, "", nil
	}
	s := f.called[strings.ToLower(text)]
	if s == "" {
		s = suggest(text, known)
	}
	if s != "" {
		hint = "did you mean " + s + "?"
	}
	return "", hint, f.orWord(fmt.Errorf("%s: unknown, want %s", located.Shown(text), located.OneOf(known)))
}

// names returns the names of the choices.
func (f *Field) names() []string {
	all := make([]string, len(f.Choices))
	for i, c := range f.Choices {
		all[i] = c.Name
	}
	return all
}

func asItIs(_ *Field, v string) string { return v }

// formatByteRate prints a rate in bytes per second where that loses nothing.
func formatByteRate(v unit.Bitrate) string {
	if v%8 == 0 {
		t := unit.Bytes(v/8).String() + "/s"
		if back, err := unit.ParseBitrate(t); err == nil && back == v {
			return t
		}
	}
	return v.String()
}

// listed prints a list of names in brackets, no names as the word of the field.
func listed(format func(*Field, string) string) func(*Field, []string) string {
	return func(f *Field, v []string) string {
		if len(v) == 0 {
			return f.Word
		}
		parts := make([]string, len(v))
		for i, name := range v {
			parts[i] = format(f, name)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
}

// only is one form, whatever the field.
func only(form Form) func(*Field) []Form {
	return func(*Field) []Form { return []Form{form} }
}

func integer(f *Field) []Form {
	return []Form{{Type: "integer", Min: decimal(f.Min), Max: decimal(f.Max)}}
}

// float: to YAML 1.1 a number with an exponent and no point, such as 1e-3, is text.
func float(f *Field) []Form {
	return append(decimals(f), Form{Type: "string", Pattern: `^-?[0-9]+[eE]([-+][0-9]{1,3}|[0-9]{1,4})$`})
}

func decimals(f *Field) []Form {
	return []Form{{Type: "number", Min: decimal(f.Min), Max: decimal(f.Max)}}
}

// hexForms: to YAML 0x10 is a whole number.
func hexForms(f *Field) []Form {
	bound := func(text string) string {
		v, err := parseHex(text)
		if err != nil {
			panic("scenario: bound " + err.Error())
		}
		return strconv.Itoa(v)
	}
	return []Form{{Type: "integer", Min: bound(f.Min), Max: bound(f.Max)}}
}

func seeds(*Field) []Form {
	return []Form{{Type: "integer", Min: "0", Max: strconv.FormatUint(math.MaxUint64, 10)}}
}

func integers(f *Field) []Form {
	return []Form{{Type: "array", Entry: &integer(f)[0], Least: leastWholes(f), Most: maxWholes}}
}

func choices(f *Field) []Form {
	return []Form{{Type: "string", Names: append(f.names(), slices.Sorted(maps.Keys(f.Synonyms))...)}}
}

func patterned(f *Field) []Form { return []Form{{Type: "string", Pattern: f.pattern}} }

// withUnit: to YAML a number with a unit is text.
func withUnit(f *Field) []Form {
	units := strings.Join(f.value.kind.facts().units, "|")
	return []Form{{Type: "string", Pattern: `^\s*[0-9]+(\.[0-9]+)?\s*(` + units + `)\s*$`}}
}

// ratios: YAML reads 0.07 as a number, 7% and 1/8 as text; YAML 1.1 1e-3, too.
func ratios(f *Field) []Form {
	return append(decimals(f), Form{Type: "string",
		Pattern: `^\s*([0-9]+\s*/\s*0*[1-9][0-9]*|[0-9]+(\.[0-9]*)?(\s*%|[eE]-[0-9]+)?)\s*$`})
}

// decimal writes a bound as JSON does: 1/1000 is 0.001.
func decimal(bound string) string {
	if !strings.ContainsAny(bound, "/%") {
		return bound
	}
	r, err := unit.ParseRatio(bound)
	if err != nil {
		panic("scenario: bound " + bound)
	}
	return strconv.FormatFloat(r.Float(), 'f', -1, 64)
}
