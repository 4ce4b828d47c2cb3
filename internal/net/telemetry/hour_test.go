package telemetry_test

import (
	"fmt"
	"runtime"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/net/telemetry"
)

// An hour of 1,024 GPUs, read every 10 s, is 1.7 million rows: 4.6 series for each GPU (its own, its NIC, ports of a leaf and their
// part of the spines). What is kept of a row is a count of bytes, which does not depend on the machine: so few of 64 GPUs that
// the hour of 1,024 has 200 MB, of 300 of which a third is for reading its table. False if a counter that stands still takes room,
// or a row is kept.
func TestAnHourOfManyGPUs(t *testing.T) {
	const gpus, reads, most = 64, 360, 200 << 20
	const whole = 1024 * reads * 46 / 10 // rows of the hour
	var b telemetry.Builder
	rows := 0
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for n := range reads {
		at := unit.Time(n) * unit.Time(10*unit.Second)
		add := func(kind telemetry.Kind, device, port string, i int) {
			r := telemetry.NewRow(kind, device, port, at)
			sent := int64(n) * int64(1_000_000+i)
			switch kind {
			case telemetry.GPU:
				r.Utilisation, r.Power = 97, 640_000+int64((n*7+i)%1000)
			default:
				r.RxBytes, r.TxBytes, r.RxPackets, r.TxPackets = sent*4096, sent*4100, sent, sent
				r.InErrors, r.OutDiscards, r.RxPFC, r.TxPFC, r.RxPause = 0, 0, 0, int64(n/30), 0
				r.ECNMarked, r.LinkDowns, r.Up, r.Speed = sent/100, 0, 1, 400_000
			}
			if kind == telemetry.NIC {
				r.NPMarked, r.NPSent, r.RPHandled, r.OutOfSequence, r.SequenceErrors, r.AckTimeouts = sent/100, sent/900, sent/900, 0, 0, 0
			}
			b.Add(&r)
			rows++
		}
		for i := range gpus {
			host := fmt.Sprintf("host%d", i/8)
			add(telemetry.GPU, host, fmt.Sprintf("%s/gpu%d", host, i%8), i)
			add(telemetry.NIC, host, fmt.Sprintf("%s/nic%d", host, i%8), i)
			add(telemetry.Port, fmt.Sprintf("leaf%d", i%8), fmt.Sprintf("leaf%d/%s", i%8, host), i)
			add(telemetry.Port, fmt.Sprintf("leaf%d", i%8), fmt.Sprintf("leaf%d/spine%d", i%8, i/8), i)
			if i%5 < 3 {
				add(telemetry.Port, fmt.Sprintf("spine%d", i/8), fmt.Sprintf("spine%d/leaf%d", i/8, i%8), i)
			}
		}
	}
	told := b.Telemetry()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if want := whole * gpus / 1024; rows < want*99/100 || rows > want*101/100 || len(told.Series) != rows/reads {
		t.Fatalf("%d rows of %d series, want about %d", rows, len(told.Series), want)
	}
	kept := float64(after.HeapAlloc-before.HeapAlloc) / float64(rows)
	if all := kept * whole; all > most {
		t.Errorf("%.0f bytes are kept of a row, %.0f MB of an hour of 1,024 GPUs", kept, all/(1<<20))
	}
	t.Logf("%d rows, %.0f bytes kept of a row: %.0f MB of %d rows", rows, kept, kept*whole/(1<<20), whole)
	runtime.KeepAlive(told)
}
