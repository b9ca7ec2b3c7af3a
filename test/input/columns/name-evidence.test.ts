import { expect, test } from 'vitest';
import { headerWords } from '../../../src/input/columns/header-words.ts';
import { nameEvidence } from '../../../src/input/columns/name-evidence.ts';

test.each([
  ['c p', 'cp'],
  ['C. P. (cliente)', 'cp cliente'],
  ['e mail', 'email'],
  ['e-mail do cliente', 'email do cliente'],
  ['n telefone', 'n° telefone'],
  ['n', '#'],
  ['telefone n', 'telefone #'],
  ['p code', 'pcode'],
  ['e mail c p', 'email cp'],
])('letters that stand alone in %j are read as %j', (spaced, joined) => {
  expect(nameEvidence(spaced)).toEqual(nameEvidence(joined));
  expect(nameEvidence(spaced)).not.toEqual(nameEvidence('xyz'));
});

test('letters that were joined to a word are not used again', () => {
  expect(headerWords('e mail c p', false)).toEqual(['email', 'cp']);
  expect(headerWords('e mail cliente', false)).toEqual(['email', 'cliente']);
});

test.each(['Phone ext.', 'Remark (telephone)', 'Notas telefone'])('%j means a telephone only in part', (name) => {
  expect(nameEvidence(name).meanings).toMatchObject([{ meaning: 'phone', strength: 'part' }]);
});

test('a telephone is meant for certain by its name alone, and not by one for remarks', () => {
  expect(nameEvidence('Telephone').meanings).toMatchObject([{ meaning: 'phone', strength: 'plain' }]);
  expect(nameEvidence('Remarks').meanings).not.toMatchObject([{ meaning: 'phone' }]);
});

test('letters that other words part are no word', () => {
  expect(nameEvidence('c cliente p')).not.toEqual(nameEvidence('cliente cp'));
});

test.each([
  ['first_name', 'First name|Forename|Christian name|Prenome|Vorname|Rufname|Prénom'],
  ['last_name', 'Last name|Surname|Family name|Apelido|Apellidos|Nachname|Familienname|Nom de famille|Cognome'],
  ['fullname', 'Name|Full name|Nome completo|Nombre y apellidos|Nominativo'],
  ['phone', 'Telephone|Mobile|Telefone|Telemóvel|Móvil|Handynummer|Mobiltelefon|Téléphone|Portable|Cellulare'],
  ['email', 'E-mail|Mail address|Correo electrónico|Courriel|Posta elettronica'],
  ['postal_code', 'Zip|Postcode|Código postal|CEP|Postleitzahl|PLZ|Code postal|CAP'],
  ['city', 'City|Town|Localidade|Concelho|Ciudad|Población|Wohnort|Gemeinde|Ville|Commune|Città'],
  ['street', 'Street|Rua|Calle|Straße|Rue|Via'],
  ['house_number', 'House number|Hausnummer|Civico'],
  ['location', 'Address|Where|Morada|Endereço|Dirección|Domicilio|Adresse|Anschrift|Einsatzort|Lieu|Indirizzo'],
  ['country', 'Country|País|Land|Pays|Paese'],
  ['lang', 'Language|Idioma|Sprache|Langue|Lingua'],
  ['request_text', 'Message|Description|Mensagem|Mensaje|Nachricht|Beschreibung|Messaggio'],
])('forms in six languages call %s by %s', (meaning, names) => {
  const read = names.split('|').map((name) => [name, nameEvidence(name).meanings[0]?.meaning]);
  expect(read).toEqual(names.split('|').map((name) => [name, meaning]));
});
