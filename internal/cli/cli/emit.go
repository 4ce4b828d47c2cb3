package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/study/batch"
	"railyard/internal/study/sweep"
)

// batchFlags ask for what starts workers as batch jobs, in place of a sweep.
type batchFlags struct {
	kind, image  string
	tasks, cores int
}

// Kinds of batch systems.
const (
	slurm      = "slurm"
	kubernetes = "kubernetes"
)

func (b *batchFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&b.kind, "emit", "", "write what starts workers, slurm or kubernetes, into --out DIR, and run nothing")
	fl.IntVar(&b.tasks, "tasks", 4, "with --emit: workers to start")
	fl.IntVar(&b.cores, "cores", 8, "with --emit: cores of each worker")
	fl.StringVar(&b.image, "image", "", "with --emit kubernetes: the image, of this version of Railyard")
}

// check refuses flags that do not go with each other.
func (b *batchFlags) check(fl *pflag.FlagSet, f *sweepFlags) error {
	if b.kind == "" {
		for _, name := range []string{"tasks", "cores", "image"} {
			if fl.Changed(name) {
				return call.Misuse("sweep: --%s is with --emit alone", name)
			}
		}
		return nil
	}
	switch {
	case b.kind != slurm && b.kind != kubernetes:
		return call.Misuse("sweep: --emit %s: want slurm or kubernetes", b.kind)
	case f.queue.url == "" || f.queue.url == embedded:
		return call.Misuse("sweep: --emit wants --nats URL, where workers find the queue")
	case f.out == "" || f.again != "":
		return call.Misuse("sweep: --emit wants --out DIR, where it writes")
	case f.keep != "" || f.point > 0:
		return call.Misuse("sweep: --emit runs nothing: want it without --keep and --point")
	case b.kind == kubernetes && b.image == "":
		return call.Misuse("sweep: --emit kubernetes wants --image, such as registry.example/railyard:%s",
			result.Version)
	case b.kind == slurm && b.image != "":
		return call.Misuse("sweep: --image is for kubernetes")
	}
	return nil
}

// emit writes what starts workers for a sweep.
func (a *app) emit(ctx context.Context, p *call.Progress, s *planned, variants []sweep.Variant, f *sweepFlags) error {
	opt := sweep.Options{Force: f.force, KeepRefused: true, Progress: call.Swept(p)}
	forecast := func() (sweep.Forecast, error) { return sweep.ForecastOf(ctx, variants, opt) }
	if s.spec.Find != nil {
		forecast = func() (sweep.Forecast, error) {
			return sweep.ForecastFind(ctx, s.spec, s.base, s.plan.Points, opt)
		}
	}
	if s.spec.Maximise != nil {
		forecast = func() (sweep.Forecast, error) { return sweep.ForecastMaximise(ctx, s.spec, s.base, opt) }
	}
	cost, err := forecast()
	p.Stop()
	if ctx.Err() != nil {
		return &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted; nothing was written")}
	}
	if err != nil {
		return a.Located(s.file, s.base, err)
	}
	a.TellForecast(f.quiet, cost)
	w := &batch.Workers{Sweep: s.spec.Name, Version: result.Version, URL: f.queue.url, Tasks: f.batch.tasks, Cores: f.batch.cores,
		Run: cost.Largest, Image: f.batch.image}
	// Paths are to hold wherever the script is started from.
	if w.Credentials, err = absolute(f.queue.credentials); err == nil {
		w.CA, err = absolute(f.queue.ca)
	}
	if err != nil {
		return err
	}
	// Where workers run is another machine, and may be a busy one; what is looked for goes round by round.
	atOnce := min(w.Tasks*w.Cores, len(variants))
	w.Seconds = 3*(cost.Seconds/float64(atOnce)+cost.Longest) + 600
	if err := w.Check(); err != nil {
		return call.Misuse("sweep: --emit: %w", err)
	}
	name, text, start := "workers.sbatch", w.Slurm(), "sbatch"
	if f.batch.kind == kubernetes {
		name, text, start = "workers.yaml", w.Kubernetes(), "kubectl apply -f"
	}
	folder, err := output.Make(f.out)
	if err == nil {
		err = errors.Join(folder.Write(name, []byte(text)), folder.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", f.out, input.Cause(err))
	}
	said := fmt.Sprintf("railyard sweep %s --nats %s", s.file, f.queue.url)
	if f.queue.credentials != "" {
		said += " --nats-creds " + f.queue.credentials
	}
	if f.queue.ca != "" {
		said += " --nats-ca " + f.queue.ca
	}
	said += "\n"
	if secret := w.SecretCommand(); f.batch.kind == kubernetes && secret != "" {
		said += secret + "\n"
	}
	_, err = fmt.Fprintf(a.Stdout, "%s%s %s\n", said, start, located.Shown(filepath.Join(f.out, name)))
	return err
}

// absolute is a path from the root, "" for "".
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}
