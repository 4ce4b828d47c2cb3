package showcmd

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/out/result"
)

// captureFlags is the flags of `railyard show capture`.
type captureFlags struct {
	port, qp, from, to string
	most               int
	json               bool
}

// captureCall is a call of railyard show capture.
type captureCall struct {
	*call.App
	f captureFlags
}

func captureCommand(a *call.App) *cobra.Command {
	c := &captureCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "capture FILE",
		Short: "Print the frames of a capture, one a line",
		Long: `Prints the frames of a pcapng file, header by header: RoCEv2, PFC, LLDP and connection managers'
messages. FILE may be the directory of a run whose scenario has capture: {links: [...]}.`,
		Example: "  railyard show capture runs/incast-1 --port leaf1/host1\n" +
			"  railyard show capture capture.pcapng --qp 0x123456 --from 10us --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("%s: %d arguments, want one FILE: %s", call.Called(cmd), len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return c.showCapture(args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.port, "port", "", "at this interface, such as leaf1/host1, or at those that a pattern names: 'leaf1/*'")
	fl.StringVar(&f.qp, "qp", "", "to the queue pair with this number, such as 0x123456")
	fl.StringVar(&f.from, "from", "", "from this time on, such as 1.5us")
	fl.StringVar(&f.to, "to", "", "up to this time")
	fl.IntVar(&f.most, "most", 100, "print so many frames at most")
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	return cmd
}

// mostFrames bounds what is held in memory.
const mostFrames = 1_000_000

func (f *captureFlags) filter() (w view.CaptureFilter, err error) {
	w = view.CaptureFilter{Port: f.port, QP: -1}
	if f.most < 1 || f.most > mostFrames {
		return w, call.Misuse("show capture: --most %d: want 1 to %d", f.most, mostFrames)
	}
	if _, err := path.Match(f.port, ""); err != nil {
		return w, call.Misuse("show capture: --port %s: is no pattern, want an interface such as leaf1/host1, or 'leaf1/*'", f.port)
	}
	if f.qp != "" {
		n, err := strconv.ParseUint(f.qp, 0, 24)
		if err != nil {
			return w, call.Misuse("show capture: --qp %s: want a number up to 0xffffff, such as 0x123456", f.qp)
		}
		w.QP = int64(n)
	}
	w.Window, err = call.WindowOf("show capture", f.from, f.to)
	return w, err
}

func (c *captureCall) showCapture(name string) error {
	filter, err := c.f.filter()
	if err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if _, err := result.OpenIncomplete(name); err != nil {
			return call.Misuse("%w", err)
		}
		if name = filepath.Join(name, result.CaptureFile); !exists(name) {
			return fmt.Errorf("%s: is not there: the run's scenario wants capture: {links: [...]}", name)
		}
	}
	data, err := readCapture(name, &filter, c.f.most)
	if err != nil {
		return err
	}
	if c.f.json {
		return c.PrintJSON(data)
	}
	p := c.NewSheet()
	view.CaptureText(p, data)
	return p.Flush(c.Stdout)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// readCapture reads the frames of a file that pass, most of them at most.
func readCapture(name string, filter *view.CaptureFilter, most int) (*view.Capture, error) {
	file, _, err := input.Open(name)
	if err != nil {
		return nil, call.Misuse("show capture: %s: %w", name, input.Cause(err))
	}
	defer file.Close()
	c, err := view.ReadCapture(file, filter, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}
