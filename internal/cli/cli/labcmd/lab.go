package labcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/study/lab"
)

// labFlags is the flags of `railyard lab`.
type labFlags struct {
	out   string
	html  string
	set   []string
	json  bool
	quiet bool
}

// labCall is a call of railyard lab.
type labCall struct {
	*call.App
	f labFlags
}

// Command is railyard lab.
func Command(a *call.App) *cobra.Command {
	c := &labCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "lab [N | DIR | all | new DIR] [flags]",
		Short: "Run a chapter of the book: question, prediction, measurement, errata",
		Long: `Without an argument it lists the labs that come with Railyard. With a number N it runs one:
the question, what formulas predict, every number of the chapter's worked examples, what
was measured beside what is expected, where the book errs, and a figure. It ends with the
path of a page that reads like a textbook's and needs nothing beside itself.

lab DIR runs a lab of your own: a folder with README.md, expect.txt and, if something is to
be run, scenario.yaml. lab new DIR makes one to start from. See docs/labs.md.

lab all runs every lab and prints a line for each. Exit code 1 if a value is outside its
tolerance. lab --html DIR does, too, and writes their pages as a site: each links to the one
before, the one after and DIR/index.html.

--set NAME=VALUE changes an input of the lab or a key of its scenario. What is expected
holds for the book's inputs, so nothing is judged then.`,
		Example: "  railyard lab\n  railyard lab 1\n  railyard lab 1 --set w0=-4\n  railyard lab new my-lab && railyard lab my-lab\n" +
			"  railyard lab --html site",
		Args: func(cmd *cobra.Command, args []string) error {
			most := 1
			if len(args) > 0 && args[0] == "new" {
				if most = 2; len(args) == 1 {
					return call.Misuse("lab new: missing DIR, the folder to make: railyard lab new DIR")
				}
			}
			if len(args) > most {
				return call.Misuse("lab: %d arguments, want at most %d: %s", len(args), most, cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.html != "" && len(args) > 0 && args[0] != "all":
				return call.Misuse("lab: --html writes the pages of all labs: railyard lab --html DIR")
			case f.html != "":
				return c.labSite(cmd.Context())
			case len(args) == 0:
				return c.listLabs()
			case args[0] == "new":
				return c.newLab(args[1])
			case args[0] == "all":
				return c.runLabs(cmd.Context())
			}
			return c.runLab(cmd.Context(), args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "folder for the lab's files, new or empty (default runs/lab-N-K, the first K that "+
		"is free)")
	fl.StringVar(&f.html, "html", "", "run every lab and write its page into this folder, new or empty, with an index.html: a site "+
		"that opens without a server")
	fl.StringArrayVar(&f.set, "set", nil, "NAME=VALUE: another value of an input or of a key of the scenario; may be repeated")
	fl.BoolVar(&f.json, "json", false, "print what came out as JSON")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

// labs reads the labs that come with Railyard.
func (c *labCall) labs() ([]*lab.Lab, error) {
	all, err := lab.All()
	if err != nil {
		return nil, c.brokenLab("all", "", err)
	}
	return all, nil
}

// labListed is a line of the list as JSON.
type labListed struct {
	Lab      int    `json:"lab"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	Question string `json:"question"`
	Takes    string `json:"takes"`
}

func (c *labCall) listLabs() error {
	if len(c.f.set) > 0 || c.f.out != "" {
		return call.Misuse("lab: --set and --out need a lab: railyard lab N")
	}
	all, err := c.labs()
	if err != nil {
		return err
	}
	if !c.f.json {
		return lab.WriteList(c.Stdout, all, c.PageWidth())
	}
	list := []labListed{}
	for _, l := range all {
		list = append(list, labListed{l.Number, l.Name, l.Title, l.Question, l.Takes})
	}
	return c.PrintJSON(list)
}

func (c *labCall) newLab(dir string) error {
	files, err := lab.New(dir)
	if err != nil {
		return fmt.Errorf("lab new: %w", err)
	}
	for _, file := range files {
		fmt.Fprintln(c.Stdout, file)
	}
	fmt.Fprintf(c.Stdout, "railyard lab %s runs it\n", dir)
	return nil
}

// findLab returns the lab that a word names: a folder, or one that comes with Railyard.
func (c *labCall) findLab(ctx context.Context, which string) (*lab.Lab, error) {
	if info, err := os.Stat(which); err == nil && info.IsDir() {
		path, err := filepath.Abs(which)
		if err != nil {
			return nil, err
		}
		l, err := lab.Parse(filepath.Base(path), input.Folder{Context: ctx, Path: which, Most: lab.MaxFile})
		if err != nil {
			return nil, c.brokenLab(which, which, err)
		}
		return l, nil
	}
	all, err := c.labs()
	if err != nil {
		return nil, err
	}
	if l := lab.Find(all, which); l != nil {
		return l, nil
	}
	names := []string{"all", "new"}
	for _, l := range all {
		names = append(names, l.Name, l.Short())
	}
	return nil, call.Misuse("lab: no lab and no folder %s%s", located.Shown(which), call.DidYouMean(which, names,
		`"railyard lab" lists the labs`))
}

// brokenLab prints the problems of a lab with their lines, and returns what is left to say.
func (c *labCall) brokenLab(which, dir string, err error) error {
	var b *lab.Broken
	if !errors.As(err, &b) {
		return err
	}
	for i := 0; i < len(b.Problems); {
		file, first := b.Problems[i].File, i
		var of located.Problems
		for ; i < len(b.Problems) && b.Problems[i].File == file; i++ {
			p := b.Problems[i]
			p.File = filepath.Join(dir, file)
			of = append(of, p)
		}
		of.Render(c.Stderr, b.Files[b.Problems[first].File])
	}
	return fmt.Errorf("lab %s: %s", which, call.Count(len(b.Problems), "problem"))
}

// runLab runs one lab.
func (c *labCall) runLab(ctx context.Context, which string) error {
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	l, err := c.findLab(ctx, which)
	if err != nil {
		return err
	}
	o, err := c.workLab(ctx, l, which, c.f.out)
	if err != nil {
		return err
	}
	if c.f.json {
		err = c.PrintJSON(o.Document())
	} else {
		err = o.WriteText(c.Stdout, c.PageWidth())
	}
	if err != nil {
		return err
	}
	if n := len(o.Failed()); n > 0 {
		return fmt.Errorf("lab %s: %s outside the tolerance", which, call.Count(n, "value"))
	}
	return nil
}

// workLab runs a lab into a folder, "" for the next free one.
func (c *labCall) workLab(ctx context.Context, l *lab.Lab, which, out string) (*lab.Outcome, error) {
	var set []lab.Change
	for _, s := range c.f.set {
		name, text, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, call.Misuse("lab: --set %s: want NAME=VALUE, such as w0=-4 or cluster.nic.speed=100Gb/s",
				located.Shown(s))
		}
		set = append(set, lab.Change{Name: name, Text: text})
	}
	fresh := out == ""
	if fresh {
		name := l.Name
		if l.Number > 0 {
			name = strconv.Itoa(l.Number)
		}
		var err error
		if out, err = result.NextDir("runs", "lab-"+name); err != nil {
			return nil, err
		}
	}
	p := c.StartProgress(c.f.quiet, "lab "+which)
	opt := lab.Options{Dir: out, Called: which, Set: set, Progress: p.Update}
	if c.f.html != "" { // where the pages' readers will have it, once they run it
		opt.Shown = filepath.Join("runs", "lab-"+which+"-1")
	}
	o, err := l.Run(ctx, opt)
	p.Stop()
	if err == nil {
		return o, nil
	}
	if fresh {
		output.Prune(out)
	}
	if ctx.Err() != nil {
		return nil, &call.Exit{Code: call.Interrupted, Err: fmt.Errorf("lab %s: interrupted", which)}
	}
	var unknown *lab.Unknown
	var problems located.Problems
	switch {
	case errors.As(err, &unknown):
		return nil, call.Misuse("lab: --set %w", err)
	case errors.As(err, &problems):
		problems.Render(c.Stderr, nil)
		return nil, fmt.Errorf("lab %s: %s; nothing was run", which, call.Count(len(problems), "problem"))
	}
	return nil, c.brokenLab(which, folderOf(which), err)
}

// folderOf is a lab's folder as the user named it; "" for one that comes with Railyard.
func folderOf(which string) string {
	if info, err := os.Stat(which); err == nil && info.IsDir() {
		return which
	}
	return ""
}

// runLabs runs every lab and prints a line for each.
func (c *labCall) runLabs(ctx context.Context) error {
	_, err := c.everyLab(ctx)
	return err
}

// labSite runs every lab and writes their pages as a site.
func (c *labCall) labSite(ctx context.Context) error {
	if c.f.out != "" || c.f.json {
		return call.Misuse("lab --html: it has no --out and no --json: %s gets the pages alone",
			located.Shown(c.f.html))
	}
	site, err := lab.NewSite(c.f.html)
	if err != nil {
		return fmt.Errorf("lab --html: %w", err)
	}
	defer site.Close()
	all, bad := c.everyLab(ctx)
	if all == nil {
		return bad
	}
	if err := site.Write(all); err != nil {
		return fmt.Errorf("lab --html: %w", err)
	}
	fmt.Fprintf(c.Stdout, "page: %s\n", filepath.Join(c.f.html, "index.html"))
	return bad
}

// everyLab runs every lab and prints a line for each. The error of values that are off comes with the outcomes; after any other
// there are none.
func (c *labCall) everyLab(ctx context.Context) ([]*lab.Outcome, error) {
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	if len(c.f.set) > 0 {
		return nil, call.Misuse("lab all: --set changes one lab: railyard lab N --set NAME=VALUE")
	}
	all, err := c.labs()
	if err != nil {
		return nil, err
	}
	root := c.f.out
	if root == "" {
		temp, remove, err := output.Temporary("labs")
		if err != nil {
			return nil, err
		}
		defer remove()
		root = temp
	} else {
		folder, err := output.Make(root)
		if err != nil {
			return nil, fmt.Errorf("lab all: cannot make %s: %w", root, input.Cause(err))
		}
		folder.Close()
	}
	var bad []string
	var outcomes []*lab.Outcome
	documents := []*lab.Document{}
	for _, l := range all {
		o, err := c.workLab(ctx, l, strconv.Itoa(l.Number), filepath.Join(root, l.Name))
		if err != nil {
			return nil, err
		}
		if len(o.Failed()) > 0 {
			bad = append(bad, fmt.Sprintf("lab %d: %s", l.Number, o.Verdict()))
		}
		if outcomes = append(outcomes, o); c.f.json {
			documents = append(documents, o.Document())
		} else {
			fmt.Fprintln(c.Stdout, o.Line())
		}
	}
	if c.f.json {
		if err := c.PrintJSON(documents); err != nil {
			return nil, err
		}
	}
	if len(bad) > 0 {
		return outcomes, errors.New(strings.Join(bad, "\n"))
	}
	return outcomes, nil
}
