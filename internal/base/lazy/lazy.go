package lazy

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first asked for.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
