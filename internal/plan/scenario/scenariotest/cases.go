package scenariotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Cases returns the text of each case in the testdata of package scenario, and of each example, by
// name. root is the folder of the module.
func Cases(t testing.TB, root string) map[string]string {
	cases := map[string]string{}
	read := func(pattern string, take func(file, text string)) {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			take(filepath.ToSlash(file), string(raw))
		}
	}
	read("internal/plan/scenario/testdata/*.txt", func(file, text string) {
		for i, c := range strings.Split(text, "\n====\n") {
			src, _, _ := strings.Cut(c, "\n----")
			cases[fmt.Sprintf("%s case %d", file, i+1)] = Unescape(src)
		}
	})
	read("examples/*.yaml", func(file, text string) { cases[file] = text })
	return cases
}

// Unescape makes characters that a text file should not hold.
func Unescape(s string) string {
	return strings.NewReplacer("<TAB>", "\t", "<FF>", "\xff", "<NUL>", "\x00", "<CR>", "\r", "<BOM>",
		"\xef\xbb\xbf").Replace(s)
}
