package result

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
)

// CaptureFile is the frames of some links, for Wireshark: what a run with capture.links leaves.
const CaptureFile = "capture.pcapng"

// capture is the file while it is written. Nothing is there until its buffer is full or the run ends.
type capture struct {
	dir    *output.Folder
	file   *os.File
	buffer *bufio.Writer
	err    error
}

// Capture returns what takes capture.pcapng; nil of a nil Dir. The file is there under its name once the run has
// ended.
func (d *Dir) Capture() io.Writer {
	if d == nil {
		return nil
	}
	if d.capture == nil {
		c := &capture{dir: d.folder}
		c.buffer = bufio.NewWriterSize((*captureFile)(c), 1<<16)
		d.capture = c
	}
	return d.capture
}

func (c *capture) Write(b []byte) (int, error) {
	n, err := c.buffer.Write(b)
	c.err = cmp.Or(c.err, err)
	return n, err
}

// captureFile is the file below the buffer, made when something is written.
type captureFile capture

func (c *captureFile) Write(b []byte) (n int, err error) {
	if c.file == nil {
		if c.file, err = c.dir.New(CaptureFile + unfinished); err != nil {
			return 0, err
		}
	}
	return c.file.Write(b)
}

// finish gives the file its name.
func (c *capture) finish() {
	c.err = cmp.Or(c.err, c.buffer.Flush())
	if c.file != nil {
		c.err = cmp.Or(c.err, c.file.Sync())
		c.err = cmp.Or(c.err, c.file.Close())
		if c.err == nil {
			c.err = c.dir.Rename(CaptureFile+unfinished, CaptureFile)
		}
	}
}

// captureErr tells what went wrong with the capture.
func (d *Dir) captureErr() error {
	if d.capture == nil || d.capture.err == nil {
		return nil
	}
	return fmt.Errorf("run directory %s: cannot write %s: %w", d.path, CaptureFile, input.Cause(d.capture.err))
}
