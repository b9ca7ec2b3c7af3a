import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect } from 'vitest';
import { CANARY, secretsIn, spellingsOf } from '../helpers/canary-secret.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { logIn } from '../helpers/login.ts';
import type { Ended } from '../helpers/run-srq.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

/** Someone who does not exist, with nothing that could stand in another text by chance. */
const PERSON = {
  fullname: 'Zulmira Canáriæ',
  email: 'zulmira.canaria+q@example.com',
  phone: '+351912345679',
  location: 'Beco do Xilofone 12, 1200-987 Lisboa',
  request_text: 'Zumbido estranho: “canário” & <gaiola>',
};
const TRACES: readonly string[] = [
  ...Object.values(PERSON).flatMap(spellingsOf),
  ...['Zulmira', 'zulmira', 'Xilofone', '912345679', '912 345 679', 'Zumbido', 'gaiola'],
];

function tracesIn(text: string): string[] {
  return TRACES.filter((trace) => text.includes(trace));
}

const REQUEST = [
  ['--country', 'PT'],
  ...Object.entries(PERSON).map(([name, value]) => [`--${name.replace('_', '-')}`, value]),
].flat();

const CSV = [
  `ref,country,${Object.keys(PERSON).join(',')}`,
  `A-1,PT,${Object.values(PERSON)
    .map((value) => `"${value}"`)
    .join(',')}`,
  `A-2,PT,${Object.values({ ...PERSON, request_text: `${PERSON.request_text} outra vez` })
    .map((value) => `"${value}"`)
    .join(',')}`,
  '',
].join('\n');

/** Files that hold what nobody may see, but for those that are made to: the input, and its results. */
function filesWithTraces(desk: Desk, traces: (text: string) => string[]): string[] {
  return readdirSync(desk.folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(desk.folder, name))
    .filter((path) => statSync(path).isFile() && !/^leads\.(?:results\.)?csv$/.test(basename(path)))
    .filter((path) => traces(readFileSync(path, 'utf8')).length > 0)
    .map((path) => basename(path));
}

/** All commands that send or show, with --verbose. --quiet leaves out the plan, which shows its first row on purpose. */
async function runAll(desk: Desk): Promise<Ended[]> {
  const leads = desk.write('leads.csv', CSV);
  const runs: string[][] = [
    ['status'],
    ['doctor', '--create'],
    ['validate', ...REQUEST],
    ['create', ...REQUEST],
    ['create', ...REQUEST, '--again', '--no-validate', '--json'],
    ['bulk', leads, '--quiet', '--rate', 'max', '--in-doubt', 'park'],
    ['log'],
    ['log', '--json'],
    ['resolve'],
  ];
  const ended: Ended[] = [];
  for (const args of runs) ended.push(await desk.call(...args, '--verbose'));
  return ended;
}

test('the search for a person and a secret finds their traces', () => {
  const basic = Buffer.from(`4711:${CANARY}`).toString('base64url');
  const secrets = [...spellingsOf(CANARY), new URLSearchParams({ client_secret: CANARY }).toString(), basic];
  expect(secrets.filter((text) => secretsIn(`before ${text} after`).length === 0)).toEqual([]);
  expect(secretsIn('an ordinary text, with birds and songs')).toEqual([]);
  expect(tracesIn(new URLSearchParams(PERSON).toString()).length).toBeGreaterThan(4);
  expect(tracesIn(Buffer.from(JSON.stringify(PERSON)).toString('base64'))).not.toEqual([]);
  expect(tracesIn('{"id":"4711","status":"received"}')).toEqual([]);
});

describe('--verbose', () => {
  test('--verbose shows nothing of a secret, a token or a person, and leaves nothing of them in any file', async ({
    desk,
    sandbox,
  }) => {
    const login = await logIn(desk, sandbox, '--verbose');
    const ended = [login, ...(await runAll(desk))];
    const said = ended.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    const { accessToken } = JSON.parse(readFileSync(join(desk.state, 'default.token.json'), 'utf8'));
    expect(said.match(/^> POST /gm)?.length).toBeGreaterThan(7);
    expect([said.includes(accessToken), said.includes(CANARY), tracesIn(said)]).toEqual([false, false, []]);
    expect(filesWithTraces(desk, tracesIn)).toEqual([]);
    expect(filesWithTraces(desk, (text) => spellingsOf(accessToken).filter((each) => text.includes(each)))).toEqual([
      'default.token.json',
    ]);
  });

  test('--verbose shows nothing of a person either where the service gives back all it was sent, in any form', async ({
    desk,
  }) => {
    const echo = ({ body, headers }: { body: string; headers: object }) => {
      const params = Object.fromEntries(new URLSearchParams(body));
      const forms = [
        body,
        encodeURIComponent(encodeURIComponent(body)),
        params,
        Object.values(params).map((value) => Buffer.from(value).toString('base64')),
      ];
      const sent = {
        'x-session': 'h1dden-session',
        'x-echo': encodeURIComponent(body),
        'set-cookie': `last=${encodeURIComponent(body)}`,
      };
      return { status: 422, body: { message: JSON.stringify(forms), headers }, headers: sent };
    };
    const { baseUrl } = await startScriptedService({
      validate: (call) =>
        call.number % 2 === 1 ? { status: 200, body: { duplicate: false, echo: call.body } } : echo(call),
      create: (call) =>
        call.number % 2 === 1 ? echo(call) : { status: 200, body: { received: call.body, all: echo(call).body } },
    });
    desk.use({ baseUrl, clientId: '7' });
    const said = (await runAll(desk)).map(({ stdout, stderr }) => stdout + stderr).join('\n');
    expect([said.match(/token-1|h1dden-session/g), tracesIn(said)]).toEqual([null, []]);
    expect(filesWithTraces(desk, tracesIn)).toEqual([]);
  });
});
