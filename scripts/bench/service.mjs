// A service as fast as Node.js can be, and not the sandbox: reads just as much of HTTP as it must, answers at once or after
// LATENCY ms, calls what it has created a duplicate, and counts how often each generated lead (`lead17@example.com`) was created.
// Usage: node scripts/bench/service.mjs [LATENCY [LIMIT]]   prints its port; DELETE /counts tells and forgets.
// Beyond LIMIT calls a second, after a burst of as many, it answers 429.
import { createServer } from 'node:net';

const latencyMs = Number(process.argv[2] ?? 0);
const limit = Number(process.argv[3] ?? 0);
const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_ROWS = 20_000_000;
let seen = new Uint8Array(MAX_ROWS);
let [creates, refused] = [0, 0];
/** Goes on after DELETE: an identifier that two requests get ends an import. */
let identifiers = 0;
/** When the first call came and the last one, create or validate. */
let [firstCallMs, lastCallMs] = [0, 0];
let [tokens, filledMs] = [limit, 0];

const server = createServer({ noDelay: true }, (socket) => {
  let rest = null;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    let data = rest === null ? chunk : Buffer.concat([rest, chunk]);
    rest = null;
    let answers = '';
    while (data.length > 0) {
      const headEnd = data.indexOf(HEAD_END);
      if (headEnd < 0) break;
      const head = data.latin1Slice(0, headEnd);
      const bodyStart = headEnd + 4;
      const end = bodyStart + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (data.length < end) break;
      answers += answerTo(head, data, bodyStart, end);
      data = data.subarray(end);
    }
    if (data.length > 0) rest = data;
    if (answers === '') return;
    if (latencyMs === 0) socket.write(answers, 'latin1');
    else setTimeout(() => socket.write(answers, 'latin1'), latencyMs);
  });
});

/** Takes a call from the bucket of the limit, if there is one left. */
function mayPass() {
  const nowMs = performance.now();
  if (firstCallMs === 0) firstCallMs = nowMs;
  lastCallMs = nowMs;
  if (limit === 0) return true;
  tokens = Math.min(limit, tokens + ((nowMs - filledMs) * limit) / 1000);
  filledMs = nowMs;
  const isLeft = tokens >= 1;
  if (isLeft) tokens -= 1;
  else refused += 1;
  return isLeft;
}

function answerTo(head, data, bodyStart, end) {
  if (head.startsWith('POST /v1/') && !mayPass()) return http('429 Too Many Requests', '{"error":"too many requests"}');
  if (head.startsWith('POST /v1/request/create')) {
    creates += 1;
    const lead = leadIn(data.latin1Slice(bodyStart, end));
    if (lead !== null) seen[lead] += 1;
    return http('201 Created', `{"request_id":${++identifiers}}`);
  }
  if (head.startsWith('POST /v1/request/validate')) {
    const lead = leadIn(data.latin1Slice(bodyStart, end));
    return http('200 OK', lead !== null && seen[lead] > 0 ? '{"duplicate":true}' : '{"duplicate":false}');
  }
  if (head.startsWith('POST /oauth/token')) return http('200 OK', '{"access_token":"bench","expires_in":86400}');
  const counts = { creates, refused, distinct: 0, repeated: 0, callsSeconds: (lastCallMs - firstCallMs) / 1000 };
  for (const times of seen) {
    if (times > 0) counts.distinct += 1;
    if (times > 1) counts.repeated += 1;
  }
  seen = new Uint8Array(MAX_ROWS);
  [creates, refused, firstCallMs] = [0, 0, 0];
  return http('200 OK', JSON.stringify(counts));
}

function leadIn(body) {
  const at = /lead(\d+)(?:%40|@)example/.exec(body);
  return at === null ? null : Number(at[1]);
}

function http(status, body) {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
