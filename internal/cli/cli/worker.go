package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"railyard/internal/base/input"
	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/study/fleet"
	"railyard/internal/study/sweep"
)

// queueFlags say how a queue is reached.
type queueFlags struct {
	url, listen, credentials, ca string
}

// embedded is the server in this process.
const embedded = "embedded"

func (q *queueFlags) access(fl *pflag.FlagSet) {
	fl.StringVar(&q.credentials, "nats-creds", "", "file of credentials for NATS: .creds, or one line, a token or user:password")
	fl.StringVar(&q.ca, "nats-ca", "", "file of certificates that the servers of NATS must be signed by")
}

// check refuses flags that do not go with each other.
func (q *queueFlags) check(command string) error {
	switch {
	case q.listen != "" && q.url != embedded:
		return call.Misuse("%s: --listen is with --nats embedded alone", command)
	case q.url == embedded && q.ca != "":
		return call.Misuse("%s: --nats-ca is for servers elsewhere, not for embedded", command)
	case q.url == embedded && (q.listen != "") != (q.credentials != ""):
		return call.Misuse("%s: --nats embedded: want --listen and --nats-creds FILE (of the token by which workers join), "+
			"or neither", command)
	case q.url == "" && q.credentials+q.ca != "":
		return call.Misuse("%s: --nats-creds and --nats-ca want --nats URL", command)
	case q.url != "" && q.url != embedded && !strings.Contains(q.url, "://"):
		return call.Misuse("%s: --nats %s: want a URL such as nats://host:4222, or embedded", command, q.url)
	case strings.Contains(q.url, "@"):
		return call.Misuse("%s: --nats: the URL holds credentials, which every user of this machine can see: "+
			"want --nats-creds FILE", command)
	}
	return nil
}

func (a *app) workerCommand() *cobra.Command {
	var q queueFlags
	var cores int
	var memory, name, untilIdle string
	var alone bool
	cmd := &cobra.Command{
		Use:   "worker --nats URL [flags]",
		Short: "Run what sweeps put into a queue",
		Long: `Takes runs of sweeps (railyard sweep --nats) from a NATS server with JetStream, as many at once as
there are cores and memory for, and answers with their rows. It takes nothing of another version of
Railyard. It leaves nothing on this machine. At Ctrl-C or SIGTERM it hands back what it has, and
another worker goes on with it; one that is killed is noticed after seconds. With --until-idle it
ends by itself when there has been nothing to do for so long: as a batch job should.`,
		Example: "  railyard worker --nats nats://10.0.0.1:4222 --nats-creds sweeps.creds\n" +
			"  railyard worker --nats tls://10.0.0.1:4222 --nats-ca ca.pem --nats-creds token --cores 8",
		Args: call.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if alone {
				return fleet.Alone(cmd.Context(), a.Stdin, a.Stdout)
			}
			if q.url == "" || q.url == embedded {
				return call.Misuse("worker: want --nats URL, such as nats://host:4222")
			}
			if err := q.check("worker"); err != nil {
				return err
			}
			if cmd.Flags().Changed("cores") && cores < 1 {
				return call.Misuse("worker: --cores %d: want 1 or more", cores)
			}
			limits := sweep.Limits{Workers: max(0, cores)}
			if memory != "" {
				m, err := unit.ParseBytes(memory)
				if err != nil || m < 1 {
					return call.Misuse("worker: --memory %q: want bytes such as 64GB", memory)
				}
				limits.Memory = m
			}
			idle := time.Duration(0)
			if untilIdle != "" {
				d, err := unit.ParseDuration(untilIdle)
				if err != nil || d < unit.Second {
					return call.Misuse("worker: --until-idle %q: want a time of 1s or more, such as 60s", untilIdle)
				}
				idle = time.Duration(d / unit.Nanosecond)
			}
			return a.work(cmd.Context(), q, workerName(name), limits, idle)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&q.url, "nats", "", "URL of the server: nats://host:4222, tls://host:4222")
	q.access(fl)
	fl.BoolVar(&alone, "alone", false, "run the job that standard input holds: what a worker starts for one that workers were lost with")
	_ = fl.MarkHidden("alone") // it fails only for a flag that is not there
	fl.IntVar(&cores, "cores", -1, "runs at once (default all cores)")
	fl.Lookup("cores").DefValue = "0"
	fl.StringVar(&memory, "memory", "", "what runs may take together, such as 64GB (default what the machine has free)")
	fl.StringVar(&untilIdle, "until-idle", "", "end when there has been nothing to do for so long, such as 60s (default never)")
	fl.StringVar(&name, "name", "", "what the worker is called in messages (default host and process)")
	return cmd
}

func workerName(name string) string {
	if name != "" {
		return name
	}
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}

