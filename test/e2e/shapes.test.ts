import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { REQUEST } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { CREATE_SHAPES, startShapedService } from '../helpers/shaped-service.ts';

type CreateShape = keyof typeof CREATE_SHAPES;

/** What a person would say of each answer: how it ended, by which exit code, and which identifiers it names. */
const EXPECTED: Readonly<Record<CreateShape, readonly [status: string, code: number, ids: object]>> = {
  flat: ['created', 0, { id: '4711' }],
  nested: ['created', 0, { id: '4711', uuid: '0d5c7a7e-6a0e-4b56-9a1c-1f2e3d4c5b6a' }],
  'json-api': ['created', 0, { id: '4711' }],
  // Without validate, only a 201 that names the new request is believed.
  array: ['unknown', 7, {}],
  'location-only': ['created', 0, { id: '4711' }],
  'plain-text': ['unknown', 7, {}],
  'empty-204': ['unknown', 7, {}],
  'html-error-page': ['unknown', 7, {}],
  'big-number': ['created', 0, { request_id: '12345678901234567890' }],
  echo: ['unknown', 7, {}],
  'conflict-duplicate': ['unknown', 7, {}],
  'problem-json': ['rejected', 3, {}],
};

describe.concurrent('the first answer to create, which nobody has described, is understood or left unknown', () => {
  for (const shape of Object.keys(CREATE_SHAPES) as CreateShape[]) {
    const [status, code, ids] = EXPECTED[shape];
    test(`${shape}: ${status}, exit code ${code}`, async ({ desk }) => {
      const service = await startShapedService({ create: shape });
      desk.use(service);
      const ended = await desk.call('create', ...REQUEST, '--no-validate', '--json');
      expect(ended.code).toBe(code);
      expect(documentOf(ended)).toMatchObject({ status });
      expect(documentOf(ended)['ids']).toEqual(ids);
      const record = desk.records().at(-1);
      expect(record).toMatchObject({ event: status });
      // The answer itself is kept where it named no identifier, and nowhere else.
      expect(typeof record?.['raw']).toBe(Object.keys(ids).length > 0 ? 'undefined' : 'string');
      expect(service.creates()).toBe(1);
      await service.close();
    });
  }
});
