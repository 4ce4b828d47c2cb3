package netconftest

import (
	"strings"
	"testing"

	"railyard/internal/config/netconf"
)

// Refused renders a device, and reports where it is not refused with these words, or, of none, is; what is refused has no files.
func Refused(t *testing.T, what string, of netconf.Dialect, d *netconf.Device, want string) {
	t.Helper()
	files, err := of.Render(d)
	switch {
	case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %v, want %q", what, err, want)
	case err != nil && len(files) > 0:
		t.Errorf("%s: refused, and rendered", what)
	}
}

// Fitted fits a device and renders what that leaves: it reports where the text lacks some, or where these words are not among what
// is said to be left out, or, of none, anything is. It returns what was fitted, and its text.
func Fitted(t *testing.T, what string, of netconf.Dialect, d *netconf.Device, want, wantLeft string) (*netconf.Device, string) {
	t.Helper()
	d, left := of.Fit(d)
	files, err := of.Render(d)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	text := string(files[0].Text)
	if !strings.Contains(text, want) {
		t.Errorf("%s: want %s in\n%s", what, want, text)
	}
	if all := strings.Join(left, "\n"); (all == "") != (wantLeft == "") || !strings.Contains(all, wantLeft) {
		t.Errorf("%s: left out: %q, want %q", what, all, wantLeft)
	}
	return d, text
}
