import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { HAS_TERMINAL, onTerminal } from '../helpers/terminal.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const ASKED = /q to quit: $/;
const ODD = 'FeldA,Was,Mobilnummer,Fon 2\nAna Exemplo,Obras,+4915123456789,+4915112345678\n';

describe.skipIf(!HAS_TERMINAL)('on a terminal, before anything is sent', () => {
  test('a correction on a terminal is remembered, and the command named for it sends nothing twice', async ({
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
    expect(shown.replace(/\s+/g, '')).toContain(`withthesamemapping:srqbulk${leads}`);
    expect(shown).not.toMatch(/srq export .*--map/);
    const again = documentOf(await partner.call('bulk', leads, '--json'));
    expect(again).toMatchObject({ rows: 1, repeated: 1, created: 0 });
    expect(creates(sandbox)).toHaveLength(1);
  });
});
