// Lets Prism judge what srq sends for each hand-made description: npm run check:prism. Prism comes by npx, from the registry.
// A run of srq goes to its own sandbox; a copy of each request goes to Prism, a validating mock of the same document.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const FIXTURES = resolve('fixtures/contracts');
const PRISM = '@stoplight/prism-cli@5.14';
const EXPECTED = JSON.parse(readFileSync(join(FIXTURES, 'expected.json'), 'utf8'));
const documents = readdirSync(FIXTURES).filter((name) => /(?:openapi|swagger).*\.(?:yaml|json)$/.test(name));
const children = [];
let refused = 0;

try {
  for (const name of documents) refused += await check(name);
} finally {
  for (const child of children) stop(child);
}
process.exitCode = refused > 0 ? 1 : 0;

/** The number of requests that Prism refused. */
async function check(name) {
  const file = join(FIXTURES, name);
  const folder = mkdtempSync(join(tmpdir(), 'srq-prism-'));
  const prism = await started(
    'npx',
    ['--yes', PRISM, 'mock', '--errors', '-h', '127.0.0.1', '-p', '0', file],
    /listening on (http:\S+)/,
  );
  const sandbox = await started(
    process.execPath,
    ['dist/srq.js', 'sandbox', '--port', '0', '--json', '--contract', file],
    /(\{.*\})\n/,
  );
  const { baseUrl, clientId, clientSecret } = JSON.parse(sandbox.found);
  const verdicts = [];
  const tee = await teeServer(baseUrl, prism.found, verdicts);
  const address = `http://127.0.0.1:${tee.address().port}`;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SRQ_CONFIG_DIR: folder,
    SRQ_STATE_DIR: folder,
    SRQ_BASE_URL: address,
    SRQ_CLIENT_ID: clientId,
    SRQ_CLIENT_SECRET: clientSecret,
  };
  const answers = Object.entries(EXPECTED[name].set).flatMap(([constant, value]) => ['--set', `${constant}=${value}`]);
  await srq(['contract', 'learn', file, ...answers, '--yes'], env);
  await srq(['bulk', writeLeads(folder, EXPECTED[name].audio !== null), '--rate', 'max', '--yes'], env);
  tee.close();
  for (const { child } of [prism, sandbox]) stop(child);
  rmSync(folder, { recursive: true, force: true });
  const wrong = verdicts.filter(({ problem }) => problem !== null);
  process.stdout.write(`${name}: ${verdicts.length - wrong.length} accepted, ${wrong.length} refused\n`);
  for (const { path, problem } of wrong) process.stdout.write(`  ${path}: ${problem}\n`);
  return verdicts.length === 0 ? 1 : wrong.length;
}

/** Leads that every description takes, one with a recording where there is a place for it. */
function writeLeads(folder, withRecording) {
  writeFileSync(join(folder, 'need.wav'), 'RIFF\x24\x00\x00\x00WAVEfmt not really a sound');
  const rows = [
    'country,lang,location,fullname,email,phone,request_text,category,audio_file',
    'PT,pt,1200-109 Lisboa,Ana Exemplo,ana@example.com,+351912345678,A torneira pinga,Plumbing,',
    'UK,en,London,Ann Example,ann@example.com,+447400123456,"Photos, please",photography,',
    ...(withRecording ? ['DE,de,Berlin,Anna Beispiel,anna@example.com,+4915123456789,,Plumbing,need.wav'] : []),
  ];
  const path = join(folder, 'leads.csv');
  writeFileSync(path, `${rows.join('\n')}\n`);
  return path;
}

/** Passes each request on to the sandbox, whose answer counts, and to Prism, whose verdict is noted. */
async function teeServer(sandboxUrl, prismUrl, verdicts) {
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const copy = { method: incoming.method, path: incoming.url, headers: incoming.headers, body };
    const problem = await problemOf(prismUrl, copy);
    if (problem !== undefined) verdicts.push({ path: incoming.url, problem });
    const answer = await sent(sandboxUrl, copy);
    outgoing.writeHead(answer.status, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
    outgoing.end(answer.text);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

/** Null if Prism accepts it, undefined if the document does not describe it. Paths are known without what all servers share. */
async function problemOf(prismUrl, copy) {
  const own = await sent(prismUrl, copy);
  if (copy.path === '/oauth/token' && own.text.includes('NO_PATH_MATCHED')) return undefined;
  const path = copy.path.replace(/^\/[^/]+/, '');
  const answer = own.text.includes('NO_PATH_MATCHED') && path !== '' ? await sent(prismUrl, { ...copy, path }) : own;
  return /stoplight\.io\/prism\/errors/.test(answer.text) || answer.status >= 400 ? answer.text : null;
}

function sent(baseUrl, { method, path, headers, body }) {
  return new Promise((done, fail) => {
    const { host } = new URL(baseUrl);
    const outgoing = request(
      baseUrl + path,
      { method, headers: { ...headers, host, connection: 'close' } },
      async (answer) => {
        const text = Buffer.concat(await answer.toArray()).toString();
        done({ status: answer.statusCode, headers: answer.headers, text });
      },
    );
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

/** A process that has said what it was started for: that it is ready, and where. */
function started(program, args, pattern) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  children.push(child);
  return new Promise((done, fail) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
        const [, found] = pattern.exec(said) ?? [];
        if (found) done({ child, found });
      });
    }
    child.once('close', () => fail(new Error(`${program} ended: ${said}`)));
    child.once('error', fail);
  });
}

/** npx starts a child of its own: the whole group ends. */
function stop({ pid, exitCode }) {
  if (exitCode !== null || pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It ended meanwhile.
  }
}

async function srq(args, env) {
  const child = spawn(process.execPath, ['dist/srq.js', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const said = (await child.stderr.toArray()).join('');
  if (child.exitCode === null) await new Promise((done) => child.once('close', done));
  if (child.exitCode !== 0) throw new Error(`srq ${args.join(' ')} ended with ${child.exitCode}: ${said}`);
}
