package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/net/traffic"
)

// FlowEntry is an entry of a list of flows: one flow, or a shorthand that makes several.
type FlowEntry struct {
	Flow // what all its flows have; their names, ends and sizes are below

	Pattern  Opt[string] // see FlowPatterns; not set: one flow
	From, To Ends
	Sizes    Sizes
	Number   Opt[int] // of flows; not set: all that the pattern has
	Load     Opt[unit.Ratio]
	During   Opt[unit.Duration]
	Off      Selection // by place among its flows; nil: none

	first, made int // of the flows of the list
	plain       bool
}

// AutoName is the name of an entry whose flows are named by their number in the list.
const AutoName = "auto"

// FlowPatterns are who sends to whom.
var FlowPatterns = []Choice{
	{"each", "each end of from sends to each of to that is on another host"},
	{"incast", "each end of from that is on another host sends to the one of to"},
	{"pairs", "the first end of from sends to the first of to, the second to the second, and so on"},
	{"permutation", "each end of from sends to one of them on another host and receives from one, drawn by the seed"},
	{"all-to-all", "each end of from sends to each of them on another host"},
}

// SizeDistributions are published distributions of sizes.
var SizeDistributions = func() (all []Choice) {
	for _, d := range traffic.Distributions {
		all = append(all, Choice{d.Name, d.Meaning})
	}
	return all
}()

// within reports whether senders and receivers of the pattern are the same ends.
func (e *FlowEntry) within() bool {
	return e.Pattern.Value == "permutation" || e.Pattern.Value == "all-to-all"
}

// Ends are some GPUs or NICs, of each of some hosts: host[2-17]/gpu0.
type Ends struct {
	Hosts, Numbers Selection // nil: all
	NIC            bool
}

// one is the ends that are a single one.
func one(e Endpoint) Ends {
	n := max(e.GPU, e.NIC)
	return Ends{Selection{{e.Host, e.Host}}, Selection{{n, n}}, e.NIC >= 0}
}

// single returns the end that it is alone.
func (e Ends) single() (Endpoint, bool) {
	alone := func(s Selection) bool { return len(s) == 1 && s[0].First == s[0].Last }
	if !alone(e.Hosts) || !alone(e.Numbers) {
		return Endpoint{}, false
	}
	return e.end(e.Hosts[0].First, e.Numbers[0].First), true
}

func (e Ends) end(host, number int) Endpoint {
	if e.NIC {
		return Endpoint{host, -1, number}
	}
	return Endpoint{host, number, -1}
}

// in lists the ends in a cluster, host by host.
func (e Ends) in(s *Scenario) (all []Endpoint) {
	n := s.Cluster.Host.GPUs
	if e.NIC {
		n = s.NICsPerHost()
	}
	numbers := e.Numbers.Of(n)
	for _, host := range e.Hosts.Of(s.Cluster.Hosts) {
		for _, k := range numbers {
			all = append(all, e.end(host, k))
		}
	}
	return all
}

// count returns how many ends there are in a cluster.
func (e Ends) count(s *Scenario) int {
	n := s.Cluster.Host.GPUs
	if e.NIC {
		n = s.NICsPerHost()
	}
	return e.Hosts.count(s.Cluster.Hosts) * e.Numbers.count(n)
}

// last is the end with the highest numbers that are written.
func (e Ends) last() Endpoint { return e.end(max(e.Hosts.last(), 0), max(e.Numbers.last(), 0)) }

// String returns the text that parseEnds reads.
func (e Ends) String() string {
	what := "gpu"
	if e.NIC {
		what = "nic"
	}
	return "host" + e.Hosts.numbered(1) + "/" + what + e.Numbers.numbered(0)
}

