#!/usr/bin/env node
import { main } from '../src/main.ts';

// Until the command has ended, it has not succeeded. CommonJS, as which this is shipped, has no await here.
process.exitCode = 1;
void main(process).then((code) => {
  process.exitCode = code;
});
