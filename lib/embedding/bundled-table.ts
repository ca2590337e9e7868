// The shipped word vectors in a Worker: part of its bundle.

import bytes from "./word-vectors.bin";

export const wordTable: ArrayBuffer = bytes;
