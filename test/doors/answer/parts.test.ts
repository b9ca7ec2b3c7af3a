import { join } from 'node:path';
import { parameter } from '../../sandbox/contract-client.ts';
import { pauseIn, proxyOf, redacted, tokenIn, wordsOf } from '../answer.ts';
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

holds(at('pauses.md'), 1, ([cell = '']) => {
  const headers = [...ticked(cell).matchAll(/(?:^| · )([\w-]+): ?(.*?)(?= · |$)/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const pauseMs = pauseIn(Object.fromEntries(headers));
  return [pauseMs === null ? '-' : `${pauseMs} ms`];
});

holds(at('redacted.md'), 1, ([text = '']) => {
  const { shown, repeats } = redacted(ticked(text));
  return [tick(shown), repeats ? 'yes' : 'no'];
});

holds(at('proxies.md'), 3, ([https = '', no = '', service = '']) => {
  try {
    const proxy = proxyOf(https, no, service || 'https://api.example.com');
    const [, credentials] = proxy?.authorization?.split(' ') ?? [];
    return [proxy?.url ?? '-', credentials ? Buffer.from(credentials, 'base64').toString() : '-'];
  } catch (error) {
    return ['-', (error as Error).message];
  }
});
