package manual

import (
	"bytes"
	"html/template"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads and writes. HTML in a page stays: the pages are our own.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()))

// A document is a page of Markdown.
type document struct {
	name  string // in docs: format/tables.md
	file  string // in the site: format/tables.html
	title string
	text  []byte
	root  ast.Node
}

func newDocument(name string, b []byte) *document {
	d := &document{name: name, file: siteName(name), text: b}
	d.root = markdown.Parser().Parse(text.NewReader(b), parser.WithContext(parser.NewContext(parser.WithIDs(places{}))))
	d.walk(func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok && d.title == "" {
			d.title = d.plain(h)
		}
	})
	return d
}

// siteName is where a page of Markdown lies in the site.
func siteName(name string) string {
	if name == front {
		return "index.html"
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// places names headings as GitHub does, so that links hold there and here: small letters, digits, _ and -, a hyphen for
// a blank, nothing for all else, and a number for one that is there already.
type places map[string]int

func (p places) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.TrimSpace(string(value)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-':
			b.WriteRune(unicode.ToLower(r))
		case r == ' ':
			b.WriteByte('-')
		}
	}
	name := b.String()
	n := p[name]
	p[name]++
	if n > 0 {
		name += "-" + strconv.Itoa(n)
	}
	return []byte(name)
}

func (p places) Put(value []byte) { p[string(value)]++ }

// walk visits every node once, before those below it.
func (d *document) walk(visit func(ast.Node)) {
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // visit has no error
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// plain is the text of a node without its marks. Blocks and cells are a blank apart.
func (d *document) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nor has this
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(util.UnescapePunctuations(n.Segment.Value(d.text)))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		default:
			if n.Type() != ast.TypeBlock {
				break
			}
			b.WriteByte(' ')
			if code := n.Kind() == ast.KindCodeBlock || n.Kind() == ast.KindFencedCodeBlock; code && entering {
				b.Write(n.Lines().Value(d.text))
			}
		}
		return ast.WalkContinue, nil
	})
	return spaces(b.String())
}

// part is what stands below a heading, up to the next.
type part struct{ place, heading, text string }

func (d *document) parts() (all []part) {
	var texts []string
	end := func() {
		if len(all) > 0 {
			all[len(all)-1].text = strings.Join(texts, " ")
		}
		texts = nil
	}
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			texts = append(texts, d.plain(n))
			continue
		}
		end()
		all = append(all, part{place: placeOf(h), heading: d.plain(h)})
	}
	end()
	return all
}

func placeOf(h *ast.Heading) string {
	id, _ := h.AttributeString("id")
	b, _ := id.([]byte)
	return string(b)
}

// groups are the pages that the front page lists, by its headings.
func (d *document) groups(docs map[string]*document) (all []group) {
	heading := ""
	d.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Heading:
			heading = d.plain(n)
			if n.Level == 2 {
				all = append(all, group{Title: heading})
			}
		case *ast.Link:
			if to := docs[string(n.Destination)]; to != nil && len(all) > 0 {
				g := &all[len(all)-1]
				g.Entries = append(g.Entries, entry{to.file, to.title})
			}
		}
	})
	return all
}

// html renders a page, with links that hold in the site.
func (s *site) html(d *document) (template.HTML, error) {
	var links []*ast.Link
	d.walk(func(n ast.Node) {
		if l, ok := n.(*ast.Link); ok {
			links = append(links, l)
		}
	})
	for _, l := range links {
		from := string(l.Destination)
		to, ok := s.target(d, from)
		if other := s.docs[path.Join(path.Dir(d.name), from)]; other != nil && d.plain(l) == from {
			l.RemoveChildren(l) // a file's name says less than its title
			l.AppendChild(l, ast.NewString([]byte(template.HTMLEscapeString(other.title))))
		}
		if l.Destination = []byte(to); !ok {
			unlink(l)
		}
	}
	var b bytes.Buffer
	err := markdown.Renderer().Render(&b, d.text, d.root)
	return template.HTML(b.String()), err
}

// target is where a link of a page leads in the site; not ok for what the site has not.
func (s *site) target(d *document, to string) (string, bool) {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "mailto:") {
		return to, true
	}
	file, place, has := strings.Cut(to, "#")
	if has {
		place = "#" + place
	}
	at := path.Join(path.Dir(d.name), file)
	up := strings.Repeat("../", strings.Count(d.name, "/"))
	if other := s.docs[at]; other != nil {
		return up + other.file + place, true
	}
	if name, of := strings.CutPrefix(at, "../examples/"); of {
		if _, there := s.examples[name]; there {
			return up + "examples/" + name + ".html", true
		}
	}
	return to, false
}

// unlink leaves a link's text in its place.
func unlink(l *ast.Link) {
	parent := l.Parent()
	for c := l.FirstChild(); c != nil; c = l.FirstChild() {
		parent.InsertBefore(parent, l, c)
	}
	parent.RemoveChild(parent, l)
}
