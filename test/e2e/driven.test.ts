import { expect } from 'vitest';
import type { DocumentOf } from '../../src/request/documents/types.ts';
import { CANARY } from '../helpers/canary-secret.ts';
import { contractFile, contractOf } from '../helpers/contracts.ts';
import { test } from '../helpers/desk.ts';
import { Driver } from '../helpers/driver.ts';
import { eventsIn, only } from '../helpers/events.ts';
import { statsOf } from '../helpers/sandbox-view.ts';

const DESCRIPTION = 'category-list-openapi30.yaml';
/** What the partner was told at onboarding. */
const TOLD: Readonly<Record<string, string>> = {
  create: 'POST /api/leads',
  validate: 'POST /api/leads/check',
  partner_id: '42',
  category_id: '{category}',
  'X-Partner': 'EXEMPLO',
};
/** What a person answers who is asked about a cell, by the code of the finding. */
const CORRECTIONS: Readonly<Record<string, string>> = { 'country.unknown': 'PT', 'phone.too-short': '+351912345670' };
/** The row of which the service loses the answer. */
const LOST = 'Pintar a sala 5';

const HEADER = ['Nr', 'country', 'fullname', 'phone', 'location', 'request_text', 'category'];

function leads(): string[][] {
  const rows = Array.from({ length: 7 }, (_, at) => {
    const text = `Pintar a sala ${at}`;
    return [`L-${at}`, 'PT', `Ana Exemplo ${at}`, `+35191234567${at}`, 'Lisboa 1000-001', text, '12'];
  });
  rows[1]?.splice(1, 1, 'Atlantis');
  rows[3]?.splice(3, 1, '12');
  return rows;
}

const csvOf = (rows: readonly (readonly string[])[]) => [HEADER, ...rows].map((row) => `${row.join(',')}\n`).join('');

test('onboarding is driven by srq help --json and srq schema alone', async ({ desk, openSandbox }) => {
  const sandbox = await openSandbox({ contract: await contractOf(DESCRIPTION) });
  sandbox.setInstructions([{ on: 'create', fault: 'reset-after', match: { request_text: LOST } }]);
  const driver = await Driver.open(desk);
  const rows = leads();
  desk.write('leads.csv', csvOf(rows));

  // Nobody is logged in.
  const stepsOf = async () => ((await driver.call('doctor', [], {})).document as DocumentOf<'doctor'>).steps;
  const [failed] = (await stepsOf()).filter(({ result }) => result === 'fail');
  expect(failed?.reason).toBe(driver.known('auth.missing'));
  const login = 'login';
  const account = {
    '--base-url': sandbox.baseUrl,
    '--client-id': sandbox.clientId,
    '--client-secret-stdin': true,
  } as const;
  const denied = await driver.call(login, [], account, CANARY);
  expect(denied.reason?.reason).toBe(driver.known('auth.refused'));
  const learn = 'contract learn';

  // The description leaves something open: the questions are listed, each with the option that answers it.
  const description = contractFile(DESCRIPTION);
  const refused = await driver.call(learn, [description], { '--yes': true });
  expect(refused.reason?.reason).toBe(driver.known('contract.undecided'));
  const answers: Record<string, string[]> = {};
  // An answer may lead to another question.
  for (;;) {
    const { questions } = (await driver.call(learn, [description], { ...answers, '--dry-run': true }))
      .document as DocumentOf<'contract learn'>;
    for (const { option, key } of questions) answers[option] = [...(answers[option] ?? []), `${key}=${TOLD[key]}`];
    if (questions.length === 0) break;
  }
  const learned = await driver.call(learn, [description], { ...answers, '--yes': true });
  expect(learned).toMatchObject({ code: 0, document: { stored: true } });
  expect(await driver.call(login, [], account, CANARY)).toMatchObject({ code: 0 });
  // All works, though a category that the service demands cannot be made up to ask validate.
  const steps = await stepsOf();
  expect(steps.filter(({ result }) => result === 'fail')).toEqual([]);
  expect(steps.flatMap(({ name, reason }) => (reason === null ? [] : [[name, reason]]))).toEqual([
    ['validate', driver.known('request.invalid')],
  ]);

  // The plan says which cells are wrong, and which column has to be decided.
  const dry = async () =>
    (await driver.call('bulk', ['leads.csv'], { ...columns, '--dry-run': true }))
      .document as DocumentOf<'bulk --dry-run'>;
  let columns: Record<string, readonly string[]> = {};
  const first = await dry();
  columns = { '--map': first.columns.filter(({ level }) => level === 'likely').flatMap(mapped) };
  const planned = await dry();
  expect(planned).toMatchObject({ ready: 5, invalid: 2 });

  const send = async (events: string) => {
    const options = {
      ...columns,
      '--events': events,
      '--in-doubt': 'park',
      '--yes': true,
    } as const;
    return driver.call('bulk', ['leads.csv'], options);
  };
  const sent = await send('first.ndjson');
  expect(sent).toMatchObject({ code: 7, document: { created: 4, invalid: 2, unknown: 1 } });
  const lines = eventsIn(desk.read('first.ndjson'));
  const wrong = only(lines, 'row').flatMap(({ row, reason }) => (reason === null ? [] : [[row, reason] as const]));

  // A person corrects the cells that the findings name, and looks up what is unknown.
  for (const { column, code, examples } of planned.findings)
    for (const { row } of examples) {
      expect(wrong).toContainEqual([row, driver.known(code)]);
      rows[row - 1]?.splice(HEADER.indexOf(column ?? ''), 1, CORRECTIONS[code] ?? '');
    }
  desk.write('leads.csv', csvOf(rows));
  const { unknown } = (await driver.call('resolve', [], {})).document as DocumentOf<'resolve'>;
  expect(unknown.map(({ row, reason }) => [row, reason])).toEqual([[6, driver.known('request.in-doubt')]]);
  const keys = unknown.map(({ key }) => key);
  expect(await driver.call('resolve', keys, { '--created': '4711' })).toMatchObject({ code: 0 });

  // The corrected rows are all that is left to send.
  const again = await dry();
  expect(again).toMatchObject({ ready: 2, repeated: 5, invalid: 0, unknown: 0 });
  const end = await send('second.ndjson');
  expect(end).toMatchObject({ code: 0, document: { created: 2, repeated: 5, reasons: {} } });
  const { run } = end.document as DocumentOf<'bulk'>;
  const logged = (await driver.call('log', [], { '--run': run })).lines as unknown as DocumentOf<'log'>[];
  expect(logged.map(({ row, status }) => [row, status])).toEqual([
    [2, 'created'],
    [4, 'created'],
  ]);
  expect(await statsOf(sandbox)).toMatchObject({ created: 7, doubled: 0 });
});

const mapped = ({ field, columns }: { readonly field: string; readonly columns: readonly string[] }) =>
  columns.map((column) => `${column}=${field}`);
