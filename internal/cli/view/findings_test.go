package view

import (
	"encoding/json"
	"strings"
	"testing"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/config/collected"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/net/board"
	"railyard/internal/out/judge"
	"railyard/internal/out/noun"
	"railyard/internal/study/prove"
	"railyard/internal/study/trial"
)

// printed is what a view prints on a sheet of 100 columns.
func printed(t *testing.T, print func(*sheet.Sheet)) string {
	t.Helper()
	s := sheet.New(100)
	print(s)
	var b strings.Builder
	if err := s.Flush(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// mistakes are findings of three severities, two of them of one kind.
func mistakes() []lint.Finding {
	at := func(file string, line int) netconf.Place { return netconf.Place{File: file, Line: line} }
	return []lint.Finding{
		{Rule: "Q14", Severity: lint.Error, Device: "leaf1", Place: at("leaf1.cfg", 7), Text: "no PFC", Reason: "drops", Fix: "pfc on"},
		{Rule: "Q14", Severity: lint.Error, Device: "leaf2", Place: at("leaf2.cfg", 9), Text: "no PFC", Reason: "drops", Fix: "pfc on"},
		{Rule: "Q02", Severity: lint.Warning, Device: "leaf1", Place: at("leaf1.cfg", 0), Text: "no ECN", Reason: "queues", Fix: "ecn"},
		{Rule: "Q30", Severity: lint.Unknown, Device: "leaf1", Place: at("leaf1.cfg", 2), Text: "what?", Reason: "unread", Fix: "say"},
	}
}

// Findings are counted by severity, without those of a baseline, each as often as it has it; lines that nobody understands are
// lines that were not checked.
func TestFindingsAreCounted(t *testing.T) {
	devices := []*lint.Device{
		{Parsed: &netconf.Parsed{Lines: netconf.Lines{Understood: 10, Known: 3, Unread: 1}}},
		{Parsed: &netconf.Parsed{Lines: netconf.Lines{Understood: 5}}}}
	all := FindingsOf(devices, mistakes(), nil)
	if got, want := all.summary(), "2 errors, 1 warning, 1 not known; not checked: 1 line of 19"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	key := strings.Join([]string{"Q14", string(lint.Error), "leaf1", "", "no PFC"}, "\x00")
	some := FindingsOf(devices[1:], mistakes(), lint.Baseline{key: 2})
	if got, want := some.summary(), "1 error, 1 warning, 1 not known, 1 of the baseline left out"; got != want {
		t.Errorf("with a baseline %s, want %s", got, want)
	}
	none := FindingsOf(nil, nil, nil)
	b, err := json.Marshal(none.Data())
	const empty = `{"devices":0,"errors":0,"warnings":0,"unknown":0,"lines":{"understood":0,"of_no_matter":0,"not_understood":0},` +
		`"findings":[]}`
	if err != nil || string(b) != empty || none.summary() != "0 errors, 0 warnings" {
		t.Errorf("of nothing: %s, %v; %s", b, err, none.summary())
	}
	if f := all.Findings(); len(f) != 4 || all.Devices != 2 {
		t.Errorf("%d findings of %d devices", len(f), all.Devices)
	}
}

// Below a finding stands what it was seen to do, or why that is not known; what is the same is said once.
func TestFindingsAsText(t *testing.T) {
	f := FindingsOf(make([]*lint.Device, 0), mistakes(), nil)
	f.Devices, f.Heard, f.Cards = 1, &collected.Heard{Neighbours: 3, Here: 2}, &Cards{}
	drops := []prove.Figure{{Name: "drops", Broken: 12345, Mended: 0}, {Name: "step", Unit: "ps", Broken: 5_000_000, Mended: 4_000_000}}
	shown := &prove.Proof{Claim: "frames are lost", Shown: true, Network: "two leaves", Mended: "PFC on", Figures: drops,
		Better: []string{"drops"}, Pays: []string{"pauses"}}
	f.Proofs = prove.Proofs{Of: map[int]*prove.Proof{0: shown, 2: {Why: "no run shows it"}, 3: {Network: "one leaf", Mended: "said",
		Figures: drops[:1], Pays: []string{"drops"}}}, Same: map[int]*prove.Proof{1: shown}}
	f.Change = &prove.Change{Measure: "step", Slower: 0.1, Figures: drops[1:], After: "it stalls"}
	wantText(t, "findings", printed(t, f.Text), `
1 device: 2 errors, 1 warning, 1 not known
LLDP: 2 of 3 neighbours are ports of these devices
NICs: of none is it known which port it hears and what it pauses (lldpctl, mlnx_qos): no port was
held against one

leaf1.cfg:7: error Q14
  no PFC
  why: drops
  fix: pfc on
  proof: frames are lost
         two leaves
                  as it is  mended: PFC on
           drops    12,345  0
           step       5 us  4 us
         pays for it: pauses; better: drops

leaf2.cfg:9: error Q14
  no PFC
  why: drops
  fix: pfc on
  proof: as for the first that is the same

leaf1.cfg: warning Q02
  no ECN
  why: queues
  fix: ecn
  no proof: no run shows it

leaf1.cfg:2: unknown Q30
  what?
  why: unread
  fix: say
  no proof: mended alone this network does worse, by drops: the finding may follow from another one,
            which has to be mended first
         one leaf
                  as it is  mended: said
           drops    12,345  0

`+f.Change.String()+`
          before  after
    step    5 us   4 us
  it stalls
`)
	if got := (&Cards{All: 8, Held: 6}).String(); got != "NICs: 6 of 8 were held against the port that they hear" {
		t.Error(got)
	}
}

// What was not collected is said once for all hosts that lack the same.
func TestFindingsOfHosts(t *testing.T) {
	var hosts []*hostinfo.Host
	for _, name := range []string{"h1", "h2"} {
		h, err := hostinfo.Read(name, []netconf.File{netconf.NewFile("ip", []byte("$ ip -d link\n"+
			"2: eth0: <UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000\n"))})
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, h)
	}
	f := HostFindingsOf(hosts, mistakes()[2:3], nil)
	text := printed(t, f.Text)
	if !strings.HasPrefix(text, "2 hosts: 0 errors, 1 warning") || strings.Count(text, "not collected of h1, h2, so not checked: ") != 1 {
		t.Errorf("%s", text)
	}
	b, err := json.Marshal(f.Data())
	if err != nil || !strings.HasPrefix(string(b), `{"hosts":2,"errors":0,"warnings":1,"unknown":0,`) || len(f.missing) != 2 {
		t.Errorf("%s, %v", b, err)
	}
	text = printed(t, func(s *sheet.Sheet) { HostText(s, hosts[0]) })
	if !strings.HasPrefix(text, "\nh1\n1 line understood, ") || strings.Contains(text, "GPU  ") {
		t.Errorf("%s", text)
	}
}

// The likeliest comes first and heads the page; what speaks against it, who does it and what would decide follow.
func TestDiagnosisAsText(t *testing.T) {
	rank := int32(3)
	d := &Diagnosis{InOrder: "simulated", Changes: []string{"seed=2"}, Dump: &collected.Dump{}, Verdict: judge.Verdict{
		Hypotheses: []judge.Hypothesis{
			{Mechanism: "loss", Noun: noun.LossyLink, Place: noun.Place{Name: "leaf1/spine1"}, Probability: 0.9, Decide: "count",
				For: []judge.Observation{{Text: "errors rise", At: "leaf1"}}, Against: []judge.Observation{{Text: "no drops", At: "-"}}},
			{Mechanism: "slow", Noun: noun.SlowLink, Place: noun.Place{Kind: noun.Rank, Rank: &rank, Name: "host2"}, Probability: 0.1,
				Culprits: []string{"a", "b"}, Decide: "time it"}},
		RuledOut: []judge.RuledOut{{Mechanism: "incast", Why: "one sender"}}, Unknown: []string{"clocks"}}}
	for i := range mostListed + 2 {
		d.NotUnderstood = append(d.NotUnderstood, "line "+string(rune('a'+i)))
	}
	text := printed(t, func(s *sheet.Sheet) { DiagnosisText(s, d) })
	before, rest, _ := strings.Cut(text, "Not understood:\n")
	wantText(t, "diagnosis", before, `
lossy link (loss): leaf1/spine1, 90.0 %

1 lossy link: loss at leaf1/spine1, 90.0 %
  for           leaf1  errors rise
  against       -      no drops
  would decide         count

2 slow link: slow at rank 3 on host2, 10.0 %
  by              a, b
  would decide    time it

Ruled out:
  incast  one sender

Cannot be known from what was read:
  clocks

`)
	if !strings.Contains(rest, "line t\n  and 2 more, which --json lists\n") ||
		!strings.HasSuffix(rest, "Held against the scenario, simulated in order: seed=2.\n") {
		t.Errorf("%s", rest)
	}
	for in, want := range map[string]string{"": "Held against nothing: what is so", "good": "Held against good.\n",
		"simulated": "Held against the scenario, simulated in order.\n"} {
		text = printed(t, func(s *sheet.Sheet) { DiagnosisText(s, &Diagnosis{InOrder: in}) })
		if !strings.HasPrefix(text, "Nothing is wrong, as far as what was read tells.\n\n"+want) {
			t.Errorf("%q: %s", in, text)
		}
	}
}

// Points stand as they are, chosen ones marked; prices are against the scenario's own thresholds, or the first that drops
// nothing.
func TestTuningAsText(t *testing.T) {
	part := unit.Ratio{Num: 1, Den: 20}
	f := &trial.Found{Name: "x", Network: trial.Network{Rate: 100 * unit.GigabitPerSec, RTT: 8 * unit.Microsecond, Senders: 1},
		Slice: trial.Slice{Hosts: 4, Of: 9}, Seeds: []uint64{1, 2}, Points: []trial.Point{
			{Number: 1, Kind: "own", Throughput: 0.8, Delay: 10 * unit.Microsecond, Drops: 1},
			{Number: 2, Throughput: 0.8, Delay: 10 * unit.Microsecond, Probability: &part, Min: 50 * unit.Kilobyte, Max: unit.Megabyte,
				XOFF: 300 * unit.Kilobyte},
			{Number: 3, Throughput: 0.6, Delay: 5 * unit.Microsecond, Paused: unit.Microsecond, Alpha: &part, Frontier: true}}}
	wantText(t, "prices", printed(t, func(s *sheet.Sheet) { pointsText(s, f); pricesText(s, f) }), `

Points (delay: p99 of the longest queue; paused: sum over ports; means of runs)
        WRED min   max  prob.    xOFF  through.  delay  paused  drops
     1        as    it     is            80.0 %  10 us    0 ps      1
     2     50 kB  1 MB  5.0 %  300 kB    80.0 %  10 us    0 ps      0
  *  3         -     -      -  x 1/20    60.0 %   5 us    1 us      0
  > chosen, * on the frontier; xOFF x 1/8: an eighth of what is free of the shared buffer

Prices (points on the frontier, against point 2)
        through.    delay  paused
  *  3   -25.0 %  -50.0 %  from 0
  --prefer throughput=2,delay=1 weighs them
`)
	text := printed(t, func(s *sheet.Sheet) { TuneText(s, f) })
	for _, want := range []string{
		"x: 1 sender to a port at most, hosts at 100 Gb/s, a round trip of 8 us without load; 3 points, 2\nseeds each",
		"4 of 9 hosts take part"} {
		if !strings.Contains(text, want) || strings.Contains(text, "Chosen") {
			t.Errorf("%q is missing, or something is chosen, in\n%s", want, text)
		}
	}
	for _, c := range []struct {
		v, from float64
		want    string
	}{{1, 1, "-"}, {0, 0, "-"}, {3, 2, "+50.0 %"}, {1, 2, "-50.0 %"}, {1, 0, "from 0"}} {
		if got := moved(c.v, c.from); got != c.want {
			t.Errorf("%v from %v: %s, want %s", c.v, c.from, got, c.want)
		}
	}
}

// Text and data of a board say the same of each way; one from an end to itself is none.
func TestBoardsAsTextAndData(t *testing.T) {
	b := board.Presets["hgx-h100"]()
	d := BoardData(b)
	if len(d.Ends) != len(d.Paths) || len(d.Ends) != 16 {
		t.Fatalf("%d ends and %d rows of paths, want 8 GPUs and 8 NICs", len(d.Ends), len(d.Paths))
	}
	says := map[string]bool{} // from, way, to
	for line := range strings.Lines(printed(t, func(s *sheet.Sheet) { BoardText(s, b) })) {
		for words := strings.Fields(line); len(words) > 2; words = words[:len(words)-1] {
			says[strings.Join([]string{words[0], words[1], words[len(words)-1]}, " ")] = true
		}
	}
	for i, from := range d.Ends {
		for k, to := range d.Ends {
			if way := strings.Join([]string{from, d.Paths[i][k], to}, " "); says[way] == (i == k) {
				t.Errorf("%s: in the text %v", way, says[way])
			}
		}
	}
}
