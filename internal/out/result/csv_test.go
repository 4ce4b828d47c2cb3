package result

import (
	"bytes"
	"encoding/csv"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	parquetgo "github.com/parquet-go/parquet-go"

	"railyard/internal/base/scripttest"
	"railyard/internal/net/telemetry"
	"railyard/internal/out/parquet"
)

func TestCSV(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Steps().Add(StepRow{Step: 0, Rank: 1, Start: 0, End: 1_000_000, Causes: Causes{Compute: 1_000_000}})
	d.Steps().Add(StepRow{Step: 1, Rank: 1, Start: 1_000_000, End: 2_000_001, Loss: new(0.0), Comm: 7, Overlap: 3})
	d.Flows().Add(FlowRow{ID: 1, Name: `says "go", twice`, Kind: KindJob, Src: "host1/gpu0", Dst: "host2/gpu0",
		Channel: -1, Step: -1, Bytes: 4096,
		Posted: 5, Placed: 6, Acked: 7, FCT: 1, Status: StatusDone, Path: "host1>rail1>host2"})
	d.Flows().Add(FlowRow{ID: 2, Status: StatusUnfinished})
	d.Links() // a table without rows
	if err := d.Finish(&Summary{State: Complete}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for table, want := range map[string]int64{"steps": 2, "flows": 2, "links": 0} {
		var one bytes.Buffer
		n, err := r.WriteCSV(&one, table)
		if err != nil || n != want {
			t.Errorf("%s: %d rows, %v, want %d", table, n, err, want)
		}
		records, err := csv.NewReader(&one).ReadAll() // an independent reader, which wants as many fields in each line
		if err != nil || len(records) != int(want)+1 {
			t.Errorf("%s: %d lines, %v", table, len(records), err)
		}
	}
	for _, table := range []string{"steps", "flows", "links"} {
		if _, err := r.WriteCSV(&b, table); err != nil {
			t.Fatal(err)
		}
	}
	scripttest.Golden(t, "tables.csv", b.String())
	if _, err := r.WriteCSV(&b, "queues"); err == nil || !strings.Contains(err.Error(), "the run wrote none") {
		t.Error(err)
	}
	if _, err := r.WriteCSV(&b, "packets"); err == nil ||
		!strings.Contains(err.Error(), "want one of steps, operations, flows, links, queues, paths") {
		t.Error(err)
	}
}

// CSV has the columns of Parquet, in the same order.
func TestCSVColumnsAreThoseOfParquet(t *testing.T) {
	for name, row := range rowTypes {
		var want []string
		for _, path := range parquetgo.SchemaOf(row).Columns() {
			want = append(want, path[0])
		}
		var got []string
		for _, c := range parquet.Fields(reflect.TypeOf(row)) {
			got = append(got, c.Name)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
	}
}

// rowTypes is a row of each table.
var rowTypes = map[string]any{"steps": StepRow{}, "operations": OperationRow{}, "flows": FlowRow{}, "links": LinkRow{},
	"queues": QueueRow{}, "paths": PathRow{}, "hops": HopRow{},
	"losses": LossRow{}, "shares": ShareRow{}, "events": EventRow{}, "series": SeriesRow{},
	"gradients": GradientRow{}, "experts": ExpertRow{}, "telemetry": telemetry.Row{}}
