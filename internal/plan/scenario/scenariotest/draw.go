package scenariotest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"railyard/internal/base/located"
	"railyard/internal/plan/scenario"
)

// Values draws valid texts for those fields of a scenario that give wants, by path. The job is a
// training: the keys of a replay and of a large model, which cannot stand beside it, are left out.
func Values(t *rapid.T, give func(f *scenario.Field) bool) map[string]string {
	values := map[string]string{}
	for _, f := range scenario.Table() {
		if f.Kind != scenario.Group && f.List() == nil && !strings.Contains(f.Path, "[]") &&
			!strings.HasPrefix(f.Path, "job.replay") && !strings.HasPrefix(f.Path, "job.model") && give(&f) {
			values[f.Path] = Value(t, &f)
		}
	}
	return values
}

// Value draws a valid text for a field, whatever the others are.
func Value(t *rapid.T, f *scenario.Field) string {
	pick := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, f.Path) }
	between := func(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, what+" of "+f.Path) }
	if f.Word != "" && rapid.Bool().Draw(t, "word") {
		return pick(f.Words()...)
	}
	switch f.Kind {
	case scenario.Name:
		return f.Choices[between("choice", 0, len(f.Choices)-1)].Name
	case scenario.Chosen:
		if strings.HasSuffix(f.Path, ".off") {
			return pick("[n1]", "[n1, n3-n4]")
		}
		word := strings.TrimSuffix(f.Path[strings.LastIndexByte(f.Path, '.')+1:], "s")
		return fmt.Sprintf("[%s1, %s2-%s3]", word, word, word)
	case scenario.Places:
		return pick("packed", "scattered", "rail-aligned", "[host1/gpu0, host2/gpu0]")
	case scenario.Bool:
		return pick("true", "false")
	case scenario.Whole:
		if f.Max == "" {
			return fmt.Sprint(rapid.Uint64().Draw(t, f.Path))
		}
		lo, _ := strconv.Atoi(f.Min)
		hi, _ := strconv.Atoi(f.Max)
		return fmt.Sprint(between("value", lo, hi))
	case scenario.WholeList:
		return fmt.Sprintf("[%d, %d]", between("in", 1, 9999), between("out", 1, 99))
	case scenario.NameList:
		return `[host1, leaf-1, "spine1#2", host2]`
	case scenario.LinkNames:
		return `[leaf1/host1, "leaf*/spine?"]`
	case scenario.HexNumber:
		return fmt.Sprintf("0x%x", between("value", 2, 0xffff))
	case scenario.Text:
		if strings.HasSuffix(f.Path, "name") {
			return rapid.StringMatching(`[a-z][a-z0-9-]{0,20}`).Draw(t, f.Path)
		}
		return strconv.Quote(rapid.StringMatching(`[a-z0-9 ./\\"'#:~é{}\[\],&*!|>%@-]{1,12}x`).Draw(t, f.Path))
	case scenario.Number:
		return fmt.Sprint(rapid.Float64Range(0.001, 0.9).Draw(t, f.Path))
	case scenario.End:
		return fmt.Sprintf("host%d/%s0", between("host", 1, 4), pick("gpu", "nic"))
	case scenario.EndList:
		host, number := pick("1", "4", "[1-3]", "[1,3-4]", "[*]"), pick("0", "0", "[*]")
		return fmt.Sprintf("\"host%s/%s%s\"", host, pick("gpu", "nic"), number)
	case scenario.SizeList:
		return pick("7MB", "[1kB, 2MB]", "[9B]", "websearch", "alistorage")
	case scenario.Fraction:
		return fmt.Sprintf("%d/%d", between("num", 1, 99), between("den", 100, 1000))
	case scenario.Money:
		return fmt.Sprintf("%d.%02d%s", between("whole", 0, 999), between("hundredths", 0, 99), pick("USD", "EUR"))
	case scenario.PowerOf:
		return fmt.Sprintf("%d%s", between("value", 1, 999), pick("W", "kW"))
	case scenario.ComputeRate:
		return fmt.Sprintf("%dGFLOP/s", between("value", 1, 2000000))
	}
	units := map[scenario.Kind][]string{
		scenario.Rate: {"Mb/s", "kB/s"}, scenario.ByteRate: {"GB/s", "Gb/s"}, scenario.ByteCount: {"B", "kB", "KiB"},
		scenario.Time: {"ps", "ns", "us"}, scenario.Distance: {"mm", "cm", "m"},
	}
	return fmt.Sprintf("%d%s", between("value", 1, 999999), pick(units[f.Kind]...))
}

// File prints values, by path, as a scenario file.
func File(values map[string]string) string {
	var b strings.Builder
	printKeys(&b, scenario.Keys(), "", "", values)
	return b.String()
}

