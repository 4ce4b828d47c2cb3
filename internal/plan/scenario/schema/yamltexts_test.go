package schema

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"railyard/internal/plan/scenario"
	"railyard/internal/plan/scenario/scenariotest"
)

// A host is a good file of a kind, in which a key may be given.
type host struct {
	list   string            // where the entry is whose keys are in values; empty: the keys of the file are
	values map[string]string // by path below list
	around string            // what else is in the file, with %s for the entry
}

// with prints the file with one value more.
func (h *host) with(path, value string) string {
	values := maps.Clone(h.values)
	values[strings.TrimPrefix(path, h.list+".")] = value
	if h.list == "" {
		return scenariotest.File(values) + h.around
	}
	var top []string
	nested := map[string][]string{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if group, below, deep := strings.Cut(key, "."); deep {
			nested[group] = append(nested[group], below+": "+values[key])
		} else {
			top = append(top, key+": "+values[key])
		}
	}
	for _, group := range slices.Sorted(maps.Keys(nested)) {
		top = append(top, group+": {"+strings.Join(nested[group], ", ")+"}")
	}
	return fmt.Sprintf(h.around, "{"+strings.Join(top, ", ")+"}")
}

// hosts are those of scenarios.
func hosts() []host {
	const cluster, flow = "cluster: {hosts: 2}\n", "{from: host1/gpu0, to: host2/gpu0, bytes: 1MB}"
	const flows = "job: {flows: [" + flow + "]}\n"
	all := []host{
		{"", map[string]string{"cluster.hosts": "2"}, flows},
		{"job.flows[]", map[string]string{"from": "host1/gpu0", "to": "host2/gpu0", "bytes": "1MB"}, cluster + "job: {flows: [%s]}\n"},
		{"job.flows[]", map[string]string{"from": "host1/gpu0", "to": "host2/gpu0", "bytes": "1MB", "count": "2", "every": "1ms"},
			cluster + "job: {flows: [%s]}\n"},
		{"faults[]", map[string]string{"link": "rail1/host1", "at": "1ms", "down": "1ms"}, cluster + flows + "faults: [%s]\n"},
		{"faults[]", map[string]string{"link": "rail1/host1", "at": "1ms", "for": "1ms"}, cluster + flows + "faults: [%s]\n"},
		{"fabric.links.named[]", map[string]string{"link": "rail1/host1"}, cluster + flows + "fabric: {links: {named: [%s]}}\n"},
		{"fabric.switches[]", map[string]string{"match": "rail1"}, cluster + flows + "fabric: {switches: [%s]}\n"},
		{"cluster.slow[]", map[string]string{"rank": "0", "factor": "1.5"}, "cluster: {hosts: 2, slow: [%s]}\n" +
			"job: {train: {layers: [784, 10], batch: 16, lr: 0.1, data: d}}\n"},
		{"job.collectives[]", map[string]string{"op": "all-reduce", "bytes": "1MB"}, cluster + "job: {collectives: [%s]}\n"},
		{"job.replay.buckets[]", map[string]string{"bytes": "1MB"}, cluster + "job: {replay: {buckets: [%s]}}\n"},
	}
	for _, given := range deciding() {
		values := map[string]string{"cluster.hosts": "2", "job.train.batch": "2", "job.train.lr": "0.1",
			"job.train.data.text.path": "d"}
		maps.Copy(values, given)
		if m := values["job.train.model"]; m == "" || m == "mlp" {
			values["job.train.layers"] = "[784, 10]"
		}
		all = append(all, host{"", values, ""})
	}
	for _, f := range scenario.Table() {
		if strings.HasPrefix(f.Path, "job") || strings.Contains(f.Path, "[]") {
			continue
		}
		for _, c := range f.Choices {
			all = append(all, host{"", map[string]string{"cluster.hosts": "2", f.Path: c.Name}, flows})
		}
	}
	return all
}

