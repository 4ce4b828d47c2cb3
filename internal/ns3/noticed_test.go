package ns3

import "testing"

func TestAFileWithoutAKey(t *testing.T) {
	if holdsKey([]byte("correct horse battery staple\n")) || !holdsKey([]byte("# x\nCC_MODE 3\n")) {
		t.Error("a file with a key is one of ours, another is not")
	}
}
