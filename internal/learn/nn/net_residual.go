package nn

import "fmt"

// openResidual is a residual line whose sum is to come.
type openResidual struct {
	name  string
	begin shape // what goes in
	made  shape // what its layers make, once a shortcut has begun
	f     []Named
	from  int // where the layers of the path that is being read begin in the list
}

func buildResidual(b *netBuilder, _ netValues) error {
	if b.open != nil {
		return fmt.Errorf("%s has no add yet, want that first", b.open.name)
	}
	b.open = &openResidual{name: b.name, begin: b.at, from: len(b.layers)}
	return nil
}

func buildShortcut(b *netBuilder, _ netValues) error {
	o := b.open
	switch {
	case o == nil:
		return fmt.Errorf("no residual before it")
	case o.f != nil:
		return fmt.Errorf("%s has one, want add", o.name)
	case len(b.layers) == o.from:
		return fmt.Errorf("%s has no layer, want at least one before its shortcut", o.name)
	}
	o.f, o.made, b.at = b.cut(), b.at, o.begin
	return nil
}

func buildAdd(b *netBuilder, v netValues) error {
	o := b.open
	if o == nil {
		return fmt.Errorf("no residual before it")
	}
	last, g := b.cut(), []Named(nil)
	switch {
	case o.f == nil && len(last) == 0:
		return fmt.Errorf("%s has no layer, want at least one", o.name)
	case o.f == nil:
		o.f, o.made, b.at = last, b.at, o.begin
	case len(last) == 0:
		return fmt.Errorf("the shortcut of %s has no layer, want at least one, or no shortcut", o.name)
	default:
		g = last
	}
	if o.made != b.at {
		return fmt.Errorf("the layers of %s make %v, to which %v cannot be added: want as many, or a shortcut that makes them",
			o.name, o.made, b.at)
	}
	in, behind := v.inside()
	l, err := Residual(o.f, g, in)
	if err != nil {
		return err
	}
	b.name, b.open = o.name, nil
	b.give(o.made, l, behind)
	return nil
}

// cut takes the layers of the open path out of the list.
func (b *netBuilder) cut() []Named {
	all := append([]Named{}, b.layers[b.open.from:]...)
	b.layers = b.layers[:b.open.from]
	return all
}
