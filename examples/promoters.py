"""Computes two kernel principal components of DNA strings, with a kernel that counts substrings of four letters."""

import sys

from mercer import KernelPCA

data = sys.argv[1] if len(sys.argv) > 1 else "data"
with open(f"{data}/promoters.tsv") as lines:
    promoters = [line.rstrip("\n").split("\t")[-1] for line in lines]
z = KernelPCA(kernel="normalize(spectrum(k=4))", n_components=2).fit(promoters).transform(promoters)
print(f"{z.shape[0]} strings, {z.shape[1]} components")
print(f"first: {abs(z[0, 0]):.4f} {abs(z[0, 1]):.4f}")
