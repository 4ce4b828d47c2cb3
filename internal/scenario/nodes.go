package scenario

import (
	"fmt"
	"regexp"
)

// maxNames bounds a list of names.
const maxNames = 64

// parseNames reads a list of names of nodes.
func parseNames(dst *[]string, f *Field, n *node) (string, error) {
	if len(n.items) < 2 || len(n.items) > maxNames {
		return "", fmt.Errorf("%d entries, want 2 to %d: %s", len(n.items), maxNames, f.want())
	}
	out := make([]string, len(n.items))
	for i, item := range n.items {
		switch {
		case item.shape != scalarShape || item.null() || item.number() || item.bool():
			return "", &entryError{item.at, fmt.Errorf("entry %d: %s, want a name", i+1, item.described())}
		case checkNode(item.text) != "":
			return "", &entryError{item.at, fmt.Errorf("entry %d: %s: %s", i+1, shown(item.text), checkNode(item.text))}
		}
		out[i] = item.text
	}
	*dst = out
	return "", nil
}

// What checkNode, checkLink and checkOneLink accept, for editors.
const (
	nodePattern = `^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}(#[1-9][0-9]{0,5})?$`
	linkPattern = `^(all|[A-Za-z0-9][A-Za-z0-9_.-]{0,63}/[A-Za-z0-9][A-Za-z0-9_.-]{0,63}(#[1-9][0-9]{0,5})?)$`

	oneLinkPattern = `^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}/[A-Za-z0-9][A-Za-z0-9_.-]{0,63}(#[1-9][0-9]{0,5})?$`
)

var (
	nodeText = regexp.MustCompile(nodePattern)
	linkText = regexp.MustCompile(linkPattern)
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
		return "want node/peer such as rail1/spine1, node/peer#2 for the second of parallel links, or all"
	}
	return ""
}

// checkOneLink refuses what cannot be the name of one link.
func checkOneLink(s string) string {
	if s == "all" || !linkText.MatchString(s) {
		return "want node/peer such as rail1/host2, or node/peer#2 for the second of parallel links"
	}
	return ""
}
