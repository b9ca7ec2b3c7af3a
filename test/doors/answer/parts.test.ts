import { join } from 'node:path';
import { parameter } from '../../sandbox/contract-client.ts';
import { ratesIn, tokenIn, wordsOf } from '../answer.ts';
import { DOCUMENTED_CONTRACT, described } from '../described.ts';
import { holds, tick, ticked } from '../table.ts';

const at = (name: string) => join(import.meta.dirname, name);

/** A description with its parameters deep within. */
const NESTED = described({
  ...DOCUMENTED_CONTRACT,
  create: {
    ...DOCUMENTED_CONTRACT.create,
    parameters: Object.entries({ phone: 'telephoneNumber', request_text: 'message', category: 'service_id' }).map(
      ([field, name]) => parameter(field, { path: ['data', 'attributes', name] }),
    ),
  },
});

holds(at('words.md'), 2, ([body = '', by = '']) => [
  wordsOf(ticked(body), by === 'nested' ? NESTED : undefined) ?? '-',
]);

holds(at('tokens.md'), 1, ([body = '']) => {
  try {
    const [token, seconds] = tokenIn(ticked(body));
    return [tick(token), `${seconds ?? '-'}`];
  } catch (error) {
    return ['-', (error as Error).message];
  }
});

holds(at('rates.md'), 1, ([cell = '']) => {
  const headers = [...ticked(cell).matchAll(/(?:^| · )([\w-]+): ?(.*?)(?= · |$)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const { pauseMs, headroom } = ratesIn(Object.fromEntries(headers));
  return [
    pauseMs === null ? '-' : `${pauseMs} ms`,
    headroom ? `${headroom.remaining} for ${headroom.resetMs} ms` : '-',
  ];
});
