import type { Field, FieldPart } from './fields.ts';

/** The possible contents of a column: a field, or a part from which a field is joined. */
export type FieldOrPart = Field | FieldPart;

/** The meaning of a column's name. A lower `rank` is surer, and 0 is best. */
export interface Alias {
  readonly meaning: FieldOrPart;
  readonly rank: number;
}

/**
 * Names of columns in their normal form, best first, one line for each language (English, Portuguese, Spanish, German,
 * French, Italian). Names that mean something else beside certain other columns are resolved in
 * `input/columns/candidates.ts`.
 */
const NAMES: Readonly<Record<FieldOrPart, readonly string[]>> = {
  fullname: [
    'fullname full_name name your_name contact_name customer_name client_name lead_name person_name display_name',
    'nome_completo nome nome_do_cliente',
    'nombre_completo nombre_y_apellidos nombre',
    'vollstandiger_name vollstaendiger_name kundenname',
    'nom_complet nom_et_prenom',
    'nome_e_cognome nominativo',
  ],
  first_name: [
    'first_name firstname given_name name_first person_first_name',
    'primeiro_nome',
    'primer_nombre',
    'vorname',
    'prenom',
  ],
  last_name: [
    'last_name lastname surname family_name name_last person_last_name',
    'apelido sobrenome',
    'apellido apellidos',
    'nachname familienname',
    'nom_de_famille',
    'cognome',
  ],
  email: [
    'email e_mail email_address mail work_email person_email person_email_work person_email_home person_email_other',
    'correio_eletronico endereco_de_email',
    'correo correo_electronico',
    'e_mail_adresse mailadresse',
    'adresse_e_mail courriel',
    'indirizzo_email posta_elettronica',
  ],
  phone: [
    'phone phone_number telephone tel mobile mobile_phone mobile_phone_number cell contact_number whatsapp work_phone home_phone person_phone person_phone_mobile person_phone_work person_phone_home person_phone_other',
    'telefone telemovel celular numero_de_telefone',
    'telefono movil numero_de_telefono',
    'telefon telefonnummer handy mobilnummer mobil rufnummer',
    'numero_de_telephone portable',
    'cellulare numero_di_telefono',
  ],
  location: [
    'location address full_address',
    'localizacao morada endereco',
    'ubicacion direccion domicilio',
    'standort adresse anschrift',
    'lieu',
    'indirizzo luogo',
  ],
  street: [
    'street street_address address_line_1 address_street_address address_street mailing_street',
    'rua',
    'calle',
    'strasse',
    'rue',
    'via',
  ],
  house_number: [
    'house_number street_number',
    'numero_de_porta',
    'numero_exterior',
    'hausnummer hausnr',
    'numero_civico',
  ],
  postal_code: [
    'postal_code zip zip_code postcode eircode pincode address_zip_postal_code address_zip address_postal_code mailing_postal_code',
    'codigo_postal',
    'cp',
    'plz postleitzahl',
    'code_postal',
    'cap',
  ],
  city: [
    'city town address_city mailing_city',
    'cidade concelho localidade',
    'ciudad poblacion',
    'stadt ort wohnort',
    'ville',
    'citta comune',
  ],
  country: [
    'country country_code country_region market mailing_country address_country',
    'pais mercado',
    'land',
    'pays',
    'paese',
  ],
  lang: ['lang language locale preferred_language hs_language', 'idioma lingua', 'sprache', 'langue'],
  request_text: [
    'request_text request message description details comments enquiry inquiry job_description what_do_you_need how_can_we_help',
    'mensagem pedido descricao',
    'mensaje solicitud descripcion',
    'nachricht anfrage beschreibung anliegen',
    'demande message',
    'messaggio richiesta',
  ],
  notes: ['notes', 'notas', 'notizen'],
  category: [
    'category category_id service service_type trade job_type profession',
    'categoria servico',
    'servicio oficio',
    'kategorie dienstleistung gewerk',
    'categorie metier prestation',
    'servizio mestiere',
  ],
  ref: [
    'external_reference external_id reference ref lead_id id record_id submission_id entry_id response_id hs_object_id deal_id #',
    'referencia',
    'referenz',
    'riferimento',
  ],
  audio_file: ['audio_file audio recording voice_note'],
};

const byName = new Map<string, Alias>();
for (const [meaning, languages] of Object.entries(NAMES) as [FieldOrPart, readonly string[]][]) {
  for (const names of languages) {
    for (const [rank, name] of names.split(' ').entries()) {
      const before = byName.get(name);
      if (!before || before.rank > rank) byName.set(name, { meaning, rank });
    }
  }
}

/**
 * Normalises a header for comparison by removing case, accents, blanks and punctuation. `#`, Typeform's reference, is
 * kept.
 */
export function normalForm(header: string): string {
  const folded = header
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim()
    .toLowerCase();
  return folded === '#' ? '#' : lettersOnly(folded.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss'));
}

/**
 * Returns the letters and digits of a header in any script, without case and accents. A header without letters and
 * digits is returned whole. Unlike {@link normalForm}, it is not empty for scripts in which srq knows no names.
 */
export function headerForm(header: string): string {
  const folded = header
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll('ß', 'ss');
  return folded.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '') || folded;
}

/** Normalises a header with its umlauts spelled out, so that ü becomes ue. */
function spelledOut(header: string): string {
  const folded = header.normalize('NFC').toLowerCase();
  return normalForm(folded.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue'));
}

function lettersOnly(text: string): string {
  return text.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');
}

/** Returns the meaning of a header by itself, or undefined if it is not known. */
export function aliasOf(header: string): Alias | undefined {
  return byName.get(normalForm(header)) ?? byName.get(spelledOut(header));
}

/** Counts the known names in a header row. The right delimiter gives more of them than a wrong one. */
export function countKnownFields(header: readonly string[]): number {
  return header.filter((name) => aliasOf(name) !== undefined).length;
}
