package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"railyard/internal/base/splitmix"
	"railyard/internal/base/unit"
	"railyard/internal/config/dump"
	"railyard/internal/net/telemetry"
)

// alterations are what goes wrong with telemetry itself.
var alterations = []struct {
	name  string
	alter func(d *splitmix.Stream, t *telemetry.Telemetry)
}{
	{"two ports swapped", swapPorts},
	{"a clock 2 s late", lateClock},
	{"counters wrap", wrapCounters},
	{"a device reset", resetDevice},
	{"10 % of reads missing", missReads},
	{"10 % of values missing", missValues},
}

// altered is a copy of telemetry, altered: the same every time.
func altered(of *telemetry.Telemetry, key string, how func(*splitmix.Stream, *telemetry.Telemetry)) *telemetry.Telemetry {
	t := &telemetry.Telemetry{Series: slices.Clone(of.Series), Collectives: slices.Clone(of.Collectives), Steps: slices.Clone(of.Steps),
		Lines: slices.Clone(of.Lines)}
	for i := range t.Series {
		s := &t.Series[i]
		s.At = slices.Clone(s.At)
		for c := range s.Values {
			s.Values[c] = slices.Clone(s.Values[c])
		}
	}
	d := splitmix.Stream(splitmix.Mix(hashOf(key)))
	how(&d, t)
	return t
}

// drawnOf draws one of a list.
func drawnOf[T any](d *splitmix.Stream, all []T) (one T) {
	if len(all) > 0 {
		one = all[d.Next()%uint64(len(all))]
	}
	return one
}

