package wire

import "testing"

// RFC 8200, section 3: the version of an IPv6 header is 6. A tag is taken off every kind of frame that there is.
func TestVersionsAndTags(t *testing.T) {
	b := IPv6{}.Append(nil)
	if _, err := DecodeIPv6(b); err != nil {
		t.Error(err)
	}
	if b[0] = 4 << 4; true {
		if h, err := DecodeIPv6(b); err == nil {
			t.Errorf("version 4 is read as %+v", h)
		}
	}
	s := Sizes{Data: 66, ACK: 70, CNP: 82, Tag: 4}
	if u := s.Untagged(); u.Data != 62 || u.ACK != 66 || u.CNP != 78 || u.Tag != 0 {
		t.Errorf("%+v", u)
	}
	if s.CNP = 0; s.Untagged().CNP != 0 { // there are no CNPs
		t.Errorf("%+v", s.Untagged())
	}
}
