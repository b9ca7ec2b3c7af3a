import { expect, test } from 'vitest';
import { learnParts } from './describe-request.ts';

const HOUR = 3600;

interface Said {
  readonly description?: string;
  readonly schema?: object;
  readonly [word: string]: unknown;
}

/** What is learned of a create with such a header, and of what a partner says of it. */
function learnHeader(header: Said, said?: string, operation: object = {}) {
  const name = 'Idempotency-Key';
  const parameters = [{ name, in: 'header', schema: { type: 'string' }, ...header }];
  const constants: Record<string, string> = said === undefined ? {} : { [name]: said };
  const proposal = learnParts({ create: { parameters, ...operation }, options: { constants } });
  const { idempotency } = proposal.contract.create;
  const asked = proposal.questions.map((question) => question.name);
  return { idempotency, asked, window: idempotency?.windowSeconds, ...proposal };
}

// Shaped like what public interfaces say of theirs.
test.each([
  ['The same key returns the first answer. Keys are kept for 24 hours.', 24 * HOUR],
  [
    'A repeated create with the same key within 24h is answered as the first one was; nothing is created twice.',
    24 * HOUR,
  ],
  ['Requests with a key already seen are not processed again for one day.', 24 * HOUR],
  ['Makes it safe to retry. Keys expire after 5 minutes.', 300],
  ['Every request will be processed only once per Idempotency-Key. The key will be valid for 24 hours.', 24 * HOUR],
  ['A unique value generated to recognize subsequent retries/duplicates of the same request.', null],
  ['Prevent duplicate submissions of the same request. Keys are stored for 1 hour.', HOUR],
  [
    'Subsequent requests with the same key return the same result, until the first one is invalidated (after 24 hours).',
    24 * HOUR,
  ],
  ['Any subsequent requests using the same key return the cached response. Keys expire after 30 minutes.', 1800],
  ['Allows safely retrying requests without accidentally performing the same operation twice.', null],
  ['If you send it again with the same key, a new lead is not created a second time.', null],
  ['Repeated requests with the same key will return the cached response. Stored for 24-48 hours.', 24 * HOUR],
  ['Duplicate keys are rejected for ninety seconds.', 90],
  ['A retry with the same key gets the original response (TTL: PT10M, at the edge PT30S).', 30],
  ['Requests with the same key are ignored for 24 hours. Keys that were used before are not considered.', 24 * HOUR],
  ['The same key returns the first answer for between 5 and 10 minutes.', 300],
  ['The same key returns the first answer for 86,400 seconds.', 24 * HOUR],
  ['The same key returns the first answer for half an hour.', 1800],
  ['The same key returns the first answer for up to 24 hours.', 600],
  ['The same key returns the first answer for up to 2 minutes.', 120],
  ['The same key returns the first answer. Reads: 2 days, writes: 90s.', 90],
  ['A requisição repetida com a mesma chave retorna a mesma resposta. A chave expira em 24 horas.', 24 * HOUR],
  ['Um pedido com a mesma chave não é processado novamente durante 10 minutos.', 600],
  ['Cualquier petición con la misma clave recibe la respuesta guardada durante 24 horas.', 24 * HOUR],
  ['Con la misma clave la solicitud no se procesa de nuevo durante una hora.', HOUR],
  ['Eine Anfrage mit demselben Schlüssel erhält dieselbe Antwort, 24 Stunden lang.', 24 * HOUR],
  ['Wird innerhalb von 15 Minuten nicht erneut verarbeitet.', 900],
  ['Toute requête avec la même clé reçoit la réponse conservée pendant 24 heures.', 24 * HOUR],
  ['La demande n’est pas traitée deux fois pendant 30 minutes.', 1800],
  ['Qualsiasi richiesta con la stessa chiave riceve la risposta salvata per 24 ore.', 24 * HOUR],
  ['La richiesta non viene elaborata due volte entro 5 minuti.', 300],
])('a header is believed where the document says that a repetition is recognised: %s', (description, window) => {
  const learned = learnHeader({ description });
  expect(learned.asked).toEqual([]);
  expect(learned.idempotency).toEqual({ header: 'Idempotency-Key', format: 'text', windowSeconds: window });
});

