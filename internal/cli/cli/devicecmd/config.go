package devicecmd

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/config/collected"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/plan/configs"
)

// Config is railyard config.
func Config(a *call.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Render, read and compare the configuration of switches",
		Long: `Renders what the switches of a scenario are to be told, in the words of a platform, and reads such
files back. The thresholds are those that a run works with.`,
		Example: "  railyard config render examples/leaf-spine.yaml --dialect nxos",
		Args:    call.SubcommandOnly,
		RunE:    call.NeedSubcommand,
	}
	cmd.AddCommand(configRenderCommand(a), configParseCommand(a), configDiffCommand(a))
	return cmd
}

func configRenderCommand(a *call.App) *cobra.Command {
	dialect, out := "nxos", ""
	var about strings.Builder
	for _, name := range dialects.Names() {
		fmt.Fprintf(&about, "\n  %-5s  %s", name, dialects.All[name].Meaning)
	}
	cmd := &cobra.Command{
		Use:   "render FILE [SWITCH...]",
		Short: "Write the configuration of a scenario's switches",
		Long: `Writes the configuration of the switches of the scenario FILE, or of some of them, in the words of a
platform. What the platform has no command for, or none that is on record (docs/config.md), is not
written: it is listed on stderr, and is the platform's own. What would make a switch do something
else than the run is an error. Platforms:` + about.String(),
		Example: "  railyard config render examples/leaf-spine.yaml leaf1\n" +
			"  railyard config render examples/leaf-spine.yaml --dialect frr -o configs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return call.Misuse("render: missing FILE, the scenario to read: %s", cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: call.CompleteScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			return configRender(a, args[0], args[1:], dialect, out)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&dialect, "dialect", dialect, "platform: "+strings.Join(dialects.Names(), ", "))
	fl.StringVarP(&out, "out", "o", "", "folder to write SWITCH/FILE to, new or empty, instead of stdout")
	return cmd
}

// DialectOf is the dialect of a name that a command was given.
func DialectOf(command, name string) (netconf.Dialect, error) {
	d, known := dialects.All[name]
	if !known {
		all := dialects.Names()
		return nil, call.Misuse("%s: --dialect %q: want %s%s", command, name, strings.Join(all, ", "),
			call.Meant(name, all))
	}
	return d, nil
}

// configRender renders all that is asked for before the first file is written.
func configRender(a *call.App, file string, switches []string, dialectName, out string) error {
	dialect, err := DialectOf("config render", dialectName)
	if err != nil {
		return err
	}
	p, err := a.Plan(file)
	if err != nil {
		return err
	}
	devices, err := configs.Devices(p)
	if err != nil {
		return a.Located(file, p.Scenario, err)
	}
	if devices, err = chosenDevices(devices, switches); err != nil {
		return err
	}
	r, err := RenderDevices(devices, dialect)
	if err != nil {
		return err
	}
	without := configs.NotConfigured(p)
	for i := range devices {
		r.left.add(devices[i].Name, without)
	}
	if out == "" {
		return r.Write(a, nil)
	}
	return call.WholeFolder(out, func(folder *output.Folder) error { return r.Write(a, folder) })
}

// Rendered is devices in the words of a platform.
type Rendered struct {
	devices []netconf.Device
	files   [][]netconf.File // by device
	left    notes            // to the platform
}

// RenderDevices renders all devices, or says of each what cannot be.
func RenderDevices(devices []netconf.Device, dialect netconf.Dialect) (*Rendered, error) {
	r := &Rendered{devices: devices, files: make([][]netconf.File, len(devices))}
	var wrong []error
	for i := range devices {
		fitting, cut := dialect.Fit(&devices[i])
		r.left.add(devices[i].Name, cut)
		var err error
		if r.files[i], err = dialect.Render(fitting); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", devices[i].Name, err))
		}
	}
	return r, errors.Join(wrong...)
}

// Write writes the files below a folder, nil for stdout, and says what was left out.
func (r *Rendered) Write(a *call.App, out *output.Folder) error {
	for i, files := range r.files {
		if err := writeConfig(a, r.devices[i].Name, files, out, len(r.devices) > 1); err != nil {
			return err
		}
	}
	r.left.print(a, "left to the platform")
	return nil
}

// chosenDevices are those with some names, in the order of names; all without any.
func chosenDevices(all []netconf.Device, names []string) (some []netconf.Device, err error) {
	if len(names) == 0 {
		return all, nil
	}
	known := namesOf(all)
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			err = errors.Join(err, fmt.Errorf("%q is no switch of this network%s", name, call.DidYouMean(name, known,
				between(known))))
			continue
		}
		some = append(some, all[i])
	}
	if err != nil {
		return nil, call.Misuse("config render: %w", err)
	}
	return some, nil
}

