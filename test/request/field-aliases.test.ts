import { expect, test } from 'vitest';
import { aliasOf, countKnownFields, type FieldOrPart, headerForm } from '../../src/request/field-aliases.ts';

/** The names that each field has, written down apart from the table in the program, so that none is lost there unnoticed. */
const NAMES: Readonly<Record<FieldOrPart, readonly string[]>> = {
  fullname: [
    'fullname, full name, name, your name, contact name, customer name, client name, lead name, person name, display name',
    'nome completo, nome, nome do cliente',
    'nombre completo, nombre y apellidos, nombre',
    'vollstandiger name, vollstaendiger name, kundenname',
    'nom complet, nom et prenom',
    'nome e cognome, nominativo',
  ],
  first_name: [
    'first name, firstname, given name, name first, person first name',
    'primeiro nome',
    'primer nombre',
    'vorname',
    'prenom',
  ],
  last_name: [
    'last name, lastname, surname, family name, name last, person last name',
    'apelido, sobrenome',
    'apellido, apellidos',
    'nachname, familienname',
    'nom de famille',
    'cognome',
  ],
  email: [
    'email, e mail, email address, mail, work email, person email, person email work, person email home, person email other',
    'correio eletronico, endereco de email',
    'correo, correo electronico',
    'e mail adresse, mailadresse',
    'adresse e mail, courriel',
    'indirizzo email, posta elettronica',
  ],
  phone: [
    'phone, phone number, telephone, tel, mobile, mobile phone, mobile phone number, cell, contact number, whatsapp, work phone, home phone, person phone, person phone mobile, person phone work, person phone home, person phone other',
    'telefone, telemovel, celular, numero de telefone',
    'telefono, movil, numero de telefono',
    'telefon, telefonnummer, handy, mobilnummer, mobil, rufnummer',
    'numero de telephone, portable',
    'cellulare, numero di telefono',
  ],
  location: [
    'location, address, full address',
    'localizacao, morada, endereco',
    'ubicacion, direccion, domicilio',
    'standort, adresse, anschrift',
    'lieu',
    'indirizzo, luogo',
  ],
  street: [
    'street, street address, address line 1, address street address, address street, mailing street',
    'rua',
    'calle',
    'strasse',
    'rue',
    'via',
  ],
  house_number: [
    'house number, street number',
    'numero de porta',
    'numero exterior',
    'hausnummer, hausnr',
    'numero civico',
  ],
  postal_code: [
    'postal code, zip, zip code, postcode, eircode, pincode, address zip postal code, address zip, address postal code, mailing postal code',
    'codigo postal',
    'cp',
    'plz, postleitzahl',
    'code postal',
    'cap',
  ],
  city: [
    'city, town, address city, mailing city',
    'cidade, concelho, localidade',
    'ciudad, poblacion',
    'stadt, ort, wohnort',
    'ville',
    'citta, comune',
  ],
  country: [
    'country, country code, country region, market, mailing country, address country',
    'pais, mercado',
    'land',
    'pays',
    'paese',
  ],
  lang: ['lang, language, locale, preferred language, hs language', 'idioma, lingua', 'sprache', 'langue'],
  request_text: [
    'request text, request, message, description, details, comments, enquiry, inquiry, job description, what do you need, how can we help',
    'mensagem, pedido, descricao',
    'mensaje, solicitud, descripcion',
    'nachricht, anfrage, beschreibung, anliegen',
    'demande, message',
    'messaggio, richiesta',
  ],
  notes: ['notes', 'notas', 'notizen'],
  category: [
    'category, category id, service, service type, trade, job type, profession',
    'categoria, servico',
    'servicio, oficio',
    'kategorie, dienstleistung, gewerk',
    'categorie, metier, prestation',
    'servizio, mestiere',
  ],
  ref: [
    'external reference, external id, reference, ref, lead id, id, record id, submission id, entry id, response id, hs object id, deal id, #',
    'referencia',
    'referenz',
    'riferimento',
  ],
  audio_file: ['audio file, audio, recording, voice note'],
};

test.each(Object.entries(NAMES))('%s is found by each of its names', (field, languages) => {
  const names = languages.flatMap((line) => line.split(', '));
  expect(names.filter((name) => aliasOf(name)?.meaning !== field)).toEqual([]);
});

test('a name that two languages have counts by its best place', () => {
  expect(aliasOf('Message')).toEqual({ meaning: 'request_text', rank: 1 });
  expect(aliasOf('fullname')).toEqual({ meaning: 'fullname', rank: 0 });
  expect(aliasOf('Nombre')).toEqual({ meaning: 'fullname', rank: 2 });
});

test.each([
  [' Straße / Nr. ', 'strasse_nr'],
  ['(Telefone)', 'telefone'],
  ['Имя', 'имя'],
  ['#', '#'],
  ['--', '--'],
])('%j has the form %j', (header, form) => {
  expect(headerForm(header)).toBe(form);
});

test('known names are counted, and others are not', () => {
  expect([countKnownFields(['Name', 'Telefon', 'xyz']), countKnownFields([]), countKnownFields(['?'])]).toEqual([
    2, 0, 0,
  ]);
});
