// Package hash is how a switch picks one of equal-cost links for a flow: a function of header fields
// and a seed, modulo the number of links (RFC 2992, section 2).
//
// It is arithmetic alone: it knows no switch, no port and no time. Who asks for which flow at which
// switch is above it (plan). It has no say in packets that choose for themselves (flowlets, spraying).
//
//	headers        seed of the switch
//	  |                |
//	  +---> function --+--> hash --> mod n --> link 0..n-1
//
// What vendors compute they rarely publish. What is here are the functions that they name:
//
//   - crc16, crc32, xor: the choices of Broadcom's RTAG7 hashing as SDKs and SAI list them
//     (SAI_HASH_ALGORITHM_CRC, _CRC_CCITT, _XOR). Polynomials: 0x1021 (ITU-T V.41), IEEE 802.3.
//   - toeplitz: receive-side scaling's (Microsoft, "RSS hashing types"), with the key printed there.
//   - mix: SplitMix64's finaliser over the fields. It stands for a hash without structure.
//
// Where the seed goes is assumed: it is the start value of a CRC, a constant for xor, a change of
// the key for toeplitz, the first state of mix.
//
// Invariants:
//
//   - The same flow, seed and function give the same link in every version: paths depend on it.
//   - crc16, crc32 and xor are linear: for flows with as many header bytes, another seed XORs
//     the same constant to every hash. So with 2^k links it renames the links, and a switch with
//     another seed splits no better what one switch before it sends (TestSeedOfALinearHashCuresNothing).
//     What several send it, each with a seed of its own, falls on links as if cables were swapped.
package hash
