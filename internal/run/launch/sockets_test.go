//go:build unix

package launch

import (
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// A process that another launcher of the same program starts, however unlucky the moment, does not keep open the connection to
// one that has ended: who waits for its end would wait for both.
//
// It fails (in one of two tries or more) if the sockets are made while others may be started.
func TestSocketsAreInheritedByTheirOwnProcess(t *testing.T) {
	over := make(chan struct{})
	var starting sync.WaitGroup
	for range 2 {
		starting.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				other := exec.Command("sleep", "10")
				if err := other.Start(); err != nil {
					t.Error(err)
					return
				}
				defer func() {
					_ = other.Process.Kill()
					_ = other.Wait()
				}()
			}
		})
	}
	for range 1000 {
		ours, theirs, err := sockets()
		if err != nil {
			t.Fatal(err)
		}
		theirs.Close()
		began := time.Now()
		if n, err := ours.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Fatal(n, err)
		}
		ours.Close()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("another process kept it open for %v", took)
			break
		}
	}
	close(over)
	starting.Wait()
}
