//go:build unix

package launch

import "testing"

// What two nodes' scenarios do not share is named by its key, also in lists and groups that one has alone.
func TestFirstDifference(t *testing.T) {
	const ours = "name: t\njob:\n  train:\n    lr: 0.1\n    data:\n      digits:\n        dir: d\nfaults:\n  - link: a\n    drop: 1%\n"
	for _, c := range []struct{ its, want string }{
		{"name: u\njob:\n  train:\n    lr: 0.1\n", `name is u, that of node 0 t`},
		{"name: t\njob:\n  train:\n    lr: 0.2\n", `job.train.lr is 0.2, that of node 0 0.1`},
		{"name: t\njob:\n  train:\n    lr: 0.1\n    data:\n      digits:\n        dir: e\n",
			`job.train.data.digits.dir is e, that of node 0 d`},
		{"name: t\njob:\n  train:\n    lr: 0.1\n    seed: 3\n", `"seed: 3" where node 0 has "data:"`},
		{ours[:len(ours)-3] + "2%\n", `faults.drop is 2%, that of node 0 1%`},
		{"name: t\n", `"" where node 0 has "job:"`},
	} {
		if got := firstDifference(c.its, ours); got != c.want {
			t.Errorf("%q\n  %s, want\n  %s", c.its, got, c.want)
		}
	}
}
