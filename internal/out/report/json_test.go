package report

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"railyard/internal/out/chart"
	"railyard/internal/out/headline"
)

// The report as data has the answer, the figures and the plots, always in the same bytes.
func TestDocument(t *testing.T) {
	d := load(t, small(t, true))
	a, err := json.Marshal(DocumentOf(d))
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal(DocumentOf(load(t, small(t, true)))); !bytes.Equal(a, b) {
		t.Error("two documents of one run differ")
	}
	var doc Document
	if err := json.Unmarshal(a, &doc); err != nil {
		t.Fatal(err)
	}
	sentence, bullets := Answer(d)
	if doc.Answer != sentence || len(doc.Bullets) != len(bullets) || doc.Format != 1 || doc.Dir != "runs/small-1" {
		t.Errorf("%+v", doc)
	}
	if len(doc.Figures) == 0 || doc.Figures[0].Name != headline.StepTime ||
		float64(doc.Figures[0].Value) != float64(d.Summary.StepTime) {
		t.Errorf("figures %+v", doc.Figures)
	}
	for i, f := range Charts(d) {
		if i >= len(doc.Plots) || doc.Plots[i].Name != f.Name {
			t.Fatalf("no plot %s", f.Name)
		}
		if err := chart.Check(&doc.Plots[i]); err != nil {
			t.Error(err)
		}
	}
	if empty, err := json.Marshal(DocumentOf(&Data{Summary: d.Summary})); err != nil ||
		!strings.Contains(string(empty), `"plots":[`) {
		t.Errorf("%s, %v", empty, err)
	}
}

// isDocumented checks that each key of some objects is in a file of docs/format, under the heading
// of what it belongs to, and no other is.
func isDocumented(t *testing.T, file string, objects map[string]any) {
	t.Helper()
	b, err := os.ReadFile("../../../docs/format/" + file)
	if err != nil {
		t.Fatal(err)
	}
	documented, heading := map[string]string{}, ""
	for line := range strings.Lines(string(b)) {
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.Trim(strings.TrimSpace(h), "`")
		}
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			documented[heading] += strings.Trim(cells[1], " `") + " " + strings.TrimSpace(cells[2]) + "\n"
		}
	}
	for heading, v := range objects {
		want, typ := "", reflect.TypeOf(v)
		for i := range typ.NumField() {
			name, option, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if !typ.Field(i).IsExported() {
				continue
			}
			want += name + " " + jsonType(typ.Field(i).Type)
			if option == "omitempty" {
				want += "?"
			}
			want += "\n"
		}
		// A value may be null where a plot may have a gap: the document says where.
		if got := strings.ReplaceAll(documented[heading], "number or null", "number"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", heading, got, want)
		}
		delete(documented, heading)
	}
	if len(documented) > 0 {
		t.Errorf("documented, but not there: %v", documented)
	}
}

func TestDocumentIsDocumented(t *testing.T) {
	isDocumented(t, "report-json.md", map[string]any{
		"The object": Document{}, "A headline figure": headline.Figure{}, "A plot": chart.Figure{},
		"An entry of the legend": chart.Key{},
		"An axis":                chart.Axis{}, "lines": chart.Lines{}, "A series": chart.Series{},
		"A zone": chart.Zone{}, "A rule": chart.Rule{},
		"A mark": chart.Mark{}, "bars": chart.Bars{}, "A bar": chart.Bar{}, "A part": chart.Part{},
		"lanes":  chart.Lanes{},
		"A lane": chart.Lane{}, "A span": chart.Span{}, "A link of two lanes": chart.Link{}, "map": chart.Map{},
		"A group of rows": chart.Group{}, "A ringed cell": chart.Cell{}, "graph": chart.Graph{}, "A tier": chart.Tier{},
		"A node": chart.Node{}, "An edge": chart.Edge{}, "A side of an edge": chart.Side{}, "A way": chart.Way{},
	})
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Struct, reflect.Pointer:
		return "object"
	}
	return "integer"
}
