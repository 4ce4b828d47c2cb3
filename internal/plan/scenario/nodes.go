package scenario

import (
	"fmt"
	"regexp"

	"railyard/internal/base/located"
)

// Bounds of a list of names.
const minNames, maxNames = 2, 64

// parseNames reads a list of names of nodes.
func parseNames(f *Field, n *node) ([]string, string, error) {
	return namesOf(f, n, minNames, checkNode)
}

// parseLinks reads a list of names of links.
func parseLinks(f *Field, n *node) ([]string, string, error) { return namesOf(f, n, 1, checkLink) }

// namesOf reads a list of names that are checked. With an error those before the one that is refused are there, and the others
// are empty: there is a list, and what else is looked at in such a file looks them up.
func namesOf(f *Field, n *node, least int, check func(string) string) ([]string, string, error) {
	if len(n.items) < least || len(n.items) > maxNames {
		return nil, "", fmt.Errorf("%d entries, want %d to %d: %s", len(n.items), least, maxNames, f.want())
	}
	all := make([]string, len(n.items))
	for i, item := range n.items {
		switch {
		case item.shape != scalarShape || item.null() || item.number() || item.bool():
			return all, "", &entryError{item.at, fmt.Errorf("entry %d: %s, want a name", i+1, item.described())}
		case check(item.text) != "":
			return all, "", &entryError{item.at, fmt.Errorf("entry %d: %s: %s", i+1, located.Shown(item.text),
				check(item.text))}
		}
		all[i] = item.text
	}
	return all, "", nil
}

// parseNoNames reads the word that stands for a list of names.
func parseNoNames(f *Field, text string) (none []string, hint string, err error) {
	if text != f.Word {
		return nil, "", fmt.Errorf("%s: want %s", located.Shown(text), f.want())
	}
	return nil, "", nil
}

// What checkNode, checkLink and checkSomeLinks accept, for editors.
const (
	nodePattern = `^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}(#[1-9][0-9]{0,5})?$`
	linkPattern = `^(all|[A-Za-z0-9*?][A-Za-z0-9_.*?-]{0,63}/[A-Za-z0-9*?][A-Za-z0-9_.*?-]{0,63}(#[1-9*?][0-9*?]{0,5})?)$`

	switchesPattern = `^[A-Za-z0-9*?][A-Za-z0-9_.*?-]{0,63}$`

	gpusPattern = `^[A-Za-z0-9*?][A-Za-z0-9_.*?-]{0,63}/[a-z0-9*?]{1,16}$`

	somePattern = `^[A-Za-z0-9*?][A-Za-z0-9_.*?-]{0,63}/[A-Za-z0-9*?][A-Za-z0-9_.*?-]{0,63}(#[1-9*?][0-9*?]{0,5})?$`
)

var (
	nodeText = regexp.MustCompile(nodePattern)
	linkText = regexp.MustCompile(linkPattern)

	gpusText = regexp.MustCompile(gpusPattern)

	switchesText = regexp.MustCompile(switchesPattern)
)

// checkNode refuses what cannot be a node of a path.
func checkNode(s string) string {
	if !nodeText.MatchString(s) {
		return "want a node such as leaf1, or leaf1#2 for the second of parallel links to it"
	}
	return ""
}

// checkLink refuses what cannot be a link.
func checkLink(s string) string {
	if !linkText.MatchString(s) {
		return "want node/peer such as rail1/spine1, node/peer#2 for the second of parallel links, with * and ? for several, " +
			"or all"
	}
	return ""
}

// checkSwitchNames refuses what cannot name switches.
func checkSwitchNames(s string) string {
	if !switchesText.MatchString(s) {
		return "want the name of a switch such as spine1, with * for any letters and ? for one"
	}
	return ""
}

// checkHostNames refuses what cannot name hosts.
func checkHostNames(s string) string {
	if !switchesText.MatchString(s) {
		return "want the name of a host such as host1, with * for any letters and ? for one"
	}
	return ""
}

// checkGPUs refuses what cannot name GPUs.
func checkGPUs(s string) string {
	if !gpusText.MatchString(s) {
		return "want a GPU such as host1/gpu0, with * and ? for several"
	}
	return ""
}

// checkSomeLinks refuses what cannot name links, and all.
func checkSomeLinks(s string) string {
	if s == "all" || !linkText.MatchString(s) {
		return "want node/peer such as rail1/host2, node/peer#2 for the second of parallel links, with * and ? for several"
	}
	return ""
}
