// How long srq takes to start, as multiples of a Node.js that does nothing, all in turns; the fastest tenth counts. A create is timed
// until its first request has reached the service. Then the CPU of a create whose log has two million requests.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { runMeasured } from './run-measured.mjs';
import { newFolder, SRQ, srqEnv } from './srq.mjs';

const ROUNDS = 40;
const REQUESTS = 2_000_000;
const ANSWERS = { '/oauth/token': '{"access_token":"bench","expires_in":86400}' };
const CREATE = [SRQ, 'create', '--no-validate', '--country', 'PT', '--email', 'ana@example.com', '--request-text'];

export async function measureStart({ folder, print }) {
  const service = await startTimedService();
  const kept = newFolder(folder);
  const env = srqEnv(kept, service.url);
  const run = (words) => runMeasured(process.execPath, words, { env });
  const toEnd = async (...words) => 1000 * (await run(words)).seconds;
  const toFirstRequest = async (text) => {
    const startedMs = performance.now();
    const [firstMs] = await Promise.all([service.firstRequestMs(), run([...CREATE, text])]);
    return firstMs - startedMs;
  };
  // Its token is kept for those that follow.
  await toFirstRequest('A dripping tap');
  const commands = {
    'node -e 0': () => toEnd('-e', '0'),
    'srq --version': () => toEnd(SRQ, '--version'),
    'srq create, until it sends': (round) => toFirstRequest(`Tap ${round}`),
  };
  const took = new Map(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, time] of Object.entries(commands)) took.get(name).push(await time(round));
  }
  const fastMs = (name) => took.get(name).sort((a, b) => a - b)[Math.floor(ROUNDS / 10)];
  for (const name of took.keys()) {
    print(`${name}: ${fastMs(name).toFixed()} ms, ${(fastMs(name) / fastMs('node -e 0')).toFixed(2)} times`);
  }
  const cpuOf = async (text) => (await run([...CREATE, text])).cpuMs;
  print(`srq create, its whole run: ${await cpuOf('Before')} ms of CPU`);
  lengthen(join(kept, 'state'));
  // The first one saves an index of the log.
  await cpuOf('Once');
  print(`srq create, with ${REQUESTS} requests in the log: ${await cpuOf('Again')} ms of CPU`);
  service.close();
}

/** Adds requests that were created to the one log below a folder. */
function lengthen(folder) {
  const log = readdirSync(folder, { recursive: true }).find((name) => name.endsWith('.ndjson'));
  for (let from = 0; from < REQUESTS; from += 10_000) {
    appendFileSync(join(folder, log), Array.from({ length: 10_000 }, (_, at) => recordsOf(from + at)).join(''));
  }
}

function recordsOf(row) {
  const key = createHash('sha256').update(`row ${row}`).digest('hex').slice(0, 32);
  const record = (event, more) =>
    `${JSON.stringify({ key, event, at: new Date(1_760_000_000_000 + row).toISOString(), run: '5f0c2a9e', row, ...more })}\n`;
  return (
    record('sending', {}) +
    record('created', { ids: { request_id: `${10n ** 19n + BigInt(row)}` }, http: 201, ms: 187 })
  );
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
