// Products of dense matrices, row by row in one array.

/**
 * `out[i, j] = sum of left[i, k] * right[j, k]`, for `rows` × `columns` values over `depth`. Four by four values at a time
 * stay in registers.
 */
export function timesTransposed(
  out: Float32Array,
  left: Float32Array,
  right: Float32Array,
  { rows, columns, depth }: { readonly rows: number; readonly columns: number; readonly depth: number },
): void {
  for (let i = 0; i < rows; i += 4) {
    const [a0, a1, a2, a3] = [i * depth, (i + 1) * depth, (i + 2) * depth, (i + 3) * depth];
    for (let j = 0; j < columns; j += 2) {
      const [b0, b1] = [j * depth, (j + 1) * depth];
      let [s00, s01, s10, s11, s20, s21, s30, s31] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let k = 0; k < depth; k++) {
        const x0 = right[b0 + k] as number;
        const x1 = right[b1 + k] as number;
        const y0 = left[a0 + k] as number;
        const y1 = left[a1 + k] as number;
        const y2 = left[a2 + k] as number;
        const y3 = left[a3 + k] as number;
        s00 += y0 * x0;
        s01 += y0 * x1;
        s10 += y1 * x0;
        s11 += y1 * x1;
        s20 += y2 * x0;
        s21 += y2 * x1;
        s30 += y3 * x0;
        s31 += y3 * x1;
      }
      const o = i * columns + j;
      out[o] = s00;
      out[o + 1] = s01;
      out[o + columns] = s10;
      out[o + columns + 1] = s11;
      out[o + 2 * columns] = s20;
      out[o + 2 * columns + 1] = s21;
      out[o + 3 * columns] = s30;
      out[o + 3 * columns + 1] = s31;
    }
  }
}

export function transpose(out: Float32Array, matrix: Float32Array, rows: number, columns: number): void {
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) out[j * rows + i] = matrix[i * columns + j] as number;
}
