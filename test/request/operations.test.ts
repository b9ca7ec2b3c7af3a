import { expect, test } from 'vitest';
import { operationsOf } from '../../src/request/operations.ts';

test('a request that goes through validate must fit the description of create as well', () => {
  expect(operationsOf({ validate: true })).toEqual(['create', 'validate']);
  expect(operationsOf({ validate: false })).toEqual(['create']);
});
