package coll

import (
	"bytes"
	_ "embed"
	"errors"
	"strings"
	"testing"

	"railyard/internal/base/located"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func text(t testing.TB, s Schedule) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// testdata/ring-4.txt is the book's ring as `railyard show schedule` prints it.
//
//go:embed testdata/ring-4.txt
var ringOfFour string

func TestTextOfTheBookRing(t *testing.T) {
	ring, _ := RingAllReduce(identity(4, 1))
	if d := cmp.Diff(ringOfFour, text(t, ring)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// Printed and read back, a schedule is the same, prints the same, is still proved.
func TestTextRoundTrip(t *testing.T) {
	for _, name := range AlgorithmNames() {
		for n := 1; n <= 6; n++ {
			s := make1(t, name, shuffled(n, 2), pipelines(name, 2)[0])
			if c := credited(s, 3); c != nil && n%2 == 0 {
				s = c
			}
			first := text(t, s)
			back, err := ParseText("s.txt", []byte(first))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(NewTable(s), back, cmp.AllowUnexported(Table{}), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%s, %d ranks: %s", name, n, d)
			}
			if again := text(t, back); again != first {
				t.Errorf("%s, %d ranks: prints otherwise when read back:\n%s", name, n, again)
			}
			for r := range n { // what a switch carries is not in the ops
				for i := range s.Len(r, 1) {
					of, again := s.Op(r, 1, i), back.Op(r, 1, i)
					out, in := of.Carried()
					if o, in1 := again.Carried(); of.Kind == Send && (o != out || in1 != in) {
						t.Errorf("%s, %d ranks: op %d of %d carries %v and %v, read back %v and %v", name, n, i, r, out, in, o, in1)
					}
				}
			}
			if err := Check(back, s.Goal()); err != nil {
				t.Errorf("%s, %d ranks: %v", name, n, err)
			}
		}
	}
}

const two = `schedule pair # any name
ranks 2
channels 1
chunks 1
slots 1

rank 0 channel 0
0 send chunk 0 to 1

rank 1 channel 0
0 recv chunk 0 from 0 slot 0
1 copy chunk 0 slot 0 after 0
`

func TestTextByHand(t *testing.T) {
	s, err := ParseText("pair.txt", []byte(two))
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(s, Goal{Collective: BroadcastFrom}); err != nil {
		t.Error(err)
	}
	if _, err := ParseText("pair.txt", []byte(strings.ReplaceAll(two, "\n", "\r\n"))); err != nil {
		t.Errorf("with CR LF: %v", err)
	}
}

// Each mistake is reported at its line and column.
func TestTextMistakes(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"schedule pair", "schedule Pair", `s.txt:1:10: name "Pair", want at most 64 of a-z, 0-9 and -`},
		{"ranks 2", "ranks 0", `s.txt:2:7: ranks "0", want ranks (1 to 65536)`},
		{"ranks 2", "ranks", `s.txt:2:6: the line ends, want ranks (1 to 65536)`},
		{"ranks 2", "ranks 2 3", `s.txt:2:9: "3", want the end of the line`},
		{"channels 1", "channels 2000", `s.txt:3:10: channels "2000", want channels (1 to 1024)`},
		{"chunks 1", "chunks 9999999", `s.txt:4:8: chunks "9999999", want chunks (1 to 2097152)`},
		{"slots 1", "slots -1", `s.txt:5:7: slots "-1", want slots (0 to 2097152)`},
		{"slots 1", "slots 0", `s.txt:11:28: slot "0", want no slot here: there is none to name`},
		{"rank 0 channel 0", "", `s.txt:8:1: "0", want rank 0 channel 0`},
		{"rank 1 channel 0", "rank 2 channel 0", `s.txt:10:6: rank "2", want rank 1`},
		{"rank 1 channel 0", "", `s.txt:11:1: op "0", want op 1`},
		{"0 send", "1 send", `s.txt:8:1: op "1", want op 0`},
		{"0 send", "0 sent", `s.txt:8:3: "sent", want send, recv, reduce, copy or keep`},
		{"chunk 0 to 1", "chunk 1 to 1", `s.txt:8:14: chunk "1", want chunk 0`},
		{"chunk 0 to 1", "chunk 0 to 0", `s.txt:8:19: to 0 is the rank itself, want another rank`},
		{"chunk 0 to 1", "chunk 0 from 1", `s.txt:8:16: "from", want to`},
		{"chunk 0 to 1", "chunk 0 to 01", `s.txt:8:19: to "01", want to (0 to 1)`},
		{"chunk 0 to 1", "chunk 0 to 1 after 0", `s.txt:8:27: after "0", want no after here: there is none to name`},
		{"after 0", "after 1", `s.txt:12:29: after "1", want after 0`},
		{"after 0", "after 0 acked 0", `s.txt:12:37: acked 0 is a recv, want a send`},
		{"after 0", "after 0 after 0", `s.txt:12:31: "after", want the end of the line`},
		{"0 send", "0 send input", `s.txt:8:20: chunk "0", want no chunk here: there is none to name`},
		{"0 to 1", "0 to 1 window 0", `s.txt:8:28: window "0", want window (1 to 16777216)`},
		{"0 to 1", "0 to 1 frees", `s.txt:8:21: "frees", want the end of the line`},
		{"after 0", "after 0 window 1", `s.txt:12:31: "window", want the end of the line`},
		{"copy chunk 0 slot 0", "keep chunk 0 source 0",
			`s.txt:12:23: source "0", want no source here: there is none to name`},
		{"slots 1\n", "slots 1\ninputs 0\n", `s.txt:6:8: inputs "0", want inputs (1 to 2097152)`},
		{"slots 1\n", "slots 1\ninputs 3\ninputs 3\n", `s.txt:7:1: "inputs", want rank 0 channel 0`},
		{"slots 1\n", "slots 1\nslices 2\n", `s.txt:6:8: slices "2", want slices 1`},
		{"chunks 1\nslots 1\n", "chunks 6\nslots 1\ninputs 4\nslices 3\n",
			`s.txt:7:8: slices 3, want a number that 6 chunks and 4 inputs are a multiple of`},
		{"0 to 1", "0 to 1 adds 3", `s.txt:8:26: adds "3", want adds 2`},
		{"0 to 1", "0 to 1 copies", `s.txt:8:27: the line ends, want copies 2`},
		{"0 to 1", "0 to 1 copies 2 adds 2", `s.txt:8:30: "adds", want the end of the line`},
		{"copy chunk 0 slot 0 after 0", "copy chunk 0 slot 0 after 0 added", `s.txt:12:31: "added", want the end of the line`},
		{"1 copy chunk 0 slot 0 after 0\n", "\nrank 2 channel 0\n",
			`s.txt:13:1: one more rank and channel, want 2 ranks with 1 channels`},
	} {
		src := strings.Replace(two, c.old, c.new, 1)
		_, err := ParseText("s.txt", []byte(src))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: got\n%v\nwant %s", c.new, c.old, err, c.want)
		}
	}
}