// yamlTexts are ways to write numbers, flags, nothing, times and texts, which versions of YAML and its readers take for
// different things.
var yamlTexts = []string{
	// whole numbers
	"8", "0", "-0", "+0", "+1", "-1", "- 1", "00", "007", "08", "017", "-017", "+017", "0o17", "0O17", "-0o17",
	"0o8", "0o", "0o_1",
	"0b1", "0B1", "-0b1", "0b2", "0b", "0b1_0", "0x1F", "0X1F", "-0x1", "+0x1", "0x", "0X", "0x_", "0x_1",
	"0xab_", "0x1__2", "0xg", "0x1.8",
	"0x1p4", "0x1P-2", "0x100000000", "0x7fffffffffffffff", "0xffffffffffffffff", "0x10000000000000000",
	"1_000", "1__0", "_1", "1_", "-1_0", "1_000.5", "9223372036854775807", "9223372036854775808",
	"-9223372036854775809",
	"18446744073709551615", "18446744073709551616", "99999999999999999999999999999999999999999", "1:30",
	"190:20:30", "1 000", "1,000", "1'000",
	"٣", "１", "²", "½",
	// other numbers
	"8.0", "8.", "0.5", ".5", "-.5", "+.5", "+0.5", "-0.5", "00.5", "01.5", "0.50", "1._5", "1_0.5", "1.5_",
	".5_", "._5", ".", "..", "1.2.3", "-.", "+",
	"+-8", "-+8", "--8", "+-1.5", "0_x8", "-0_x8", "0_o7", "0_b1", "-_8", "+_8", "0X1.8p3", "0X1p3", "1.5e1_0",
	"1.5e_3", "[+-8]", "[0_x8]",
	"1e3", "1E3", "5.e-3", "1e-0003", "1e0012", "1e-00000000012", "007e-1", "1e-15 ", "'1e-3'", "-1e-3", "1e+3",
	"1e-3", "+1e3", "1.e3", ".5e1", "1e", "1e+", "e3", "1e03", "1e0_3", "1_0e3", "1e308", "1e309", "-1e309",
	"1e-400", "1e99999",
	"0e0", "0.0", "-0.0", "0x1e3", "12e03", ".inf", "-.inf", "+.inf", ".Inf", ".INF", ".iNf", ".nan", ".NaN",
	".NAN", "-.nan", "inf", "nan", "Infinity", "NaN",
	// nothing
	"", "~", "null", "Null", "NULL", "nULL", "nil", "none", "None", "NONE", "undefined", "''", `""`, "'~'",
	`"null"`, "# 8", "~ # 8",
	// flags
	"true", "True", "TRUE", "tRUE", "false", "False", "FALSE", "yes", "Yes", "YES", "no", "No", "NO", "on", "On",
	"ON", "off", "Off", "OFF", "y", "Y", "n", "N",
	"t", "f", "'true'", `"false"`,
	// times, tags, anchors, merges, blocks
	"2001-01-01", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43", "12:30", "12:30:45", "2001-1-1",
	`!!int "3"`, "!!int 3", "!!float 3", "!!str 3", "!!bool yes", "!!null x", "!!binary aGk=",
	"!!timestamp 2001-01-01", "!local 3", "! 3", "!",
	"!!set {a}", "&a 3", "&a", "*a", "{<<: {a: 1}}", "<<", "=", "|\n  3", ">\n  3", "|-", "? a", "- 3", "-",
	"--- 3", "...", "%3", "@3", "`3", "`",
	// quotes, brackets and blanks
	`"8"`, "'8'", "'0x8'", `"0.5"`, `"\x38"`, `"8\n"`, `" 8 "`, "8 ", "8 # eight", "8#", "#8", "'8", `"8`, "8'",
	"\u00a08", "8\u00a0", "\u20038", "8\u200b",
	"[]", "[8]", "[ 8 ]", "[8, 8]", "[8,]", "[,]", "[~]", "[0x8]", "[0o17]", "[1_0]", "[.inf]", "[true]", "['8']",
	"[[8]]", "[a: 1]", "{}", "{a: 1}", "{8}", "{8: 8}",
	"8: 8", "a: b", "8:", "8]", "8}", "8,", ": 8", ":8", "? 8", "*", "&", "|", ">", "'", `"`, "host1/gpu0",
	"'host1/gpu0'", "[host1/gpu0]", "[host1/gpu0, host2/gpu0]",
	"[all]", "all", "[host1]", "[0]", "[gpu0]", "auto", "Auto", "'none'", `"auto"`, "packed", "[none]", "[auto]",
	// quantities
	"8B", "8 B", " 8B", "8kB", "8KB", "8kb", "8Kib", "08kB", "008 kB", "0x8B", "8_0B", "+8B", "-8B", ".5kB",
	"0.5kB", "0.kB", "1e3B", "8.5B", "8,5kB", "8BB",
	"8\u00a0kB", "8'kB'", "'8kB'", `"8kB"`, "'8 kB '", "[8kB]", "[8kB, 9kB]", "8 kB # b", "8k", "8M", "8MiB",
	"99999999999TB", "0B", "00B", "8us", "8µs", "8μs", "8 us", "8min", "0s",
	"1.5us", "1h30m", "8Gb/s", "8 Gb/s", "8Gbps", "8Gb", "8GB/s", "08Gb/s", "8 Gb / s", "8m", "8 km", "8TFLOP/s",
	"8TFLOPS", "0.1ps", "0.0001ps", "8.000000000000000001us",
	// ratios
	"1/8", "1 / 8", "1/0", "1/00", "0/1", "01/08", "1/-8", "-1/8", "+1/8", "1/8.0", "1.0/8", "1//8", "1/8/2",
	"7%", "7 %", "0.07%", "7.%", ".7%", "07%", "100%", "101%", "-7%", "+7%",
	"1_0%", "1e1%", "1/8%", "%", "'7%'", `"1/8"`, "'0.07'", "1/99999999999999999999", "0.0000000000001", "1e-12",
	"1e-15", "1e-16", "1e-13", "0.3333333333333333333",
	"1000000001", "1e10", "1e9", "1_000000000", "7\u00a0%", "1/\u00a08",
}

