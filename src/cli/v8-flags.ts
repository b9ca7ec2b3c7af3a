import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow by 30 % between full collections instead of doubling. V8 reads this flag at every collection, so
 * it may be set while running. Rows are short-lived, so without the flag an import of 100,000 rows peaks at 200 MB, and
 * 140 MB of them are garbage.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=30');
}

/**
 * Keeps V8 from optimising the WebAssembly code that parses HTTP answers. Call it before the first answer in a command
 * that reads few answers. V8 would otherwise optimise the code after one of them, and the command would wait 70 ms for
 * that at its end. The value is approximately the number of bytes that may be executed before V8 optimises.
 */
export function keepParserPlain(): void {
  setFlagsFromString('--wasm-tiering-budget=1000000000');
}

/** An import of at most this many rows ends before optimised code has paid for its compilation. */
const FEW_ROWS = 2_000;

/**
 * Lets V8 optimise functions later if an import is small. Measured with 1,000 rows: 0.7 of the CPU. With 20,000 rows it
 * would be 1.4.
 */
export function optimizeForRows(rows: number): void {
  if (rows <= FEW_ROWS) setFlagsFromString('--interrupt-budget=500000');
}
