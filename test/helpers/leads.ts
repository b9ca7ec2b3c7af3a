/** Flags of a request with all fields. */
export const REQUEST = [
  ['--country', 'PT'],
  ['--location', 'Lisboa 1000-001'],
  ['--fullname', 'Inês Exemplo'],
  ['--email', 'ines@example.com'],
  ['--phone', '+351912345678'],
  ['--request-text', 'A torneira da cozinha pinga.'],
].flat();

/** Returns the flags of {@link REQUEST} with another need, which makes it another request. */
export const requestFor = (need: string): string[] => REQUEST.with(-1, need);

/** Returns a CSV file with this many different leads. */
export function leadsCsv(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, at) => `L-${at},PT,Ana Exemplo ${at},ana${at}@example.com,+351912345678,Lisboa,Pintar a sala ${at}`,
  );
  return ['ref,country,fullname,email,phone,location,request_text', ...rows, ''].join('\n');
}

/** Gives each of these leads its own telephone: validate settles no row whose customer has another row in the file. */
export function withOwnPhones(csv: string): string {
  let count = 0;
  return csv.replace(/\+351912345678/g, () => `+35191${2_000_000 + count++}`);
}

/** Returns the request in row `at` of {@link leadsCsv}, with the library's names of the fields. */
export const requestAt = (at: number) => ({
  ...{ ref: `L-${at}`, country: 'PT', location: 'Lisboa', phone: '+351912345678' },
  ...{ fullname: `Ana Exemplo ${at}`, email: `ana${at}@example.com`, request_text: `Pintar a sala ${at}` },
});

/**
 * Returns the arguments of an import without a rate limit and with few requests at once. It lists requests in doubt
 * instead of settling them.
 */
export function bulkArgs(leads: string, ...more: string[]): string[] {
  const pace = ['--rate', 'max', '--concurrency', '4'];
  return ['bulk', leads, ...pace, '--in-doubt', 'park', ...more];
}