test.each([
  '',
  'Reserved for future use.',
  'Reserved for future use: the same key will return the first answer.',
  'Correlates the request with its answer.',
  'Used for tracing; the same key returns the first answer.',
  'For PUT only. The same key returns the first answer.',
  'Applies to PUT and DELETE. The same key returns the first answer.',
  'The same key returns the first answer, except for POST.',
  'Optional header.',
  'A unique identifier for the message with a maximum of 64 characters (we recommend a UUID).',
  'Unique key for idempotent POST/PATCH requests.',
  'A header for idempotency purposes',
  'Unique key to ensure idempotency of the request',
  'It is not safe to retry.',
  'The same key does not return the first answer.',
  'Does not prevent duplicates.',
  'A repeated request with the same key is processed again.',
  'Requests with the same key are treated as new requests.',
  'Not yet enforced. The same key returns the first answer.',
  'The same key returns the first answer, best effort.',
  'The same key returns the first answer. Keys may be evicted under load.',
  'The same key returns the first answer if it is enabled for your account.',
  'Concurrent requests with the same key are rejected.',
  'Clients must not send the same request twice.',
  'Please do not create the same request twice.',
  'Avoid sending duplicate requests.',
  'Use each key only once.',
  'The same key returns a different answer than the first request.',
  'The same key returns the first answer for a short time only.',
  'The same key returns the first answer for some minutes.',
  'The same key returns the first answer until midnight.',
  'The same key returns the first answer (TTL: 300).',
  'The same key returns the first answer. How long is configurable.',
  'Used by the gateway to recognise repeated requests in its statistics.',
  'The header has no effect: repeated requests create duplicates.',
  'Prevents duplicate webhooks.',
  'We plan to return the first answer for the same key.',
  'In v2 the same key returns the first answer.',
  'Duplicates are detected manually by our team.',
  'Returns the existing order when the same customer orders again.',
  'Two requests with the same key both create a lead.',
  'If the same key was used before, the lead is created again and the first one is returned as well.',
  'Only GET requests are safe to retry.',
  'Repeated keys are accepted and processed as usual.',
  'Não evita duplicados.',
  'No evita duplicados.',
  'Non evita duplicati.',
  'Verhindert keine doppelten Anfragen.',
  'Reservado para uso futuro.',
  'Apenas para rastreamento. A mesma chave retorna a mesma resposta.',
  'Reservado para uso futuro. La misma clave devuelve la misma respuesta.',
  'Für künftige Nutzung reserviert. Derselbe Schlüssel liefert dieselbe Antwort.',
  'Réservé. La même clé renvoie la même réponse.',
  'Riservato. La stessa chiave restituisce la stessa risposta.',
  'La même clé ne renvoie pas la même réponse.',
  'A mesma chave não retorna a mesma resposta.',
])('a header is asked about, and not believed, where it does not: %s', (description) => {
  const learned = learnHeader({ description });
  expect(learned.idempotency).toBeNull();
  expect(learned.questions).toMatchObject([
    { name: 'idempotency:Idempotency-Key', answer: '--set Idempotency-Key=24h', unanswered: 'no' },
  ]);
  expect(learned.notes.join()).toContain('Until you say so, "no" counts: --set Idempotency-Key=24h');
  expect(learned.contract.findings.some(({ setting }) => setting === 'create.idempotency')).toBe(false);
});

test('what the operation says of the header counts, and of nothing else', () => {
  const about = (description: string) => learnHeader({}, undefined, { description });
  const said =
    'Hands over a request. With the same Idempotency-Key it returns the first answer for 5 minutes. Answers in 2 seconds.';
  expect(about(said).window).toBe(300);
  expect(about('Hands over a request. It is safe to retry.').asked).toEqual(['idempotency:Idempotency-Key']);
});

test.each([
  ['no', null],
  ['N', null],
  ['none', null],
  ['yes', { windowSeconds: null }],
  ['y', { windowSeconds: null }],
  ['24h', { windowSeconds: 24 * HOUR }],
  ['10 minutes', { windowSeconds: 600 }],
  ['PT1H', { windowSeconds: HOUR }],
])('a person says what the document does not: %s', (said, expected) => {
  for (const description of ['Reserved.', 'The same key returns the first answer for 2 days.', 'Ignored.']) {
    const { idempotency, asked, notes } = learnHeader({ description }, said);
    if (expected === null) expect(idempotency).toBeNull();
    else expect(idempotency).toMatchObject(expected);
    expect([asked, notes.join().includes('Until you say so')]).toEqual([[], false]);
  }
});

test.each(['', 'abc', '0s', 'soon', 'minutes'])('an answer that says nothing is refused: %j', (said) => {
  expect(() => learnHeader({}, said)).toThrow(/does not say whether a repeated create is recognised/);
});

test('a header that the service demands is sent, and believed no more for that', () => {
  for (const learned of [learnHeader({ required: true }), learnHeader({ required: true }, 'no')]) {
    expect(learned.idempotency).toEqual({ header: 'Idempotency-Key', format: 'text', windowSeconds: 0 });
  }
});

test.each([
  { deprecated: true, description: 'The same key returns the first answer.' },
  { description: 'Deprecated, will be removed.' },
  { description: 'Accepted for compatibility and ignored.' },
  { description: 'Not yet supported.' },
  { description: 'Is no longer evaluated' },
])('a header that the service does not heed is left alone, which is said: %o', (words) => {
  const { idempotency, notes, asked } = learnHeader(words);
  expect([idempotency, asked]).toEqual([null, []]);
  expect(notes.join()).toContain('Idempotency-Key is left alone');
});
