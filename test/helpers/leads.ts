/** Flags of one request that has everything. */
export const REQUEST = [
  ['--country', 'PT'],
  ['--location', 'Lisboa 1000-001'],
  ['--fullname', 'Inês Exemplo'],
  ['--email', 'ines@example.com'],
  ['--phone', '+351912345678'],
  ['--request-text', 'A torneira da cozinha pinga.'],
].flat();

/** The flags of {@link REQUEST} with another need: another request. */
export const requestFor = (need: string): string[] => REQUEST.with(-1, need);

/** A CSV file of so many different leads. */
export function leadsCsv(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, at) => `L-${at},PT,Ana Exemplo ${at},ana${at}@example.com,+351912345678,Lisboa,Pintar a sala ${at}`,
  );
  return ['ref,country,fullname,email,phone,location,request_text', ...rows, ''].join('\n');
}

/** An import as fast as the service goes, a few at a time, that lists what is in doubt in place of settling it. */
export function bulkArgs(leads: string, ...more: string[]): string[] {
  const pace = ['--rate', 'max', '--concurrency', '4'];
  return ['bulk', leads, ...pace, '--in-doubt', 'park', ...more];
}
