package scenario

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml/lexer"
)

// What a text with too many tokens is refused for does not depend on how much of it was looked at; marks inside quotes are no
// tokens.
func TestTooManyTokens(t *testing.T) {
	for name, src := range map[string]string{
		"brackets":    "a:\n" + strings.Repeat("[", 300_000),
		"flows":       "a:\n" + strings.Repeat("- {b: 1, c: \"x, y: z\"}\n", 20_000),
		"quotes":      "a: \"" + strings.Repeat("[,:", 100_000) + "\"\n",
		"umlauts":     "a:\n" + strings.Repeat("- ä: ö\n", 60_000),
		"few":         "a: [1, 2]\n",
		"quotes late": strings.Repeat("- {b: 1}\n", 12_000) + "- \"" + strings.Repeat("[,:", 100_000) + "\"\n",
	} {
		got, want := tokenized(src), lexer.Tokenize(src)
		if over := len(want) > maxTokens; over != (len(got) > maxTokens) || !over && len(got) != len(want) {
			t.Errorf("%s: %d tokens, want %d", name, len(got), len(want))
		} else if over && *got[maxTokens].Position != *want[maxTokens].Position {
			t.Errorf("%s: too many from %v on, want %v", name, got[maxTokens].Position, want[maxTokens].Position)
		}
		if len(got) > 5*maxTokens && len(want) > len(got) {
			t.Errorf("%s: %d tokens were kept", name, len(got))
		}
	}
}
