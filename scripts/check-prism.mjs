// Lets Prism judge what srq sends: for each hand-made description, and for the judged real documents, or for those of a
// folder as check:documents takes it: npm run check:prism -- FOLDER. Prism comes by npx, from the registry. A run of srq goes
// to its own sandbox; a copy of each request goes to Prism, a validating mock of the same document.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, parse as parsePath, resolve } from 'node:path';
import { parse } from 'yaml';
import { judgedDocuments, rehearseAll, srq, started, stop, stopAll } from './rehearsals.mjs';

const FIXTURES = resolve('fixtures/contracts');
const PRISM = '@stoplight/prism-cli@5.14';
const EXPECTED = JSON.parse(readFileSync(join(FIXTURES, 'expected.json'), 'utf8'));
const [folder] = process.argv.slice(2);
let refused = 0;

try {
  if (folder === undefined) {
    const handMade = readdirSync(FIXTURES).filter((name) => /(?:openapi|swagger).*\.(?:yaml|json)$/.test(name));
    for (const name of handMade) refused += await check(name);
  }
  refused += await checkReal();
} finally {
  stopAll();
}
process.exitCode = refused > 0 ? 1 : 0;

/** Rehearses the judged descriptions; collections are none, and Prism would make up what they require. */
async function checkReal() {
  const documents = judgedDocuments(folder).filter(({ bytes }) => !bytes.includes('schema.getpostman.com'));
  const verdictsOf = new Map();
  const withPrism = async (path, sandbox) => {
    const prism = await Promise.resolve(path)
      .then(judgeable)
      .then(startedPrism)
      .catch((error) => error);
    if (prism instanceof Error) {
      verdictsOf.set(path, `Prism cannot read it: ${prism.message.slice(-300)}`);
      return sandbox;
    }
    const verdicts = [];
    verdictsOf.set(path, verdicts);
    const tee = await teeServer(sandbox.baseUrl, prism.found, verdicts);
    const close = () => {
      report(path.split('/').at(-1), verdicts);
      tee.close();
      stop(prism.child);
      sandbox.close();
    };
    return { ...sandbox, baseUrl: `http://127.0.0.1:${tee.address().port}`, close };
  };
  const rehearsals = await rehearseAll(documents, withPrism);
  const judged = [...verdictsOf].map(([path, verdicts]) => ({ name: path.split('/').at(-1), verdicts }));
  const unread = judged.filter(({ verdicts }) => typeof verdicts === 'string');
  const heard = judged.filter(({ verdicts }) => typeof verdicts !== 'string' && verdicts.length > 0);
  for (const { name, verdicts } of unread) process.stdout.write(`${name}: ${verdicts}\n`);
  const silent = judged.filter(({ verdicts }) => verdicts.length === 0);
  for (const { name } of silent) {
    const { why } = rehearsals.find((each) => each.name === parsePath(name).name);
    process.stdout.write(`${name}: no request that Prism can judge: ${why}\n`);
  }
  const wrong = heard.filter(({ verdicts }) => verdicts.some(({ problem }) => problem !== null));
  process.stdout.write(
    `${rehearsals.length} real documents: Prism judged requests of ${heard.length} and refused some of ${wrong.length}; ` +
      `it could not read ${unread.length}, and could judge no request of ${silent.length}\n`,
  );
  return wrong.length;
}

function report(name, verdicts) {
  const wrong = verdicts.filter(({ problem }) => problem !== null);
  process.stdout.write(`${name}: ${verdicts.length - wrong.length} accepted, ${wrong.length} refused\n`);
  for (const { path, problem } of wrong) process.stdout.write(`  ${path}: ${problem.slice(0, 1500)}\n`);
  return wrong.length;
}

/**
 * Returns the path of what Prism is to read. Two faults of a document have Prism refuse every request, whatever is in it: no
 * media type for bodies (Swagger 2.0), and security schemes that are defined nowhere. Then a mended copy is put beside it.
 */
function judgeable(path) {
  const document = parse(readFileSync(path, 'utf8'), { merge: true, maxAliasCount: -1 });
  const { securitySchemes, securityDefinitions = securitySchemes } = { ...document.components, ...document };
  const mended = new Set();
  if (document.swagger !== undefined) document.consumes ??= [];
  for (const each of [document, ...Object.values(document.paths ?? {}).flatMap(Object.values)]) {
    if (each?.consumes?.length === 0) {
      each.consumes = ['application/json'];
      mended.add('an empty list of media types is JSON');
    }
    const named = (each?.security ?? []).flatMap(Object.keys);
    if (named.length > 0 && named.every((name) => securityDefinitions?.[name] === undefined)) {
      delete each.security;
      mended.add(`security schemes that it does not define are left out (${named.join(', ')})`);
    }
  }
  if (mended.size === 0) return path;
  process.stdout.write(`${basename(path)}: Prism reads a mended copy: ${[...mended].join('; ')}\n`);
  const copy = `${path}.mended.json`;
  writeFileSync(copy, JSON.stringify(document));
  return copy;
}

