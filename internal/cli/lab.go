package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/input"
	"railyard/internal/lab"
	"railyard/internal/located"
	"railyard/internal/output"
	"railyard/internal/result"
)

// labFlags is the flags of `railyard lab`.
type labFlags struct {
	out   string
	html  string
	set   []string
	json  bool
	quiet bool
}

func (a *app) labCommand() *cobra.Command {
	var f labFlags
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
					return misuse("lab new: missing DIR, the folder to make: railyard lab new DIR")
				}
			}
			if len(args) > most {
				return misuse("lab: %d arguments, want at most %d: %s", len(args), most, cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.html != "" && len(args) > 0 && args[0] != "all":
				return misuse("lab: --html writes the pages of all labs: railyard lab --html DIR")
			case f.html != "":
				return a.labSite(cmd.Context(), f)
			case len(args) == 0:
				return a.listLabs(f)
			case args[0] == "new":
				return a.newLab(args[1])
			case args[0] == "all":
				return a.runLabs(cmd.Context(), f)
			}
			return a.runLab(cmd.Context(), args[0], f)
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
func (a *app) labs() ([]*lab.Lab, error) {
	all, err := lab.All()
	if err != nil {
		return nil, a.brokenLab("all", "", err)
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

func (a *app) listLabs(f labFlags) error {
	if len(f.set) > 0 || f.out != "" {
		return misuse("lab: --set and --out need a lab: railyard lab N")
	}
	all, err := a.labs()
	if err != nil {
		return err
	}
	if !f.json {
		return lab.WriteList(a.stdout, all, a.pageWidth())
	}
	list := []labListed{}
	for _, l := range all {
		list = append(list, labListed{l.Number, l.Name, l.Title, l.Question, l.Takes})
	}
	return a.printJSON(list)
}

func (a *app) newLab(dir string) error {
	files, err := lab.New(dir)
	if err != nil {
		return fmt.Errorf("lab new: %w", err)
	}
	for _, file := range files {
		fmt.Fprintln(a.stdout, file)
	}
	fmt.Fprintf(a.stdout, "railyard lab %s runs it\n", dir)
	return nil
}

// findLab returns the lab that a word names: a folder, or one that comes with Railyard.
func (a *app) findLab(ctx context.Context, which string) (*lab.Lab, error) {
	if info, err := os.Stat(which); err == nil && info.IsDir() {
		path, err := filepath.Abs(which)
		if err != nil {
			return nil, err
		}
		l, err := lab.Parse(filepath.Base(path), input.Folder{Context: ctx, Path: which, Most: lab.MaxFile})
		if err != nil {
			return nil, a.brokenLab(which, which, err)
		}
		return l, nil
	}
	all, err := a.labs()
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
	return nil, misuse("lab: no lab and no folder %s%s", located.Shown(which), didYouMean(which, names,
		`"railyard lab" lists the labs`))
}

// brokenLab prints the problems of a lab with their lines, and returns what is left to say.
func (a *app) brokenLab(which, dir string, err error) error {
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
		of.Render(a.stderr, b.Files[b.Problems[first].File])
	}
	return fmt.Errorf("lab %s: %s", which, count(len(b.Problems), "problem"))
}

// runLab runs one lab.
func (a *app) runLab(ctx context.Context, which string, f labFlags) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	l, err := a.findLab(ctx, which)
	if err != nil {
		return err
	}
	o, err := a.workLab(ctx, l, which, f.out, f)
	if err != nil {
		return err
	}
	if f.json {
		err = a.printJSON(o.Document())
	} else {
		err = o.WriteText(a.stdout, a.pageWidth())
	}
	if err != nil {
		return err
	}
	if n := len(o.Failed()); n > 0 {
		return fmt.Errorf("lab %s: %s outside the tolerance", which, count(n, "value"))
	}
	return nil
}

// workLab runs a lab into a folder, "" for the next free one.
func (a *app) workLab(ctx context.Context, l *lab.Lab, which, out string, f labFlags) (*lab.Outcome, error) {
	var set []lab.Change
	for _, s := range f.set {
		name, text, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, misuse("lab: --set %s: want NAME=VALUE, such as w0=-4 or cluster.nic.speed=100Gb/s", located.Shown(s))
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
	p := a.startProgress(f.quiet, "lab "+which)
	opt := lab.Options{Dir: out, Called: which, Set: set, Progress: p.update}
	if f.html != "" { // where the pages' readers will have it, once they run it
		opt.Shown = filepath.Join("runs", "lab-"+which+"-1")
	}
	o, err := l.Run(ctx, opt)
	p.stop()
	if err == nil {
		return o, nil
	}
	if fresh {
		output.Prune(out)
	}
	if ctx.Err() != nil {
		return nil, &exitError{exitInterrupted, fmt.Errorf("lab %s: interrupted", which)}
	}
	var unknown *lab.Unknown
	var problems located.Problems
	switch {
	case errors.As(err, &unknown):
		return nil, misuse("lab: --set %w", err)
	case errors.As(err, &problems):
		problems.Render(a.stderr, nil)
		return nil, fmt.Errorf("lab %s: %s; nothing was run", which, count(len(problems), "problem"))
	}
	return nil, a.brokenLab(which, folderOf(which), err)
}

// folderOf is a lab's folder as the user named it; "" for one that comes with Railyard.
func folderOf(which string) string {
	if info, err := os.Stat(which); err == nil && info.IsDir() {
		return which
	}
	return ""
}

// runLabs runs every lab and prints a line for each.
func (a *app) runLabs(ctx context.Context, f labFlags) error {
	_, err := a.everyLab(ctx, f)
	return err
}

// labSite runs every lab and writes their pages as a site.
func (a *app) labSite(ctx context.Context, f labFlags) error {
	if f.out != "" || f.json {
		return misuse("lab --html: it has no --out and no --json: %s gets the pages alone", located.Shown(f.html))
	}
	site, err := lab.NewSite(f.html)
	if err != nil {
		return fmt.Errorf("lab --html: %w", err)
	}
	defer site.Close()
	all, bad := a.everyLab(ctx, f)
	if all == nil {
		return bad
	}
	if err := site.Write(all); err != nil {
		return fmt.Errorf("lab --html: %w", err)
	}
	fmt.Fprintf(a.stdout, "page: %s\n", filepath.Join(f.html, "index.html"))
	return bad
}

// everyLab runs every lab and prints a line for each. The error of values that are off comes with the outcomes; after any other
// there are none.
func (a *app) everyLab(ctx context.Context, f labFlags) ([]*lab.Outcome, error) {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	if len(f.set) > 0 {
		return nil, misuse("lab all: --set changes one lab: railyard lab N --set NAME=VALUE")
	}
	all, err := a.labs()
	if err != nil {
		return nil, err
	}
	root := f.out
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
		o, err := a.workLab(ctx, l, strconv.Itoa(l.Number), filepath.Join(root, l.Name), f)
		if err != nil {
			return nil, err
		}
		if len(o.Failed()) > 0 {
			bad = append(bad, fmt.Sprintf("lab %d: %s", l.Number, o.Verdict()))
		}
		if outcomes = append(outcomes, o); f.json {
			documents = append(documents, o.Document())
		} else {
			fmt.Fprintln(a.stdout, o.Line())
		}
	}
	if f.json {
		if err := a.printJSON(documents); err != nil {
			return nil, err
		}
	}
	if len(bad) > 0 {
		return outcomes, errors.New(strings.Join(bad, "\n"))
	}
	return outcomes, nil
}
