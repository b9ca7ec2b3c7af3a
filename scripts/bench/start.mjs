// How long srq takes to start, as multiples of a Node.js that does nothing, all in turns; the fastest tenth counts. A create
// is timed until its first request has reached the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { print } from './compare.mjs';
import { srqEnv } from './contenders.mjs';

const ANSWERS = { '/oauth/token': '{"access_token":"bench","expires_in":86400}' };
const CREATE = ['create', '--no-validate', '--country', 'PT', '--email', 'ana@example.com', '--request-text'];

export async function measureStart({ program, folder }, rounds) {
  const service = await startTimedService();
  const emptyFolder = () => mkdtempSync(join(folder, 'start-'));
  const kept = emptyFolder();
  const toEnd = (...words) => timedMs(words, srqEnv(kept, service.url));
  const toFirstRequest = async (state, text) => {
    const startedMs = performance.now();
    const [firstMs] = await Promise.all([
      service.firstRequestMs(),
      timedMs([program, ...CREATE, text], srqEnv(state, service.url)),
    ]);
    return firstMs - startedMs;
  };
  // Its token is kept for those that follow.
  await toFirstRequest(kept, 'A dripping tap');
  const commands = {
    'node -e 0': () => toEnd('-e', '0'),
    'srq --version': () => toEnd(program, '--version'),
    'srq --help': () => toEnd(program, '--help'),
    'srq bulk --help': () => toEnd(program, 'bulk', '--help'),
    'srq status': () => toEnd(program, 'status'),
    'srq create, until it asks for a token': () => toFirstRequest(emptyFolder(), 'A dripping tap'),
    'srq create, with a token, until it sends': (round) => toFirstRequest(kept, `Tap ${round}`),
  };
  const took = new Map(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(commands)) took.get(name).push(await run(round));
  }
  service.close();
  const fastMs = (name) => took.get(name).sort((a, b) => a - b)[Math.floor(rounds / 10)];
  const bareMs = fastMs('node -e 0');
  print(`\nstart, the fastest tenth of ${rounds} in turns`);
  for (const name of took.keys()) {
    const ms = fastMs(name);
    print(`${name.padEnd(42)} ${ms.toFixed(1).padStart(6)} ms  ${(ms / bareMs).toFixed(2)} x`);
  }
}

/** Until Node.js has run these words to their end, which must be a good one: what it says otherwise is part of the error. */
async function timedMs(words, env) {
  const startedMs = performance.now();
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const [code, signal] = await once(child, 'exit');
  const tookMs = performance.now() - startedMs;
  if (code === 0) return tookMs;
  await closed;
  throw new Error(`${words.join(' ')} ended with ${code ?? signal}: ${said}`);
}

/** A service that tells when the first request of a command comes. */
async function startTimedService() {
  let note = () => {};
  let creates = 0;
  const server = createServer((request, response) => {
    note(performance.now());
    const answer = ANSWERS[request.url] ?? `{"request_id":${++creates}}`;
    response.writeHead(request.url in ANSWERS ? 200 : 201, { 'content-type': 'application/json' }).end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    firstRequestMs: () => new Promise((resolve) => (note = resolve)),
    close: () => server.close(),
  };
}
