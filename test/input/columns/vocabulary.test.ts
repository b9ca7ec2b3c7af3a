import { expect, test } from 'vitest';
import { profileOf } from '../../../src/input/columns/content.ts';
import { conceptsOf, isKnownWord, knownWords } from '../../../src/input/columns/vocabulary.ts';

/**
 * For each concept one word of each line: English, Portuguese, Spanish, German, French, Italian, exports. A line that has no word of its
 * own is left out.
 */
const WORDS = {
  email: 'emails correio correos mailadresse courriel posta gmail',
  phone: 'telephone telefone telefono telefonnummer telephonique cellulare telno',
  mobile: 'cellphone telemovel movil handy portable cellulare mob',
  name: 'names nome nombre namen nom nominativo',
  first: 'forename prenome pila vorname prenom battesimo givenname',
  last: 'surname apelido apellidos nachname patronyme cognome lname',
  firstAdjective: 'first primeiro primer erster premier primo',
  lastAdjective: 'last ultimo letzter dernier famiglia',
  street: 'street rua calle strasse rue via strno',
  house: 'housenumber hausnummer civico houseno',
  postal: 'zipcode cep postales plz npa postale pcode',
  city: 'town cidade ciudad wohnort ville citta cty',
  address: 'address morada direccion anschrift lieu indirizzo adresszeile',
  country: 'country nacao nacion land pays paese cntry',
  language: 'language linguas lengua sprache langue lingue locale',
  need: 'request mensagem mensaje nachricht demande messaggio freetext',
  telling: 'explain descreva describa beschreiben decrivez descrivi',
  subject: 'topic assunto asunto betreff sujet oggetto titulo',
  notes: 'remark anotacao anotacion bemerkung remarque commento memo',
  category: 'trade servico servicio kategorie prestation prestazione rubrica',
  occasion: 'wedding casamento boda hochzeit mariage matrimonio',
  kind: 'kind clase art genre tipologia',
  audio: 'recording gravacao grabacion aufnahme enregistrement registrazione wav',
  number: 'ids nro nummer identifiant numeri refid',
  matter: 'leads pedidos trato vorgang dossier pratica ticketid',
  time: 'days datas fecha tage jour giorno timezone',
  money: 'price preco precio preis prix prezzo chf',
  web: 'link fontes sitio webseite provenance sito href',
  manner: 'method meio medio kontaktart moyen mezzo mode',
  status: 'stage situacao estatus zustand statut esito stufe',
  consent: 'consent privacidade acepto einwilligung consentement consenso tcpa',
  measure: 'duration quantidade cantidad anzahl taille durata qty',
  tax: 'vat contribuinte dni steuer siret fiscale kto',
  title: 'salutation saudacao saludo anrede civilite titolo anr',
  company: 'company organizacao organizacion unternehmen entreprise azienda orgname',
  region: 'county bairro barrio bundesland arrondissement regione dept',
  file: 'picture imagem adjunto anhang fichier allegato img',
  fax: 'fax telefax telecopie',
  extra: 'apartment andar piso stiege batiment scala line',
  customer: 'customer contato interesado kunde locataire clienti kd',
  other: 'owner responsavel propietario besitzer proprietaire agenti parentid',
  either: 'invoice student aluno alumna schuler eleve alunno usr',
  inTheirWork: 'office escritorio oficina geschaftlich professionnel ufficio',
  second: 'secondary outra otra zweite deuxieme altra',
  nothing: 'the os los der une gli nb',
};

test.each(Object.entries(WORDS))('in every language there are words for %s', (concept, words) => {
  const unknown = words.split(' ').filter((word) => !conceptsOf(word).some((each) => each === concept));
  expect(unknown).toEqual([]);
});

test('a word has every concept that it may mean, and what is no word has none', () => {
  expect(conceptsOf('cell')).toEqual(['phone', 'mobile']);
  expect(conceptsOf('request')).toEqual(['need', 'matter']);
  expect([conceptsOf(''), conceptsOf('blorb')]).toEqual([[], []]);
  expect([isKnownWord('cell'), isKnownWord(''), isKnownWord('blorb')]).toEqual([true, false, false]);
  expect(knownWords()).toEqual(expect.arrayContaining(['cell', 'gli', 'cntry']));
  expect(knownWords()).not.toContain('');
});

const shares = (text: string) => profileOf([text], () => undefined, 1);

test('names are known that are common in the languages of the markets', () => {
  const names = 'William Bronwyn Rajesh Ming João Javier Wolfgang Philippe Giuseppe'.split(' ');
  expect(names.filter((name) => shares(name).givenName !== 1)).toEqual([]);
  expect(['Bahnhof', 'Lisboa', 'Pintura'].filter((name) => shares(name).givenName !== 0)).toEqual([]);
});

test('a large town of every market is known', () => {
  const towns =
    'Lisboa|Madrid|Köln|Salzburg|Winterthur|Galway|Sheffield|Calgary|Monterrey|Buenos Aires|Valparaíso|Medellín|Arequipa|Guayaquil|La Romana|Brisbane|Christchurch|Bedok|Bangalore|Durban|Benguela|Marseille';
  expect(towns.split('|').filter((town) => shares(town).town !== 1)).toEqual([]);
  expect(['Klein Posemuckel', 'Maria'].filter((town) => shares(town).town !== 0)).toEqual([]);
});
