package plan

import (
	"os"
	"testing"
)

// The network of the book's chapter 4: eight fixed kernels, which have no parameters, then 16 trained
// ones, each pooled; 7,744 -> 4,000 -> 1,000 -> 10.
func TestChapter4NetworkHasTheBooksParameters(t *testing.T) {
	text, err := os.ReadFile("../../../examples/large/chapter-4.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := planned(t, string(text))
	if got := p.Jobs[0].Model.Params(); got != 34_992_178 {
		t.Errorf("%d parameters, want 34,992,178", got)
	}
}
