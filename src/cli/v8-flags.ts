import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow by 30 % between full collections instead of doubling. V8 reads this flag at every collection, so it may
 * be set while running. Rows are short-lived: without it an import of 100,000 rows peaks at 200 MB of which 140 are garbage.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=30');
}

/**
 * Keeps V8 from optimising the parser of answers, which is WebAssembly. Call it before the first answer in a command
 * that reads few answers. V8 would otherwise optimise it after one of them, which takes 70 ms for which the end of the
 * command waits. The flag is the number of bytes, approximately, that may be executed before that.
 */
export function keepParserPlain(): void {
  setFlagsFromString('--wasm-tiering-budget=1000000000');
}
