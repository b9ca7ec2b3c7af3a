// Writes a CSV of N invented leads: node scripts/make-leads.mjs N FILE

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { finished } from 'node:stream/promises';
import { getCountryCallingCode } from 'libphonenumber-js/max';

const mobiles = createRequire(import.meta.url)('libphonenumber-js/mobile/examples');
const MARKETS = ['PT', 'ES', 'DE', 'AT', 'IE', 'GB', 'MX', 'AR', 'CL', 'CO', 'AU', 'NZ', 'IN', 'ZA'];
const NEEDS = [
  'Canalizador urgente, máximo 80 €',
  'Umzug, 3. Stock',
  'Maths tutor, twice a week',
  'Boda en junio; 6 horas',
];
const BUFFERED = 1 << 18;

const [count, path] = [Number(process.argv[2]), process.argv[3]];
const file = createWriteStream(path);
let text = 'Lead ID,Full Name,Email,Phone Number,Postal Code,City,Country,Message\n';
for (let at = 1; at <= count; at++) {
  const iso = MARKETS[at % MARKETS.length];
  const phone = `+${getCountryCallingCode(iso)}${mobiles[iso]}`;
  const need = `"${NEEDS[at % NEEDS.length]} (${at})"`;
  text += `L-${at},Zoé Exemplo ${at},lead${at}@example.com,${phone},1${String(at % 10_000).padStart(4, '0')},Lisboa,${iso},${need}\n`;
  if (text.length < BUFFERED) continue;
  if (!file.write(text)) await once(file, 'drain');
  text = '';
}
file.end(text);
await finished(file);