// devices lists those that have a kind of series.
func devices(t *telemetry.Telemetry, kinds ...telemetry.Kind) []string {
	names := map[string]bool{}
	for _, s := range t.Find(kinds...) {
		names[s.Device] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// swapPorts gives each of two ports of a switch the other's name, as after a mistake of who writes names of cables.
func swapPorts(d *splitmix.Stream, t *telemetry.Telemetry) {
	device := drawnOf(d, devices(t, telemetry.Port))
	var ports []string
	for _, s := range t.Find(telemetry.Port) {
		if s.Device == device {
			ports = append(ports, s.Port)
		}
	}
	a, b := drawnOf(d, ports), drawnOf(d, ports)
	for i := range t.Series {
		switch s := &t.Series[i]; s.Port {
		case a:
			s.Port = b
		case b:
			s.Port = a
		}
	}
}

// lateClock makes the clock of a device, host or switch, go 2 s late.
func lateClock(d *splitmix.Stream, t *telemetry.Telemetry) {
	const late = 2 * unit.Second
	device := drawnOf(d, devices(t, telemetry.Port, telemetry.NIC))
	for i := range t.Series {
		if t.Series[i].Device == device {
			for k := range t.Series[i].At {
				t.Series[i].At[k] = t.Series[i].At[k].Add(late)
			}
		}
	}
	for _, parts := range [][]telemetry.Part{t.Collectives, t.Steps} {
		for i := range parts {
			if p := &parts[i]; p.Device == device {
				if p.Start = p.Start.Add(late); p.End != telemetry.Unknown {
					p.End = p.End.Add(late)
				}
			}
		}
	}
	for i := range t.Lines {
		if t.Lines[i].Device == device {
			t.Lines[i].At = t.Lines[i].At.Add(late)
		}
	}
}

// wrapCounters has the counters of 32 bits wrap in the middle of the run, as those of a fabric that has been up for long do.
func wrapCounters(_ *splitmix.Stream, t *telemetry.Telemetry) {
	for i := range t.Series {
		for c, values := range t.Series[i].Values {
			if telemetry.Counters[c].Bits != 32 {
				continue
			}
			most := int64(0)
			for _, v := range values {
				most = max(most, v)
			}
			for k, v := range values {
				if v != telemetry.Unknown {
					values[k] = (v + 1<<32 - most/2 - 1) & 0xffff_ffff
				}
			}
		}
	}
}

// resetDevice has a device count anew from the middle of the run on, as after a reboot of what counts.
func resetDevice(d *splitmix.Stream, t *telemetry.Telemetry) {
	device := drawnOf(d, devices(t, telemetry.Port, telemetry.NIC))
	for i := range t.Series {
		s := &t.Series[i]
		if s.Device != device || s.Kind == telemetry.GPU {
			continue
		}
		for c, values := range s.Values {
			if values == nil || telemetry.Counters[c].Nature == telemetry.Gauge {
				continue
			}
			before := int64(0)
			for k, v := range values {
				if k < len(values)/2 {
					before = max(before, v)
				} else if v != telemetry.Unknown {
					values[k] = max(0, v-before)
				}
			}
		}
	}
}

// missReads leaves out one read in ten of a port, a NIC or a GPU, missValues one value in ten.
func missReads(d *splitmix.Stream, t *telemetry.Telemetry) {
	for i := range t.Series {
		s := &t.Series[i]
		for k := range s.At {
			if d.Next()%10 > 0 {
				continue
			}
			for _, values := range s.Values {
				if values != nil {
					values[k] = telemetry.Unknown
				}
			}
		}
	}
}

func missValues(d *splitmix.Stream, t *telemetry.Telemetry) {
	for i := range t.Series {
		for _, values := range t.Series[i].Values {
			for k := range values {
				if d.Next()%10 == 0 {
					values[k] = telemetry.Unknown
				}
			}
		}
	}
}

// ablation is what is not read.
type ablation struct{ columns []string }

func (a *ablation) name() string { return "without " + strings.Join(a.columns, ", ") }

// ablations are kinds of counters, one of which is not read. Names are of columns, or of kinds of rows.
var ablations = []ablation{
	{[]string{"tx_bytes", "rx_bytes"}}, {[]string{"tx_packets", "rx_packets"}}, {[]string{"watermark_bytes"}},
	{[]string{"rx_pause_us"}}, {[]string{"rx_pfc", "tx_pfc"}}, {[]string{"ecn_marked"}}, {[]string{"in_errors"}},
	{[]string{"oversize"}}, {[]string{"out_discards"}}, {[]string{"wd_detected"}}, {[]string{"link_downs"}}, {[]string{"speed_mbps"}},
	{[]string{"pcie_mbps"}}, {[]string{"power_mw"}}, {[]string{"collectives"}}, {[]string{"steps"}}, {[]string{"log"}},
	{[]string{"wd_detected", "log"}}, {[]string{"link_downs", "up", "log"}}, {[]string{"rx_pause_us", "rx_pfc", "tx_pfc"}},
}

// without is what is seen where some counters, or kinds of rows, are not read.
func without(of *telemetry.Telemetry, columns []string) *telemetry.Telemetry {
	out := *of
	out.Series = slices.Clone(of.Series)
	for c := range telemetry.CounterCount {
		if slices.Contains(columns, telemetry.Counters[c].Name) {
			for i := range out.Series {
				out.Series[i].Values[c] = nil
			}
		}
	}
	if slices.Contains(columns, string(telemetry.Collective)+"s") {
		out.Collectives = nil
	}
	if slices.Contains(columns, string(telemetry.Step)+"s") {
		out.Steps = nil
	}
	if slices.Contains(columns, string(telemetry.Line)) {
		out.Lines = nil
	}
	return &out
}

// inForm is a row's name.
func inForm(form string) string { return "in the names of " + form }

// named is telemetry under the names of another vendor's tools: what is read of the texts in which it is written.
func named(of *telemetry.Telemetry, form string) *telemetry.Telemetry {
	if of == nil {
		return nil
	}
	files, err := dump.Files(of, nil, 0, form)
	exitOn(err)
	r := dump.NewReader(dump.GivenNames())
	for _, f := range files {
		var text bytes.Buffer
		exitOn(f.Write(&text))
		_, err := r.Add(f.Name, text.Bytes())
		exitOn(err)
	}
	t, err := r.Telemetry()
	exitOn(err)
	return t
}
