import { describe, expect, test } from 'vitest';
import { headerWords } from '../../../src/input/columns/header-words.ts';
import { nameEvidence } from '../../../src/input/columns/name-evidence.ts';

const words = (header: string) => headerWords(header, false).join(' ');
const mended = (header: string) => headerWords(header, true).join(' ');

test.each([
  ['contactPhoneNumber', 'contact phone number'],
  ['CRMName', 'crm name'],
  ['E-M@il', 'email'],
  ['Kunden-Tel.', 'kunden tel'],
  ['¿Qué necesitas?', 'que necesitas'],
  ['Straße', 'strasse'],
  ['N° telefone', '# telefone'],
  ['№ 5', '#'],
  ['Tenant(s)', 'tenant'],
  ['Schüler/in', 'schuler'],
  ['Où habitez-vous ?', 'where habitez vous'],
  ['WhatsAppnummer', 'whatsapp nummer'],
  ["l'adresse", 'l adresse'],
  ['{{lead.email}} phone', 'phone'],
  ['field_12', 'field'],
  ['', ''],
])('%j has the words %j', (header, expected) => {
  expect(words(header)).toBe(expected);
});

describe('another form of a word', () => {
  test.each([
    ['wohnorts', 'wohnort'],
    ['wohnortes', 'wohnort'],
    ['quartiern', 'quartier'],
    ['wohnorten', 'wohnort'],
    ['wohnorte', 'wohnort'],
    ['ansprechpartners', 'ansprechpartner'],
    ['voices', 'voice'],
  ])('%s is %s', (word, base) => {
    expect(words(word)).toBe(base);
  });

  test('has a base of at least five letters', () => {
    expect(words('memos')).toBe('memos');
    expect(words('blorbs')).toBe('blorbs');
  });
});

describe('a word made of known words', () => {
  test.each([
    ['plzid', 'plz id'],
    ['mieternr', 'mieter nr'],
    ['clienteno', 'cliente no'],
    ['mieterap', 'mieterap'],
    ['faxname', 'fax name'],
    ['plzname', 'plz name'],
    ['agbname', 'agbname'],
    ['nameagb', 'nameagb'],
    ['wohnortname', 'wohnort name'],
    ['wohnortsname', 'wohnort name'],
    ['wohnortname2', 'wohnort name'],
    ['kundenwohnortname', 'kunden wohnort name'],
    ['kundenblorb', 'kundenblorb'],
  ])('%s is %s', (word, parts) => {
    expect(words(word)).toBe(parts);
  });

  test('has at most forty letters', () => {
    const long = 'beschreibung'.repeat(3);
    expect(words(`${long}mail`)).toBe('beschreibung beschreibung beschreibung mail');
    expect(words(`${long}email`)).toBe(`${long}email`);
  });

  test('may end with a slip of more than five letters', () => {
    expect(mended('kundennachrict')).toBe('kunden nachricht');
    expect(mended('kundenemial')).toBe('kundenemial');
    expect(words('kundennachrict')).toBe('kundennachrict');
  });
});

describe('a slip', () => {
  test.each([
    ['a missing letter', 'nachrict', 'nachricht'],
    ['a letter too many', 'nnachricht', 'nachricht'],
    ['a wrong letter', 'nachrixht', 'nachricht'],
    ['two letters in the wrong order', 'nachrihct', 'nachricht'],
    ['the first letter', 'xachricht', 'nachricht'],
    ['a last letter too many', 'nachrichtx', 'nachricht'],
    ['five letters', 'emial', 'email'],
  ])('is mended: %s', (_, slip, meant) => {
    expect([mended(slip), words(slip)]).toEqual([meant, slip]);
  });

  test('is none in a word that is shorter, or is meant to be, or may mean several things', () => {
    expect(mended('mial')).toBe('mial');
    expect(mended('fonee')).toBe('fonee');
    expect(mended('xachrixht')).toBe('xachrixht');
    // "Reason" and "person" are one letter away each.
    expect(mended('rerson')).toBe('rerson');
  });

  test('completes a letter that stands alone', () => {
    expect([mended('e mial'), words('e mial')]).toEqual(['email', 'e mial']);
  });
});

describe('an abbreviation', () => {
  test.each(
    'nm name|frst first|lst last|srnm surname|twn town|strt street|hse house|cstmr customer|clnt client|phn phone|nmbr number'
      .split('|')
      .map((pair) => pair.split(' ')),
  )('%s is %s without its vowels', (short = '', word = '') => {
    expect([mended(short), words(short)]).toEqual([word, short]);
  });

  test('has no letters that the word has not', () => {
    expect(mended('phun')).toBe('phun');
  });

  test.each([
    ['surn', 'surname'],
    ['apell', 'apellido'],
    ['bemerk', 'bemerkung'],
    ['sur', 'sur'],
    ['salut', 'salut'],
    ['mens', 'mensagem'],
    ['inter', 'inter'],
  ])('%s at the beginning of a word about a field: %s', (short, word) => {
    expect(mended(short)).toBe(word);
  });

  test('has four to eight letters, and two less than the word', () => {
    expect([mended('expl'), mended('benachri')]).toEqual(['expl', 'benachri']);
    expect(mended('nachrich')).toBe('nachricht');
    expect(mended('beschrei')).toBe('beschreib');
  });
});

