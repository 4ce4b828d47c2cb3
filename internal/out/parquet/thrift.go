package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxDepth is how deep values may lie in one another: Parquet's own need 6.
const maxDepth = 16

var errShort = errors.New("ends too soon")

// thrift reads one value after another. The first error stays, and ends all loops.
//
//	field header   delta of the field's number (4 bits) | type (4 bits)
//	list header    length, 15: a varint follows (4 bits) | type of the elements (4 bits)
type thrift struct {
	b     []byte // what is left
	err   error
	depth int
}

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err = err
	}
	t.b = nil
}

func (t *thrift) byte() byte {
	if len(t.b) == 0 {
		t.fail(errShort)
		return 0
	}
	c := t.b[0]
	t.b = t.b[1:]
	return c
}

func (t *thrift) uvarint() uint64 {
	v, n := binary.Uvarint(t.b)
	if n <= 0 {
		t.fail(errShort)
		return 0
	}
	t.b = t.b[n:]
	return v
}

func (t *thrift) varint() int64 {
	u := t.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

func (t *thrift) take(n uint64) []byte {
	if n > uint64(len(t.b)) {
		t.fail(errShort)
		return nil
	}
	v := t.b[:n]
	t.b = t.b[n:]
	return v
}

// number reads an integer field; another type is an error.
func (t *thrift) number(typ byte) int64 {
	switch typ {
	case thriftI16, thriftI32, thriftI64:
		return t.varint()
	case thriftByte:
		return int64(int8(t.byte()))
	}
	t.fail(fmt.Errorf("a field of type %d where a number is due", typ))
	return 0
}

// small reads a number that has to be from 0 to most.
func (t *thrift) small(typ byte, most int64) int {
	v := t.number(typ)
	if v < 0 || v > most {
		t.fail(fmt.Errorf("a field is %d, want 0 to %d", v, most))
		return 0
	}
	return int(v)
}

func (t *thrift) flag(typ byte) bool {
	if typ != thriftTrue && typ != thriftFalse {
		t.fail(fmt.Errorf("a field of type %d where true or false is due", typ))
	}
	return typ == thriftTrue
}

func (t *thrift) text(typ byte) string {
	if typ != thriftBinary {
		t.fail(fmt.Errorf("a field of type %d where text is due", typ))
		return ""
	}
	return string(t.take(t.uvarint()))
}

// fields calls f for each field of a struct; f reads it or skips it.
func (t *thrift) fields(typ byte, f func(id int64, typ byte)) {
	if typ != thriftStruct {
		t.fail(fmt.Errorf("a field of type %d where a struct is due", typ))
		return
	}
	if t.depth++; t.depth > maxDepth {
		t.fail(fmt.Errorf("structs lie more than %d deep", maxDepth))
	}
	defer func() { t.depth-- }()
	id := int64(0)
	for t.err == nil {
		head := t.byte()
		if head == 0 || t.err != nil {
			return
		}
		if delta := int64(head >> 4); delta > 0 {
			id += delta
		} else {
			id = t.varint()
		}
		f(id, head&15)
	}
}

// list calls f for each element. Every element takes at least a byte, so a count that is
// larger than what is left is refused at once.
func (t *thrift) list(typ byte, f func(typ byte)) {
	if typ != thriftList && typ != thriftSet {
		t.fail(fmt.Errorf("a field of type %d where a list is due", typ))
		return
	}
	if t.depth++; t.depth > maxDepth {
		t.fail(fmt.Errorf("lists lie more than %d deep", maxDepth))
	}
	defer func() { t.depth-- }()
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.uvarint()
	}
	if n > uint64(len(t.b)) {
		t.fail(errShort)
	}
	for ; n > 0 && t.err == nil; n-- {
		f(head & 15)
	}
}

// skip passes over a field.
func (t *thrift) skip(typ byte) {
	switch typ {
	case thriftTrue, thriftFalse: // the type is the value
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		t.take(8)
	case thriftBinary:
		t.take(t.uvarint())
	case thriftStruct:
		t.fields(typ, func(_ int64, typ byte) { t.skip(typ) })
	case thriftList, thriftSet:
		t.list(typ, t.skipElement)
	default: // a map: no field of Parquet's is one
		t.fail(fmt.Errorf("a field of unknown type %d", typ))
	}
}

// skipElement is skip, but for elements of lists, where a truth value takes a byte.
func (t *thrift) skipElement(typ byte) {
	if typ == thriftTrue || typ == thriftFalse {
		t.byte()
		return
	}
	t.skip(typ)
}
