package cli

import (
	"strings"

	"railyard/examples"
	"railyard/internal/cli/web"
	"railyard/internal/study/lab"
)

// examplesToEdit are the examples as the page begins with them, with the files that they name. One that names a folder of files
// is left out: folders do not come along.
func examplesToEdit() (all []web.Example) {
	entries, _ := examples.Files.ReadDir(".")
	for _, scenario := range entries {
		name, is := strings.CutSuffix(scenario.Name(), ".yaml")
		text, err := examples.Files.ReadFile(scenario.Name())
		if !is || err != nil || strings.Contains(string(text), "config: examples/") {
			continue
		}
		e := web.Example{Group: "examples", Name: name, Text: string(text), Files: []web.File{}}
		e.About = firstLine(e.Text)
		for _, beside := range entries {
			if at := "examples/" + beside.Name(); beside != scenario && strings.Contains(e.Text, ": "+at) {
				if b, err := examples.Files.ReadFile(beside.Name()); err == nil {
					e.Files = append(e.Files, web.File{Name: at, Text: string(b)})
				}
			}
		}
		all = append(all, e)
	}
	return all
}

// labsToEdit are the scenarios of labs. They name no files.
func labsToEdit() (all []web.Example) {
	labs, _ := lab.All()
	for _, l := range labs {
		if text := l.ScenarioText(); text != "" {
			all = append(all, web.Example{Group: "labs", Name: "lab-" + l.Name, About: l.Title, Text: text, Files: []web.File{}})
		}
	}
	return all
}

// firstLine is what a comment that a file begins with says.
func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(strings.TrimLeft(first, "#"))
}
