import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow by 30 % between full collections instead of doubling. V8 reads this flag at every collection, so it may
 * be set while running. Rows are short-lived: without it an import of 100,000 rows peaks at 200 MB of which 140 are garbage.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=30');
}

/**
 * For a command that reads few answers, before the first. V8 would optimize the parser of answers, which is WebAssembly, after
 * one of them: 70 ms for which the end of the command waits. The budget is about the bytes that it may execute before that.
 */
export function keepParserPlain(): void {
  setFlagsFromString('--wasm-tiering-budget=1000000000');
}
