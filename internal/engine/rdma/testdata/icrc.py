"""Counts the RoCEv2 frames over IPv4 of a capture, and those whose ICRC is not what scapy computes."""
import sys

from scapy.all import IP, PcapNgReader, raw
from scapy.contrib.roce import BTH

frames = wrong = 0
for p in PcapNgReader(sys.argv[1]):
    if IP in p and BTH in p:
        frames += 1
        wrong += p[BTH].compute_icrc(raw(p[BTH])[:-4]) != raw(p)[-4:]
print(frames, "frames,", wrong, "wrong")
