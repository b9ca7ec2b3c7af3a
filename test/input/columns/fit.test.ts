import { expect, test } from 'vitest';
import { profileOf } from '../../../src/input/columns/content.ts';
import { type Fit, fitOf } from '../../../src/input/columns/fit.ts';
import type { FieldOrPart } from '../../../src/request/field-aliases.ts';

/** Columns as partners fill them, eleven cells each. */
const COLUMNS = {
  persons:
    'Maria Silva|Hans Müller|Anna Schmidt|João Santos|Peter Weber|Ana Costa|Paul Koch|Rita Lopes|Karl Bauer|Eva Wolf|Rui Dias',
  'given names': 'Maria|Hans|Anna|João|Peter|Ana|Paul|Rita|Karl|Eva|Rui',
  'family names': 'Silva|Müller|Schmidt|Santos|Weber|Costa|Koch|Lopes|Bauer|Wolf|Dias',
  'telephone numbers': list((at) => `+351 912 345 6${at + 70}`),
  addresses: list((at) => `lead${at}@example.com`),
  towns: 'Lisboa|Porto|Berlin|Hamburg|Braga|Faro|Köln|Madrid|Sevilla|Milano|Roma',
  streets:
    'Rua A 1|Rua do Ouro 22|Hauptstraße 5|Lindenweg 7a|Avenida B 12|Bahnhofstraße 9|Rua C 3|Rua D 4|Gartenweg 6|Rua E 8|Rua F 10',
  'house numbers': '1|22|5a|7|12|9|3|4|6|8|10',
  'postal codes': '10115|20095|80331|50667|60311|70173|01067|04109|28195|30159|40213',
  'numbered places': 'Foxhill 1|Milton 22|Grange 5|Orchard 7a|Hatfield 12|Mayfield 9|Brook 3|Mill 4|Ash 6|Elm 8|Oak 10',
  needs: list((at) => `Paint the rooms ${'ABCDEFGHIJK'[at]} of my flat before May`),
  'kinds of service': 'Painting|Roofing|Painting|Moving|Roofing|Painting|Moving|Painting|Roofing|Moving|Painting',
  references: list((at) => `A-${(at + 3) * 917}-x`),
  'row numbers': list((at) => `${at + 1}`),
  dates: list((at) => `2026-01-${at + 10}`),
  countries: 'PT|DE|PT|ES|FR|IT|PT|DE|PT|ES|FR',
  languages: 'pt|de|pt|es|fr|it|pt|de|pt|es|fr',
  recordings: list((at) => `call${at}.mp3`),
  links: list((at) => `https://example.com/${at}`),
  'yes and no': 'yes|no|yes|no|no|yes|yes|no|yes|no|no',
  amounts: list((at) => `€ ${at + 80},00`),
  'one text': list(() => 'Paint the house by May'),
} as const;
type Column = keyof typeof COLUMNS;

function list(cellOf: (at: number) => string): string {
  return Array.from({ length: 11 }, (_, at) => cellOf(at)).join('|');
}

const MEANINGS =
  'country lang location fullname email phone request_text category audio_file ref street house_number postal_code city first_name last_name'.split(
    ' ',
  ) as readonly FieldOrPart[];
const fitWith = (meaning: FieldOrPart, texts: readonly string[]): Fit =>
  fitOf(
    meaning,
    profileOf(texts, () => undefined, texts.length),
  );

test.each<[Column, string, string]>([
  ['persons', 'fullname first_name last_name', 'location audio_file street house_number'],
  ['given names', 'fullname ref first_name last_name', 'location audio_file street'],
  ['family names', 'fullname ref city first_name last_name', 'location request_text category audio_file street'],
  ['telephone numbers', 'phone', 'audio_file'],
  ['addresses', 'email', ''],
  ['towns', 'location ref city first_name last_name', 'request_text audio_file street'],
  ['streets', 'location street', 'fullname request_text audio_file house_number city first_name last_name'],
  ['house numbers', 'house_number', 'ref postal_code'],
  ['postal codes', 'ref house_number postal_code', ''],
  ['needs', 'request_text street', 'location fullname category audio_file city'],
  ['kinds of service', 'fullname category city first_name last_name', 'location request_text audio_file street'],
  ['references', 'ref', 'location category audio_file street house_number'],
  ['row numbers', '', 'ref postal_code'],
  ['dates', '', 'house_number'],
  ['countries', 'country lang fullname category city first_name last_name', 'location audio_file street'],
  ['languages', 'country lang fullname category city first_name last_name', 'location audio_file street'],
  ['recordings', 'audio_file ref', 'location category street house_number'],
  ['links', '', 'audio_file'],
  ['yes and no', '', 'lang'],
  ['amounts', '', 'audio_file house_number'],
  ['one text', 'fullname category city first_name last_name', 'location audio_file street'],
])('a column of %s speaks for %j, and does not forbid %j', (column, shown, allowed) => {
  const texts = COLUMNS[column].split('|');
  const of = (wanted: Fit) => MEANINGS.filter((meaning) => fitWith(meaning, texts) === wanted).join(' ');
  expect([of('shows'), of('allows')]).toEqual([shown, allowed]);
});