// numbered writes a selection as ends have it: 3, [2-17,20] or [*].
func (s Selection) numbered(base int) string {
	if s == nil {
		return "[*]"
	}
	parts := make([]string, len(s))
	for i, p := range s {
		if parts[i] = fmt.Sprint(p.First + base); p.Last > p.First {
			parts[i] += fmt.Sprint("-", p.Last+base)
		}
	}
	if len(s) == 1 && s[0].First == s[0].Last {
		return parts[0]
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// endsPattern is what parseEnds reads, but for the order of spans: hosts count from 1, the others from 0.
var endsPattern = "^host" + numbersPattern("[1-9][0-9]{0,6}") + "/(gpu|nic)" + numbersPattern("(0|[1-9][0-9]{0,6})") + "$"

// numbersPattern is a number, spans of numbers in brackets, or [*].
func numbersPattern(number string) string {
	span := " *" + number + "(-" + number + ")? *"
	return "(" + number + `|\[(\*|` + span + "(," + span + `)*)\])`
}

var endsText = regexp.MustCompile(`^host(\[[^]]*\]|[0-9]+)/(gpu|nic)(\[[^]]*\]|[0-9]+)$`)

// parseEnds reads an endpoint, or ends with spans of numbers in brackets.
func parseEnds(text string) (Ends, error) {
	if !strings.Contains(text, "[") {
		e, err := ParseEndpoint(text)
		if err != nil {
			return Ends{}, err
		}
		return one(e), nil
	}
	m := endsText.FindStringSubmatch(text)
	if m == nil {
		return Ends{}, fmt.Errorf("%s: want ends such as host[2-17]/gpu0 or host[1,3]/gpu[*]", located.Shown(text))
	}
	hosts, err := parseSome(m[1], "hosts", 1)
	if err != nil {
		return Ends{}, fmt.Errorf("%s: %w", located.Shown(text), err)
	}
	numbers, err := parseSome(m[3], m[2]+"s", 0)
	if err != nil {
		return Ends{}, fmt.Errorf("%s: %w", located.Shown(text), err)
	}
	return Ends{hosts, numbers, m[2] == "nic"}, nil
}

// parseSome reads 3, [2-17,20] or [*]; what is what is counted, from base.
func parseSome(text, what string, base int) (s Selection, err error) {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if inner == "*" {
		return nil, nil
	}
	if strings.Count(inner, ",") >= maxSpans {
		return nil, fmt.Errorf("more than %d spans of %s", maxSpans, what)
	}
	for part := range strings.SplitSeq(inner, ",") {
		part = strings.Trim(part, " ")
		from, to, through := strings.Cut(part, "-")
		if !through {
			to = from
		}
		first, err := numbered(from, "", base)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: want a number from %d, a span such as 2-17, or [*] for all", located.Shown(part), what, base)
		}
		last, err := numbered(to, "", base)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s of %s: want a span such as 2-17", located.Shown(part), what)
		case through && last <= first:
			return nil, fmt.Errorf("%s of %s: ends where it begins or before it", part, what)
		case len(s) > 0 && first <= s.last():
			return nil, fmt.Errorf("%s of %s: not after %d, want them ascending", part, what, s.last()+base)
		}
		s = append(s, Span{first, last})
	}
	return s, nil
}

// Sizes are what flows have in bytes: one size, several in turn, or a distribution.
type Sizes struct {
	Bytes        []unit.Bytes
	Distribution string // see SizeDistributions; empty: Bytes
}

// maxSizes is how many sizes a list may have.
const maxSizes = 1000

// mean returns the mean size in bytes.
func (z *Sizes) mean() float64 {
	if z.Distribution != "" {
		return float64(traffic.Named(z.Distribution).Mean())
	}
	sum := 0.0
	for _, b := range z.Bytes {
		sum += float64(b)
	}
	return sum / float64(len(z.Bytes))
}

// of returns the size of flow i of an entry.
func (z *Sizes) of(i int, r *traffic.Stream) unit.Bytes {
	if z.Distribution != "" {
		return unit.Bytes(traffic.Named(z.Distribution).Draw(r.Next()))
	}
	return z.Bytes[i%len(z.Bytes)]
}

// parseSizes reads one size, or the name of a distribution.
func parseSizes(f *Field, text string) (Sizes, string, error) {
	if traffic.Named(text) != nil {
		return Sizes{Distribution: text}, "", nil
	}
	b, hint, err := byteCount.value(f, text)
	if err != nil && hint == "" {
		if name := suggest(strings.ToLower(text), f.names()); name != "" {
			hint = "did you mean " + name + "?"
		}
	}
	return Sizes{Bytes: []unit.Bytes{b}}, hint, err
}

// parseSizeList reads a list of sizes.
func parseSizeList(f *Field, n *node) (z Sizes, hint string, err error) {
	if len(n.items) < 1 || len(n.items) > maxSizes {
		return z, "", fmt.Errorf("%d sizes, want 1 to %d", len(n.items), maxSizes)
	}
	entry := *f
	entry.value.kind, entry.Choices = byteCount, nil
	z.Bytes = make([]unit.Bytes, len(n.items))
	for i, item := range n.items {
		if hint, err := entry.parseNode(&z.Bytes[i], item); err != nil {
			return z, hint, &entryError{item.at, fmt.Errorf("entry %d: %w", i+1, err)}
		}
	}
	return z, "", nil
}

