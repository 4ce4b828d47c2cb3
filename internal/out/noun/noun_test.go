package noun

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestEveryNounIsInTheRoom: each constant of type Noun has its line, once. A constant without one would have
// neither class nor meaning.
func TestEveryNounIsInTheRoom(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "noun.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[Noun]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if id, isIdent := specType(v, ok); isIdent && id == "Noun" {
			text, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			declared[Noun(text)] = true
		}
		return true
	})
	if len(declared) < 30 {
		t.Fatalf("%d constants found", len(declared))
	}
	seen := map[Noun]bool{}
	for _, n := range about {
		n := n.noun
		if seen[n] {
			t.Errorf("%s stands there twice", n)
		}
		seen[n] = true
		if !declared[n] || !n.Known() || n.Meaning() == "" || n.Class() == 0 || n.Class().String() == "" {
			t.Errorf("%s: declared %v, class %v, meaning %q", n, declared[n], n.Class(), n.Meaning())
		}
	}
	for n := range declared {
		if !seen[n] {
			t.Errorf("%s has no line", n)
		}
	}
	if Noun("weather").Known() || Noun("weather").Meaning() != "" || Noun("weather").Class() != 0 {
		t.Error("weather is no noun")
	}
}

// TestEveryNounIsDocumented: docs/report.md has each noun as it is here.
func TestEveryNounIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range about {
		n := n.noun
		if row := fmt.Sprintf("| %s | %s | %s |\n", n, n.Class(), n.Meaning()); !strings.Contains(string(text), row) {
			t.Errorf("docs/report.md lacks the row\n%s", row)
		}
	}
}

func specType(v *ast.ValueSpec, ok bool) (string, bool) {
	if !ok || v.Type == nil || len(v.Values) != 1 {
		return "", false
	}
	id, ok := v.Type.(*ast.Ident)
	if !ok {
		return "", false
	}
	return id.Name, true
}

// TestHealthy: launch and bubbles are in any run, incast and loss are not.
func TestHealthy(t *testing.T) {
	for n, want := range map[Noun]bool{LaunchBound: true, Bubble: true, LinkBound: true, Oversubscription: true,
		Incast: false, ECMPCollision: false, LossyLink: false, Straggler: false} {
		if n.Healthy() != want {
			t.Errorf("%s: healthy %v, want %v", n, n.Healthy(), want)
		}
	}
}

func TestPlaceIs(t *testing.T) {
	a := Place{Kind: Rank, Rank: new(int32(3))}
	for _, c := range []struct {
		b    Place
		want bool
	}{
		{Place{Kind: Rank, Rank: new(int32(3))}, true},
		{Place{Kind: Rank, Rank: new(int32(4))}, false},
		{Place{Kind: Rank}, false},
		{Place{Kind: Port, Name: "a/b"}, false},
	} {
		if a.Is(&c.b) != c.want {
			t.Errorf("%+v is %+v: %v", a, c.b, !c.want)
		}
	}
}