/** A letter for each count of cells that are of the first kind, from 0 to 10 of ten: contradicts, allows, shows. */
test.each<[FieldOrPart, Column, Column, string]>([
  ['email', 'addresses', 'needs', 'CCAAAASSSSS'],
  ['phone', 'telephone numbers', 'needs', 'CCCAASSSSSS'],
  ['phone', 'telephone numbers', 'dates', 'CCCCCCSSSSS'],
  ['postal_code', 'postal codes', 'towns', 'CAAAAASSSSS'],
  ['postal_code', 'postal codes', 'addresses', 'CCCCCCCCSSS'],
  ['country', 'countries', 'needs', 'CCAAAASSSSS'],
  ['lang', 'languages', 'needs', 'CCAAAASSSSS'],
  ['fullname', 'persons', 'needs', 'AAAAAASSSSS'],
  ['fullname', 'persons', 'towns', 'CCCCCSSSSSS'],
  ['fullname', 'persons', 'telephone numbers', 'CCCCCCSSSSS'],
  ['first_name', 'given names', 'needs', 'CCCCCCSSSSS'],
  ['last_name', 'family names', 'amounts', 'CCCAAASSSSS'],
  ['street', 'streets', 'needs', 'SSSSSSSSSSS'],
  ['street', 'numbered places', 'towns', 'AAAAASSSSSS'],
  ['street', 'streets', 'towns', 'AAAAASSSSSS'],
  ['street', 'streets', 'addresses', 'CCCCCCCCSSS'],
  ['street', 'streets', 'telephone numbers', 'CCCCCSSSSSS'],
  ['house_number', 'house numbers', 'towns', 'CCCCCCSSSSS'],
  ['house_number', 'house numbers', 'given names', 'CCCCCCSSSSS'],
  ['city', 'towns', 'given names', 'CCCCSSSSSSS'],
  ['city', 'towns', 'needs', 'AAAASSSSSSS'],
  ['location', 'towns', 'needs', 'AAASSSSSSSS'],
  ['location', 'streets', 'links', 'CCCCCCSSSSS'],
  ['location', 'towns', 'row numbers', 'CCCSSSSSSSS'],
  ['request_text', 'needs', 'telephone numbers', 'CCCCCCSSSSS'],
  ['request_text', 'needs', 'persons', 'CCCCCSSSSSS'],
  ['request_text', 'needs', 'references', 'CCCASSSSSSS'],
  ['request_text', 'needs', 'one text', 'CAAASSSSSSS'],
  ['category', 'kinds of service', 'needs', 'AAAAAAASSSS'],
  ['category', 'kinds of service', 'persons', 'CCCCCCSSSSS'],
  ['category', 'kinds of service', 'streets', 'CCCCCCCSSSS'],
  ['ref', 'references', 'needs', 'CCCCCCAASSS'],
  ['ref', 'references', 'addresses', 'CCCCCCCCSSS'],
  ['ref', 'references', 'one text', 'CCCCCCAAASS'],
  ['audio_file', 'recordings', 'needs', 'AAAAASSSSSS'],
  ['audio_file', 'recordings', 'addresses', 'CCCCCCSSSSS'],
])('%s is read from %s among %s by how many there are: %s', (meaning, own, others, fits) => {
  const [ownCells, otherCells] = [own, others].map((column) => COLUMNS[column].split('|'));
  const letters = Array.from({ length: 11 }, (_, count) => {
    const texts = [...(ownCells ?? []).slice(0, count), ...(otherCells ?? []).slice(0, 10 - count)];
    return fitWith(meaning, texts).slice(0, 1).toUpperCase();
  });
  expect(letters.join('')).toBe(fits);
});
