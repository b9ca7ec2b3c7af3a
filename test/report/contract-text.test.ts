import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { textWidth } from '../../src/report/output.ts';
import { proposalText } from '../../src/report/terminal/contract-text.ts';
import { type ContractFinding, DOCUMENTED_CONTRACT } from '../../src/request/contract.ts';

const paint = new Chalk({ level: 0 });
const VALUE =
  '/error/code: duplicate if DUPLICATE_REQUEST or ALREADY_SUBMITTED, clear if CREATED or ACCEPTED_FOR_REVIEW';
const finding = (changes: Partial<ContractFinding> = {}): ContractFinding => ({
  setting: 'create.duplicate',
  value: VALUE,
  where: '/paths/~1v1~1requests/post/responses/409/content/application~1json/schema/properties/code',
  confidence: 'weak',
  why: 'its values speak of duplicates',
  ...changes,
});
const textOf = (findings: readonly ContractFinding[], width: number, notes: readonly string[] = []): string =>
  proposalText({ contract: { ...DOCUMENTED_CONTRACT, findings }, questions: [], notes }, width, paint);

test.each([60, 80, 119, 120, 200])('at %i columns a value is shown whole, on lines that have room', (width) => {
  const text = textOf([finding(), finding({ setting: 'x', value: 'y', confidence: 'certain' })], width);
  const lines = text.split('\n');
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
  const words = text.replace(/\s+/g, ' ').split(' ');
  for (const word of VALUE.split(' ')) expect(words).toContain(word);
  expect(text).toContain('its values speak of duplicates');
  expect(text).toContain('properties/code');
});

test('on 80 columns a value has half of them at least, and the place comes below it', () => {
  const lines = textOf([finding({ value: 'v'.repeat(40) })], 80).split('\n');
  expect(lines[2]).toMatch(/create\.duplicate {2}v{40} {2}\s*weak$/);
  expect(lines[3]?.trim()).toMatch(/^\/paths.*code$/);
});

test('a word longer than a line goes on on the next one', () => {
  const text = textOf([finding({ value: '東'.repeat(100), where: '', confidence: 'certain' })], 80);
  expect(text.match(/東/g)).toHaveLength(100);
  for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(80);
});

test('of thousands of findings and notes the first are shown, and every guess', () => {
  const certain = Array.from({ length: 20_000 }, (_, at) => finding({ setting: `x${at}`, confidence: 'certain' }));
  const notes = Array.from({ length: 20_000 }, (_, at) => `note ${at}`);
  const text = textOf([...certain, finding({ setting: 'the.guess' })], 200, notes);
  expect(text.split('\n').length).toBeLessThan(1000);
  expect(text).toContain('the.guess');
  expect(text).toContain('… and 19,800 more');
});
