package lab

import (
	"strings"
	"testing"
)

// A sentence follows its values, and an erratum's right value is the book's whatever is changed.
func TestTextFollowsItsValues(t *testing.T) {
	text := "# A\n> B?\n\nIt is {{if a > 1 and a < 3}}two{{else if a = 1 or a != a}}one{{else}}{{value a}}{{end}}\n" +
		"{{if a > 6}}, seven{{end}}.\n\n" +
		"{{if a < 0}}Below.{{end}}\n"
	fs := folder(text, "input a = 2 \"x\"\nformula b = 2*a \"y\"\nerratum \"it is 5\" right b = 4 within 0 \"no\"\n"+
		"try \"railyard lab {lab} --set a=1\" \"half\" gives b = was.b/2\ntry \"railyard lab {lab} --set a=-7\" \"wrong\" gives b > was.b")
	was := outcome(t, fs)
	for set, want := range map[string]string{"2": "It is two.", "1": "It is one.", "7": "It is 7, seven.", "-7": "It is -7.|Below."} {
		o := outcome(t, fs, Change{"a", set})
		var got []string
		for _, b := range o.text.blocks {
			line := ""
			for _, in := range b.items[0] {
				if line += in.text; in.value != "" {
					line += o.all[in.value].Text()
				}
			}
			got = append(got, line)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("a=%s: %s, want %s", set, s, want)
		}
		if v := o.Errata[0].Right.Quantity.Value; v != 4 {
			t.Errorf("a=%s: the erratum says %v", set, v)
		}
	}
	for i, set := range []string{"1", "-7"} {
		if kept, err := outcome(t, fs, Change{"a", set}).Kept(i, was); err != nil || kept != (i == 0) {
			t.Errorf("try %d: kept is %v, %v", i, kept, err)
		}
	}
}

func TestProblemsOfConditions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{{if a}}x{{end}}", "README.md:4:7: the end of the statement: want < >"},
		{"{{if a > z}}x{{end}}", "README.md:4:10: unknown name z"},
		{"{{if a > 1}}x", "README.md:4:3: this is never closed"},
		{"x{{end}}", "README.md:4:4: there is no {{if CONDITION}}"},
		{"{{if a > 1}}x{{else}}y{{else}}z{{end}}", "README.md:4:25: {{else}} is the last branch"},
	} {
		_, err := Parse("my-lab", folder("# A\n> B?\n\n"+c.text+"\n", "input a = 1 \"x\""))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}
