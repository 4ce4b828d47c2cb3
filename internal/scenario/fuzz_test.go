package scenario

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"railyard/internal/located"

	"pgregory.net/rapid"
)

// FuzzParse: no panic, no hang; every problem points into the file; what parses
// prints as YAML that parses to an equal value. The schema agrees.
func FuzzParse(f *testing.F) {
	examples, _ := filepath.Glob("../../examples/*.yaml")
	for _, file := range examples {
		if src, err := os.ReadFile(file); err == nil {
			f.Add(src)
		}
	}
	golden, _ := filepath.Glob("testdata/*.txt")
	for _, file := range golden {
		raw, _ := os.ReadFile(file)
		for c := range strings.SplitSeq(string(raw), "\n====\n") {
			src, _, _ := strings.Cut(c, "\n----")
			f.Add([]byte(unescape(src)))
		}
	}
	schema := compileSchema(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, why := agree(schema, string(src)); why != "" {
			t.Fatal(why)
		}
		s, err := Parse("fuzz.yaml", src)
		if err == nil {
			s.Fields()
			s.Findings()
			roundTrip(t, s)
			return
		}
		lines := bytes.Split(bytes.TrimPrefix(src, located.BOM), []byte("\n"))
		for _, p := range err.(Problems) {
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len(lines[p.Line-1])+1 || p.Width < 1 {
				t.Fatalf("%s points outside the file", p)
			}
			if strings.ContainsAny(p.String(), "\n\r\x1b") {
				t.Fatalf("%q is not one line", p.String())
			}
		}
		err.(Problems).Render(&bytes.Buffer{}, src, true)
	})
}

// values draws valid texts for a field.
func drawValue(t *rapid.T, f *Field) string {
	pick := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, f.Path) }
	if f.Word != "" && rapid.Bool().Draw(t, "word") {
		return rapid.SampledFrom(f.words()).Draw(t, f.Path)
	}
	switch f.Kind {
	case Name:
		return f.Choices[rapid.IntRange(0, len(f.Choices)-1).Draw(t, f.Path)].Name
	case Bool:
		return pick("true", "false")
	case Whole:
		if f.Max == "" {
			return fmt.Sprint(rapid.Uint64().Draw(t, f.Path))
		}
		lo, _ := parseWhole(f.Min)
		hi, _ := parseWhole(f.Max)
		return fmt.Sprint(rapid.IntRange(lo, hi).Draw(t, f.Path))
	case WholeList:
		return fmt.Sprintf("[%d, %d]", rapid.IntRange(1, 9999).Draw(t, "in"), rapid.IntRange(1, 99).Draw(t, "out"))
	case NameList:
		return `[host1, leaf-1, "spine1#2", host2]`
	case Text:
		if f.Path == "link" {
			return pick("all", "rail1/spine1", `"rail1/spine1#2"`)
		}
		if f.Path == "name" {
			return rapid.StringMatching(`[a-z][a-z0-9-]{0,20}`).Draw(t, f.Path)
		}
		return quoteYAML(rapid.StringMatching(`[a-z0-9 ./\\"'#:~é{}\[\],&*!|>%@-]{1,12}x`).Draw(t, f.Path))
	case Number:
		return fmt.Sprint(rapid.Float64Range(0.001, 0.9).Draw(t, f.Path))
	case End:
		return fmt.Sprintf("host%d/%s0", rapid.IntRange(1, 4).Draw(t, f.Path), pick("gpu", "nic"))
	case Fraction:
		return fmt.Sprintf("%d/%d", rapid.IntRange(1, 99).Draw(t, "num"), rapid.IntRange(100, 1000).Draw(t, "den"))
	case ComputeRate:
		return fmt.Sprintf("%dGFLOP/s", rapid.IntRange(1, 2000000).Draw(t, f.Path))
	}
	n := rapid.IntRange(1, 999999).Draw(t, f.Path)
	units := map[Kind][]string{Rate: {"Mb/s", "kB/s"}, ByteRate: {"GB/s", "Gb/s"}, ByteCount: {"B", "kB", "KiB"}, Time: {"ps", "ns", "us"}, Distance: {"mm", "cm", "m"}}
	return fmt.Sprintf("%d%s", n, pick(units[f.Kind]...))
}

// Whatever fields a file gives, the resolved scenario prints and parses back.
func TestResolvedRoundTrip(t *testing.T) {
	accepted, tried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		values := map[string]string{}
		for _, f := range fields {
			if f.Kind == Group || listings[f.Kind] != nil || !rapid.Bool().Draw(t, "give "+f.Path) && !f.Required {
				continue
			}
			values[f.Path] = drawValue(t, f)
		}
		values["cluster.hosts"] = fmt.Sprint(rapid.IntRange(4, 4096).Draw(t, "hosts"))
		values["job.train.batch"] = fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "batch"))
		delete(values, "job.train.data") // digits stand for it
		delete(values, "job.train.data.digits.train")
		var flow strings.Builder
		flow.WriteString("background: {flows: [{")
		for i, f := range flowFields {
			if i > 0 {
				flow.WriteString(", ")
			}
			flow.WriteString(f.Path + ": " + drawValue(t, f))
		}
		flow.WriteString("}]}\n")
		tried++
		printed := dropRefused(values)
		for _, src := range []string{printed + flow.String(), printed} {
			if s, err := Parse("x.yaml", []byte(src)); err == nil {
				accepted++
				roundTrip(t, s)
				return
			}
		}
	})
	if accepted*2 < tried {
		t.Errorf("only %d of %d drawn scenarios were valid", accepted, tried)
	}
}

// dropRefused prints the values as a file, without those that rules between fields refuse.
func dropRefused(values map[string]string) string {
	for {
		var b strings.Builder
		printKeys(&b, tree, "", values)
		_, err := Parse("x.yaml", []byte(b.String()))
		if err == nil {
			return b.String()
		}
		dropped := false
		for _, p := range err.(Problems) {
			if _, ok := values[p.Path]; ok && !byPath[p.Path].Required {
				delete(values, p.Path)
				dropped = true
			}
		}
		if !dropped {
			return b.String()
		}
	}
}

func printKeys(b *strings.Builder, br *branch, indent string, values map[string]string) {
	for _, c := range br.children {
		if v, ok := values[c.field.Path]; ok {
			fmt.Fprintf(b, "%s%s: %s\n", indent, c.name, v)
			continue
		}
		var inner strings.Builder
		if printKeys(&inner, c, indent+"  ", values); inner.Len() > 0 {
			fmt.Fprintf(b, "%s%s:\n%s", indent, c.name, inner.String())
		}
	}
}
