import { setFlagsFromString } from 'node:v8';

/**
 * For a command that reads few answers, before the first. V8 would optimize the parser of answers, which is WebAssembly, after
 * one of them: 70 ms for which the end of the command waits. The budget is about the bytes that it may execute before that.
 */
export function keepParserPlain(): void {
  setFlagsFromString('--wasm-tiering-budget=1000000000');
}
