/**
 * A place in a request, as a contract writes it: `customer.phone` in the body, `phones.0.number` in the only element of a
 * list, `header X-Lang`, `query lang`. A dot within a name is written `\.`.
 */
export type Place = string;

export interface PlaceParts {
  readonly in: 'body' | 'header' | 'query';
  /** The member names from the top of the body, or the single name of a header or a query parameter. */
  readonly path: readonly string[];
}

/** The name in the path of a place that stands for the only element of a list. */
export const ONLY_ELEMENT = '0';

const OUTSIDE = /^(header|query) (.*)$/s;

export function readPlace(place: Place): PlaceParts {
  const [, where, name = ''] = OUTSIDE.exec(place) ?? [];
  if (where === 'header' || where === 'query') return { in: where, path: [name] };
  const names = `.${place.replace(/^body /, '')}`.match(/\.(?:\\.?|[^.\\])*/gs) ?? [];
  return { in: 'body', path: names.map((name) => name.slice(1).replace(/\\(.)/gs, '$1')) };
}

export function writePlace({ in: where, path }: PlaceParts): Place {
  if (where !== 'body') return `${where} ${path[0] ?? ''}`;
  const place = path.map((name) => name.replace(/[.\\]/g, '\\$&')).join('.');
  return /^(?:body|header|query) /.test(place) ? `body ${place}` : place;
}
