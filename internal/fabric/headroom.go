package fabric

import (
	"railyard/internal/unit"
)

// delays are the worst-case interface and response delays of a port speed in bit times, as vendors tabulate them for the headroom
// formula of IEEE 802.1Qbb. 0: no row for that speed; see Delays.
var delays = []struct {
	rate                unit.Bitrate
	interfaces, respond int64
}{
	{10 * unit.GigabitPerSec, 8_192, 30_720},
	{25 * unit.GigabitPerSec, 6_144, 40_960},
	{40 * unit.GigabitPerSec, 24_576, 60_416},
	{100 * unit.GigabitPerSec, 122_880, 201_728},
	{400 * unit.GigabitPerSec, 0, 463_360},
}

// Delays returns the interface and response delay of a port in bit times. assumed says that the tables have no row for this speed, and
// that the next lower one was scaled with the rate (the same time in seconds).
func Delays(r unit.Bitrate) (interfaces, respond int64, assumed bool) {
	pick := func(of func(int) int64) (int64, bool) {
		best := -1
		for i := range delays {
			if of(i) != 0 && (best < 0 || delays[i].rate <= r) {
				best = i
			}
		}
		if delays[best].rate == r {
			return of(best), false
		}
		return unit.Ratio{Num: int64(r), Den: int64(delays[best].rate)}.Of(of(best)), true
	}
	i, a := pick(func(k int) int64 { return delays[k].interfaces })
	x, b := pick(func(k int) int64 { return delays[k].respond })
	return i, x, a || b
}

// pauseBits is a PFC frame with preamble and gap, in bit times.
const pauseBits = 672

// Headroom returns the bytes that a receiver needs for what arrives after it decided to send xOFF, per lossless class:
// 2 cable delays + 2 maximum frames (one leaving here, one at the peer) + the pause frame + interface and response delay.
// IEEE 802.1Q-2018 annex N; cable is one way. pipeline is the delay of the receiving switch before it can decide, which the interface
// delay stands for: the longer of the two counts.
func Headroom(r unit.Bitrate, cable unit.Duration, frame unit.Bytes, pipeline unit.Duration) unit.Bytes {
	interfaces, respond, _ := Delays(r)
	interfaces = max(interfaces, 8*int64(r.BytesIn(pipeline)+1))
	bits := 2*8*int64(frame) + pauseBits + interfaces + respond
	// Bit times of the cable, rounded up.
	bits += 2 * int64(unit.Ratio{Num: int64(r), Den: int64(unit.Second)}.Of(int64(cable)+int64(unit.Second)/int64(r)))
	return unit.Bytes((bits + 7) / 8)
}

// Response returns the response delay of a port in time.
func Response(r unit.Bitrate) unit.Duration {
	_, respond, _ := Delays(r)
	return r.TransmitTime(unit.Bytes(respond / 8))
}

// StaticBound returns the largest fixed xOFF with which a switch never runs out of its shared buffer: shared / (ports x classes).
// SIGCOMM'15 (DCQCN), section 4, "Correct threshold for PFC".
func StaticBound(shared unit.Bytes, ports, classes int) unit.Bytes {
	return shared / unit.Bytes(ports*classes)
}

// MarkingBound returns the ECN threshold below which marking comes before PFC, whatever the traffic, with a dynamic xOFF of
// alpha x free shared buffer: the worst case is that the queues of all ports and classes are at the threshold and those of one class were
// filled through a single ingress port, so alpha (shared - classes ports t) > ports t.
// SIGCOMM'15, section 4, "Correct threshold for ECN", whose beta is 8 alpha.
func MarkingBound(shared unit.Bytes, ports, classes int, alpha unit.Ratio) unit.Bytes {
	return unit.Bytes(unit.Ratio{Num: alpha.Num, Den: int64(ports) * (alpha.Den + alpha.Num*int64(classes))}.Of(int64(shared)))
}
