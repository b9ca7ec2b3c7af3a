import { expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const LEADS = `Wer,Telefon,Nummer A,Wo,Message,Land
Ana Exemplo,0151 66126116,0151 66126117,10115 Berlin,Dach decken,DE
Bo Muster,0151 66126118,0151 66126119,10117 Berlin,Bad fliesen,DE
Cy Anders,0151 66126110,0151 66126111,10119 Berlin,Zaun streichen,DE
`;

test.for([
  ['--map', 'Telefon=fullname', 'columns.content', '"Telefon" was given as the fullname, but 3 of 3'],
  ['--map', 'Nummer A=location', 'columns.content', '"Nummer A" was given as the location, but 3 of 3'],
  ['--set', 'phone=030123456789', 'columns.constant', 'All rows get the same phone'],
] as const)('%s %s is a finding of the plan, as %s', async ([flag, said, code, message], { partner }) => {
  const args = ['bulk', partner.write('leads.csv', LEADS), '--dry-run', '--map', 'Wer=-', flag, said];
  const { problems } = documentOf(await partner.call(...args, '--json'));
  expect(problems).toContainEqual(
    expect.objectContaining({
      row: null,
      rows: 3,
      severity: 'warning',
      code,
      message: expect.stringContaining(message),
    }),
  );
  const shown = await partner.call(...args);
  expect(shown.stdout + shown.stderr).toContain(message);
});

test('a column that was left out is not offered as the mend', async ({ partner }) => {
  const leads = partner.write('leads.csv', LEADS);
  const { stdout, stderr } = await partner.call(
    'bulk',
    leads,
    '--dry-run',
    '--map',
    'Telefon=-',
    '--map',
    'Nummer A=-',
  );
  expect(stdout + stderr).toContain('No column gives a phone number');
  expect(stdout + stderr).not.toContain('=phone');
});

test('the word itself can be meant, with a blank at its end', async ({ partner, sandbox }) => {
  const args = ['bulk', partner.write('leads.csv', LEADS), '--yes', '--map', 'Wer=fullname', '--set'];
  expect(await partner.call(...args, 'location=Wo')).toMatchObject({ code: 2 });
  expect(creates(sandbox)).toEqual([]);
  expect(await partner.call(...args, 'location=Wo ')).toMatchObject({ code: 0 });
  expect(creates(sandbox).map(({ params }) => params['location'])).toEqual(['Wo', 'Wo', 'Wo']);
});
