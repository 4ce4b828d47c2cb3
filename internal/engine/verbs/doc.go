// Package verbs is what two hosts that use RDMA agree upon, as values: keys of memory regions, addresses in them, and
// the header that a library sends with a message. It knows no network, no ranks, no clock.
//
//	sender                                   receiver
//	message: key, address, bytes, header --> Regions.At(key, address, bytes) --> Memory
//
// Invariants:
//   - a key names one region from its registration on, and no other ever;
//   - bytes outside a region are never returned;
//   - what Append writes of a header, DecodeHeader reads, and nothing else.
//
// Source: InfiniBand Architecture Specification vol. 1, 10.6 (memory management) and 9.7.4.1.5 (what a responder checks
// of R_Key, address and length).
package verbs