// printKeys prints the values of the keys below k, whose paths begin with prefix.
func printKeys(b *strings.Builder, k *scenario.Key, prefix, indent string, values map[string]string) {
	for _, c := range k.Keys {
		if v, ok := values[prefix+c.Name]; ok {
			fmt.Fprintf(b, "%s%s: %s\n", indent, c.Name, v)
			continue
		}
		var inner strings.Builder
		if printKeys(&inner, c, prefix+c.Name+".", indent+"  ", values); inner.Len() > 0 {
			fmt.Fprintf(b, "%s%s:\n%s", indent, c.Name, inner.String())
		}
	}
}

// Accepted prints values as a scenario file, without those that rules between fields refuse. It
// takes them out of values too.
func Accepted(values map[string]string) string {
	required := map[string]bool{}
	for _, f := range scenario.Table() {
		required[f.Path] = f.Required
	}
	for {
		src := File(values)
		_, err := scenario.Parse("x.yaml", []byte(src))
		if err == nil {
			return src
		}
		dropped := false
		for _, p := range err.(located.Problems) {
			path := p.Path
			if _, ok := values[path]; !ok && path == "fabric.switch.buffer" { // a preset's, which is too small
				path = "fabric.switch.reserve"
			}
			if _, ok := values[path]; ok && !required[path] {
				delete(values, path)
				dropped = true
			}
		}
		if !dropped {
			return src
		}
	}
}

// OneSource leaves a training one of the things that it may learn from, with what that needs.
func OneSource(t *rapid.T, values map[string]string) {
	const at = "job.train.data"
	delete(values, at)
	from := rapid.SampledFrom([]string{"digits.dir", "shapes.dir", "images.dir", "text.path", "text.grammar.seed"}).Draw(t, "data")
	group, key, _ := strings.Cut(from, ".")
	for path := range values {
		if strings.HasPrefix(path, at+".") && !strings.HasPrefix(path, at+"."+group+".") {
			delete(values, path)
		}
	}
	delete(values, at+"."+group+".train")
	values[at+"."+from] = "d"
	switch key {
	case "grammar.seed":
		delete(values, at+".text.path")
		values[at+"."+from] = "3"
	case "path":
		for path := range values {
			if strings.HasPrefix(path, at+".text.grammar.") {
				delete(values, path)
			}
		}
	}
}

// OneModel leaves a training a kind of network that can learn from what is there, and layers or a file
// only to the kind that has them.
func OneModel(t *rapid.T, values map[string]string) {
	const at = "job.train"
	model, given := values[at+".model"]
	text := slices.ContainsFunc(slices.Collect(maps.Keys(values)), func(path string) bool {
		return strings.HasPrefix(path, at+".data.text.")
	})
	if given && !text {
		model = rapid.SampledFrom([]string{"mlp", "cnn", "file"}).Draw(t, "model")
		values[at+".model"] = model
	}
	if given && model != "mlp" {
		delete(values, at+".layers")
	}
	if delete(values, at+".network"); model == "file" {
		values[at+".network"] = "net.txt"
	}
	if values[at+".gpt.size"] != "" { // which is seldom a multiple of the heads
		values[at+".gpt.head_size"] = "8"
	}
	if values[at+".gpt.experts.count"] != "" && values[at+".gpt.experts.count"] != "none" {
		delete(values, at+".gpt.experts.every") // of few blocks
		delete(values, at+".gpt.experts.top")   // of few experts
	}
	if image := at + ".cnn.image"; values[image] != "" {
		values[image] = "[3, 32, 16]"
	}
}

// Draw draws a scenario file that is valid, or has one value that is not.
func Draw(t *rapid.T) string {
	values := Values(t, func(f *scenario.Field) bool {
		return f.Path != "job.train.data" && rapid.IntRange(0, 5).Draw(t, "give "+f.Path) == 0
	})
	maps.Copy(values, map[string]string{
		"cluster.hosts": "8", "job.train.layers": "[784, 10]", "job.train.batch": "2", "job.train.lr": "0.1",
	})
	OneSource(t, values)
	OneModel(t, values)
	delete(values, "job.parallel.dp")
	src := Accepted(values)
	if rapid.Bool().Draw(t, "whole") {
		return src
	}
	path := rapid.SampledFrom(slices.Sorted(maps.Keys(values))).Draw(t, "which")
	values[path] = rapid.SampledFrom([]string{
		"400", "-1", "0.5", "1e300", "true", "nonsense", "10 furlongs", `"4"`, "[1]", "[]", "{a: 1}", "{}", "~",
		"99999999999999999999",
	}).Draw(t, "broken")
	return File(values)
}
