/** The texts of the example leads in one language. `{area}` stands for a number in the market's notation. */
export interface ExampleWords {
  /** Names of columns that srq recognises. */
  readonly header: Readonly<Record<ExampleColumn, string>>;
  readonly people: readonly { readonly name: string; readonly mailbox: string; readonly need: string }[];
}

/** The columns that an example file can have, in their order. */
export const EXAMPLE_COLUMNS = [
  'ref',
  'fullname',
  'email',
  'phone',
  'postal_code',
  'city',
  'country',
  'lang',
  'request_text',
] as const;
export type ExampleColumn = (typeof EXAMPLE_COLUMNS)[number];

const person = (name: string, mailbox: string, need: string) => ({ name, mailbox, need });

/** The texts by language; they cover the first language of every market. */
export const EXAMPLE_WORDS: Readonly<Record<string, ExampleWords>> = {
  en: {
    header: {
      ref: 'Reference',
      fullname: 'Full name',
      email: 'Email',
      phone: 'Phone number',
      postal_code: 'Postal code',
      city: 'City',
      country: 'Country',
      lang: 'Language',
      request_text: 'Message',
    },
    people: [
      person('Nora Example', 'nora', 'A kitchen tap drips; a plumber this week, please'),
      person('Sam Sample', 'sam', 'Paint a living room of {area} m², "off-white"'),
      person('Ivy Instance', 'ivy', 'Maths tutor, twice a week; Tuesday, Thursday'),
    ],
  },
  pt: {
    header: {
      ref: 'Referência',
      fullname: 'Nome completo',
      email: 'Correio eletrónico',
      phone: 'Telemóvel',
      postal_code: 'Código postal',
      city: 'Cidade',
      country: 'País',
      lang: 'Idioma',
      request_text: 'Mensagem',
    },
    people: [
      person('Inês Exemplo', 'ines', 'A torneira da cozinha pinga; canalizador esta semana'),
      person('João Amostra', 'joao', 'Pintar uma sala de {area} m², "branco sujo"'),
      person('Conceição Modelo', 'conceicao', 'Explicações de matemática, duas vezes por semana'),
    ],
  },
  es: {
    header: {
      ref: 'Referencia',
      fullname: 'Nombre completo',
      email: 'Correo electrónico',
      phone: 'Teléfono',
      postal_code: 'Código postal',
      city: 'Ciudad',
      country: 'País',
      lang: 'Idioma',
      request_text: 'Mensaje',
    },
    people: [
      person('Lucía Ejemplo', 'lucia', 'Gotea el grifo de la cocina; un fontanero esta semana'),
      person('Íñigo Muestra', 'inigo', 'Pintar un salón de {area} m², "blanco roto"'),
      person('Begoña Modelo', 'begona', 'Clases de matemáticas, dos veces por semana'),
    ],
  },
  de: {
    header: {
      ref: 'Referenz',
      fullname: 'Vollständiger Name',
      email: 'E-Mail-Adresse',
      phone: 'Telefonnummer',
      postal_code: 'Postleitzahl',
      city: 'Ort',
      country: 'Land',
      lang: 'Sprache',
      request_text: 'Nachricht',
    },
    people: [
      person('Jürgen Beispiel', 'juergen', 'Der Wasserhahn in der Küche tropft; diese Woche, bitte'),
      person('Zoë Muster', 'zoe', 'Wohnzimmer streichen, {area} m², "gebrochenes Weiß"'),
      person('Änne Probe', 'aenne', 'Nachhilfe in Mathematik, zweimal in der Woche'),
    ],
  },
};
