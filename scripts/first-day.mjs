// Writes docs/first-day.md: the commands of a first day, run one after the other against a sandbox, and what they say.
// npm run first-day. What differs from run to run (address, client, times, durations, folders) is made the same.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const REQUEST =
  '--country PT --location "1200-109 Lisboa" --fullname "Ana Exemplo" --phone +351912345678 --request-text "A dripping tap"';

/** What is said before a command, and the command. */
const STEPS = [
  [
    'Credentials arrived this morning. They are proven before they are stored; the secret comes from a file here, and is asked for on a terminal.',
    'srq login --base-url $BASE_URL --client-id $CLIENT_ID --client-secret-stdin < secret',
  ],
  ['Does everything work from here, and who would send where?', 'srq doctor'],
  ['', 'srq status'],
  ['One request: is it known already? Then it is created, and created no second time.', `srq validate ${REQUEST}`],
  ['', `srq create ${REQUEST} --ref CRM-17`],
  ['', `srq create ${REQUEST} --ref CRM-17`],
  [
    'A file of leads: an example first, then what would be sent, then the import. The same command again goes on where it stopped; here there is nothing left to do.',
    'srq template csv --market PT --output leads.csv',
  ],
  ['', 'srq bulk leads.csv --dry-run'],
  ['', 'srq bulk leads.csv'],
  ['', 'srq bulk leads.csv --quiet'],
  ['What was sent, and what came back.', 'srq log'],
  [
    'Weeks later a description of the interface comes by mail. srq learns it, and rehearses with it on a sandbox that demands what it says.',
    'srq contract learn api.yaml --yes',
  ],
  ['', 'srq bulk leads.csv --sandbox --quiet'],
];

const folder = mkdtempSync(join(tmpdir(), 'srq-first-day-'));
try {
  const sandbox = await startSandbox();
  try {
    writeFileSync('docs/first-day.md', transcript(sandbox));
  } finally {
    sandbox.process.kill();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function startSandbox() {
  const child = spawn(process.execPath, ['dist/srq.js', 'sandbox', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { process: child, ...JSON.parse(line) };
}

function transcript({ baseUrl, clientId, clientSecret }) {
  const home = join(folder, 'home');
  const bin = join(folder, 'bin');
  for (const each of [home, bin]) mkdirSync(each);
  writeFileSync(join(home, 'secret'), clientSecret);
  copyFileSync('fixtures/contracts/form-openapi30.yaml', join(home, 'api.yaml'));
  writeFileSync(join(bin, 'srq'), `#!/bin/sh\nexec '${process.execPath}' '${resolve('dist/srq.js')}' "$@"\n`);
  chmodSync(join(bin, 'srq'), 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, BASE_URL: baseUrl, CLIENT_ID: clientId };
  const shown = STEPS.map(([words, command]) => {
    const said = sameEveryTime(run(command, { cwd: home, env }), { home, baseUrl, clientId });
    const typed = command.replace('$BASE_URL', 'http://127.0.0.1:4010').replace('$CLIENT_ID', '700100');
    return `${words === '' ? '' : `${words}\n\n`}\`\`\`console\n$ ${typed}\n${said}\`\`\`\n`;
  });
  return `# A first day\n\nMade by \`npm run first-day\`, which runs each command against a sandbox.\n\n${shown.join('\n')}`;
}

/** All that a command says, as a terminal would show it; how it ends is part of the story. */
function run(command, options) {
  const script = `{ ${command}; } 2>&1; code=$?; [ $code = 0 ] || echo "(exit code $code)"`;
  return execFileSync('sh', ['-c', script], { ...options, encoding: 'utf8' });
}

function sameEveryTime(text, { home, baseUrl, clientId }) {
  return text
    .replaceAll(home, '~')
    .replace(/\/\S*srq-sandbox-\w+/g, '/tmp/srq-sandbox-Ab3xY9')
    .replaceAll(baseUrl, 'http://127.0.0.1:4010')
    .replaceAll(`port ${new URL(baseUrl).port}`, 'port 4010')
    .replaceAll(clientId, '700100')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?/g, (_, fraction) => `2026-11-21T09:00:00${fraction ? '.000' : ''}`)
    .replace(/\(\d+ ms\)/g, '(5 ms)')
    .replace(/[\d.]+ [MG]iB are free/g, '69.4 GiB are free')
    .replace(/\b(in|within) \d+\.\d s\b/g, '$1 0.1 s');
}
