import { gzipSync } from 'node:zlib';

/** An answer as it goes over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The line is cut behind so many bytes of the body. */
  readonly cutAt?: number;
}

const json = (status: number, value: unknown, type = 'application/json'): WireAnswer => ({
  status,
  headers: { 'content-type': type },
  body: JSON.stringify(value),
});
const text = (status: number, body: string, type = 'text/plain; charset=utf-8'): WireAnswer => ({
  status,
  headers: { 'content-type': type },
  body,
});

/** Forms in which a service names what it took; `id` differs from request to request. Names, nesting, types, odd places. */
export const NAMING: Readonly<Record<string, (id: string) => WireAnswer>> = {
  flat: (id) => json(201, { request_id: id, status: 'received' }),
  number: (id) => json(200, { id: Number(id.replace(/\D/g, '')), ok: true }),
  camel: (id) => json(200, { requestId: id, createdAt: '2026-11-21T10:00:00Z' }),
  nested: (id) => json(201, { data: { request: { id, state: 'new' } }, meta: { trace_id: `t-${id}` } }),
  'json:api': (id) => json(201, { data: { type: 'requests', id, attributes: {} } }, 'application/vnd.api+json'),
  array: (id) => json(200, [{ uuid: `0d5c7a7e-6a0e-4b56-9a1c-${id.replace(/\D/g, '').padStart(12, '0')}` }]),
  soap: (id) => json(200, { Envelope: { Body: { CreateResponse: { OrderNumber: `A-${id}` } } } }),
  location: (id) => ({ status: 201, headers: { location: `/v1/request/${id}` }, body: '' }),
  words: (id) => text(200, `Request ${id} received, thank you!`),
  xml: (id) => text(200, `<?xml version="1.0"?><response><requestId>${id}</requestId></response>`, 'application/xml'),
  reference: (id) => json(202, { result: 'queued', reference: `REF/${id}` }),
  'codes beside': (id) => json(200, { code: 0, message: 'OK', data: { lead_id: id } }),
};

/** Forms in which a service says that it took a request, and not which. */
export const SILENT: Readonly<Record<string, WireAnswer>> = {
  'no content': { status: 204, headers: {}, body: '' },
  'created, empty': { status: 201, headers: { 'content-length': '0' }, body: '' },
  'status ok': json(200, { status: 'ok' }),
  success: json(200, { success: true, message: 'Obrigado!' }),
  'word ok': text(200, 'OK'),
  'empty object': json(200, {}),
  'xml ok': text(200, '<result>ok</result>', 'text/xml'),
};

/** Refusals and failures under a status of success, in six languages, with identifiers of errors and calls. */
export const DENYING: readonly ((n: string) => WireAnswer)[] = [
  () => json(200, { error: 'session expired' }),
  () => json(200, { accepted: false }),
  () => json(200, { status: 400, title: 'Bad Request' }),
  () => json(200, { errors: { phone: ['is invalid'] } }),
  () => json(200, { data: { success: false } }),
  (n) => json(200, { error: { id: `err-${n}`, message: 'database is locked' } }),
  (n) => json(201, { error_id: `e${n}`, trace_id: `t${n}`, message: 'Anfrage abgelehnt' }),
  (n) => json(200, { correlationId: `c-${n}`, mensagem: 'O pedido foi recusado', erro: true }),
  () => json(200, { success: false, message: 'La solicitud no se pudo guardar' }),
  () => json(202, { statut: 'échec', raison: 'numéro invalide' }),
  () => json(200, { esito: 'KO', messaggio: 'Richiesta rifiutata' }),
  (n) => json(200, { incident_number: `INC-${n}`, message: 'We will be back soon: maintenance' }),
  () => json(200, { result: -1 }),
  () => json(200, { code: 500, msg: 'internal error' }),
  () => json(200, { type: 'about:blank', title: 'Unauthorized', status: 401 }, 'application/problem+json'),
  () => text(200, 'ERROR: database'),
  () => text(200, 'Fehler 17: Zeitüberschreitung'),
  (n) => text(200, `Access Denied. Reference #18.${n}`),
  () => text(200, '<?xml version="1.0"?><fault><code>17</code><text>Session expired</text></fault>', 'text/xml'),
  () => text(200, '<!doctype html><title>Maintenance</title><p>Back at 5', 'text/html'),
  (n) => text(200, `<html><body>Blocked. Support ID: ${n}</body></html>`, 'text/html; charset=utf-8'),
  (n) => text(200, `<html><body>Sign in ${n}</body></html>`, 'application/json'),
  (n) => ({ ...json(200, { request_id: `${n}${n}`, note: 'half' }), cutAt: 9 }),
  () => ({ ...text(200, 'OK'), headers: { 'content-type': 'text/plain', 'content-length': '9' }, cutAt: 2 }),
  () => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ error: 'quota exceeded' })),
  }),
  () => ({ status: 200, headers: { 'content-type': 'application/json', 'content-encoding': 'zstd' }, body: 'x7' }),
  () => json(200, null),
  () => json(200, []),
  () => json(200, { ok: false, request: { id: '17' } }),
  () => json(200, { accepted: [], rejected: [{ reason: 'duplicate phone in blacklist' }] }),
  () => text(200, ''),
  (n) => ({ status: 200, headers: { location: `/login?session=${n}` }, body: '' }),
  (n) => json(200, { session_id: `s-${n}`, login: '/login' }),
];