func TestTextReportsSeveralLines(t *testing.T) {
	_, err := ParseText("s.txt", []byte(strings.NewReplacer("to 1", "to 7", "copy", "cpy").Replace(two)))
	want := "s.txt:8:19: to \"7\", want to (0 to 1)\ns.txt:12:3: \"cpy\", want send, recv, reduce, copy or keep"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	var ps located.Problems
	if !errors.As(err, &ps) || ps[0].Line != 8 || ps[0].Column != 19 || ps[0].Width != 1 || ps[1].Width != 3 {
		t.Errorf("errors.As finds %+v", ps)
	}
}

// Of a file that is no schedule, say one that a scenario from elsewhere names, no word is shown,
// nor a line that could be.
func TestForeignFilesAreNotQuoted(t *testing.T) {
	for _, src := range []string{"root:x:0:0:secret\n", "schedul secret", "\n\n  secret schedule\n"} {
		_, err := ParseText("s.txt", []byte(src))
		const want = "s.txt: no schedule: want schedule as the first word, as railyard show schedule prints it"
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

// Every strict prefix that cuts a line's content is refused.
func TestTextPrefixes(t *testing.T) {
	whole := len(strings.TrimRight(two, "\n"))
	complete := map[int]bool{strings.Index(two, "1 copy"): true, strings.Index(two, "1 copy") - 1: true,
		whole - len(" after 0"): true, whole - len("after 0"): true}
	programs := strings.Index(two, "rank 1 channel 0") + len("rank 1 channel 0")
	for i := range whole {
		_, err := ParseText("s.txt", []byte(two[:i]))
		if (err == nil) != (complete[i] || i == programs || i == programs+1) {
			t.Errorf("prefix of %d bytes, ending %q: %v", i, two[max(0, i-12):i], err)
		}
	}
}

func TestTextIsBounded(t *testing.T) {
	if _, err := ParseText("s.txt", make([]byte, MaxText+1)); err == nil ||
		!strings.Contains(err.Error(), "16777217 bytes, want at most 16777216") {
		t.Errorf("%v", err)
	}
	wrong := strings.Repeat("x\n", 1000)
	_, err := ParseText("s.txt", []byte(strings.Replace(two, "0 send", wrong+"0 send", 1)))
	if n := strings.Count(err.Error(), "\n") + 1; n != located.Most+1 {
		t.Errorf("%d errors at once, want %d", n, located.Most+1)
	}
}

// Whatever is accepted prints and reads back the same, and Check neither panics
// nor runs away.
func FuzzParseText(f *testing.F) {
	f.Add([]byte(two))
	for _, name := range AlgorithmNames() {
		f.Add([]byte(text(f, make1(f, name, identity(3, 2), 1))))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := ParseText("f", src)
		if err != nil {
			return
		}
		first := text(t, s)
		back, err := ParseText("f", []byte(first))
		if err != nil {
			t.Fatalf("what was printed is refused: %v\n%s", err, first)
		}
		if text(t, back) != first {
			t.Fatal("prints otherwise when read back")
		}
		if s.Ranks()*s.Channels() > 64 || s.Ranks()*(s.Chunks()+s.Slots()) > 1<<12 {
			return
		}
		goal := Goal{Collective: AllReduce}
		if Check(s, goal) != nil {
			return
		}
		_ = ReuseSafe(s, 1)
		bufs := buffers(s.Ranks(), s.Channels()*s.Chunks(), func() float32 { return 1 })
		Execute(s, bufs)
		for r := range bufs {
			for e, v := range bufs[r] {
				if v != float32(s.Ranks()) {
					t.Fatalf("Check accepts an all-reduce that gives rank %d element %d the sum %v of %d ones",
						r, e, v, s.Ranks())
				}
			}
		}
	})
}
