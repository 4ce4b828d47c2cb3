package result

// Anew forgets all rows: what is told begins once more. What Begin and KeepInputs wrote stays. After an error, such as a full disk,
// nothing is forgotten, and it is returned.
func (d *Dir) Anew() error {
	if d == nil {
		return nil
	}
	for _, t := range d.open {
		t.forget()
	}
	if err := d.failed(); err != nil {
		return err
	}
	*d = Dir{path: d.path, folder: d.folder, begun: d.begun, summary: d.summary, group: d.group, keepAt: keepLeast}
	return nil
}

// forget removes all that was written, the last part first: at each instant the parts hold a prefix.
func (t *Table[R]) forget() {
	if t.err != nil {
		return
	}
	var err error
	if t.file != nil {
		t.file.Close()
		err, t.file = t.dir.Remove(t.part), nil
	}
	for ; t.closed > 0 && err == nil; t.closed-- {
		err = t.dir.Remove(partName(t.name, t.closed))
	}
	if err != nil {
		t.fail(err)
	}
}