// Whatever stands at a key, numbers, flags and nothing as versions of YAML write them, the schema takes what the decoder
// takes, and refuses what it refuses. A drawn part in the quick test, at one key of each kind with each word;
// RAILYARD_EDITS=all takes all texts at all keys.
func TestSchemaAgreesOnYAMLTexts(t *testing.T) {
	schema, hosts, draw := compileSchema(t), hosts(), rand.New(rand.NewPCG(2, 2))
	share, all := 0.15, os.Getenv("RAILYARD_EDITS") == "all"
	if all {
		share = 1
	}
	seen, taken, refused := map[string]bool{}, 0, 0
	for _, f := range scenario.Table() {
		kind := fmt.Sprint(f.Kind, f.Words(), strings.Contains(f.Path, "[]"))
		if f.Kind == scenario.Group || f.List() != nil || seen[kind] && !all {
			continue
		}
		h := hostOf(hosts, &f)
		if h == nil {
			continue
		}
		seen[kind] = true
		for _, text := range yamlTexts {
			if draw.Float64() >= share && text != "1e-3" && text != "none" { // which have shown most
				continue
			}
			src := h.with(f.Path, text)
			if _, why := agree(schema, src); why != "" {
				t.Errorf("%s: %q: %.400s", f.Path, text, why)
			}
			if _, err := scenario.Parse("x.yaml", []byte(src)); err == nil {
				taken++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d kinds, %d taken, %d refused", len(seen), taken, refused)
	if len(seen) < 50 || taken < 50 || refused < 1000 {
		t.Errorf("%d kinds, %d taken and %d refused: too few to compare", len(seen), taken, refused)
	}
}

// hostOf returns a file in which a key may have its default or what it has there, nil if there is none.
func hostOf(hosts []host, f *scenario.Field) *host {
	list := ""
	if i := strings.LastIndex(f.Path, "[]"); i >= 0 {
		list = f.Path[:i+2]
	}
	for i := range hosts {
		h := &hosts[i]
		value := cmp.Or(example(f), h.values[strings.TrimPrefix(f.Path, h.list+".")])
		if h.list != list || value == "" {
			continue
		}
		if _, err := scenario.Parse("x.yaml", []byte(h.with(f.Path, value))); err == nil {
			return h
		}
	}
	return nil
}
