import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { HAS_TERMINAL, Terminal } from '../helpers/terminal.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const NAMES = ['Ana Exemplo', 'Rui Costa', 'Eva Lima', 'Ivo Reis', 'Zoe Pires', 'Gil Matos'];
const NEEDS = [
  'Parede da sala pintada de branco',
  'Torneira da cozinha a pingar',
  'Quadro eletrico dispara todas as noites',
  'Janela do quarto nao fecha bem',
  'Chuveiro sem agua quente ha dias',
  'Porta do armario caiu ontem a noite',
];

/** A file with a line for each person; `cells` gives the cells of the columns in the header, by the person's number. */
function csv(header: string, cells: (person: number) => readonly string[]): string {
  return [header, ...NAMES.map((_, person) => cells(person).join(','))].join('\n');
}

const phone = (person: number) => `+35191234567${person}`;
const ASKED = /y (?:yes|take it as \w+) · n leave it out · q quit: /;
const PLAN_ASKED = /for example country=DE: /;

describe.skipIf(!HAS_TERMINAL)('on a terminal, a question about a column', () => {
  test('on a terminal, a confirmed column does not displace a certain one', async ({ partner, sandbox }) => {
    // Not every lead has the whole name. What more the other names say is not understood, so they are only likely.
    const whole = (at: number) => (at % 3 > 0 ? (NAMES[at] ?? '') : '');
    const two = csv('Full name,Vorname abc,Nachname abc,Phone,Message,Country', (at) => [
      ...[whole(at), 'Ana', 'Exemplo', phone(at), NEEDS[at] ?? '', 'PT'],
    ]);
    const leads = partner.write('leads.csv', two);
    const planned = documentOf(await partner.call('bulk', leads, '--dry-run', '--json'));
    const likely = (planned['columns'] as { level: string }[]).filter(({ level }) => level === 'likely');
    expect(likely).toEqual([expect.objectContaining({ field: 'fullname', columns: ['Vorname abc', 'Nachname abc'] })]);
    const terminal = new Terminal(partner, ['bulk', leads]);
    await terminal.until(ASKED);
    terminal.type('y\r');
    await terminal.until(PLAN_ASKED);
    terminal.type('\r');
    expect(await terminal.ended).toBe(0);
    const sent = creates(sandbox).map(({ params }) => params['fullname']);
    expect(sent.sort()).toEqual(NAMES.map((_, at) => whole(at) || 'Ana Exemplo').sort());
  });
});
