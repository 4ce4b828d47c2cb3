//go:build unix

package launch_test

import (
	"bufio"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"railyard/internal/engine/rank"
	"railyard/internal/out/result"
	"railyard/internal/run/launch"
)

// mutants are ranks that do what they must not, by name: rank 1 is one where MUTANT is set.
var mutants = map[string]func(rank.Link) rank.Link{
	"swapped": func(k rank.Link) rank.Link { return &swapping{Link: k} },
	"doubled": func(k rank.Link) rank.Link { return &doubling{Link: k} },
}

// swapping sends two messages in the other order, once some have gone, with numbers as if that were right. One that no other
// follows, for it waits for an answer, goes as it is, and the next is tried.
type swapping struct {
	rank.Link
	messages, polls int
	kept            *rank.Frame
	bytes           []byte
	outlet          int32
}

func (s *swapping) Send(f *rank.Frame, b []byte, outlet int32) {
	if f.Kind == rank.FrameMessage {
		s.messages++
	}
	switch {
	case s.kept != nil && f.Kind == rank.FrameMessage:
		first := s.kept
		s.kept, s.messages = nil, -1<<40 // once is enough
		f.Number, first.Number = first.Number, f.Number
		s.Link.Send(f, b, outlet)
		s.Link.Send(first, s.bytes, s.outlet)
	case s.kept != nil:
		s.release()
		s.Link.Send(f, b, outlet)
	case f.Kind == rank.FrameMessage && s.messages > 20:
		s.kept, s.bytes, s.outlet, s.polls = new(*f), b, outlet, 0
	default:
		s.Link.Send(f, b, outlet)
	}
}

func (s *swapping) release() {
	s.Link.Send(s.kept, s.bytes, s.outlet)
	s.kept = nil
}

func (s *swapping) Poll() (did, more bool) {
	if s.polls++; s.kept != nil && s.polls > 5000 {
		s.release()
		s.Push()
	}
	return s.Link.Poll()
}

func (s *swapping) Ready() bool { return s.kept != nil || s.Link.Ready() }

// doubling sends a credit twice, with numbers as if that were right.
type doubling struct {
	rank.Link
	credits int
	more    uint32
}

func (d *doubling) Send(f *rank.Frame, b []byte, outlet int32) {
	f.Number += d.more
	d.Link.Send(f, b, outlet)
	if f.Kind == rank.FrameCredit {
		if d.credits++; d.credits == 11 {
			d.more++
			f.Number++
			d.Link.Send(f, nil, -1)
		}
	}
}

// A rank that swaps two messages, or gives a credit twice, ends the job, and both ends are named.
func TestMutants(t *testing.T) {
	for _, c := range []struct{ mutant, text, want string }{
		{"swapped", "name: t\ncluster: {hosts: 1, host: {gpus: 2}}\njob:\n  collectives:\n    - {op: reduce, algorithm: chain, " +
			"protocol: none, bytes: 64KiB, iterations: 100}\n", `rank 0 got from rank 1 message `},
		{"doubled", training(1, 2, long+"  parallel: {pp: 2, micro_batches: 4}\n"), "rank 0 got from rank 1 a credit of collective "},
	} {
		for _, transport := range []string{launch.Shared, launch.TCP} {
			t.Run(c.mutant+" over "+transport, func(t *testing.T) {
				t.Setenv("MUTANT", c.mutant)
				cfg := config(parse(t, c.text))
				cfg.Transport = transport
				_, err := launch.Run(context.Background(), cfg)
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "rank 0 (") {
					t.Errorf("%v, want %q", err, c.want)
				}
				if left := children(t); len(left) > 0 {
					t.Errorf("processes %v are left", left)
				}
			})
		}
	}
}

// Bytes that change in shared memory behind their checksum end the job, and both ends are named.
func TestMemoryThatFlips(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("wants /proc/self/maps")
	}
	cfg := config(parse(t, training(1, 2, long)))
	stop, stopped := make(chan struct{}), make(chan struct{})
	begun := false
	cfg.Run.Progress = func(p result.Progress) {
		if p.Phase != "training" || p.Done < 4 || begun {
			return
		}
		begun = true
		rings := shared(t)[2*rank.BoardBytes:]
		go func() {
			defer close(stopped)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				for at := 128; at < 1<<20; at += 4096 { // the first ring, behind its counters
					rings[at+i%4096] ^= 1
				}
			}
		}()
	}
	_, err := launch.Run(context.Background(), cfg)
	close(stop)
	if err == nil || !begun || !strings.Contains(err.Error(), "rank 1 got from rank 0 ") {
		t.Errorf("%v", err)
	}
	if begun {
		<-stopped
	}
}

// shared is the memory that the ranks of a launcher, which this process is, share: mapped once more, for the launcher's own
// mapping ends with the job.
func shared(t *testing.T) []byte {
	t.Helper()
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), "memfd:railyard") {
			continue
		}
		region, _, _ := strings.Cut(lines.Text(), " ")
		mem, err := os.OpenFile("/proc/self/map_files/"+region, os.O_RDWR, 0)
		if err != nil {
			t.Skip("wants /proc/self/map_files: ", err)
		}
		defer mem.Close()
		info := must(mem.Stat())
		b := must(unix.Mmap(int(mem.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED))
		t.Cleanup(func() { _ = unix.Munmap(b) })
		return b
	}
	t.Fatal("no shared memory is mapped")
	return nil
}