func formatSizes(_ *Field, z Sizes) string {
	if z.Distribution != "" {
		return z.Distribution
	}
	parts := make([]string, len(z.Bytes))
	for i, b := range z.Bytes {
		parts[i] = b.String()
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// The kinds of values of an entry of flows.
var (
	ends = &kind[Ends]{
		traits: traits{
			name: EndList, want: "an endpoint such as host1/gpu0, or several as host[2-17]/gpu0", reads: asText,
			forms:   only(Form{Type: "string", Pattern: endsPattern}),
			written: "hostN/gpuM or hostN/nicM; several at once with spans or * in brackets, in quotes: \"host[2-17,20]/gpu[*]\"",
		},
		parse: func(_ *Field, text string) (Ends, string, error) {
			e, err := parseEnds(text)
			return e, "", err
		},
		format: func(_ *Field, e Ends) string { return e.String() },
		yaml:   func(f *Field, e Ends) string { return textYAML(f, e.String()) },
	}

	sizes = &kind[Sizes]{
		traits: traits{
			name: SizeList, want: "bytes such as 64MB, a list of them, or the name of a distribution", quantity: true,
			units: byteCount.units,
			forms: func(f *Field) []Form {
				size := withUnit(f)
				return append(size, Form{Type: "string", Names: f.names()},
					Form{Type: "array", Least: 1, Most: maxSizes, Entry: &size[0]})
			},
			written: "64MB; or several, which flows have in turn: [64kB, 1MB]; or the name of a distribution: websearch",
		},
		parse: parseSizes, list: parseSizeList, format: formatSizes,
	}

	flowPlaces = selection("n", 1)
)

// FlowPath returns the path of the entry that made flow i of the job.
func (j *Job) FlowPath(i int) string {
	k, _ := entryAt(j.Entries, i)
	return fmt.Sprintf("%s.flows[%d]", j.Path(), k)
}

// FlowPath returns the path of the entry that made flow i.
func (b *Background) FlowPath(i int) string {
	k, _ := entryAt(b.Entries, i)
	return fmt.Sprintf("background.flows[%d]", k)
}

// entryAt returns which entry made flow i, and which of its flows that is, from 0.
func entryAt(entries []FlowEntry, i int) (entry, place int) {
	k, found := slices.BinarySearchFunc(entries, i, func(e FlowEntry, i int) int { return e.first - i })
	for found && k+1 < len(entries) && entries[k].made == 0 {
		k++
	}
	if !found {
		k--
	}
	return k, i - entries[k].first
}

// Without returns the changes with which some flows of the job, by index, are not sent: they keep their numbers.
func (j *Job) Without(flows ...int) []Change { return notSent(j.Path()+".flows", j.Entries, flows) }

// Without returns the changes with which some flows, by index, are not sent: they keep their numbers.
func (b *Background) Without(flows ...int) []Change {
	return notSent("background.flows", b.Entries, flows)
}

func notSent(list string, entries []FlowEntry, flows []int) (changes []Change) {
	off := map[int]map[int]bool{}
	var order []int
	for _, i := range flows {
		k, place := entryAt(entries, i)
		if off[k] == nil {
			off[k] = map[int]bool{}
			order = append(order, k)
			if entries[k].Off != nil {
				for _, p := range entries[k].Off.Of(entries[k].made) {
					off[k][p] = true
				}
			}
		}
		off[k][place] = true
	}
	for _, k := range order {
		path := fmt.Sprintf("%s[%d]", list, k)
		if e := &entries[k]; len(off[k]) == e.made {
			changes = append(changes, Change{Path: path + ".enabled", Text: "false"})
			continue
		}
		var s Selection
		for i := range entries[k].made {
			switch {
			case !off[k][i]:
			case len(s) > 0 && s.last() == i-1:
				s[len(s)-1].Last = i
			default:
				s = append(s, Span{i, i})
			}
		}
		changes = append(changes, Change{Path: path + ".off", Text: flowPlaces.format(&Field{Word: "none"}, s)})
	}
	return changes
}