function startedPrism(file) {
  const words = ['--yes', PRISM, 'mock', '--errors', '-h', '127.0.0.1', '-p', '0', file];
  return started('npx', words, /listening on (http:\S+)/);
}

/** The number of requests that Prism refused. */
async function check(name) {
  const file = join(FIXTURES, name);
  const { set, operations: named, audio, categories } = EXPECTED[name];
  const operations = Object.entries(named).flatMap(([role, operation]) => ['--operation', `${role}=${operation}`]);
  const home = mkdtempSync(join(tmpdir(), 'srq-prism-'));
  const prism = await startedPrism(file);
  const sandbox = await started(
    process.execPath,
    ['dist/srq.js', 'sandbox', '--port', '0', '--json', '--contract', file, ...operations],
    /(\{.*\})\n/,
  );
  const { baseUrl, clientId, clientSecret } = JSON.parse(sandbox.found);
  const verdicts = [];
  const tee = await teeServer(baseUrl, prism.found, verdicts);
  const address = `http://127.0.0.1:${tee.address().port}`;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SRQ_CONFIG_DIR: home,
    SRQ_STATE_DIR: home,
    SRQ_BASE_URL: address,
    SRQ_CLIENT_ID: clientId,
    SRQ_CLIENT_SECRET: clientSecret,
  };
  const answers = Object.entries(set).flatMap(([constant, value]) => ['--set', `${constant}=${value}`]);
  for (const words of [
    ['contract', 'learn', file, ...operations, ...answers, '--yes'],
    ['bulk', writeLeads(home, audio !== null, categories), '--rate', 'max', '--yes'],
  ]) {
    const { code, stderr } = await srq(words, env);
    if (code !== 0) throw new Error(`srq ${words.join(' ')} ended with ${code}: ${stderr}`);
  }
  tee.close();
  for (const { child } of [prism, sandbox]) stop(child);
  rmSync(home, { recursive: true, force: true });
  const wrong = report(name, verdicts);
  return verdicts.length === 0 ? 1 : wrong;
}

/** Leads that every description takes, one with a recording where there is a place for it. */
function writeLeads(folder, withRecording, [even, odd] = ['Plumbing', 'photography']) {
  writeFileSync(join(folder, 'need.wav'), 'RIFF\x24\x00\x00\x00WAVEfmt not really a sound');
  const rows = [
    'country,lang,location,fullname,email,phone,request_text,category,audio_file',
    `PT,pt,1200-109 Lisboa,Ana Exemplo,ana@example.com,+351912345678,A torneira pinga,${even},`,
    `UK,en,London,Ann Example,ann@example.com,+447400123456,"Photos, please",${odd},`,
    ...(withRecording ? [`DE,de,Berlin,Anna Beispiel,anna@example.com,+4915123456789,,${even},need.wav`] : []),
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

/**
 * Null if Prism accepts it, undefined if Prism cannot judge it: the document does not describe it. Paths are known without
 * what all servers share. That Prism cannot make up an answer says nothing of the request, which it has looked at before.
 */
async function problemOf(prismUrl, copy) {
  let answer = await sent(prismUrl, copy);
  for (
    let path = copy.path;
    answer.text.includes('NO_PATH_MATCHED');
    answer = await sent(prismUrl, { ...copy, path })
  ) {
    path = path.replace(/^\/[^/]+/, '');
    if (/[/-]token$/i.test(copy.path)) return undefined;
    if (path === '') return answer.text;
  }
  if (/NO_RESPONSE_DEFINED|NO_COMPLEX_OBJECT_TEXT|NOT_ACCEPTABLE|NO_SUCCESS_RESPONSE/.test(answer.text)) return null;
  const violations = answer.headers['sl-violations'] ?? answer.text;
  const isOfAnswer = /"location":\["response"/.test(violations) && !/"location":\["request"/.test(violations);
  if (isOfAnswer) return null;
  return /stoplight\.io\/prism\/errors/.test(answer.text) || answer.status >= 400
    ? `HTTP ${answer.status} ${violations}`
    : null;
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
