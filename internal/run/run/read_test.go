package run

import (
	"errors"
	"strings"
	"testing"

	"railyard/internal/base/located"
)

// Every file that cannot be read is reported, at its key.
func TestAllUnreadableFilesAreReportedAtOnce(t *testing.T) {
	_, err := NewPlan(read(t, `
cluster: {hosts: 2, host: {gpus: 1}}
fabric: {design: custom, topology: none/net.txt}
job: {flows_csv: none/flows.csv}
`))
	var problems located.Problems
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Fatalf("%v, want two problems", err)
	}
	for i, want := range []string{
		"test.yaml:3:36: fabric.topology: cannot read none/net.txt: ",
		"test.yaml:4:18: job.flows_csv: cannot read none/flows.csv: ",
	} {
		if got := problems[i].String(); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
