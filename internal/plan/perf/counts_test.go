package perf

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A matrix is read as it stands, with comments and blanks, and what ranks have to do are its sums.
func TestCounts(t *testing.T) {
	c, err := ParseCounts("c.txt", []byte("# of layer 3\n\n  counts ranks 3\tbytes 8 # hidden\n1 2 0\r\n0 5 7\n9 0 3 # last\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Ranks != 3 || c.Each != 8 || !slices.Equal(c.Of, []int64{1, 2, 0, 0, 5, 7, 9, 0, 3}) ||
		!slices.Equal(c.Bytes()[:3], []int64{8, 16, 0}) {
		t.Errorf("%+v", c)
	}
	// For others: 2, 7 and 9 are sent, 9, 2 and 7 come.
	if l := c.Load(); l != (Load{Mean: 48, Sends: 72, Gets: 72, Sender: 2, Getter: 0}) {
		t.Errorf("%+v", l)
	}
	if w := c.whole(); w != 72 { // 27 of 8 bytes over three ranks
		t.Errorf("%v in the mean", w)
	}
}

// What is wrong is told by line and column, with the value and what would be accepted; of a text that is no matrix nothing is
// shown.
func TestCountsThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                                        "c.txt: no counts: want a first line such as",
		"root:x:0:0\n":                            "c.txt: no counts",
		"counts\n":                                "c.txt:1:1: want counts ranks N bytes N",
		"counts ranks 1 bytes 4\n1\n":             "c.txt:1:14: ranks: 1, want a whole number from 2 to 1024",
		"counts ranks 2 bytes 0\n":                "c.txt:1:22: bytes: 0, want a whole number from 1 to 1048576",
		"counts ranks 2 bytes 4\n1 2\n":           "c.txt: 1 lines of counts, want one for each of the 2 ranks",
		"counts ranks 2 bytes 4\n1 2\n3\n":        "c.txt:3:1: 1 counts of rank 1, want one for each of the 2 ranks",
		"counts ranks 2 bytes 4\n1 -2\n3 4\n":     "c.txt:2:3: rank 0 for rank 1: -2, want a whole number from 0 to 250000000000",
		"counts ranks 2 bytes 4\n1 02\n3 4\n":     "c.txt:2:3: rank 0 for rank 1: 02, want",
		"counts ranks 2 bytes 2\n1 2\n3 4\n":      "c.txt:2:1: rank 0 for rank 0: 1 of 2 bytes, want whole float32 values: a multiple",
		"counts ranks 2 bytes 4\n1 2\n3 4\n5 6\n": "c.txt:4:1: a line more than there are ranks, want 2",
		"counts ranks 2 bytes 4\n200000000000 200000000000\n3 4\n": "c.txt:2:14: rank 0 has more than 1TB, want at most as much",
		strings.Repeat("#", MaxCounts+1):                           "bytes, want at most 8388608",
		strings.Repeat("1 ", 40_000):                               "line 1 has 80000 bytes, want at most 65536",
	} {
		if _, err := ParseCounts("c.txt", []byte(text)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "root") {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	if _, err := ParseCounts("c.txt", []byte("counts ranks 2 bytes 4\n"+strings.Repeat("1\n", 1000))); err == nil ||
		!strings.Contains(err.Error(), "more problem") {
		t.Errorf("of a thousand wrong lines: %v", err)
	}
}

// Whatever the text, it is a matrix of its size within the bounds, or refused.
func FuzzCounts(f *testing.F) {
	f.Add("counts ranks 2 bytes 4\n1 2\n3 4\n")
	f.Add("counts ranks 3 bytes 14336 # x\n\n1 2 3\n0 0 0\n9 99 999\n")
	f.Add("counts ranks 2 bytes 4\n1 2\n3 4 5\n6\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCounts("c.txt", []byte(text))
		if err != nil {
			if c != nil || err.Error() == "" {
				t.Fatalf("%v and %v", c, err)
			}
			return
		}
		if len(c.Of) != c.Ranks*c.Ranks {
			t.Fatalf("%d counts of %d ranks", len(c.Of), c.Ranks)
		}
		bytes := c.Bytes()
		for i, k := range c.Of {
			if k < 0 || bytes[i]%element != 0 {
				t.Fatalf("count %d is %d of %d bytes", i, k, c.Each)
			}
		}
		if l := c.Load(); l.Mean < 0 || l.Sends < l.Mean || l.Gets < l.Mean {
			t.Fatalf("%+v", l)
		}
		again := fmt.Sprintf("counts ranks %d bytes %d\n", c.Ranks, c.Each)
		for r := range c.Ranks {
			again += strings.Trim(fmt.Sprint(c.Of[r*c.Ranks:][:c.Ranks]), "[]") + "\n"
		}
		if d, err := ParseCounts("c.txt", []byte(again)); err != nil || !slices.Equal(d.Of, c.Of) || d.Each != c.Each {
			t.Fatalf("%q: %v", again, err)
		}
	})
}
