//go:build unix && !amd64

package rank

import "hash/crc32"

// sumOf goes on with the checksum of the bytes of a message.
func sumOf(sum uint32, b []byte) uint32 { return crc32.Update(sum, castagnoli, b) }
