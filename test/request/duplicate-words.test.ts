import { expect, test } from 'vitest';
import { duplicateStatement, saysClear } from '../../src/request/words/duplicate-words.ts';

test.each([
  ...['DUPLICATE_REQUEST', 'The request already exists', 'Possible duplicate', 'alreadySubmitted'],
  ...['Pedido duplicado', 'PEDIDO_DUPLICADO', 'Já existe', 'O pedido já foi enviado', 'Solicitação já cadastrada'],
  ...['Solicitud duplicada', 'Ya existe', 'La solicitud ya fue enviada', 'YA_REGISTRADA'],
  ...['Bereits vorhanden', 'Dublette', 'Die Anfrage existiert bereits', 'Doppelte Anfrage', 'Wurde schon übermittelt'],
  ...['Doublon', 'Déjà existant', 'La demande existe déjà', 'Demande envoyée en double', 'DEJA_ENREGISTRE'],
  ...['Già presente', 'Richiesta duplicata', 'La richiesta esiste già', 'Già inviata', 'Doppione'],
])('"%s" says that it is a duplicate', (text) => {
  expect(duplicateStatement(text)).toBe('yes');
});

test.each([
  ...['not a duplicate', 'NO_DUPLICATE', 'This isn’t a duplicate', 'duplicate: false'],
  ...['não duplicado', 'Não existe duplicidade', 'sem duplicados', 'duplicado: não'],
  ...['no duplicado', 'Ninguna solicitud duplicada', 'La solicitud no es un duplicado'],
  ...['kein Duplikat', 'KEINE_DUBLETTE', 'Nicht doppelt', 'noch nicht bereits vorhanden', 'Dublette: nein'],
  ...['non dupliqué', 'aucun doublon', "Ce n'est pas un doublon", 'pas déjà existant'],
  ...['non duplicato', 'Nessun doppione', 'Non è già presente', 'senza duplicati'],
])('"%s" denies it', (text) => {
  expect(duplicateStatement(text)).toBe('no');
});

test.each([
  ...['UNIQUE', 'new', 'NEW_REQUEST', 'not_found', 'NO_MATCH', 'not_duplicate', 'ok', 'accepted', 'nonexistent'],
  ...['único', 'NOVO', 'nao_encontrado', 'nuevo', 'no_existe', 'neu', 'nicht_vorhanden', 'keine_dublette', 'eindeutig'],
  ...['nouveau', 'non_trouvé', 'aucun_doublon', 'nuovo', 'non_trovato', 'unico'],
])('the code %s says that there is none', (code) => {
  expect(saysClear(code)).toBe(true);
});

test.each([
  ['This email already exists', 'another'],
  ['CUSTOMER_ALREADY_EXISTS', 'another'],
  ['Le client existe déjà', 'another'],
  ['Un contatto con questa email esiste già', 'another'],
  ['A request of this customer already exists', 'yes'],
  ['Ya existe una solicitud con este correo', 'yes'],
  ['Duplicate. The customer has sent it before', 'yes'],
])('"%s" says of a duplicate: %s', (text, statement) => {
  expect(duplicateStatement(text)).toBe(statement);
});

test('what the request creates is no other thing', () => {
  expect(duplicateStatement('The contact already exists', new Set(['contact']))).toBe('yes');
  expect(duplicateStatement('The e-mail already exists', new Set(['contact']))).toBe('another');
});
