package batch

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"railyard/internal/base/unit"
)

// Workers is what is to be started.
type Workers struct {
	Sweep       string // its name, for people
	Version     string // of Railyard
	URL         string // of the queue
	Credentials string // file, "": none
	CA          string // file, "": none
	Tasks       int    // workers
	Cores       int    // of each: as many runs at once
	Run         unit.Bytes
	Seconds     float64 // after which a worker is ended
	Image       string  // Kubernetes alone
}

// MaxTasks is what Slurm takes as an array by default: MaxArraySize 1001, numbers from 1.
const MaxTasks = 1000

// MaxCores bounds a worker.
const MaxCores = 1024

// besides is what a worker takes beyond its runs.
const besides = 512 * unit.Mebibyte

// idle is after how long without work a worker ends: a sweep that is looking for a value is silent between its rounds.
const idle = "120s"

// warned is how many seconds before its end a worker is told: it hands back what it has.
const warned = 30

// MaxSeconds is a week: what a forecast says beyond it, no batch system is asked for.
const MaxSeconds = 7 * 24 * 3600

// Check says what no batch system can be told.
func (w *Workers) Check() error {
	for _, text := range []string{w.URL, w.Credentials, w.CA, w.Image} {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
			return fmt.Errorf("%q: a control character", text)
		}
	}
	switch {
	case w.Tasks < 1 || w.Tasks > MaxTasks:
		return fmt.Errorf("%d workers: want 1 to %d", w.Tasks, MaxTasks)
	case w.Cores < 1 || w.Cores > MaxCores:
		return fmt.Errorf("%d cores: want 1 to %d", w.Cores, MaxCores)
	}
	return nil
}

// name is the sweep's as Slurm and Kubernetes take names (RFC 1123: letters, digits, dashes, at most 63).
func (w *Workers) name() string {
	var b strings.Builder
	for _, r := range strings.ToLower("railyard-" + w.Sweep) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
		if b.Len() == 50 { // Kubernetes puts some letters behind it for each pod
			break
		}
	}
	return strings.TrimRight(b.String(), "-")
}

// runs is the memory for runs; MiB what the job asks for: forecasts of memory hold within some percent, and the program
// comes to it.
func (w *Workers) runs() unit.Bytes { return max(w.Run, unit.Mebibyte) * unit.Bytes(w.Cores) }

func (w *Workers) mib() int64 {
	all := w.runs() + w.runs()/4 + besides
	return int64((all + unit.Mebibyte - 1) / unit.Mebibyte)
}

// seconds is the time that a worker gets.
func (w *Workers) seconds() int64 {
	return int64(math.Ceil(min(max(w.Seconds, 60), MaxSeconds)))
}

// arguments are those of `railyard worker`, with the paths of files.
func (w *Workers) arguments(cores, credentials, ca string) []string {
	args := []string{"worker", "--nats", w.URL}
	if credentials != "" {
		args = append(args, "--nats-creds", credentials)
	}
	if ca != "" {
		args = append(args, "--nats-ca", ca)
	}
	return append(args, "--cores", cores, "--memory", fmt.Sprintf("%dB", int64(w.runs())), "--until-idle", idle)
}

// Slurm is a script for sbatch: an array of workers.
func (w *Workers) Slurm() string {
	args := w.arguments("CORES", w.Credentials, w.CA)
	for i, a := range args {
		if args[i] = quoted(a); a == "CORES" {
			args[i] = `"$SLURM_CPUS_PER_TASK"`
		}
	}
	s := w.seconds()
	return fmt.Sprintf(`#!/bin/bash
# Workers of a sweep, as many as the array has tasks. They are to be Railyard %s, and to find it by PATH.
#SBATCH --job-name=%s
#SBATCH --array=1-%d
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=%d
#SBATCH --mem=%dM
#SBATCH --time=%d-%02d:%02d:%02d
#SBATCH --signal=B:TERM@%d
#SBATCH --requeue
exec railyard %s
`, w.Version, w.name(), w.Tasks, w.Cores, w.mib(), s/86400, s/3600%24, s/60%60, s%60, warned, strings.Join(args, " "))
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Secret is what a Job of Kubernetes expects credentials and certificates in, as files of these names.
const (
	Secret          = "railyard-nats"
	credentialsFile = "nats.creds"
	caFile          = "ca.pem"
	mounted         = "/etc/railyard-nats/"
)

// SecretCommand makes the Secret, "" where there is nothing to keep.
func (w *Workers) SecretCommand() string {
	text := ""
	if w.Credentials != "" {
		text += " --from-file=" + credentialsFile + "=" + quoted(w.Credentials)
	}
	if w.CA != "" {
		text += " --from-file=" + caFile + "=" + quoted(w.CA)
	}
	if text == "" {
		return ""
	}
	return "kubectl create secret generic " + Secret + text
}

// Kubernetes is a Job. Its pods are a work queue: it names no number of completions, so the first that ends for want of work
// stands for all, and no more are started.
func (w *Workers) Kubernetes() string {
	credentials, ca := "", ""
	if w.Credentials != "" {
		credentials = mounted + credentialsFile
	}
	if w.CA != "" {
		ca = mounted + caFile
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Workers of a sweep. The image is to be Railyard %s.
apiVersion: batch/v1
kind: Job
metadata:
  name: %s
  labels: {app.kubernetes.io/name: railyard, app.kubernetes.io/component: worker}
spec:
  parallelism: %d
  backoffLimit: %d
  activeDeadlineSeconds: %d
  ttlSecondsAfterFinished: 3600
  template:
    metadata:
      labels: {app.kubernetes.io/name: railyard, app.kubernetes.io/component: worker}
    spec:
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: %d
      automountServiceAccountToken: false
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      containers:
        - name: worker
          image: %s
          args:
`, w.Version, w.name(), w.Tasks, 3*w.Tasks, w.seconds(), warned, text(w.Image))
	for _, a := range w.arguments(fmt.Sprint(w.Cores), credentials, ca) {
		fmt.Fprintf(&b, "            - %s\n", text(a))
	}
	fmt.Fprintf(&b, `          resources:
            requests: {cpu: "%d", memory: %dMi}
            limits: {memory: %dMi}
          securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
`, w.Cores, w.mib(), w.mib())
	kept := w.SecretCommand() != ""
	if kept {
		fmt.Fprintf(&b, "            - {name: nats, mountPath: %s, readOnly: true}\n", strings.TrimSuffix(mounted, "/"))
	}
	b.WriteString("      volumes:\n        - {name: tmp, emptyDir: {}}\n")
	if kept {
		fmt.Fprintf(&b, "        - {name: nats, secret: {secretName: %s}}\n", Secret)
	}
	return b.String()
}

// text is a string as YAML takes it: JSON's are.
func text(s string) string {
	b, _ := json.Marshal(s) // a string always can be
	return string(b)
}
