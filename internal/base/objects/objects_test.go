package objects

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type entry struct {
	Name string   `json:"name"`
	List []string `json:"list,omitempty"`
	Size [64]int  `json:"-"`
}

// A list is what encoding/json makes of it, whatever stands in its texts.
func TestObjectsAreThoseOfTheList(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune(`ab,[]{}"\\/ :` + "\n\u2028")))
	rapid.Check(t, func(t *rapid.T) {
		var want []entry
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			want = append(want, entry{Name: text.Draw(t, "name"), List: rapid.SliceOfN(text, 0, 3).Draw(t, "list")})
		}
		for _, indent := range []string{"", " "} {
			b, err := json.MarshalIndent(want, "", indent)
			if err != nil {
				t.Fatal(err)
			}
			var got List[entry]
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			again, _ := json.MarshalIndent([]entry(got), "", indent)
			if len(got) != len(want) || string(again) != string(b) && len(want) > 0 {
				t.Fatalf("%s\n%s", b, again)
			}
		}
	})
}

// It ends at the first element that is none: no room is made for those behind it.
func TestObjectsEndAtWhatIsNone(t *testing.T) {
	many := []byte(`[{"name": "a"}` + strings.Repeat(",[]", 100_000) + "]")
	var got List[entry]
	if n := testing.AllocsPerRun(1, func() {
		if err := json.Unmarshal(many, &got); err == nil || !strings.Contains(err.Error(), "element 1: ") {
			t.Error(err)
		}
	}); n > 1000 || got != nil {
		t.Errorf("%v allocations, %d elements", n, len(got))
	}
	for _, text := range []string{`{}`, `"x"`, `7`, `[1]`, `[{}, "x"]`} {
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
	for text, n := range map[string]int{"null": 0, "[]": 0, " [ ] ": 0, "[{}]": 1, "[ {} , null ]": 2} {
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got) != n {
			t.Errorf("%s: %v, %d", text, err, len(got))
		}
	}
}