// work is `railyard worker`.
func (a *app) work(ctx context.Context, q queueFlags, name string, limits sweep.Limits, idle time.Duration) error {
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	nc, err := fleet.Dial(fleet.Access{URL: q.url, Credentials: q.credentials, CA: q.ca}, name)
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	defer nc.Close()
	until := "Ctrl-C"
	if idle > 0 {
		until = fmt.Sprintf("there is nothing to do for %v", idle)
	}
	a.Tell(fmt.Sprintf("worker %s: takes runs from %s until %s", name, fleet.Shown(q.url), until))
	w := fleet.Worker{Name: name, Limits: limits, Tell: a.Tell, UntilIdle: idle, Apart: apart}
	if err := w.Serve(ctx, nc); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	if ctx.Err() == nil {
		a.Tell("worker " + name + ": nothing was left to do")
		return nil
	}
	a.Tell("worker " + name + ": what it had is handed back")
	return nil
}

// apart is a process of this program that runs one job.
func apart(ctx context.Context) *exec.Cmd {
	program, err := os.Executable()
	cmd := exec.CommandContext(ctx, program, "worker", "--alone")
	if err != nil {
		cmd.Err = err
	}
	return cmd
}

// away is a queue that a sweep runs on; nil: this process alone.
type away struct {
	app    *app
	engine *fleet.Engine
	server *fleet.Server
	conn   *fleet.Conn
	stop   context.CancelFunc
	worker chan error
}

// openQueue makes a sweep run on workers, if it is to.
func (a *app) openQueue(ctx context.Context, s *planned, f *sweepFlags, opt *sweep.Options, dir *sweep.Dir) (*away, error) {
	if f.queue.url == "" {
		return nil, nil
	}
	q := &away{app: a}
	var err error
	if f.queue.url == embedded {
		token := ""
		if f.queue.listen != "" {
			if token, err = fleet.Token(f.queue.credentials, rand.Text()); err != nil {
				return nil, fmt.Errorf("sweep: --nats-creds: %w", err)
			}
		}
		if q.server, err = fleet.Start(f.queue.listen, token); err != nil {
			return nil, fmt.Errorf("sweep: --nats embedded: %w", err)
		}
		if at := q.server.Address(); f.queue.listen != "" {
			a.Tell(fmt.Sprintf("workers may join: railyard worker --nats nats://%s --nats-creds %s", at,
				located.Shown(f.queue.credentials)))
		}
		q.conn, err = q.server.Connect("sweep")
	} else {
		q.conn, err = fleet.Dial(fleet.Access{URL: f.queue.url, Credentials: f.queue.credentials, CA: f.queue.ca}, "sweep")
	}
	if err != nil {
		if q.server != nil {
			q.server.Stop()
		}
		return nil, fmt.Errorf("sweep: %w", err)
	}
	q.engine = &fleet.Engine{Conn: q.conn, Name: s.spec.Name, ID: fleet.Identity(s.src, s.base.YAML()), Memory: q.server != nil,
		Dead: func(key, scenario string) string { return deadLetter(dir, key, scenario) }}
	if q.server != nil {
		err = q.work(ctx, sweep.Limits{Workers: max(0, f.workers)})
		if err != nil {
			q.conn.Close()
			q.server.Stop()
			return nil, err
		}
	}
	opt.Engine = q.engine
	return q, nil
}

// work starts a worker in this process, beside the server.
func (q *away) work(ctx context.Context, limits sweep.Limits) error {
	nc, err := q.server.Connect("worker")
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	inside, stop := context.WithCancel(ctx)
	q.stop, q.worker = stop, make(chan error, 1)
	go func() {
		defer nc.Close()
		w := fleet.Worker{Name: workerName(""), Limits: limits, Tell: q.app.Tell, Apart: apart, Own: q.engine.Own}
		q.worker <- w.Serve(inside, nc)
	}()
	return nil
}

// close ends what openQueue began; done: all rows are there.
func (q *away) close(done bool) {
	if q == nil {
		return
	}
	if q.stop != nil {
		q.stop()
		<-q.worker
	}
	if done && q.server == nil {
		if err := q.engine.Close(); err != nil {
			q.app.Tell("note: the queue of the sweep is left on the server: " + err.Error())
		}
	}
	q.conn.Close()
	if q.server != nil {
		q.server.Stop()
	}
}

// deadLetter keeps the scenario of a run that no worker brings to an end, and says how it is run by hand.
func deadLetter(dir *sweep.Dir, key, scenario string) string {
	folder, err := dir.Below("dead")
	if err == nil {
		err = errors.Join(folder.Write(key+".yaml", []byte(scenario)), folder.Close())
	}
	if err != nil {
		return "its scenario could not be kept: " + input.Cause(err).Error()
	}
	return "railyard run " + filepath.Join(dir.Path(), "dead", key+".yaml")
}
