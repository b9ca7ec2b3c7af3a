import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { correctedBy } from '../../src/commands/bulk/agreement.ts';
import { test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { HAS_TERMINAL, onTerminal } from '../helpers/terminal.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const ASKED = /q to quit: $/;
const ODD = 'FeldA,Was,Mobilnummer,Fon 2\nAna Exemplo,Obras,+4915123456789,+4915112345678\n';

describe.skipIf(!HAS_TERMINAL)('on a terminal, before anything is sent', () => {
  test('the columns can be corrected, and the corrected plan is shown and asked about again', async ({
    partner,
    sandbox,
  }) => {
    const leads = partner.write('odd.csv', ODD);
    const { shown, code } = await onTerminal(
      partner,
      ['bulk', leads, '--save-mapping', 'kept.json'],
      [
        [/q quit: $/, 'n'],
        [ASKED, '?'],
        [ASKED, 'FeldA=fullname'],
        [ASKED, 'Waas=request_text'],
        [ASKED, 'Fon 2=telephone'],
        [ASKED, 'Was=request_text'],
        [ASKED, 'nonsense'],
        [ASKED, 'Fon 2=phone'],
        [ASKED, 'country=DE'],
        [ASKED, 'location={FeldA}, Berlin'],
        [ASKED, ''],
        [/1 ready[\s\S]*q to quit: $/, ''],
      ],
    );
    expect(code).toBe(0);
    expect(shown).toContain('Columns: FeldA, Was, Mobilnummer, Fon 2');
    expect(shown).toContain('Did you mean "Was"?');
    expect(shown).toContain('There is no field "telephone". Did you mean "phone"?');
    expect(shown).toContain('neither COLUMN=FIELD nor FIELD=VALUE');
    // Mapped otherwise, the rows would be other requests: the command to repeat carries what was corrected.
    expect(shown.replace(/\s+/g, ' ')).toContain(
      "--map FeldA=fullname --map Was=request_text --map 'Fon 2=phone' --set country=DE",
    );
    expect(creates(sandbox).map(({ params }) => params)).toEqual([
      expect.objectContaining({
        fullname: 'Ana Exemplo',
        request_text: 'Obras',
        phone: '+4915112345678',
        country: 'DE',
        location: 'Ana Exemplo, Berlin',
      }),
    ]);
    expect(JSON.parse(partner.read('kept.json'))).toMatchObject({ map: { 'Fon 2': 'phone' }, set: { country: 'DE' } });
  });

  test('what takes back a flag is kept as a mapping, and the command named for it sends nothing twice', async ({
    partner,
    sandbox,
  }) => {
    const leads = partner.write('odd.csv', ODD);
    const flags = ['--map', 'FeldA=location', '--set', 'phone=+4915199999999', '--set', 'country=DE'];
    const { shown, code } = await onTerminal(
      partner,
      ['bulk', leads, ...flags, '--map', 'Was=request_text'],
      [
        [ASKED, 'location=Berlin'],
        [ASKED, 'Fon 2=phone'],
        [ASKED, ''],
        [/1 ready[\s\S]*q to quit: $/, ''],
      ],
    );
    expect(code).toBe(0);
    const kept = join(partner.work, 'odd.mapping.json');
    expect(shown.replace(/\s+/g, '')).toContain(`srqbulk${leads}--mapping${kept}`);
    const again = documentOf(await partner.call('bulk', leads, '--mapping', kept, '--json'));
    expect(again).toMatchObject({ rows: 1, repeated: 1, created: 0 });
    expect(creates(sandbox)).toHaveLength(1);
  });

  test('one may leave, and nothing is sent', async ({ partner, sandbox }) => {
    const { code } = await onTerminal(partner, ['bulk', partner.write('leads.csv', leadsCsv(2))], [[ASKED, 'q']]);
    expect(code).toBe(130);
    expect(creates(sandbox)).toEqual([]);
  });

  test('--yes is not asked', async ({ partner, sandbox }) => {
    const { code } = await onTerminal(partner, ['bulk', partner.write('leads.csv', leadsCsv(2)), '--yes'], []);
    expect(code).toBe(0);
    expect(creates(sandbox)).toHaveLength(2);
  });
});

describe('a correction', () => {
  const table = { columns: ['phone', 'lang', 'a=b', 'City'] };
  const nothing = { map: {}, set: {}, join: {} };
  test.for([
    ['City=location', { map: { City: 'location' } }],
    ['a=b=ref', { map: { 'a=b': 'ref' } }],
    ['phone=-', { map: { phone: '-' } }],
    ['lang=pt', { set: { lang: 'pt' } }],
    ['location={City}', { set: { location: '{City}' } }],
    ['request_text=a=c', { set: { request_text: 'a=c' } }],
    // A column that has a field's name is that column where a field stands to the right.
    ['lang=phone', { map: { lang: 'phone' } }],
    ['fullname=phone ltd', { set: { fullname: 'phone ltd' } }],
  ] as const)('%s', ([line, expected]) => {
    expect(correctedBy(line, table, nothing)).toEqual({ ...nothing, ...expected });
  });

  test('takes the place of what was said of the field before', () => {
    const before = { map: { phone: 'ref' }, set: { location: 'x' }, join: { fullname: ['City'] } };
    expect(correctedBy('City=location', table, before).set).toEqual({});
    expect(correctedBy('City=fullname', table, before).join).toEqual({});
    expect(correctedBy('ref=x', table, before).map).toEqual({});
  });

  test.for(['', 'x', '=', 'x=', '=phone', 'Town=location', 'budget=8'])('%j is refused', (line) => {
    expect(() => correctedBy(line, table, nothing)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test.for([
    ['City=telephone', 'Did you mean "phone"?'],
    ['City=zip', 'Did you mean "location"?'],
    ['telephone={City}', 'Did you mean "phone"?'],
    ['City=Berlin', 'Did you mean "location"?'],
    ['location=City', "write --set 'location={City}'"],
    ['fullname=phone', '"phone" is a column'],
  ] as const)('%j is answered with what was meant', ([line, told]) => {
    expect(() => correctedBy(line, table, nothing)).toThrow(told);
  });

  test('leaves alone what was said of a parameter that the service has', () => {
    const before = { ...nothing, map: { phone: 'telephone' } };
    expect(correctedBy('lang=pt', table, before, new Set(['telephone']))).toEqual({ ...before, set: { lang: 'pt' } });
    expect(() => correctedBy('lang=pt', table, before)).toThrow('There is no field "telephone"');
  });
});
