package noun

import "testing"

func TestFactsOfAFinding(t *testing.T) {
	f := Finding{Evidence: []Fact{{What: "a", Value: 7}}}
	if v, known := f.Fact("a"); v != 7 || !known {
		t.Errorf("%v, %v", v, known)
	}
	if v, known := f.Fact("b"); v != 0 || known {
		t.Errorf("of what is not there: %v, %v", v, known)
	}
}
