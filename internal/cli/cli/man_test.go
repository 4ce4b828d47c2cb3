package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// What a command says stands on its page as it is: nothing of it is Markdown or a request of
// man(7), and nothing but it is there, such as a date or who made the page.
func TestManPage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	root := &cobra.Command{Use: "prog", Short: "Do a *thing* or two_or_three"}
	cmd := &cobra.Command{
		Use: "run FILE", Short: "Run [it](now)", Run: func(*cobra.Command, []string) {},
		Long: ".SH is a request\n- no list, `no code`\n# no heading\n\nExample:\n  a-b *c* \\ d\n  e\nafter a<b>&amp;",
	}
	cmd.Flags().String("out", "a_b_c", "where *it* goes")
	root.AddCommand(cmd)
	pages, err := manPages(root)
	if err != nil || len(pages) != 2 || pages[0].name != "prog" || pages[1].name != "prog-run" {
		t.Fatalf("%v %v", pages, err)
	}
	prog, run := string(pages[0].text), string(pages[1].text)
	for _, want := range []string{
		`.TH "PROG\-RUN" "1" "" "railyard `, "prog\\-run \\- Run [it](now)\n",
		"\\&.SH is a request\n\\- no list, `no code`\n# no heading\n",
		"Example:\n\n.EX\n  a\\-b *c* \\\\ d\n  e\n.EE\n",
		"after a<b>&amp;\n", `\fB\-\-out\fP="a_b_c"`, "where *it* goes", `\fBprog(1)\fP`,
	} {
		if !strings.Contains(run, want) {
			t.Errorf("no %q in\n%s", want, run)
		}
	}
	for _, want := range []string{
		"Do a *thing* or two_or_three.\n", "\\fBrun\\fP\nRun [it](now); see prog\\-run(1)\n",
	} {
		if !strings.Contains(prog, want) {
			t.Errorf("of the program: no %q in\n%s", want, prog)
		}
	}
	for _, never := range []string{"2001", "0001", "Auto generated", "help"} {
		if strings.Contains(run+prog, never) {
			t.Errorf("%q in\n%s%s", never, run, prog)
		}
	}
}
