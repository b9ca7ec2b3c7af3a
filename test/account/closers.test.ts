import { expect, test } from 'vitest';
import { Closers } from '../../src/account/closers.ts';

test('what was registered last runs first, once, also what is registered meanwhile', async () => {
  const closers = new Closers();
  const ran: string[] = [];
  closers.add(async () => void ran.push('first'));
  closers.add(async () => {
    ran.push('second');
    closers.add(async () => void ran.push('meanwhile'));
  });
  await closers.close();
  await closers.close();
  expect(ran).toEqual(['second', 'meanwhile', 'first']);
});

test('all of it runs though some of it fails, and the first error is thrown', async () => {
  const closers = new Closers();
  const ran: string[] = [];
  const failing = (name: string) => async () => {
    ran.push(name);
    throw new Error(name);
  };
  closers.add(async () => void ran.push('first'));
  closers.add(failing('second'));
  closers.add(failing('third'));
  await expect(closers.close()).rejects.toThrow('third');
  expect(ran).toEqual(['third', 'second', 'first']);
  await closers.close();
});