describe('what a header belongs to', () => {
  test.each(
    'Deadline|Budget|Campaign|Method|Status|Consent|Duration|VAT|Salutation|Company|Attachment|Fax|_internal|Valor €|Paid $'.split(
      '|',
    ),
  )('%s belongs to no field', (header) => {
    expect(nameEvidence(header)).toMatchObject({ isElse: true, isEmpty: false });
  });

  test.each([
    ['Recording url', false],
    ['Recording file', false],
    ['Recording date', true],
    ['Message file', false],
    ['Message url', true],
    ['Method of contact, language', false],
    ['Language date', true],
    ['Tell us the date', false],
    ['Quelle', true],
    ['Lead Quelle', true],
    ['Quelle adresse email', false],
    ['How did you hear about us?', true],
    ['$name', false],
    ['Zona', false],
  ])('%s belongs to none: %s', (header, isElse) => {
    expect(nameEvidence(header).isElse).toBe(isElse);
  });

  test.each([
    ['Column 3', true],
    ['field_7', true],
    ['', true],
    ['A', true],
    ['AB', true],
    ['Abc', false],
    ...'Response|Responses|Answer|Antwort|Réponse|Respuesta|Risposta|Resposta'
      .split('|')
      .map((header) => [`${header} 2`, true] as const),
    ['Blorb', false],
    ['Client', false],
  ] as const)('%j says nothing: %s', (header, isEmpty) => {
    expect(nameEvidence(header).isEmpty).toBe(isEmpty);
  });

  test('of five words, or with a question mark, is a question', () => {
    expect([
      nameEvidence('name of the new customer').isQuestion,
      nameEvidence('name of new customer').isQuestion,
    ]).toEqual([true, false]);
    expect([nameEvidence('Nome?').isQuestion, nameEvidence('¿Nombre').isQuestion]).toEqual([true, true]);
  });

  test('is unknown by its words, pupils and users too, but not by single letters', () => {
    expect(nameEvidence('Blorb pupil x email').unknown).toBe('blorb pupil');
    expect(nameEvidence('Email').unknown).toBe('');
  });

  test('is a heading by a word for one, or for a title', () => {
    expect(['Subject', 'Title', 'Message'].map((header) => nameEvidence(header).isSubject)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test.each([
    ['name', true],
    ['Nome', true],
    ...'full name|complete name|nome completo|nome completa|vollständig name|vollständiger Name|vollständige Name|nom complet|display name|forename name|surname name|city'
      .split('|')
      .map((header) => [header, false] as const),
  ] as const)('%s is only a name: %s', (header, isBareName) => {
    expect(nameEvidence(header).isBareName).toBe(isBareName);
  });

  test.each([
    ['Region', true],
    ...'Region email|Region phone|Region country|Region city|Region zip|Region number|Region message|City'
      .split('|')
      .map((header) => [header, false] as const),
  ] as const)('%s is a part of a country: %s', (header, isRegion) => {
    expect(nameEvidence(header).isRegion).toBe(isRegion);
  });

  test.each([
    ['customer', true],
    ['su cliente', true],
    ['contact person', true],
    ['the new customer', true],
    ['the very new customer', false],
    ['the new best customer', false],
    ['pupil', true],
    ['customer number', false],
    ['customer blorb', false],
    ['the', false],
  ])('%s only says whose it is: %s', (header, isSomebody) => {
    expect(nameEvidence(header).isSomebody).toBe(isSomebody);
  });

  test('belongs to others by a word for them, also with a slip', () => {
    expect(['Agent', 'Agetn tel', 'Client'].map((header) => nameEvidence(header).isOthers)).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('words in brackets', () => {
  test.each([
    ['Blorb (email)', 'email'],
    ['Blorb (phone)', 'phone'],
    ['Blorb (name)', 'fullname'],
    ['Blorb (forename)', 'first_name'],
    ['Blorb (surname)', 'last_name'],
    ['Blorb (street)', 'street'],
    ['Blorb (housenumber)', 'house_number'],
    ['Blorb (zip)', 'postal_code'],
    ['Blorb (town)', 'city'],
    ['Blorb (country)', 'country'],
    ['Blorb [recording]', 'audio_file'],
    ['Blorb (message)', undefined],
    ['Blorb (language)', undefined],
    ['Column 2 (message)', 'request_text'],
  ])('%s: %s', (header, meaning) => {
    expect(nameEvidence(header).meanings[0]?.meaning).toBe(meaning);
  });

  test('count if they say that it is none, or a second one, or another one', () => {
    const not = 'company fax price vat salutation gdpr status'.split(' ');
    expect(not.filter((word) => !nameEvidence(`Phone (${word})`).isElse)).toEqual([]);
    expect(nameEvidence('Phone (day)').isElse).toBe(false);
    expect(nameEvidence('Phone (url)').isElse).toBe(false);
    expect(nameEvidence('Phone (agent)').isOthers).toBe(true);
    expect(nameEvidence('Blorb (county)').isRegion).toBe(true);
    expect(nameEvidence('Phone (secondary)').meanings[0]?.rank).toBeGreaterThan(
      nameEvidence('Phone').meanings[0]?.rank ?? 99,
    );
    expect(nameEvidence('Phone (apartment)').meanings[0]?.strength).toBe('part');
  });
});

/** Meanings with their strength, unless it is plain. */
const readings = (header: string) =>
  nameEvidence(header)
    .meanings.map(({ meaning, strength }) => (strength === 'plain' ? meaning : `${meaning} ${strength}`))
    .join(', ');

describe('the words of a name', () => {
  test.each([
    ['Voice message', 'audio_file'],
    ['Email phone', 'email'],
    ['Phone extension', 'phone part'],
    ['Phone remarks', 'phone part'],
    ['Phone address', 'phone part'],
    ['Phone name', 'phone part, fullname part'],
    ['Language', 'lang'],
    ['Language of the site', ''],
    ['Language of message', 'request_text'],
    ['Postal address', 'postal_code, location part'],
    ['Street and number', 'street, house_number'],
    ['Street, town', 'location'],
    ['Street, zip', 'location'],
    ['Zip, town', 'city'],
    ['Town, country', 'city'],
    ['Country', 'country'],
    ['House number', 'house_number'],
    ['House address', 'location'],
    ['Street of house', 'street'],
    ['Apartment', ''],
    ['Apartment address', 'location part, request_text part'],
    ['Kind of street', ''],
    ['Office city', ''],
    ['Address', 'location'],
    ['Region', ''],
    ['Describe the region', 'request_text'],
    ['Name', 'fullname'],
    ['Forename', 'first_name'],
    ['Surname', 'last_name'],
    ['Forename, surname', 'fullname'],
    ['Name forename', 'fullname'],
    ['First name', 'first_name'],
    ['Last name', 'last_name'],
    ['First and last name', 'fullname'],
    ['Family name', 'last_name'],
    ['First', ''],
    ['Name number', ''],
    ['Ticket name', ''],
    ['Ticket', 'ref part'],
    ['Service name', 'category, request_text part'],
    ['Problem name', 'request_text, category part'],
    ['Service message', 'request_text, category part'],
    ['Service problem', 'request_text part, category'],
    ['Last message', 'request_text part'],
    ['Last', ''],
    ['Comment', 'notes'],
    ['Comment blorb', 'notes'],
    ['Comment blorb frump', ''],
    ['Customer name', 'fullname'],
    ['Customer', 'fullname, phone part'],
    ['Kind of name', ''],
    ['Message', 'request_text'],
    ['Problem', 'request_text, category part'],
    ['Request', 'request_text, category part, ref part'],
    ['Describe it', 'request_text'],
    ['Service', 'category, request_text part'],
    ['Type of service', 'category, request_text part'],
    ['Type of event', 'category, request_text part'],
    ['Type', ''],
    ['Type blorb', 'category part'],
    ['Service number', 'category part'],
    ['Remarks', 'notes'],
    ['Subject', 'request_text part, category part'],
    ['Reference', 'ref part'],
    ['Number', 'ref part, phone part'],
    ['Lead', 'fullname, phone part'],
    ['Customer number', 'ref part, phone part'],
    ['Order number', 'ref'],
    ['Lead id', 'ref'],
    ['Customer id', 'ref part'],
    ['Contact number', 'ref part, phone part'],
    ['Blorb phone', 'phone part'],
    ['Blorb', ''],
  ])('%s: %s', (header, expected) => {
    expect(readings(header)).toBe(expected);
  });

  test('that mean something else leave a hint for the content, but not of companies and payments', () => {
    expect(['Tel day', 'Email date', 'Message date', 'Deadline'].map(readings)).toEqual([
      'phone hint',
      'email hint',
      'request_text hint',
      '',
    ]);
    const none = 'Company|Fax|VAT|Attachment|Url|Newsletter'.split('|');
    expect(none.map((word) => readings(`${word} email`)).filter((each) => each !== '')).toEqual([]);
  });

  test('rank a mobile first, then any, one at work, a second one; what is less likely, then notes', () => {
    const rank = (header: string, at = 0) => nameEvidence(header).meanings[at]?.rank ?? Number.NaN;
    const ranks = [
      rank('Mobile'),
      rank('Phone'),
      rank('Office phone'),
      rank('Second phone'),
      rank('Problem', 1),
      rank('Remarks'),
    ];
    expect(ranks).toEqual([...new Set(ranks)].sort((a, b) => a - b));
    expect(rank('Contact number', 1)).toBe(rank('Phone'));
    expect(rank('Customer number', 1)).toBe(rank('Problem', 1));
  });

  test('are mended where that adds a reading', () => {
    expect([readings('Telefonnumer'), readings('Blorb telefonnumer')]).toEqual(['phone slip', 'phone part']);
    expect(nameEvidence('Deadlien').isElse).toBe(true);
    expect([nameEvidence('Telefone deadlien').isElse, readings('Telefone deadlien')]).toEqual([false, 'phone part']);
  });
});
