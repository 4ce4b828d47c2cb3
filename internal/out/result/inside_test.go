package result

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// insideText is an LSTM and attention over two tokens; a convolution too, which no network has beside them.
const insideText = `{"format_version": 1,
"example": {"number": 0, "of": "test windows", "tokens": ["a", "b"], "labels": ["b", ""], "image": {"of": [1, 2], "values": [[0, 1]]}},
"passes": [PASS, PASS]}`

const insidePass = `{"step": 0, "loss": 1.5, "likeliest": ["a", "b"], "words": [{"name": "a", "x": 1, "y": -2}], "layers": [
{"name": "lstm.1", "output": {"of": [2, 9], "values": [[1, 2], [3, 4]]}, "gradient_norm": 0.5, "step_norms": [0.1, 0.2],
 "weights": [{"name": "w", "side": 1, "weight": {"of": [1, 1], "values": [[7]]}, "gradient": {"of": [1, 1], "values": [[-7]]}}],
 "attention": [{"of": [2, 2], "values": [[1, 0], [0.5, 0.5]]}],
 "gates": [{"name": "cell", "values": {"of": [1, 2], "values": [[0, 1]]}}]}]}`

func insideWith(old, now string) string {
	return strings.Replace(strings.ReplaceAll(insideText, "PASS", insidePass), old, now, 1)
}

func TestInsideIsWrittenAndRead(t *testing.T) {
	want, err := ParseInside([]byte(insideWith("", "")))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run")
	d, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{Path: path}
	if got, err := r.Inside(""); got != nil || err != nil {
		t.Errorf("before it is there: %v, %v", got, err)
	}
	if err := d.KeepInside("left", want); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Inside("left"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back: %v, %v", got, err)
	}
}

func TestInsideOfNobodysHand(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{`"format_version": 1`, `"format_version": 2`, "format_version 2, this Railyard reads 1"},
		{`"number": 0`, `"numbr": 0`, `json: unknown field "numbr"`},
		{`[[1, 2], [3, 4]]`, `[[1, 2], [3]]`, "passes[0]: layers[0]: output: row 1 has 1 values, want 2"},
		{`"of": [2, 9]`, `"of": [1, 9]`, "passes[0]: layers[0]: output: 2 rows of 2 of a matrix of 1x9"},
		{`[[1, 2], [3, 4]]`, `[]`, "passes[0]: layers[0]: output: 0 rows"},
		{`[[1, 0], [0.5, 0.5]]`, `[[1]]`, "passes[0]: layers[0]: attention: 1 queries and 1 keys for 2 tokens"},
		{`{"of": [1, 2], "values": [[0, 1]]}}]}]`, `{"of": [1, 2], "values": [[0]]}}]}]`, "passes[0]: layers[0]: gates of 1 positions"},
		{`"x": 1`, `"x": 1e31`, "passes[0]: words: 1e+31, want at most 1e+30"},
		{`"gradient_norm": 0.5`, `"gradient_norm": -1e31`, "passes[0]: layers[0]: gradient_norm"},
		{`"side": 1`, `"side": -1`, "passes[0]: layers[0]: weights[0].side is -1"},
		{`"likeliest": ["a", "b"]`, `"likeliest": []`, "passes[0]: not as many labels"},
		{`"labels": ["b", ""]`, `"labels": ["b"]`, "1 labels for 2 tokens"},
		{`, {"step": 0`, ``, "invalid character"},
		{`"name": "lstm.1"`, `"name": "rnn.1"`, "passes[1]: layers[0]: not the layer of the first pass"},
	} {
		if _, err := ParseInside([]byte(insideWith(c.old, c.now))); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.now, err, c.want)
		}
	}
	two := strings.ReplaceAll(insideText, "[PASS, PASS]", "["+insidePass+"]")
	if _, err := ParseInside([]byte(two)); err == nil || err.Error() != "1 passes, want 2" {
		t.Error(err)
	}
}

// What is read can be written, and read as the same.
func FuzzParseInside(f *testing.F) {
	f.Add([]byte(insideWith("", "")))
	f.Add([]byte(`{"format_version": 1, "example": {}, "passes": [{}, {}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := ParseInside(b)
		if err != nil {
			return
		}
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseInside(text)
		if err != nil || len(again.Passes[0].Layers) != len(in.Passes[0].Layers) {
			t.Errorf("%s: %v", text, err)
		}
	})
}
