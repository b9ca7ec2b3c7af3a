import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow by 30 % between full collections instead of doubling. V8 reads this flag at every collection, so
 * it may be set while running. Rows are short-lived, so without the flag an import of 100,000 rows peaks at 200 MB, of
 * which 140 MB are garbage.
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