// notes are sentences, each with the devices that it is true of.
type notes struct {
	texts []string
	of    map[string][]string
}

func (n *notes) add(device string, texts []string) {
	if n.of == nil {
		n.of = map[string][]string{}
	}
	for _, t := range texts {
		if n.of[t] == nil {
			n.texts = append(n.texts, t)
		}
		n.of[t] = append(n.of[t], device)
	}
}

// print writes the notes to stderr.
func (n *notes) print(a *call.App, title string) {
	if len(n.texts) == 0 {
		return
	}
	s := a.NewSheet()
	s.Wrap("", title+":")
	for _, t := range n.texts {
		s.Hang("  - ", "    ", t+" ("+view.ShortList(n.of[t])+")")
	}
	s.Flush(a.Stderr) //nolint:errcheck // nothing is left to say it with
}

// writeConfig writes the files of a device below a folder, nil for stdout.
func writeConfig(a *call.App, device string, files []netconf.File, out *output.Folder, named bool) error {
	for _, f := range files {
		if out == nil {
			if named || len(files) > 1 {
				fmt.Fprintf(a.Stdout, "! ==== %s/%s\n", device, f.Name)
			}
			if _, err := a.Stdout.Write(f.Text); err != nil {
				return err
			}
			continue
		}
		err := out.In(path.Join(device, path.Dir(f.Name)), func(folder *output.Folder) error {
			return folder.Write(path.Base(f.Name), f.Text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// parseFlags is the flags of `railyard config parse`.
type parseFlags struct {
	dialect string
	json    bool
}

func configParseCommand(a *call.App) *cobra.Command {
	var f parseFlags
	cmd := &cobra.Command{
		Use:   "parse FILE [flags]",
		Short: "Say what a switch's configuration means",
		Long: `Reads the configuration of one switch, a file or a folder of its files, and prints it in no vendor's
words, each thing with the line that says it. A line that is not understood is listed on stderr; none
is skipped in silence. Exit code 1 if a line says what cannot be.`,
		Example: "  railyard config parse configs/leaf1\n  railyard config parse running-config --dialect nxos --json",
		Args:    oneConfig,
		RunE:    func(_ *cobra.Command, args []string) error { return configParse(a, args[0], f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dialect, "dialect", "", "platform: "+strings.Join(dialects.Names(), ", ")+
		" (default: told from the text)")
	fl.BoolVar(&f.json, "json", false, "print as JSON, with the line of each thing")
	return cmd
}

// oneConfig is the argument check of a command that takes one device's configuration.
func oneConfig(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return call.Misuse("%s: %d arguments, want one FILE, a configuration or the folder of a device: %s",
			call.Called(cmd),
			len(args), cmd.UseLine())
	}
	return nil
}

func configParse(a *call.App, path string, f parseFlags) error {
	c, err := readDevice(a, path, f.dialect)
	if err != nil {
		return err
	}
	wrong := renderConfig(a, c)
	if f.json {
		err = a.PrintJSON(struct {
			Dialect string                   `json:"dialect"`
			Device  *netconf.Device          `json:"device"`
			Places  map[string]netconf.Place `json:"places"`
			Lines   netconf.Lines            `json:"lines"`
			Unread  []netconf.Unread         `json:"not_understood,omitempty"`
			Stock   []netconf.Default        `json:"defaults,omitempty"`
		}{c.Dialect, c.Device, c.Places, c.Lines, c.Unread, c.Defaults.All})
	} else {
		s := a.NewSheet()
		view.DeviceText(s, c)
		err = s.Flush(a.Stdout)
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%s: %s", path, call.Count(wrong, "problem"))
	}
	return err
}

// readDevice reads a file or the folder of a device, and tells its platform.
func readDevice(a *call.App, path, dialect string) (*collected.Device, error) {
	files, err := collected.Files(path, a.Stdin)
	if err == nil && dialect == "" {
		dialect, err = dialects.Detect(files)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return nil, call.Misuse("%w", err)
	}
	of, err := DialectOf("config", dialect)
	if err != nil {
		return nil, err
	}
	c, err := collected.Read(path, files, dialect, of)
	if err != nil {
		return nil, call.Misuse("%w", err)
	}
	return c, nil
}

// renderConfig prints what was not understood, with its lines, and returns how much of it is wrong.
func renderConfig(a *call.App, c *collected.Device) (wrong int) {
	for _, f := range c.Files {
		here := c.In(f.Name)
		for _, p := range here {
			if !p.Warning {
				wrong++
			}
		}
		here.Render(a.Stderr, f.Text)
	}
	return wrong
}
