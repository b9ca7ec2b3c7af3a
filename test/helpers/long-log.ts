/** Returns a log with this many created requests, without sending them. */
export function longLog(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const key = at.toString(16).padStart(32, '0');
    const subject = { key, run: 'r', row: at + 1, ref: `L-${at}` };
    const created = { ids: { request_id: `9${String(at).padStart(19, '0')}` }, http: 201, ms: 5 };
    return `${JSON.stringify({ ...subject, event: 'sending', at: '2026-11-20T10:00:00.000Z' })}\n${JSON.stringify({ ...subject, event: 'created', at: '2026-11-20T10:00:01.000Z', ...created })}\n`;
  });
  return lines.join('');
}
